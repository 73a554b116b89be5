import BluetoothHost
import Encoding
import Tuvali

/// A key pair with its address and its URI: what phones find, for as long as it is offered.
///
/// In ordinary traffic an offer serves one session: when somebody identifies, the next offer takes its place on the display. The
/// others who have read it by then may still come for a while, so that nobody has to read the code twice; their sessions differ
/// in the wallet's key, and a secret that was used once is never taken again (``admit(_:)``).
struct Offer: Sendable {
    /// Sessions that one offer serves at most, several a second for its whole life: nobody who holds a code gets there by
    /// honest traffic, and what is remembered is bounded.
    static let sessions = 256

    /// Counts offers.
    let number: Int
    let key: VerifierKey
    let advertisement: Advertisement
    let uri: String
    /// Since when it is offered.
    fileprivate(set) var since: Instant
    /// Until when it is on the air beside its successor; nil: it is the newest.
    fileprivate(set) var until: Instant?
    /// What the secrets of its sessions are known by.
    private var fingerprints: [[UInt8]] = []
    private let material: SessionMaterial
    private var visits: UInt32 = 0

    /// An offer of these keys under that name; nil for keys that are none.
    init?(_ material: SessionMaterial, name: Identifier, number: Int, at now: Instant) {
        guard let key = try? VerifierKey(privateBytes: material.privateKey),
            let address = try? ResolvablePrivateAddress.make(
                identityKey: material.identityResolvingKey, random: material.addressRandom)
        else { return nil }
        let invitation = Invitation(identifier: name, key: key)
        guard
            let advertisement = try? Advertisement(
                address: address, data: invitation.advertisingData, scanResponse: invitation.scanResponseData)
        else { return nil }
        (self.material, self.number, self.key, self.advertisement) = (material, number, key, advertisement)
        (uri, since) = (invitation.uri, now)
    }

    /// Whether somebody has identified with it.
    var isUsed: Bool { !fingerprints.isEmpty }

    /// Whether it serves nobody any more.
    var isSpent: Bool { fingerprints.count >= Self.sessions }

    /// A new visit's id.
    fileprivate mutating func nextVisit() -> VisitID? {
        defer { visits &+= 1 }
        return material.visit(visits)
    }

    /// Takes a session with that secret; false for one that was here before. Whoever records a visit and plays it again within
    /// the key's life makes the same secret, and would else bring the same credential.
    fileprivate mutating func admit(_ fingerprint: [UInt8]) -> Bool {
        guard !isSpent, !fingerprints.contains(fingerprint) else { return false }
        fingerprints.append(fingerprint)
        return true
    }
}

/// The offers that phones may come with: the newest, which is on display, and those before it for as long as somebody who has
/// read them may still be on his way.
///
/// One advertiser shows them in turns, every second turn being the newest's, each from its own address: works with every
/// controller, whether it has advertising sets or not, and what is on the air tells with which key a phone connects. While
/// nothing is on the air no offer grows old.
struct Offers: Sendable {
    /// Offers beside the newest. While there are as many, the newest stays although it is used.
    static let older = 5
    /// How long one is on the air before the next has its turn: about seven advertising events, in which a phone that listens
    /// hears it.
    static let turn: Duration = .milliseconds(200)

    /// Oldest first; those that are over stay as long as a visit may identify with them.
    private var offers: [Offer] = []
    private var count = 0
    /// Whether key material is on its way.
    var isAwaiting = false
    /// Whose turn it is, and until when; nil: until others are there too.
    private var slot: (number: Int, end: Instant?)?
    private var lastOlder: Int?
    /// The offer of the advertisement that was asked for; nil: none was.
    private(set) var asked: Int?
    /// The offer that phones connect to: what was asked for last is not there before it has begun.
    private(set) var airing: Int?
    private var pausedSince: Instant?

    /// The offer on display.
    var current: Offer? { offers.last.flatMap { $0.until == nil ? $0 : nil } }

    /// Takes a new offer: the one before stays beside it for `overlap`.
    mutating func add(_ material: SessionMaterial, name: Identifier, overlap: Duration, at now: Instant) -> Offer? {
        guard let offer = Offer(material, name: name, number: count, at: now) else { return nil }
        count += 1
        isAwaiting = false
        if let last = offers.indices.last { offers[last].until = now.advanced(by: overlap) }
        offers.append(offer)
        slot = nil
        return offer
    }

