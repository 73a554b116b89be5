package import Encoding

/// A key that the operator has withdrawn for every issuer (an entry of `revoked-keys` in `issuers.toml`).
package struct RevokedKey: Hashable, Sendable {
    /// The identification of a key.
    package enum Key: Hashable, Sendable {
        /// The verification method with the given URL. If the document of the method is known, the method's key is
        /// withdrawn under all names.
        case method(Text)
        /// The key with the given fingerprint, under any name.
        case fingerprint(KeyFingerprint)
    }

    /// The reason of the withdrawal.
    package enum Reason: String, CaseIterable, Sendable {
        /// An attacker may have the key and can write any date, so no signature of the key is accepted.
        case compromised
        /// The owner no longer uses the key. Earlier signatures stay valid: the credential must have at least one date
        /// of issue, and all its dates of issue must be before the day of the withdrawal.
        case retired
    }

    /// The withdrawn key.
    package var key: Key
    /// The start of the withdrawal. For a compromised key, this date has no effect.
    package var since: Timestamp
    /// The reason of the withdrawal.
    package var reason: Reason

    /// Creates a withdrawn key; compromised by default.
    package init(_ key: Key, since: Timestamp, reason: Reason = .compromised) {
        self.key = key
        self.since = since
        self.reason = reason
    }

    /// Returns whether the withdrawn key may still sign an object with the given dates of issue.
    func allows(issuedAt dates: [Timestamp]) -> Bool {
        switch reason {
        case .compromised: false
        case .retired: !dates.isEmpty && dates.allSatisfy { $0 < since }
        }
    }
}
