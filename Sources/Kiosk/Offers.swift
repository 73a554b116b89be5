import BluetoothHost
import Encoding
import Tuvali

/// A key pair with its addresses and its URI, which phones can find as long as it is offered. Each generation of
/// wallets has a separate advertisement with the same key, so one code on the display is enough for all wallets.
///
/// In ordinary traffic an offer is used for one session: when a phone identifies itself, the next offer replaces it on
/// the display. Other phones that have read the code by then may still connect for some time, so that no visitor has to
/// scan a code twice. The sessions of these phones differ in the wallet's key, and a secret that was used once is never
/// accepted again (``admit(_:)``).
struct Offer: Sendable {
    /// The largest number of sessions of one offer: several a second for its whole life. Honest phones that have read
    /// the code do not reach this number, and it limits the memory for identifiers.
    static let sessions = 256

    /// The number of the offer. The offers of one ``Offers`` value are numbered from 0 in the order of their creation.
    let number: Int
    let key: VerifierKey
    /// One advertisement for each generation, in the order of the generations.
    let advertisements: [(generation: Generation, advertisement: Advertisement)]
    let uri: String
    /// Since when the gate offers the key pair.
    fileprivate(set) var since: Instant
    /// Until when the offer is advertised in addition to its successor; nil: it is the newest offer.
    fileprivate(set) var until: Instant?
    /// The identifiers of the secrets of the offer's sessions.
    private var fingerprints: [[UInt8]] = []
    private let material: SessionMaterial
    /// The ids of the visits with this offer.
    fileprivate var ids: VisitIDs
    /// Until when a printed key may be used; zero: its time is over; nil: the key is not printed.
    fileprivate var limit: Instant?

    /// Creates an offer with the keys in `material` under the gate's name `name`; nil if the keys are
    /// invalid.
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

    /// Whether a phone has identified itself with this offer.
    var isUsed: Bool { !fingerprints.isEmpty }

    /// Whether half of the offer's sessions are used. A new offer is then displayed, and this offer remains
    /// valid in addition to it.
    var isBusy: Bool { fingerprints.count >= Self.sessions / 2 }

    /// Whether the offer's key is a printed one.
    var isPrinted: Bool { material.limit != nil }

    /// Returns whether the offer's key is a printed one whose time is over.
    func hasEnded(at now: Instant) -> Bool { limit.map { now >= $0 } ?? false }

    /// Whether the offer accepts no further phone, because all its sessions are used.
    var isSpent: Bool { fingerprints.count >= Self.sessions }

    /// Accepts a session whose secret has the identifier `fingerprint`. Returns false if the secret was used
    /// before. An attacker who records a visit and replays it while the key is valid produces the same
    /// secret, and could otherwise present the same credential.
    fileprivate mutating func admit(_ fingerprint: [UInt8]) -> Bool {
        guard !isSpent, !fingerprints.contains(fingerprint) else { return false }
        fingerprints.append(fingerprint)
        return true
    }
}

/// The offers that phones may use: the newest, which is displayed, and earlier offers whose code a phone that still
/// arrives may have read.
///
/// The offers are advertised at the same time, or one after another if the controller cannot show all of them. Each
/// offer has a separate address for each generation: the address to which a phone connected determines the key. While
/// no advertisement is on the air, the lifetimes of the offers are suspended.
struct Offers: Sendable {
    /// The largest number of offers in addition to the newest. While there are so many, the newest offer
    /// stays although it is used.
    static let older = 5

    /// The offers, oldest first. An offer that is over stays as long as a visit may identify itself with it.
    private var offers: [Offer] = []
    private var count = 0
    /// Whether the newest offer is to be replaced.
    var wantsNew = false
    /// Whether key material has been requested.
    var isAwaiting = false
    /// The numbers of the offers that the host was asked to show, the newest first; nil: it is not known what the host
    /// shows.
    private var asked: [Int]? = []
    /// The numbers of the offers that were on the air at the host's last report. Offers that were requested later are
    /// not on the air before the host reports that advertising has started.
    private var airing: [Int] = []
    private var pausedSince: Instant?
    /// The source of ids of the last offer before the radio failed: visits that were counted until then may still be
    /// recorded.
    private var earlierIDs: VisitIDs?

    /// Creates an empty list. `earlier`: the offers that ended with the radio; only their source of ids is kept.
    init(after earlier: Offers? = nil) { earlierIDs = earlier?.offers.last?.ids ?? earlier?.earlierIDs }

    /// The index of the offer on display.
    private var current: Int? { offers.indices.last.flatMap { offers[$0].until == nil ? $0 : nil } }

    /// Whether an offer is on display.
    var hasCurrent: Bool { current != nil }

    /// Adds a new offer. The previous offer stays valid for the time `overlap`.
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

