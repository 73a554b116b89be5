package import Encoding

/// The bundle that contained the trust data, and how long the operator allows its use.
package struct TrustEdition: Hashable, Sendable {
    /// The number of the bundle, which grows from bundle to bundle.
    package var version: Int
    /// SHA-256 of the whole bundle (32 bytes).
    package var digest: [UInt8]
    /// The date of its issue.
    package var issued: Timestamp
    /// The date until which it should be used.
    package var validUntil: Timestamp
    /// The time after ``validUntil`` for which it may still be used, with a warning, while no newer one
    /// arrives.
    package var grace: Duration

    /// Creates an edition of these parts.
    package init(version: Int, digest: [UInt8], issued: Timestamp, validUntil: Timestamp, grace: Duration = .zero) {
        self.version = version
        self.digest = digest
        self.issued = issued
        self.validUntil = validUntil
        self.grace = grace
    }

    /// The name in verdicts and records: `bundle 42 sha256:` and the first 16 hexadecimal digits.
    package var name: String { "bundle \(version) sha256:" + Hex.encode(digest.prefix(8)) }

    /// The state of an edition at a date.
    package enum Age: Hashable, Sendable {
        /// Within its validity.
        case fresh
        /// After ``validUntil``, in the grace period.
        case overdue
        /// After the grace period; it must not be used any more.
        case stale
    }

    /// Returns the state at a date.
    package func age(at date: Timestamp) -> Age {
        if date < validUntil { return .fresh }
        return date < validUntil.advanced(by: grace) ? .overdue : .stale
    }
}
