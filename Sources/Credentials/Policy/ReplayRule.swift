import Encoding

/// What counts as the same visitor again, for how long, and what follows: `[replay]` of a policy.
package struct ReplayRule: Hashable, Sendable {
    /// What a visit is remembered by.
    package enum Key: String, CaseIterable, Sendable {
        /// The signed content: the same credential in any spelling.
        case credential
        /// The subject's id: any credential of the same person. One without a subject's id counts by its signed content.
        case subject
    }

    /// What follows when it is seen again within the window.
    package enum Action: String, CaseIterable, Sendable {
        /// `replay.seen` refuses it.
        case reject
        /// It is accepted, with `replay.seen` as a warning in the record.
        case flag
        /// It is accepted without a word.
        case ignore
    }

    /// How long a visit is remembered, on the monotonic clock.
    package var window: Duration = .seconds(30)
    /// What it is remembered by.
    package var key: Key = .credential
    /// What follows.
    package var action: Action = .reject

    /// The documented defaults: the same credential within 30 s is refused.
    package init() {}

    /// What to remember of these verified credentials: a key of 32 bytes for each, without repetition. Keys of both kinds
    /// cannot meet: that of a subject is a hash with a prefix that no signed content has.
    func keys(of claims: [SignedClaims]) -> [[UInt8]] {
        var keys: [[UInt8]] = []
        for credential in claims {
            let key =
                switch self.key {
                case .credential: credential.signedDigest
                case .subject: credential.subject.map(Self.digest) ?? credential.signedDigest
                }
            if !keys.contains(key) { keys.append(key) }
        }
        return keys
    }

    private static func digest(_ subject: Text) -> [UInt8] { Digest.sha256(Array("\u{0}subject:".utf8) + subject.utf8) }
}
