package import Kiosk

/// `[tones]`: the tones of verdicts.
package struct TonesSection: Hashable, Sendable {
    /// The largest number of durations in a verdict's tones, in which tones and silences alternate: 15, of
    /// which 8 are tones.
    private static let limit = 15

    /// The tones of the sounder.
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
