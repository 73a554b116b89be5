package import Encoding

/// The bundle that contained the trust data, and how long the operator allows its use.
package struct TrustEdition: Hashable, Sendable {
    /// The version of the bundle. It grows from bundle to bundle.
    package var version: Int
    /// SHA-256 of the whole bundle (32 bytes).
    package var digest: [UInt8]
    /// The date at which the bundle was issued.
    package var issued: Timestamp
    /// The date until which the bundle should be used.
    package var validUntil: Timestamp
    /// The time after ``validUntil`` for which it may still be used, with a warning, while no newer one
    /// arrives.
    package var grace: Duration

    /// Creates an edition from the values of its properties.
    package init(version: Int, digest: [UInt8], issued: Timestamp, validUntil: Timestamp, grace: Duration = .zero) {
        self.version = version
        self.digest = digest
        self.issued = issued
        self.validUntil = validUntil
        self.grace = grace
    }

    /// The name of the edition in verdicts and records: `bundle 42 sha256:` and the first 16 hexadecimal
    /// digits.
    package var name: String { "bundle \(version) sha256:" + Hex.encode(digest.prefix(8)) }

    /// The state of an edition at a date.
    package enum Age: String, Sendable {
        /// The edition is within its validity.
        case fresh
        /// After ``validUntil``, in the grace period.
        case overdue
        /// The grace period of the edition is over. The edition must not be used any more.
        case stale
    }

    /// Returns the state at a date.
    package func age(at date: Timestamp) -> Age {
        if date < validUntil { return .fresh }
        return date < validUntil.advanced(by: grace) ? .overdue : .stale
    }
}
