import BluetoothHost
import Encoding
import Tuvali

/// A key pair with its addresses and its URI: what phones find, for as long as it is offered. Wallets of each generation have an
/// advertisement of their own, so one code on the display serves all.
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
    /// One for each generation, in their order.
    let advertisements: [(generation: Generation, advertisement: Advertisement)]
    let uri: String
    /// Since when it is offered.
    fileprivate(set) var since: Instant
    /// Until when it is on the air beside its successor; nil: it is the newest.
    fileprivate(set) var until: Instant?
    /// What the secrets of its sessions are known by.
    private var fingerprints: [[UInt8]] = []
    private let material: SessionMaterial
    /// Of the visits with it.
    fileprivate var ids: VisitIDs
    /// Until when it may serve at all, when its key is a printed one; zero: that is over.
    fileprivate var limit: Instant?

    /// An offer of these keys under that name; nil for keys that are none.
    init?(
        _ material: SessionMaterial, name: Identifier, to generations: [Generation], number: Int, at now: Instant
    ) {
        guard let key = try? VerifierKey(privateBytes: material.privateKey) else { return nil }
        let invitation = Invitation(identifier: name, key: key)
        let advertisements = generations.enumerated().compactMap { place, generation in
            material.address(place).flatMap { address in
                try? Advertisement(
                    address: address, data: invitation.advertisingData(for: generation),
                    scanResponse: invitation.scanResponseData(for: generation))
            }.map { (generation: generation, advertisement: $0) }
        }
        guard advertisements.count == generations.count else { return nil }
        (self.material, self.number, self.key, self.advertisements) = (material, number, key, advertisements)
        (uri, since, limit, ids) = (invitation.uri, now, material.limit, material.ids)
    }

    /// Whether somebody has identified with it.
    var isUsed: Bool { !fingerprints.isEmpty }

    /// Whether half of its sessions are used: a new offer is shown, and it serves the rest beside that.
    var isBusy: Bool { fingerprints.count >= Self.sessions / 2 }

    /// Whether its key is a printed one.
    var isPrinted: Bool { material.limit != nil }

    /// Whether its key is a printed one that has ended.
    func hasEnded(at now: Instant) -> Bool { limit.map { now >= $0 } ?? false }

    /// Whether it serves nobody any more.
    var isSpent: Bool { fingerprints.count >= Self.sessions }

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
/// They are on the air side by side or in turns, as the controller can, each from its own address, or one for each generation: which
/// one a phone connected to tells the key. While nothing is on the air no offer grows old.
struct Offers: Sendable {
    /// Offers beside the newest. While there are as many, the newest stays although it is used.
    static let older = 5

    /// Oldest first; those that are over stay as long as a visit may identify with them.
    private var offers: [Offer] = []
    private var count = 0
    /// Whether the present offer is not the one that is wanted.
    var wantsNew = false
    /// Whether key material is on its way.
    var isAwaiting = false
    /// The offers that the host was asked to show, the newest first; nil: what it shows is not known.
    private var asked: [Int]? = []
    /// Those that it was showing when it last said so: what was asked for since is not there before it has begun.
    private var airing: [Int] = []
    private var pausedSince: Instant?
    /// The ids of the last offer before the radio failed: what was counted until then may still be recorded.
    private var earlierIDs: VisitIDs?

    /// No offers. `earlier`: the offers that ended with the radio; only their source of ids is kept.
    init(after earlier: Offers? = nil) { earlierIDs = earlier?.offers.last?.ids ?? earlier?.earlierIDs }

    /// The offer on display.
    var current: Offer? { offers.last.flatMap { $0.until == nil ? $0 : nil } }

    /// Takes a new offer: the one before stays beside it for `overlap`.
    mutating func add(
        _ material: SessionMaterial, name: Identifier, to generations: [Generation], overlap: Duration, at now: Instant
    ) -> Offer? {
        guard let offer = Offer(material, name: name, to: generations, number: count, at: now) else { return nil }
        count += 1
        (isAwaiting, wantsNew) = (false, false)
        if let last = offers.indices.last { offers[last].until = now.advanced(by: overlap) }
        offers.append(offer)
        return offer
    }

    /// Whether a new offer is wanted. `hasWaiting`: a phone waits for a place. Then an offer that was used stays: those
    /// who wait have all read the same one, and it is on the air whenever there is room; until half of its sessions are
    /// over, for one that is spent serves none of them.
    func needsNew(after rotation: Duration, hasWaiting: Bool, at now: Instant) -> Bool {
        if isAwaiting { return false }
        guard let current else { return true }
        if current.isSpent || current.hasEnded(at: now) { return true }
        guard living(at: now).count < Self.older else { return false }
        return current.isUsed && !hasWaiting || current.isBusy || wantsNew
            || pausedSince == nil && now >= current.since.advanced(by: rotation)
    }

