import Encoding

/// What the sounder says to a verdict, for people who do not see the light: how long it is on and off in turn, beginning with on.
package struct VerdictTones: Hashable, Sendable {
    /// Go: one long tone.
    package var accepted: [Duration] = [.milliseconds(600)]
    /// Stop: three short tones.
    package var rejected: [Duration] = [150, 350, 150, 350, 150].map { .milliseconds($0) }

    /// The documented defaults.
    package init() {}

    /// Whether the two can be told apart by ear: by how many tones there are.
    package var areDifferent: Bool { (accepted.count + 1) / 2 != (rejected.count + 1) / 2 }

    /// The longest that a verdict's tones may take: no longer than the light.
    package static let longest: Duration = .seconds(3)

    /// Those of a pattern; none where it has none.
    func parts(of pattern: IndicatorPattern) -> [Duration] {
        switch pattern {
        case .accepted: accepted
        case .rejected: rejected
        case .ready, .attention, .connected, .receiving, .checking, .failed, .fault, .locked, .free, .off: []
        }
    }

    /// Whether the sounder is on so long after the pattern began, and when that changes, from its beginning; nil: not any more.
    func tone(of pattern: IndicatorPattern, after elapsed: Duration) -> (isOn: Bool, until: Duration?) {
        var end: Duration = .zero
        for (number, part) in parts(of: pattern).enumerated() {
            end += part
            if elapsed < end { return (number.isMultiple(of: 2), end) }
        }
        return (false, nil)
    }
}
