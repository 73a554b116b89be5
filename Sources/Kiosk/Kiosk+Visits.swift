import BluetoothHost
import Credentials
import Encoding
import Tuvali

/// 2. Connect, and 3 to 7, which are the visits' own matter: who has a place, and what visits ask for.
extension Kiosk {
    /// Links that the host keeps beside those that are taken for visits: one that comes while another goes, and phones that went
    /// out of range, whose link the controller keeps for seconds.
    static let leavingLinks = 6

    /// Whether every place is taken.
    private var isFull: Bool { visits.count { !$0.isLeaving } >= settings.phones + settings.lobby }

    /// Whether a phone that connects now will be served, if need be in the place of one that brings nothing.
    func hasRoom(at now: Instant) -> Bool {
        guard visits.count < min(capacity, settings.phones + settings.lobby + Self.leavingLinks) else { return false }
        return !isFull || whoYields(at: now) != nil
    }

    /// The first to make room: whoever has brought least, and of those the one whose time is up for longest.
    private func whoYields(at now: Instant) -> Visit? {
        visits.compactMap { visit in
            yields(visit, at: now).flatMap { $0.at <= now ? (visit: visit, $0.claim, $0.at) : nil }
        }
        .min { ($0.1, $0.2) < ($1.1, $1.2) }?.visit
    }

    /// When somebody will have to make room, while there is none.
    func roomDeadline(after now: Instant) -> Instant? {
        guard case .up = radio, visits.count >= capacity || isFull else { return nil }
        return visits.compactMap { visit in yields(visit, at: now).flatMap { $0.at > now ? $0.at : nil } }.min()
    }

    private func yields(_ visit: Visit, at now: Instant) -> (claim: Visit.Claim, at: Instant)? {
        let manner = host.manner(of: visit.connection)
        return visit.yields(
            hasSpoken: manner?.firstWord != nil,
            isSuspect: manner.map { manners.isSuspect($0, at: now) } ?? false,
            isIdle: manner.map { idlers.isSuspect($0, at: now) } ?? false)
    }

    /// While the controller lets nobody else connect, whoever's time is up goes at once: others may wait, and cannot say so.
    mutating func freePlaces(at now: Instant) -> [KioskAction] {
        guard case .up = radio, visits.count >= capacity, !visits.contains(where: \.isLeaving),
            let visit = whoYields(at: now)
        else { return [] }
        return change(visit.connection, at: now) { $0.makeRoom(at: now) }
    }

    // MARK: - 2. Connect

    mutating func begin(_ connection: Connection, to address: DeviceAddress?, at now: Instant) -> [KioskAction] {
        guard let arrival = offers.connected(to: address, at: now) else {
            return drive(.disconnect(connection.handle, .userTerminated), at: now)
        }
        var actions: [KioskAction] = []
        if isFull {
            guard let other = whoYields(at: now) else {
                counters.refusedPhones += 1
                return drive(.disconnect(connection.handle, .lowResources), at: now)
            }
            actions += change(other.connection, at: now) { $0.makeRoom(at: now) }
        }
        var visit = Visit(
            id: arrival.visit, intent: arrival.intent, offer: arrival.offer,
            generation: arrival.generation, connection: connection,
            session: VerifierSession(key: arrival.offer.key, settings: settings.sessionSettings, at: now),
            settings: settings, at: now)
        visit.barrier = barrier
        visits.append(visit)
        return actions + [.note(.phoneConnected, visit.id)]
            + session(.connected(attMTU: 23), on: connection.handle, at: now)
    }

    // MARK: - 3 to 7. Identify, intend, receive, open, verify

    mutating func session(_ event: SessionEvent, on handle: ConnectionHandle, at now: Instant) -> [KioskAction] {
        change(handle, at: now) { $0.handle(event, at: now) }
    }

    mutating func intentSettled(_ id: IntentID, failure: String?, at now: Instant) -> [KioskAction] {
        if failure == nil { health.take(.over(.ledgerUnavailable), at: now) }
        if let index = spares.firstIndex(where: { $0.intent.id == id }) {
            if failure == nil { spares[index].intent.state = .durable } else { spares.remove(at: index) }
            return []
        }
        guard let visit = visits.first(where: { $0.intent?.id == id }) else { return [] }
        return change(visit.connection, at: now) { $0.intentSettled(failure: failure, at: now) }
    }

    /// Lets something happen to the visit of that id, if it is here, and does what it asks for.
    mutating func change(_ id: VisitID, at now: Instant, _ body: (inout Visit) -> [Visit.Request]) -> [KioskAction] {
        guard let handle = visits.first(where: { $0.id == id })?.connection else { return [] }
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
            if isNew, let manner = host.manner(of: visit.connection) { manners.served(manner, at: now) }
            let spare = isNew && !spares.isEmpty ? spares.removeFirst().intent : nil
            return change(visit.connection, at: now) { isNew ? $0.intend(with: spare) : $0.refuse(at: now) }
        case .recordIntent(let intent):
            return [.recordIntent(intent, session: visit.isPrinted ? visit.fingerprint : nil)]
        case .verify(let payload):
            return [.verify(visit.id, payload: payload)]
        case .awaitTurn:
            let ahead = turns.join(visit.id, came: visit.began, at: now)
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
        if let visit = visits.first(where: { $0.connection == handle }), let manner = host.manner(of: handle) {
            if visit.identifiedAt == nil {
                manners.vain(manner, at: now)
            } else if !visit.hasPayload {
                idlers.vain(manner, at: now)
            }
        }
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
