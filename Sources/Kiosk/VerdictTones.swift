import Encoding

/// The tones of the verdicts, for people who do not see the light: the times for which the sounder is on and
/// off in turn, beginning with on.
package struct VerdictTones: Hashable, Sendable {
    /// The tones for accepted: one long tone. The durations are of tones and pauses in turn.
    package var accepted: [Duration] = [.milliseconds(600)]
    /// The tones for rejected: three short tones. The durations are of tones and pauses in turn.
    package var rejected: [Duration] = [150, 350, 150, 350, 150].map { .milliseconds($0) }

    /// Creates the documented default values.
    package init() {}

    /// Whether the two verdicts can be distinguished by ear: by the number of tones.
    package var areDifferent: Bool { (accepted.count + 1) / 2 != (rejected.count + 1) / 2 }

    /// The longest time of a verdict's tones: no longer than the light.
    package static let longest: Duration = .seconds(3)

    /// Returns the durations of the tones of a pattern; an empty list if it has no tones.
    func parts(of pattern: IndicatorPattern) -> [Duration] {
        switch pattern {
        case .accepted: accepted
        case .rejected: rejected
        case .ready, .attention, .connected, .receiving, .checking, .failed, .fault, .locked, .free, .off: []
        }
    }

    /// Returns whether the sounder is on at `elapsed` after the pattern began, and when that changes, counted
    /// from the beginning; nil: it changes no more.
    func tone(of pattern: IndicatorPattern, after elapsed: Duration) -> (isOn: Bool, until: Duration?) {
        var end: Duration = .zero
        for (number, part) in parts(of: pattern).enumerated() {
            end += part
            if elapsed < end { return (number.isMultiple(of: 2), end) }
        }
        return (false, nil)
    }
}
