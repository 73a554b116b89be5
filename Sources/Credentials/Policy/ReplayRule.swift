import Encoding

/// The rule about repeated presentations, `[replay]` of a policy: what identifies a repetition, the time window, and
/// the action.
package struct ReplayRule: Hashable, Sendable {
    /// The key by which a visit is remembered.
    package enum Key: String, CaseIterable, Sendable {
        /// The key is the signed content: the same credential in any spelling.
        case credential
        /// The key is the subject's id, which all credentials of a person share. For a credential without a subject's
        /// id, the key is the signed content.
        case subject
    }

    /// The action on a repetition within the window.
    package enum Action: String, CaseIterable, Sendable {
        /// A repeated credential is refused with `replay.seen`.
        case reject
        /// A repeated credential is accepted. The record has the warning `replay.seen`.
        case flag
        /// A repeated credential is accepted without a warning.
        case ignore
    }

    /// The time for which a visit is remembered, by the monotonic clock.
    package var window: Duration = .seconds(30)
    /// The key by which a credential is remembered.
    package var key: Key = .credential
    /// The action on a repetition.
    package var action: Action = .reject

    /// Creates the documented default rule: a credential is refused again within 30 s.
    package init() {}

    /// Returns the replay keys of a verified credential: its content or its subjects.
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

/// The keys by which a visit with a credential is remembered.
package struct ReplayKeys: Equatable, Sendable {
    /// The issuer and the id of a credential. The id alone is not enough, because any issuer can write any id.
    struct Named: Equatable {
        let issuer: Text
        let id: Text
    }

    var contents: [SignedContent] = []
    /// The issuers and ids of the credentials that have an id. A credential may have two proofs: one that lets the
    /// holder withhold statements, and one over all statements. The contents under the two proofs differ, but the
    /// issuer and the id are the same. The issuer and the id therefore identify the credential under either proof.
    var named: [Named] = []
    var subjects: [Text] = []
    /// Whether the holder may have withheld a subject. If so, a repetition cannot be excluded.
    var mayHideOne = false

    /// Returns whether a key is, or may be, among the keys of the visits within the replay window.
    func wereSeen(among recent: Set<[UInt8]>) -> Bool {
        // Compute the digests only if there are recent visits: the digest of a signed text needs its graph.
        mayHideOne || !recent.isEmpty && digests.contains(where: recent.contains)
    }

    /// The digests of all keys, 32 bytes each, without duplicates. Each call computes the digests. Keys of different
    /// kinds cannot be equal, because the keys of subjects and names are hashes with a prefix that no signed content
    /// has.
    var digests: [[UInt8]] {
        var seen: Set<[UInt8]> = []
        return (subjects.map(Self.digest) + contents.map(\.digest) + named.map(Self.digest))
            .filter { seen.insert($0).inserted }
    }

    /// Returns the digest of an issuer and an id, separated by a zero byte. No id contains a zero byte.
    private static func digest(_ named: Named) -> [UInt8] {
        Digest.sha256(Array("\u{0}credential:".utf8) + named.issuer.utf8 + [0] + named.id.utf8)
    }

    private static func digest(_ subject: Text) -> [UInt8] { Digest.sha256(Array("\u{0}subject:".utf8) + subject.utf8) }
}
