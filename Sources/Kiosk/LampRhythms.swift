import Encoding

/// The rhythm of each indicator pattern that uses one lamp. Which lamp it uses, and the patterns of two
/// lamps, are fixed.
package struct LampRhythms: Hashable, Sendable {
    /// The indicator patterns whose rhythm may be chosen.
    package static let signs = IndicatorPattern.allCases.filter { $0.usual != nil }

    private var chosen: [IndicatorPattern: LampRhythm] = [:]

    /// Creates the documented default values.
    package init() {}

    /// The rhythm of an indicator pattern. Setting it has no effect for a pattern whose rhythm is fixed.
    package subscript(sign: IndicatorPattern) -> LampRhythm {
        get { chosen[sign] ?? sign.usual?.rhythm ?? .steady }
        set { chosen[sign] = newValue == sign.usual?.rhythm ? nil : newValue }
    }

    /// Returns another indicator pattern that cannot be distinguished from this one without colours; nil if there is
    /// none. Patterns of the same lamp need different rhythms. The two verdicts need different rhythms, too, because
    /// in the dark a person cannot see which position is lit. Of two such patterns, the function names the earlier one
    /// when called with the later one, and returns nil when called with the earlier one.
    package func indistinguishable(of sign: IndicatorPattern) -> IndicatorPattern? {
        let others = Self.signs.prefix { $0 != sign }
        // The two flashes of a failed transfer look like a quick blink of the lamp that shows checking.
        if sign == .checking, self[sign] == .quick { return .failed }
        return others.first { other in
            let isBeside = other.usual?.lamp == sign.usual?.lamp || other == .accepted && sign == .rejected
            return isBeside && self[other] == self[sign]
        }
    }

    /// One part of an indicator pattern.
    struct Step {
        let lamps: Set<Lamp>
        let duration: Duration
    }

    /// Returns the steps of a pattern in order. The steps repeat as long as the pattern is shown. A single step has no
    /// end.
    func steps(of pattern: IndicatorPattern) -> [Step] {
        guard let lamp = pattern.usual?.lamp else { return pattern.fixed }
        guard let beat = self[pattern].beat else { return [Step([lamp], 1000)] }
        return [Step(lamps: [lamp], duration: beat.on), Step(lamps: [], duration: beat.off)]
    }
}

extension IndicatorPattern {
    /// The lamp of an indicator pattern that has only one lamp, and the pattern's rhythm unless the operator
    /// chose another. Nil for a pattern of several lamps, or of none.
    fileprivate var usual: (lamp: Lamp, rhythm: LampRhythm)? {
        switch self {
        case .ready: (.blue, .slow)
        case .connected: (.blue, .steady)
        case .receiving: (.blue, .quick)
        case .checking: (.amber, .steady)
        case .accepted: (.green, .steady)
        case .rejected: (.red, .quick)
        case .locked: (.red, .gap)
        case .free: (.green, .gap)
        case .attention, .failed, .fault, .off: nil
        }
    }

    /// The steps of a pattern whose rhythm is fixed.
    fileprivate var fixed: [LampRhythms.Step] {
        switch self {
        case .attention: [.init([.blue], 1000), .init([], 400), .init([.amber], 200), .init([], 400)]
        case .failed: [.init([.amber], 300), .init([], 300), .init([.amber], 300), .init([], 100)]
        case .fault: [.init([.red], 1000), .init([.amber], 1000)]
        case .off, .ready, .connected, .receiving, .checking, .accepted, .rejected, .locked, .free: [.init([], 1000)]
        }
    }
}

extension LampRhythms.Step {
    fileprivate init(_ lamps: Set<Lamp>, _ milliseconds: Int) {
        self.init(lamps: lamps, duration: .milliseconds(milliseconds))
    }
}
