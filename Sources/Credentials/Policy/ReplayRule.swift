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

    /// What to remember of verified credentials: the content of each, or its subjects.
    func keys(of claims: [SignedClaims]) -> ReplayKeys {
        var keys = ReplayKeys()
        for credential in claims {
            if key == .subject, !credential.subjects.ids.isEmpty {
                keys.subjects += credential.subjects.ids.filter { !keys.subjects.contains($0) }
            } else {
                keys.contents.append(credential.signed)
            }
            if key == .subject, credential.subjects.mayHideOne { keys.mayHideOne = true }
        }
        return keys
    }
}

/// What a visit is remembered by.
package struct ReplayKeys: Sendable {
    var contents: [SignedContent] = []
    var subjects: [Text] = []
    /// Whether the holder may have left out by whom he would be known again: then nobody can say that he was not here.
    var mayHideOne = false

    /// 32 bytes each, without repetition. Computed each time. Keys of both kinds cannot meet: that of a subject is a hash with a
    /// prefix that no signed content has.
    var digests: [[UInt8]] {
        var digests: [[UInt8]] = []
        for digest in subjects.map(Self.digest) + contents.map(\.digest) where !digests.contains(digest) {
            digests.append(digest)
        }
        return digests
    }

    private static func digest(_ subject: Text) -> [UInt8] { Digest.sha256(Array("\u{0}subject:".utf8) + subject.utf8) }
}
