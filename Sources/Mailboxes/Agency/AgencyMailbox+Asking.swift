import Aries
import DIDComm
package import Encoding

extension AgencyMailbox {
    /// When the driver must send ``MailboxEvent/deadlineReached``; nil if only other events have an effect.
    package var deadline: Instant? {
        if let exchange { return min(exchange.until, exchange.silentAt ?? exchange.until) }
        return agenda.map(\.due).min().map { max($0, backoff.until ?? $0) }
    }

    /// Starts the next request if one is due and none is under way.
    mutating func advance(at now: Instant) -> [MailboxAction] {
        guard exchange == nil, backoff.permits(now), let next = agenda.first(where: { $0.due <= now }) else {
            return []
        }
        lastExchange += 1
        let until = now.advanced(by: settings.limits.exchange)
        let silentAt = now.advanced(by: settings.limits.silence)
        if case .check = next.operation {
            exchange = Exchange(id: lastExchange, operation: .check, asked: nil, until: until, silentAt: silentAt)
            return [.get(lastExchange, url: settings.information)]
        }
        guard let (operation, request, stops) = request(next.operation), let first = stops.first else { return [] }
        exchange = Exchange(
            id: lastExchange, operation: operation, asked: (request, first.party), until: until, silentAt: silentAt)
        let body = AgencyEnvelope.pack(
            request.json(settings.dialect), via: stops, agency: settings.agency, random: &random)
        return [.post(lastExchange, url: settings.endpoint, body: body)]
    }

    /// The pending operations, the most urgent first, each with the time from which it may be started.
    private var agenda: [(operation: Operation, due: Instant)] {
        guard isChecked else { return [(.check, hold)] }
        switch stage {
        case .connect: return [(.connect, hold)]
        case .signUp: return [(.signUp, hold)]
        case .createAgent: return [(.createAgent, hold)]
        case .token(nil): return []
        case .token: return [(.token(thread: ""), hold)]
        case .ready: break
        }
        // The order: first the addresses, because connections wait for them; then the releases, which make room at the
        // agency; then closing, before reading, so that messages of a closed connection are not read again.
        var items = slots.filter { $0.agent == nil && $0.closing == nil }.map { slot in
            (operation: Operation.createKey(slot.ours.did), due: max(slot.hold, hold))
        }
        if slots.contains(where: { $0.agent != nil && !$0.applied.isEmpty }) {
            items.append((.release, max(releaseHold, hold)))
        }
        for slot in slots {
            guard let closing = slot.closing, slot.agent != nil, slot.applied.isEmpty else { continue }
            let operation: Operation =
                if settings.dialect.deletes {
                    .delete(slot.ours.did)
                } else {
                    closing.leftovers.isEmpty ? .leftovers(slot.ours.did) : .releaseLeftovers(slot.ours.did)
                }
            items.append((operation, max(slot.hold, hold)))
        }
        if registered != settings.webhook { items.append((.webhook, max(webhookHold, hold))) }
        return items + reading
    }

    private var reading: [(operation: Operation, due: Instant)] {
        let open = slots.filter(\.isOpen)
        let alone = open.filter { $0.isAskedAlone || !settings.dialect.readsAllConnections }
        var items = alone.map { (operation: Operation.read($0.ours.did), due: max($0.askAt, $0.hold, hold)) }
        if alone.count < open.count { items.append((.readAll, max(askAt, hold))) }
        return items
    }

    /// Returns the request for `operation`, and the stops on the way of its message (``AgencyEnvelope/Stop``); nil if
    /// the operation is not possible at the present stage.
    private mutating func request(
        _ operation: Operation
    ) -> (Operation, AgencyRequest, [AgencyEnvelope.Stop])? {
        let us = AgencyParty(owner.verkey)
        let agency = AgencyEnvelope.Stop(settings.agency, from: owner)
        switch (operation, stage) {
        case (.check, _): return nil
        case (.connect, _): return (operation, .connect(us), [agency])
        case (.token, .token(let token?)):
            let thread = Message.newID(&random)
            return (.token(thread: thread), .createAgentByToken(token, us, thread: thread), [agency])
        case (.signUp, .signUp(let party)): return (operation, .signUp, [.init(party, from: owner)])
        case (.createAgent, .createAgent(let party)): return (operation, .createAgent, [.init(party, from: owner)])
        case (_, .ready(let party)):
            let agent = AgencyEnvelope.Stop(party, from: owner)
            return request(operation, agent)
        default: return nil
        }
    }

    private func request(
        _ operation: Operation, _ agent: AgencyEnvelope.Stop
    ) -> (Operation, AgencyRequest, [AgencyEnvelope.Stop])? {
        switch operation {
        case .createKey(let did): return slot(did).map { (operation, .createKey($0.ours), [agent]) }
        case .webhook:
            let webhook = settings.webhook ?? AgencySettings.Webhook(id: registered?.id ?? "", url: "")
            return (operation, .webhook(id: webhook.id, url: webhook.url), [agent])
        case .release: return (operation, .updateStatuses(AgencyRequest.reviewed, nextRelease), [agent])
        case .releaseLeftovers(let did):
            let uids = slot(did)?.closing?.leftovers ?? []
            let list = [AgencyUIDs(pairwiseDID: did, uids: uids)]
            return (operation, .updateStatuses(AgencyRequest.reviewed, list), [agent])
        case .readAll:
            let dids = slots.filter { $0.isOpen && !$0.isAskedAlone }.map(\.ours.did)
            return (operation, .messagesByConnections(dids, AgencyQuery()), [agent])
        case .read(let did): return way(to: did, agent).map { (operation, .messages(AgencyQuery()), $0) }
        case .leftovers(let did):
            return way(to: did, agent).map { (operation, .messages(AgencyQuery(excludesPayload: true)), $0) }
        case .delete(let did): return way(to: did, agent).map { (operation, .deleteConnection, $0) }
        case .check, .connect, .signUp, .createAgent, .token: return nil
        }
    }

    private func way(to did: Text, _ agent: AgencyEnvelope.Stop) -> [AgencyEnvelope.Stop]? {
        guard let slot = slot(did), let party = slot.agent else { return nil }
        return [AgencyEnvelope.Stop(party, from: slot.key), agent]
    }

    /// The messages to release with the next request, at most ``AgencySettings/Limits/released``.
    private var nextRelease: [AgencyUIDs] {
        var room = settings.limits.released
        var lists: [AgencyUIDs] = []
        for slot in slots where slot.agent != nil && !slot.applied.isEmpty && room > 0 {
            let uids = Array(slot.applied.prefix(room))
            room -= uids.count
            lists.append(AgencyUIDs(pairwiseDID: slot.ours.did, uids: uids))
        }
        return lists
    }

    /// Returns the slot (a key of a connection) in which the gate has the DID `did`; nil if there is none.
    func slot(_ did: Text) -> AgencySlot? { slots.first { $0.ours.did == did } }

    /// Changes the slot in which the gate has the DID `did`, if that slot still exists.
    mutating func change(_ did: Text, _ body: (inout AgencySlot) -> Void) {
        if let index = slots.firstIndex(where: { $0.ours.did == did }) { body(&slots[index]) }
    }
}