    /// Whether there are ids for records that no phone's visit has.
    var canName: Bool { !offers.isEmpty || earlierIDs != nil }

    /// The id of a record that no phone's visit has; nil before the first offer.
    mutating func nextVisit() -> VisitID? {
        guard let last = offers.indices.last else { return earlierIDs?.next()?.visit }
        return offers[last].ids.next()?.visit
    }

    /// What a phone finds that has connected to one of the advertisements.
    struct Arrival {
        let offer: Offer
        let generation: Generation
        let visit: VisitID
        /// The id of an intent of its own, should it need one.
        let intent: IntentID
    }

    /// What a phone finds that has just connected to the advertisement of that address; nil: it is none of ours. What is still on
    /// the air is not known from here on.
    mutating func connected(to address: DeviceAddress?, at now: Instant) -> Arrival? {
        asked = nil
        for index in offers.indices where !offers[index].hasEnded(at: now) {
            let heard = offers[index].advertisements.first { $0.advertisement.address == address }
            guard let heard, let ids = offers[index].ids.next() else { continue }
            return Arrival(
                offer: offers[index], generation: heard.generation, visit: ids.visit, intent: ids.intent)
        }
        return nil
    }

    /// Takes a session of that offer by its secret's name; false: it must not be served.
    mutating func admit(_ fingerprint: [UInt8], to number: Int, at now: Instant) -> Bool {
        guard let index = offers.firstIndex(where: { $0.number == number }), !offers[index].hasEnded(at: now) else {
            return false
        }
        return offers[index].admit(fingerprint)
    }

    /// The printed key has ended before its time.
    mutating func endPrinted() {
        for index in offers.indices where offers[index].isPrinted { offers[index].limit = .zero }
    }

    // MARK: - On the air

    /// What the host is to show now, the most important first; none when there is no room. Nil: it has been asked for that.
    mutating func ask(hasRoom: Bool, at now: Instant) -> [Advertisement]? {
        if hasRoom { resume(at: now) } else if pausedSince == nil { pausedSince = now }
        let newest = current.map { [$0] + living(at: now).reversed() } ?? []
        let wanted = hasRoom ? newest.filter { !$0.hasEnded(at: now) } : []
        guard wanted.map(\.number) != asked else { return nil }
        asked = wanted.map(\.number)
        return wanted.flatMap(\.advertisements).map(\.advertisement)
    }

    /// Whether anything has been on the air since the radio failed last; a reset for its links is no failure.
    private(set) var haveAired = false

    /// What was asked for is on the air.
    mutating func started() {
        airing = asked ?? airing
        haveAired = haveAired || !airing.isEmpty
    }

    /// The controller would not show it.
    mutating func refused() { asked = nil }

    /// The controller was reset: nothing is on the air, and key material that is on its way is not waited for.
    mutating func silenced() { (asked, airing, isAwaiting) = ([], [], false) }

    /// When something is due; nil: nothing.
    func deadline(rotation: Duration) -> Instant? {
        guard pausedSince == nil, let current else { return nil }
        let older = offers.compactMap { $0.isSpent || $0.until == .zero ? nil : $0.until }
        let rotates = isAwaiting || older.count >= Self.older ? nil : current.since.advanced(by: rotation)
        let limits = offers.compactMap { $0.limit == .zero ? nil : $0.limit }
        return ([rotates] + older + limits).compactMap { $0 }.min()
    }

    /// Forgets the offers that are over and that none of these visits' phones came with.
    mutating func prune(keeping numbers: [Int], at now: Instant) {
        for index in offers.indices where offers[index].hasEnded(at: now) { offers[index].limit = .zero }
        guard pausedSince == nil else { return }
        for index in offers.indices {
            if let until = offers[index].until, now >= until { offers[index].until = .zero }
        }
        // Over, and remembered only as what a visit came with.
        offers.removeAll { offer in
            offer.until == .zero && !airing.contains(offer.number) && !numbers.contains(offer.number)
        }
    }

    /// Those beside the newest whose time is not over.
    private func living(at now: Instant) -> [Offer] {
        offers.filter { offer in
            guard let until = offer.until, !offer.isSpent, !offer.hasEnded(at: now) else { return false }
            return pausedSince.map { until > $0 } ?? (until > now)
        }
    }

    /// On the air again: the time in between does not count.
    private mutating func resume(at now: Instant) {
        guard let since = pausedSince else { return }
        pausedSince = nil
        let pause = since.duration(to: now)
        for index in offers.indices {
            offers[index].since = offers[index].since.advanced(by: max(since, offers[index].since).duration(to: now))
            if let until = offers[index].until, until > since { offers[index].until = until.advanced(by: pause) }
        }
    }
}
