import BluetoothHost
import Encoding
import Reasons
import Tuvali

/// Step 2, Connect: which phones have a place. Steps 3 to 8: a ``Visit`` decides what happens, and the kiosk
/// translates the visit's requests into actions of the driver. Step 11, Forget: the end of a visit.
extension Kiosk {
    /// The number of phones that can have a visit at the same time.
    private var places: Int { min(settings.phones + settings.lobby, capacity) }

    /// The number of places that are taken. A phone whose link is being ended takes none.
    private var taken: Int { visits.indices.count { !visits[$0].isLeaving } }

    /// The number of places that are kept for new phones. Without them a new phone could not connect, and the gate
    /// would not notice that it waits. Zero if the radio supports only one phone at a time.
    var reserve: Int { min(2, places / 2) }

    /// Whether a phone counts as waiting: all other places and at least one of the reserved places are taken.
    var hasWaiting: Bool { reserve > 0 && taken > places - reserve }

    /// Whether a phone that connects now finds a place.
    func hasRoom(at now: Instant) -> Bool { taken < places && takesLinks(at: now) }

    /// Returns the phone that must leave next, and when: the phone whose time is up first. Returns nil if no phone
    /// must leave, because none waits and a new phone would get a place.
    private func nextToGo(at now: Instant) -> (connection: ConnectionHandle, at: Instant)? {
        guard case .up = radio, hasWaiting || taken >= places || isShortOfLinks(at: now) else { return nil }
        // A radio that carries only one phone is full during every visit, and the gate cannot notice a waiting phone.
        // Therefore visitors at such a radio get the longer time to choose.
        let choice = reserve > 0 ? settings.choiceLimit : settings.loneChoiceLimit
        let (links, isShort) = (host.linkStates, isShortOfLinks(at: now))
        typealias Candidate = (visit: Int, at: Instant, hasSpoken: Int, timeout: Duration)
        let candidates = visits.indices.compactMap { visit -> Candidate? in
            let link = links.first { $0.handle == visits[visit].connection }
            let timeout = isShort ? link?.parameters.supervisionTime : nil
            return visits[visit].givesWay(choice: choice, link: link).map {
                (visit, max($0, now), link?.hasSpoken == false ? 0 : 1, timeout ?? .zero)
            }
        }
        // Of the phones whose time is up, choose first a phone that never sent anything. If the controller is short of
        // links, choose next the phone whose link the controller could keep for longest. Then choose the phone that has
        // been idle for longest.
        let next = candidates.min {
            ($0.at, $0.hasSpoken, $1.timeout, visits[$0.visit].wentOn)
                < ($1.at, $1.hasSpoken, $0.timeout, visits[$1.visit].wentOn)
        }
        return next.map { (visits[$0.visit].connection, $0.at) }
    }

    /// When a phone must leave so that another finds a place; nil if none must leave.
    func roomDeadline(after now: Instant) -> Instant? { nextToGo(at: now)?.at }

    /// Ends the visits of phones that have been idle for too long while others wait.
    mutating func freePlaces(at now: Instant) -> [KioskAction] {
        var actions: [KioskAction] = []
        for _ in visits.indices {
            guard let next = nextToGo(at: now), next.at <= now else { break }
            actions += change(next.connection, at: now) { $0.makeRoom(at: now) }
        }
        return actions
    }

    // MARK: - 2. Connect

    mutating func begin(_ connection: Connection, to address: DeviceAddress?, at now: Instant) -> [KioskAction] {
        guard let arrival = offers.connected(to: address, at: now) else {
            return drive(.disconnect(connection.handle, .userTerminated), at: now)
        }
        guard taken < settings.phones + settings.lobby else {
            counters.refusedPhones += 1
            return drive(.disconnect(connection.handle, .lowResources), at: now)
        }
        var visit = Visit(
            id: arrival.visit, intent: arrival.intent, offer: arrival.offer,
            generation: arrival.generation, connection: connection,
            session: VerifierSession(key: arrival.offer.key, settings: settings.sessionSettings, at: now),
            settings: settings, at: now)
        (visit.barrier, visit.isAlone) = (barrier, reserve == 0)
        visits.append(visit)
        return [.note(.phoneConnected, visit.id)]
            + session(.connected(attMTU: 23), on: connection.handle, at: now)
    }

    // MARK: - 3 to 7. Identify, intend, receive, open, verify

