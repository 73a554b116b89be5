import Encoding

/// The tones of the verdicts, for people who do not see the light: the times for which the sounder is alternately on
/// and off, beginning with on.
package struct VerdictTones: Hashable, Sendable {
    /// The tones for accepted: one long tone. The durations are alternately of tones and of pauses.
    package var accepted: [Duration] = [.milliseconds(600)]
    /// The tones for rejected: three short tones. The durations are alternately of tones and of pauses.
    package var rejected: [Duration] = [150, 350, 150, 350, 150].map { .milliseconds($0) }

    /// Creates the documented default values.
    package init() {}

    /// Whether the two verdicts can be distinguished by ear: by the number of tones.
    package var areDifferent: Bool { (accepted.count + 1) / 2 != (rejected.count + 1) / 2 }

    /// The longest total time of a verdict's tones: the time for which the light shows the verdict.
    package static let longest: Duration = .seconds(3)

    /// Returns the durations of the tones of a pattern; an empty list if it has no tones.
    func parts(of pattern: IndicatorPattern) -> [Duration] {
        switch pattern {
        case .accepted: accepted
        case .rejected: rejected
        case .ready, .attention, .connected, .receiving, .checking, .failed, .fault, .locked, .free, .off: []
        }
    }

    /// Returns whether the sounder is on at `elapsed` after the pattern began, and the time from the pattern's
    /// beginning to the next change; nil: no further change.
    func tone(of pattern: IndicatorPattern, after elapsed: Duration) -> (isOn: Bool, until: Duration?) {
        var end: Duration = .zero
        for (number, part) in parts(of: pattern).enumerated() {
            end += part
            if elapsed < end { return (number.isMultiple(of: 2), end) }
        }
        return (false, nil)
    }
}
