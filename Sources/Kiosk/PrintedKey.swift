package import Encoding

/// A verifier's key that hangs printed at a gate without a display: the same for all sessions until it ends.
///
/// What a wallet sends to it fixes the session's secret, so a recording could be played again as long as the key lives.
/// It is therefore used with ``UsedSessions`` that outlive a restart, and the gate opens for a session only after its
/// name is on the disk. A session counts as soon as an authentic credential came in it: nothing else is worth playing
/// again, and every phone in the street can begin sessions.
package struct PrintedKey: Sendable {
    /// X25519 private key, 32 bytes.
    let privateKey: [UInt8]
    /// When it ends.
    let until: Instant

    /// A key of 32 bytes that ends then.
    package init(privateKey: [UInt8], until: Instant) { (self.privateKey, self.until) = (privateKey, until) }
}

/// The sessions that a printed key has had, by names of their secrets: none is taken twice in the key's life.
package struct UsedSessions: Sendable {
    /// Sessions of one key at most. Eight bytes of each are kept: that two of so many meet by chance has a probability below
    /// 10^-7, and then one phone is asked to try again.
    package static let limit = 1_000_000

    private var names: Set<UInt64>
    private let most: Int

    /// These and no others, with room for `most` in all.
    package init(_ names: Set<UInt64> = [], most: Int = UsedSessions.limit) { (self.names, self.most) = (names, most) }

    /// How many.
    package var count: Int { names.count }

    /// What a session is remembered by: the first eight of the 16 bytes that its secret is known by; nil for any other number of
    /// bytes.
    package static func name(of fingerprint: [UInt8]) -> UInt64? {
        guard fingerprint.count == 16 else { return nil }
        return fingerprint.prefix(8).reduce(0) { $0 << 8 | UInt64($1) }
    }

    /// Whether a session may begin: it was not here before, and there is room for its name.
    func admits(_ fingerprint: [UInt8]) -> Bool {
        guard let name = Self.name(of: fingerprint) else { return false }
        return names.count < most && !names.contains(name)
    }

    /// Takes a session; false for one that was here before, or that there is no room for.
    mutating func admit(_ fingerprint: [UInt8]) -> Bool {
        guard let name = Self.name(of: fingerprint), names.count < most else { return false }
        return names.insert(name).inserted
    }
}

/// How many sessions of a printed key are kept although their credential was refused, or not known: phones in range
/// cannot fill the book. Each credential has an allowance of its own in front of that of all: a wallet that is refused
/// all day takes no place from others, whose recordings could else be played again.
struct RefusedSessions: Sendable {
    /// Credentials that have taken from their own; one that is full again is forgotten. When the table is full,
    /// only the common allowance limits further credentials.
    static let credentials = 1024

    private var all = Allowance(burst: 1000, period: .seconds(120))
    /// Of visits whose check came to no end: their credential is not known.
    private var unknown = Allowance(burst: 500, period: .seconds(120))
    private var own: [[UInt8]: Allowance] = [:]

    /// Takes one for a refused credential, by the digest of what its issuer signed; whether there was one.
    mutating func take(_ credential: [UInt8], at now: Instant) -> Bool {
        var each = own[credential] ?? Allowance(burst: 20, period: .seconds(3600))
        guard each.isThere(at: now), all.take(at: now) else { return false }
        _ = each.take(at: now)
        if own[credential] == nil, own.count >= Self.credentials { own = own.filter { !$0.value.isFull(at: now) } }
        if own[credential] != nil || own.count < Self.credentials { own[credential] = each }
        return true
    }

    /// Takes one for a credential that is not known; whether there was one.
    mutating func takeUnknown(at now: Instant) -> Bool { unknown.take(at: now) }
}
