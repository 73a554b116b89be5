package import Kiosk

/// `[tones]`: the tones of verdicts.
package struct TonesSection: Hashable, Sendable {
    /// The maximum number of durations in the tones of a verdict. Tones and silences alternate, so 15 durations
    /// contain 8 tones.
    private static let limit = 15

    /// The tones of each verdict.
    package var verdicts = VerdictTones()

    init(_ reader: inout ConfigurationReader) {
        for (key, path) in [("accepted", \VerdictTones.accepted), ("rejected", \VerdictTones.rejected)] {
            verdicts[keyPath: path] = reader.durations(
                "tones.\(key)", default: verdicts[keyPath: path], in: .milliseconds(50)...VerdictTones.longest,
                longest: VerdictTones.longest, limit: Self.limit)
        }
        if !verdicts.areDifferent {
            reader.reject(
                "tones.rejected", "sounds like tones.accepted to visitors who do not see the light",
                "Give them different numbers of tones: every second duration is silence.")
        }
    }
}
