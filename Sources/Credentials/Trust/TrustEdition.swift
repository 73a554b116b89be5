package import Encoding

/// Which bundle trust data came in and how long its operator stands by it.
package struct TrustEdition: Hashable, Sendable {
    /// Counts up from bundle to bundle.
    package var version: Int
    /// SHA-256 of the whole bundle (32 bytes).
    package var digest: [UInt8]
    /// When it was made.
    package var issued: Timestamp
    /// Until when it is to be used.
    package var validUntil: Timestamp
    /// How long after that it may be used, with a warning, while no newer one arrives.
    package var grace: Duration

    /// An edition of these parts.
    package init(version: Int, digest: [UInt8], issued: Timestamp, validUntil: Timestamp, grace: Duration = .zero) {
        self.version = version
        self.digest = digest
        self.issued = issued
        self.validUntil = validUntil
        self.grace = grace
    }

    /// Its name in verdicts and records: `bundle 42 sha256:` and the first 16 hexadecimal digits.
    package var name: String { "bundle \(version) sha256:" + Hex.encode(digest.prefix(8)) }

    /// How far a date is into its life.
    package enum Age: Hashable, Sendable {
        /// In use as meant.
        case fresh
        /// Past its date, in the grace period.
        case overdue
        /// Not to be used any more.
        case stale
    }

    /// Its age at a date.
    package func age(at date: Timestamp) -> Age {
        if date < validUntil { return .fresh }
        return date < validUntil.advanced(by: grace) ? .overdue : .stale
    }
}