    /// Returns whether a new offer is needed. `hasWaiting`: whether a phone waits for a place. In that case a used
    /// offer stays, because the waiting phones have all read the same code, and the offer is on the air whenever the
    /// gate has room. The offer stays until half of its sessions are used, because the waiting phones could not use a
    /// spent offer.
    func needsNew(after rotation: Duration, hasWaiting: Bool, at now: Instant) -> Bool {
        if isAwaiting { return false }
        guard let current else { return true }
        if offers[current].isSpent || offers[current].hasEnded(at: now) { return true }
        guard living(at: now).count < Self.older else { return false }
        return offers[current].isUsed && !hasWaiting || offers[current].isBusy || wantsNew
            || pausedSince == nil && now >= offers[current].since.advanced(by: rotation)
    }

    /// Whether ``nextVisit()`` can return an id.
    var canName: Bool { !offers.isEmpty || earlierIDs != nil }

    /// Returns an id for a record that belongs to no phone's visit; nil before the first offer.
    mutating func nextVisit() -> VisitID? {
        guard let last = offers.indices.last else { return earlierIDs?.next()?.visit }
        return offers[last].ids.next()?.visit
    }

    /// The ids and keys for a phone that has connected to one of the advertisements.
    struct Arrival {
        let offer: Offer
        let generation: Generation
        let visit: VisitID
        /// The id of the visit's intent, if the visit needs a new intent.
        let intent: IntentID
    }

    /// Returns the ids and keys for a phone that has just connected to the advertisement with the given address; nil
    /// if no offer has that address. After a connection it is unknown which advertisements are still on the air.
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

    /// Accepts a session of the offer `number`, whose secret has the identifier `fingerprint`. Returns false
    /// if the session must not be accepted.
    mutating func admit(_ fingerprint: [UInt8], to number: Int, at now: Instant) -> Bool {
        guard let index = offers.firstIndex(where: { $0.number == number }), !offers[index].hasEnded(at: now) else {
            return false
        }
        return offers[index].admit(fingerprint)
    }

    /// Ends the use of the printed key before its time.
    mutating func endPrinted() {
        for index in offers.indices where offers[index].isPrinted { offers[index].limit = .zero }
    }

    // MARK: - Advertisements

    /// Returns what the host is to show now, the most important first; an empty list if the gate has no room
    /// for a phone. Returns nil if the same list was already requested.
    mutating func ask(hasRoom: Bool, at now: Instant) -> [Advertisement]? {
        if hasRoom { resume(at: now) } else if pausedSince == nil { pausedSince = now }
        let newest = current.map { [$0] + living(at: now).reversed() } ?? []
        let wanted = hasRoom ? newest.filter { !offers[$0].hasEnded(at: now) } : []
        let numbers = wanted.map { offers[$0].number }
        guard numbers != asked else { return nil }
        asked = numbers
        return wanted.flatMap { offers[$0].advertisements.map(\.advertisement) }
    }

    /// Whether an advertisement has been on the air since the last failure of the radio. A reset that only frees links
    /// does not count as a failure.
    private(set) var haveAired = false

    /// Notes that the requested advertisements are on the air.
    mutating func started() {
        airing = asked ?? airing
        haveAired = haveAired || !airing.isEmpty
    }

    /// Notes that the controller refused the requested advertisements, so that they are requested again.
    mutating func refused() { asked = nil }

    /// Notes that the controller was reset: no advertisement is on the air, and requested key material is no
    /// longer awaited.
    mutating func silenced() { (asked, airing, isAwaiting) = ([], [], false) }

    /// When an offer must next be replaced or removed; nil if no such change is due.
    func deadline(rotation: Duration) -> Instant? {
        guard pausedSince == nil, let current else { return nil }
        let older = offers.indices.compactMap {
            offers[$0].isSpent || offers[$0].until == .zero ? nil : offers[$0].until
        }
        let rotates = isAwaiting || older.count >= Self.older ? nil : offers[current].since.advanced(by: rotation)
        let limits = offers.indices.compactMap { offers[$0].limit == .zero ? nil : offers[$0].limit }
        return ([rotates] + older + limits).compactMap { $0 }.min()
    }

    /// Removes the offers that are over, except the offers in `numbers`, which present visits use.
    mutating func prune(keeping numbers: [Int], at now: Instant) {
        for index in offers.indices where offers[index].hasEnded(at: now) { offers[index].limit = .zero }
        guard pausedSince == nil else { return }
        for index in offers.indices {
            if let until = offers[index].until, now >= until { offers[index].until = .zero }
        }
        // An offer that is over stays only while a visit uses it or while the host still shows it.
        let isOver = offers.indices.map {
            offers[$0].until == .zero && !airing.contains(offers[$0].number) && !numbers.contains(offers[$0].number)
        }
        for index in isOver.indices.reversed() where isOver[index] { offers.remove(at: index) }
    }

    /// The indices of the earlier offers that are still valid.
    private func living(at now: Instant) -> [Int] {
        offers.indices.filter { index in
            guard let until = offers[index].until, !offers[index].isSpent, !offers[index].hasEnded(at: now) else {
                return false
            }
            return pausedSince.map { until > $0 } ?? (until > now)
        }
    }

    /// Ends the pause of advertising: the lifetimes of the offers are extended by the duration of the pause.
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
