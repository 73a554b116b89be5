package import Encoding

/// The bundle from which the trust data came, and the period of its use.
package struct TrustEdition: Hashable, Sendable {
    /// The version of the bundle. The version grows from bundle to bundle.
    package var version: Int
    /// SHA-256 of the whole bundle (32 bytes).
    package var digest: [UInt8]
    /// The date at which the bundle was issued.
    package var issued: Timestamp
    /// The date until which the bundle should be used.
    package var validUntil: Timestamp
    /// The time after ``validUntil`` for which the gate may still use the bundle, with a warning, if no newer bundle
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

    /// The name of the edition in verdicts and records: `bundle 42 sha256:` and the first 16 hexadecimal digits of its
    /// digest.
    package var name: String { "bundle \(version) sha256:" + Hex.encode(digest.prefix(8)) }

    /// The state of an edition at a date.
    package enum Age: String, Sendable {
        /// The edition is within its validity.
        case fresh
        /// The edition is past ``validUntil``, but within the grace period.
        case overdue
        /// The grace period of the edition has ended. The edition must not be used any more.
        case stale
    }

    /// Returns the state at a date.
    package func age(at date: Timestamp) -> Age {
        if date < validUntil { return .fresh }
        return date < validUntil.advanced(by: grace) ? .overdue : .stale
    }
}
