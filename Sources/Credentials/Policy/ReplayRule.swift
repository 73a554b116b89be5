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

    /// What to remember of a verified credential: its content, or its subjects.
    func keys(of credential: SignedClaims) -> ReplayKeys {
        var keys = ReplayKeys()
        if key == .subject, !credential.subjects.ids.isEmpty {
            keys.subjects = credential.subjects.ids
        } else {
            keys.contents = [credential.signed]
            if let id = credential.id { keys.named = [.init(issuer: credential.issuer, id: id)] }
        }
        keys.mayHideOne = key == .subject && credential.subjects.mayHideOne
        return keys
    }
}

/// What a visit with a credential is remembered by.
package struct ReplayKeys: Sendable {
    /// A credential by the name that its issuer gave it: the id alone anybody could write.
    struct Named {
        let issuer: Text
        let id: Text
    }

    var contents: [SignedContent] = []
    /// The same credentials, as far as they have an id: of one with a proof that leaves statements to the holder and another over
    /// all of them, the content goes by either name, whichever of the proofs he shows.
    var named: [Named] = []
    var subjects: [Text] = []
    /// Whether the holder may have left out by whom he would be known again: then nobody can say that he was not here.
    var mayHideOne = false

    /// Whether one is among those of the visits within the window, or that cannot be told.
    func wereSeen(among recent: Set<[UInt8]>) -> Bool {
        // Names are made only where there are some to compare with: of a signed text that takes its graph.
        mayHideOne || !recent.isEmpty && digests.contains(where: recent.contains)
    }

    /// 32 bytes each, without repetition. Computed each time. Keys of several kinds cannot meet: those of subjects and names are
    /// hashes with a prefix that no signed content has.
    var digests: [[UInt8]] {
        var seen: Set<[UInt8]> = []
        return (subjects.map(Self.digest) + contents.map(\.digest) + named.map(Self.digest))
            .filter { seen.insert($0).inserted }
    }

    /// No id has a zero byte in it.
    private static func digest(_ named: Named) -> [UInt8] {
        Digest.sha256(Array("\u{0}credential:".utf8) + named.issuer.utf8 + [0] + named.id.utf8)
    }

    private static func digest(_ subject: Text) -> [UInt8] { Digest.sha256(Array("\u{0}subject:".utf8) + subject.utf8) }
}
