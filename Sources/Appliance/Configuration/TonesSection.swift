package import Kiosk

/// `[tones]`: how verdicts sound.
package struct TonesSection: Hashable, Sendable {
    /// Parts of a verdict's tones at most: seven tones, and the silence between them.
    private static let limit = 15

    /// What the sounder does.
    package var verdicts = VerdictTones()

    init(_ reader: inout ConfigurationReader) {
        for (key, path) in [("accepted", \VerdictTones.accepted), ("rejected", \VerdictTones.rejected)] {
            verdicts[keyPath: path] = reader.durations(
                "tones.\(key)", default: verdicts[keyPath: path], in: .milliseconds(50)...VerdictTones.longest,
                longest: VerdictTones.longest, limit: Self.limit)
        }
        if !verdicts.areDifferent {
            reader.reject(
                "tones.rejected", "sounds like tones.accepted to who does not see the light",
                "Give the two another number of tones: every second duration is silence.")
        }
    }
}
