package import Encoding

/// A verifier's key that is printed at a gate without a display: the same for all sessions until it ends.
///
/// The data that a wallet sends to it determines the session's secret, so a recording could be replayed as long as the
/// key lives. Therefore it is used with ``UsedSessions``, which survive a restart, and the gate opens for a session
/// only after its name is on the disk. A session counts as used as soon as an authentic credential was received in it:
/// nothing else is worth replaying, and every phone in the street can begin sessions.
package struct PrintedKey: Sendable {
    /// X25519 private key, 32 bytes.
    let privateKey: [UInt8]
    /// When it ends.
    let until: Instant

    /// Creates a key of 32 bytes that ends at `until`.
    package init(privateKey: [UInt8], until: Instant) { (self.privateKey, self.until) = (privateKey, until) }
}

/// The used sessions of a printed key, by names of their secrets: none is accepted twice in the key's life.
package struct UsedSessions: Sendable {
    /// The largest number of sessions of one key. Eight bytes of each are kept: the probability that any two
    /// of so many are equal by chance is below 10^-7, and then one phone is asked to try again.
    package static let limit = 1_000_000

    private var names: Set<UInt64>
    private let most: Int

    /// Creates a list of these names, with room for `most` in all.
    package init(_ names: Set<UInt64> = [], most: Int = UsedSessions.limit) { (self.names, self.most) = (names, most) }

    /// The number of sessions.
    package var count: Int { names.count }

    /// Returns the name of a session: the first eight of the 16 bytes that identify its secret; nil for any
    /// other number of bytes.
    package static func name(of fingerprint: [UInt8]) -> UInt64? {
        guard fingerprint.count == 16 else { return nil }
        return fingerprint.prefix(8).reduce(0) { $0 << 8 | UInt64($1) }
    }

    /// Whether a session may begin: it was not used before, and there is room for its name.
    func admits(_ fingerprint: [UInt8]) -> Bool {
        guard let name = Self.name(of: fingerprint) else { return false }
        return names.count < most && !names.contains(name)
    }

    /// Accepts a session; returns false if it was used before, or if there is no room for it.
    mutating func admit(_ fingerprint: [UInt8]) -> Bool {
        guard let name = Self.name(of: fingerprint), names.count < most else { return false }
        return names.insert(name).inserted
    }
}

/// Limits how many sessions of a printed key are kept although their credential was refused, or is not known:
/// phones in range cannot fill the list. Each credential has an allowance of its own, which is used before
/// the common one. So a wallet that is refused all day takes no place from others, whose recordings could
/// otherwise be replayed.
struct RefusedSessions: Sendable {
    /// The largest number of credentials with an allowance that is not full; a full one is forgotten. When
    /// the table is full, only the common allowance limits further credentials.
    static let credentials = 1024

    private var all = Allowance(burst: 1000, period: .seconds(120))
    /// For visits whose check did not finish: their credential is not known.
    private var unknown = Allowance(burst: 500, period: .seconds(120))
    private var own: [[UInt8]: Allowance] = [:]

    /// Takes one use for a refused credential, identified by the digest of its signed content; returns
    /// whether one was left.
    mutating func take(_ credential: [UInt8], at now: Instant) -> Bool {
        var each = own[credential] ?? Allowance(burst: 20, period: .seconds(3600))
        guard each.isThere(at: now), all.take(at: now) else { return false }
        _ = each.take(at: now)
        if own[credential] == nil, own.count >= Self.credentials { own = own.filter { !$0.value.isFull(at: now) } }
        if own[credential] != nil || own.count < Self.credentials { own[credential] = each }
        return true
    }

    /// Takes one use for an unknown credential; returns whether one was left.
    mutating func takeUnknown(at now: Instant) -> Bool { unknown.take(at: now) }
}
