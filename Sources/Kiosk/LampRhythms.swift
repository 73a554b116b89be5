import Encoding

/// In which rhythm each sign of one lamp is shown. Which lamp it is, and signs of two lamps, are fixed.
package struct LampRhythms: Hashable, Sendable {
    /// The signs whose rhythm may be chosen.
    package static let signs = IndicatorPattern.allCases.filter { $0.usual != nil }

    private var chosen: [IndicatorPattern: LampRhythm] = [:]

    /// The documented defaults.
    package init() {}

    /// The rhythm of a sign; for one that has none to be chosen it says nothing.
    package subscript(sign: IndicatorPattern) -> LampRhythm {
        get { chosen[sign] ?? sign.usual?.rhythm ?? .steady }
        set { chosen[sign] = newValue == sign.usual?.rhythm ? nil : newValue }
    }

    /// Another sign that this one cannot be told from without colours; nil: there is none. Signs of one lamp need rhythms of their own,
    /// and so do the two verdicts, since in the dark nobody sees which place is lit. Of two that are alike only the later one says so.
    package func lookalike(of sign: IndicatorPattern) -> IndicatorPattern? {
        let others = Self.signs.prefix { $0 != sign }
        // The two flashes that tell of a failed transfer are a quick blink of the lamp that tells of checking.
        if sign == .checking, self[sign] == .quick { return .failed }
        return others.first { other in
            let isBeside = other.usual?.lamp == sign.usual?.lamp || other == .accepted && sign == .rejected
            return isBeside && self[other] == self[sign]
        }
    }

    /// One part of a pattern.
    struct Step {
        let lamps: Set<Lamp>
        let duration: Duration
    }

    /// The lamps of a pattern in order, repeated as long as it is shown. One step alone has no end.
    func steps(of pattern: IndicatorPattern) -> [Step] {
        guard let lamp = pattern.usual?.lamp else { return pattern.fixed }
        guard let beat = self[pattern].beat else { return [Step([lamp], 1000)] }
        return [Step(lamps: [lamp], duration: beat.on), Step(lamps: [], duration: beat.off)]
    }
}

extension IndicatorPattern {
    /// The lamp of a sign that has one, and its rhythm unless the operator chose another; nil: a sign of several lamps, or of none.
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

    /// The steps of a pattern whose rhythm is not to be chosen.
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