    mutating func session(_ event: SessionEvent, on handle: ConnectionHandle, at now: Instant) -> [KioskAction] {
        change(handle, at: now) { $0.handle(event, at: now) }
    }

    mutating func intentSettled(_ id: IntentID, failure: LedgerFailure?, at now: Instant) -> [KioskAction] {
        if failure == nil { health.take(.over(.ledgerUnavailable), at: now) }
        if let index = spares.firstIndex(where: { $0.intent.id == id }) {
            spares[index].intent.settle(isDurable: failure == nil)
            if let leftOver = spares[index].intent.leftOver {
                spares[index].intent = leftOver
            } else {
                spares.remove(at: index)
            }
            return []
        }
        if let index = unchecked.firstIndex(where: { $0.intent?.id == id }) {
            unchecked[index].intent?.settle(isDurable: failure == nil)
        }
        guard let visit = visits.first(where: { $0.intent?.id == id }) else { return [] }
        return change(visit.connection, at: now) { $0.intentSettled(failure: failure, at: now) }
    }

    /// Applies `body` to the visit `id`, if it exists, and performs the visit's requests.
    mutating func change(_ id: VisitID, at now: Instant, _ body: (inout Visit) -> [Visit.Request]) -> [KioskAction] {
        guard let handle = visits.first(where: { $0.id == id })?.connection else { return [] }
        return change(handle, at: now, body)
    }

    /// Applies `body` to the visit on the link `handle`, if it exists, and performs the visit's requests.
    mutating func change(
        _ handle: ConnectionHandle, at now: Instant, _ body: (inout Visit) -> [Visit.Request]
    ) -> [KioskAction] {
        guard let index = visits.firstIndex(where: { $0.connection == handle }) else { return [] }
        let requests = body(&visits[index])
        var visit = visits[index]
        return requests.flatMap { request in
            // An earlier request may have changed the visit.
            visit = visits.first { $0.connection == handle } ?? visit
            return perform(request, of: visit, at: now)
        }
    }

    private mutating func perform(_ request: Visit.Request, of visit: Visit, at now: Instant) -> [KioskAction] {
        switch request {
        case .notify(let characteristic, let value):
            return drive(.notify(visit.connection, characteristic.id(in: visit.generation), value), at: now)
        case .dropLink: return drive(.disconnect(visit.connection, .userTerminated), at: now)
        case .identified(let fingerprint):
            let isNew =
                offers.admit(fingerprint, to: visit.offer, at: now) && (!visit.isPrinted || used.admits(fingerprint))
            let spare = isNew ? takeSpare(for: visit.connection) : nil
            return change(visit.connection, at: now) { isNew ? $0.intend(with: spare) : $0.refuse(at: now) }
        case .recordIntent(let intent): return [.recordIntent(intent)]
        case .keepSession: return [.keepSession(visit.id, visit.fingerprint)]
        case .verify(let payload):
            return [.verify(visit.id, payload: payload)]
        case .awaitTurn(let isCredential):
            let ahead = turns.join(visit.id, came: visit.began, isCredential: isCredential, at: now)
            return ahead == 0 ? [] : [.note(.verdictWaits(behind: ahead), visit.id)]
        case .act(let decision): return act(on: decision, of: visit, at: now)
        case .recordOutcome(let outcome, let signedDigests): return record(outcome, of: visit, signedDigests, at: now)
        case .abandoned:
            keepIntent(of: visit, at: now)
            return ended(.abandoned, visit, isRecorded: false, at: now)
        case .note(let note):
            count(note, at: now)
            return [.note(note, visit.id)]
        }
    }

    // MARK: - 11. Forget

    /// Ends the visit on the link `handle`. The visit's keys and payload are dropped.
    mutating func phoneLeft(_ handle: ConnectionHandle, at now: Instant) -> [KioskAction] {
        let actions = change(handle, at: now) { $0.linkLost(.phone, at: now) }
        visits.removeAll { $0.connection == handle }
        // Without a link, the limit that a refusal to advertise has shown no longer applies.
        if host.linkCount == 0 { capacity = declaredCapacity }
        // The controller may have refused advertisements because of the ended link: request them again.
        if capacity != .max { offers.refused() }
        return actions
    }

    mutating func abandonVisits(_ end: Visit.LinkEnd, at now: Instant) -> [KioskAction] {
        defer { visits = [] }
        let links = visits.map(\.connection)
        return links.flatMap { link in change(link, at: now) { $0.linkLost(end, at: now) } }
    }
}