    /// Whether a new offer is wanted.
    func needsNew(after rotation: Duration, at now: Instant) -> Bool {
        if isAwaiting { return false }
        guard let current else { return true }
        if current.isSpent { return true }
        guard living(at: now).count < Self.older else { return false }
        return current.isUsed || pausedSince == nil && now >= current.since.advanced(by: rotation)
    }

    /// The id and the key for a phone that has just connected; nil: nothing was on the air.
    mutating func connected() -> (offer: Int, visit: VisitID, key: VerifierKey)? {
        asked = nil  // a connection ends the advertisement
        guard let index = offers.firstIndex(where: { $0.number == airing }), let visit = offers[index].nextVisit()
        else {
            return nil
        }
        return (offers[index].number, visit, offers[index].key)
    }

    /// Takes a session of that offer by its secret's name; false: it must not be served.
    mutating func admit(_ fingerprint: [UInt8], to number: Int) -> Bool {
        guard let index = offers.firstIndex(where: { $0.number == number }) else { return false }
        return offers[index].admit(fingerprint)
    }

    // MARK: - On the air

    /// What is to be asked for now: the offer whose turn it is, or none when there is no room. Nil: it has been asked for.
    mutating func ask(hasRoom: Bool, at now: Instant) -> Offer?? {
        let wanted = hasRoom ? next(at: now) : nil
        if !hasRoom, pausedSince == nil { pausedSince = now }
        guard wanted?.number != asked else { return .none }
        asked = wanted?.number
        return .some(wanted)
    }

    /// What was asked for is on the air.
    mutating func started(at now: Instant) {
        airing = asked
        // Phones that come and go meanwhile do not make the turn longer.
        guard let slot, slot.number == asked, slot.end == nil else { return }
        self.slot = (slot.number, living(at: now).isEmpty ? nil : now.advanced(by: Self.turn))
    }

    /// The controller would not show it.
    mutating func refused() { asked = nil }

    /// When something is due; nil: nothing.
    func deadline(rotation: Duration) -> Instant? {
        guard pausedSince == nil, let current else { return nil }
        let older = offers.compactMap { $0.isSpent || $0.until == .zero ? nil : $0.until }
        let rotates = isAwaiting || older.count >= Self.older ? nil : current.since.advanced(by: rotation)
        return ([slot?.end, rotates] + older).compactMap { $0 }.min()
    }

    /// Forgets the offers that are over and that none of these visits' phones came with.
    mutating func prune(keeping numbers: [Int], at now: Instant) {
        guard pausedSince == nil else { return }
        for index in offers.indices {
            if let until = offers[index].until, now >= until { offers[index].until = .zero }
        }
        // Over, and remembered only as what a visit came with.
        offers.removeAll { $0.until == .zero && $0.number != airing && !numbers.contains($0.number) }
    }

    /// Those beside the newest whose time is not over.
    private func living(at now: Instant) -> [Offer] {
        offers.filter { offer in
            guard let until = offer.until, !offer.isSpent else { return false }
            return pausedSince.map { until > $0 } ?? (until > now)
        }
    }

    private mutating func next(at now: Instant) -> Offer? {
        resume(at: now)
        guard let current else { return nil }
        let older = living(at: now)
        if older.isEmpty {
            slot = (current.number, nil)
            return current
        }
        if let slot, slot.end.map({ now < $0 }) ?? true,
            let offer = slot.number == current.number ? current : older.first(where: { $0.number == slot.number })
        {
            return offer
        }
        var turn = current
        if let slot, slot.number == current.number {
            turn = older.last { $0.number < lastOlder ?? .max } ?? older[older.count - 1]
            lastOlder = turn.number
        }
        slot = (turn.number, nil)
        return turn
    }

    /// On the air again: the time in between does not count.
    private mutating func resume(at now: Instant) {
        guard let since = pausedSince else { return }
        pausedSince = nil
        let pause = since.duration(to: now)
        for index in offers.indices {
            offers[index].since = offers[index].since.advanced(by: pause)
            if let until = offers[index].until, until > since { offers[index].until = until.advanced(by: pause) }
        }
    }
}
