package import Encoding

/// The gate's key for a printed code, at a gate without a display. The key is the same for all sessions until its last
/// day.
///
/// With such a key, the data that a wallet sends determine the session's secret, so a recording could be replayed as
/// long as the key is valid. Therefore the key is used together with ``UsedSessions``, which survive a restart, and
/// the gate opens for a session only after the session's name is on the disk. A session counts as used as soon as an
/// authentic credential was received in it. Other sessions do not count, because replaying them gains nothing and any
/// phone in range can begin sessions.
package struct PrintedKey: Sendable {
    /// The X25519 private key, 32 bytes.
    let privateKey: [UInt8]
    /// The instant at which the printed key ends.
    let until: Instant

    /// Creates a key of 32 bytes that ends at `until`.
    package init(privateKey: [UInt8], until: Instant) { (self.privateKey, self.until) = (privateKey, until) }
}

/// The sessions in which a printed key was used, identified by the names of their secrets (``name(of:)``). No session
/// is accepted twice while the key is valid.
package struct UsedSessions: Sendable {
    /// The largest number of sessions of one key. Eight bytes of each are kept: the probability that any two of so
    /// many are equal by chance is below 10^-7, and then one phone is refused and must try again.
    package static let limit = 1_000_000

    private var names: Set<UInt64>
    private let most: Int

    /// Creates a list of the given names, with room for `most` names in total.
    package init(_ names: Set<UInt64> = [], most: Int = UsedSessions.limit) { (self.names, self.most) = (names, most) }

    /// The number of used sessions.
    package var count: Int { names.count }

    /// Returns the name of a session: the first eight of the 16 bytes that identify its secret. Returns nil unless
    /// there are 16 bytes.
    package static func name(of fingerprint: [UInt8]) -> UInt64? {
        guard fingerprint.count == 16 else { return nil }
        return fingerprint.prefix(8).reduce(0) { $0 << 8 | UInt64($1) }
    }

    /// Returns whether a session may begin: it was not used before, and the list has room for its name.
    func admits(_ fingerprint: [UInt8]) -> Bool {
        guard let name = Self.name(of: fingerprint) else { return false }
        return names.count < most && !names.contains(name)
    }

    /// Accepts a session. Returns false if the session was used before, or if the list has no room for it.
    mutating func admit(_ fingerprint: [UInt8]) -> Bool {
        guard let name = Self.name(of: fingerprint), names.count < most else { return false }
        return names.insert(name).inserted
    }
}

/// A limit on the number of sessions of a printed key that are stored although their credential was refused or is not
/// known, so that phones in range cannot fill the list of used sessions. Each credential has its own allowance, which
/// is used before the common allowance. So a wallet that is refused all day takes no room in the list from others,
/// whose recordings could otherwise be replayed.
struct RefusedSessions: Sendable {
    /// The largest number of credentials with an allowance that is not full; a full allowance is removed. When the
    /// table is full, only the common allowance limits further credentials.
    static let credentials = 1024

    private var all = Allowance(burst: 1000, period: .seconds(120))
    /// The allowance for visits whose check did not finish, so that their credential is not known.
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

    /// Takes one use from the allowance for credentials that are not known yet. Returns false if none was left.
    mutating func takeUnknown(at now: Instant) -> Bool { unknown.take(at: now) }
}
