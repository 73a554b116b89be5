package import Encoding

/// A key that the operator has withdrawn, whoever uses it: an entry of `revoked-keys` in `issuers.toml`.
package struct RevokedKey: Hashable, Sendable {
    /// Which key.
    package enum Key: Hashable, Sendable {
        /// The verification method of that URL, and its key under any other name where its document is known.
        case method(Text)
        /// The key itself.
        case fingerprint(KeyFingerprint)
    }

    /// What has become of it.
    package enum Reason: String, CaseIterable, Sendable {
        /// Somebody else may have it. He can write any date he likes, so nothing it ever signed is accepted any more.
        case compromised
        /// Its owner has put it away. What it signed before that day stays good: every date in the credential that says when
        /// it was issued must lie before, and there must be one.
        case retired
    }

    /// Which key.
    package var key: Key
    /// Since when.
    package var since: Timestamp
    /// What has become of it.
    package var reason: Reason

    /// A withdrawn key; compromised unless told.
    package init(_ key: Key, since: Timestamp, reason: Reason = .compromised) {
        self.key = key
        self.since = since
        self.reason = reason
    }

    /// Whether it may still stand behind something whose own dates of issue are these.
    func allows(issuedAt dates: [Timestamp]) -> Bool {
        switch reason {
        case .compromised: false
        case .retired: !dates.isEmpty && dates.allSatisfy { $0 < since }
        }
    }
}
