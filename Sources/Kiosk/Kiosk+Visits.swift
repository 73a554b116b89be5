import BluetoothHost
import Credentials
import Encoding
import Tuvali

/// 2. Connect, and 3 to 7, which are the visits' own matter: who has a place, and what visits ask for.
extension Kiosk {
    /// Links that the host keeps beside those that are taken for visits: one that comes while another goes, and phones that went
    /// out of range, whose link the controller keeps for seconds.
    static let leavingLinks = 6

    /// Phones that are served at once.
    private var places: Int { min(settings.phones + settings.lobby, capacity) }

    /// Places that are taken.
    private var taken: Int { visits.count { !$0.isLeaving } }

    /// Of the places the last, for phones that come: one that found none could not connect, and the gate would not hear
    /// of it. Where the radio carries one phone alone there is none.
    private var reserve: Int { min(2, places / 2) }

    /// Whether a phone is known to wait: it has one of the last places, and the others have theirs.
    var hasWaiting: Bool { reserve > 0 && taken > places - reserve }

    /// Whether a phone that connects now finds a place.
    var hasRoom: Bool {
        taken < places && visits.count < min(capacity, settings.phones + settings.lobby + Self.leavingLinks)
    }

    /// The phone that gives way next, and from when on: the one whose time is up first. Nil: none has to.
    private var nextToGo: (visit: Visit, at: Instant)? {
        guard case .up = radio, hasWaiting || reserve == 0 else { return nil }
        let choice = hasWaiting ? settings.choiceLimit : settings.loneChoiceLimit
        return visits.compactMap { visit in visit.givesWay(choice: choice).map { (visit, $0) } }.min { $0.1 < $1.1 }
    }

    /// When a phone has to give way as things are; nil: none has to.
    var roomDeadline: Instant? { nextToGo?.at }

    /// Phones that have been idle for too long give way, while others wait.
    mutating func freePlaces(at now: Instant) -> [KioskAction] {
        var actions: [KioskAction] = []
        while let next = nextToGo, next.at <= now {
            actions += change(next.visit.connection, at: now) { $0.makeRoom(at: now) }
        }
        return actions
    }

    // MARK: - 2. Connect

    mutating func begin(_ connection: Connection, to address: DeviceAddress?, at now: Instant) -> [KioskAction] {
        guard let arrival = offers.connected(to: address, at: now) else {
            return drive(.disconnect(connection.handle, .userTerminated), at: now)
        }
        guard taken < places else {
            counters.refusedPhones += 1
            return drive(.disconnect(connection.handle, .lowResources), at: now)
        }
        let inherited = spares.isEmpty ? nil : spares.removeFirst()
        var visit = Visit(
            id: inherited?.visit ?? arrival.visit, intent: inherited?.state ?? .none, offer: arrival.offer,
            generation: arrival.generation, connection: connection,
            session: VerifierSession(key: arrival.offer.key, settings: settings.sessionSettings, at: now),
            settings: settings, at: now)
        visit.barrier = barrier
        visits.append(visit)
        return [.note(.phoneConnected, visit.id)]
            + session(.connected(attMTU: 23), on: connection.handle, at: now)
    }

    // MARK: - 3 to 7. Identify, intend, receive, open, verify

    mutating func session(_ event: SessionEvent, on handle: ConnectionHandle, at now: Instant) -> [KioskAction] {
        change(handle, at: now) { $0.handle(event, at: now) }
    }

    mutating func intentSettled(_ id: VisitID, failure: String?, at now: Instant) -> [KioskAction] {
        if failure == nil { health.take(.over(.ledgerUnavailable), at: now) }
        if let index = spares.firstIndex(where: { $0.visit == id }) {
            if failure == nil { spares[index].state = .durable } else { spares.remove(at: index) }
            return []
        }
        return change(id, at: now) { $0.intentSettled(failure: failure, at: now) }
    }

    /// Lets something happen to the visit of that id, if it is here, and does what it asks for. The last one of the id has it:
    /// whoever left it with an intent may still be on the way out.
    mutating func change(_ id: VisitID, at now: Instant, _ body: (inout Visit) -> [Visit.Request]) -> [KioskAction] {
        guard let handle = visits.last(where: { $0.id == id })?.connection else { return [] }
        return change(handle, at: now, body)
    }

    /// Lets something happen to the visit on that link, and does what it asks for.
    mutating func change(
        _ handle: ConnectionHandle, at now: Instant, _ body: (inout Visit) -> [Visit.Request]
    ) -> [KioskAction] {
        guard let index = visits.firstIndex(where: { $0.connection == handle }) else { return [] }
        let requests = body(&visits[index])
        var visit = visits[index]
        return requests.flatMap { request in
            // What was done before may have changed it.
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
                offers.admit(fingerprint, to: visit.offer, at: now) && (!visit.isPrinted || used.admit(fingerprint))
            return change(visit.connection, at: now) { isNew ? $0.intend() : $0.refuse(at: now) }
        case .recordIntent: return [.recordIntent(visit.id, session: visit.isPrinted ? visit.fingerprint : nil)]
        case .verify(let payload):
            return [.verify(visit.id, payload: payload)]
        case .awaitTurn(let isCredential):
            let ahead = turns.join(visit.id, came: visit.began, isCredential: isCredential, at: now)
            return ahead == 0 ? [] : [.note(.verdictWaits(behind: ahead), visit.id)]
        case .act(let decision): return act(on: decision, of: visit.id, at: now)
        case .recordOutcome(let outcome, let signedDigests): return record(outcome, of: visit, signedDigests, at: now)
        case .abandoned(let reasons):
            keepIntent(of: visit, at: now)
            return ended(ReasonCode.abandoned.text, reasons.map(\.text), visit, at: now)
        case .note(let note):
            count(note, at: now)
            return [.note(note, visit.id)]
        }
    }

    // MARK: - 11. Forget

    /// Keys and payload go with the visit.
    mutating func phoneLeft(_ handle: ConnectionHandle, at now: Instant) -> [KioskAction] {
        let actions = change(handle, at: now) { $0.linkLost(.phone, at: now) }
        visits.removeAll { $0.connection == handle }
        // A refusal may have had its reason in that hour.
        if visits.isEmpty { capacity = declaredCapacity }
        return actions
    }

    mutating func abandonVisits(_ end: Visit.LinkEnd, at now: Instant) -> [KioskAction] {
        defer { visits = [] }
        let links = visits.map(\.connection)
        return links.flatMap { link in change(link, at: now) { $0.linkLost(end, at: now) } }
    }
}
