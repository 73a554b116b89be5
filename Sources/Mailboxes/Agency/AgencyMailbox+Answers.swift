import Aries
import DIDComm
import Encoding

extension AgencyMailbox {
    /// Ends the request under way and returns it; nil if `id` is that of an earlier request, whose result arrives too
    /// late.
    mutating func finishExchange(_ id: AgentConnection.ExchangeID) -> Exchange? {
        guard let present = exchange, present.id == id else { return nil }
        exchange = nil
        return present
    }

    /// Decrypts and checks the answer to a request, and applies it to the state.
    mutating func answered(_ id: AgentConnection.ExchangeID, _ body: [UInt8], at now: Instant) -> [MailboxAction] {
        guard let done = finishExchange(id) else { return [] }
        let reachable = reachability(nil)
        guard let asked = done.asked else { return reachable + checked(body, at: now) }
        do {
            let answer = try AgencyEnvelope.open(
                body, with: [owner] + slots.map(\.key), from: asked.party.key)
            try answer.check(answers: asked.request, settings.dialect)
            let actions = try use(answer, of: done.operation, asked.request, at: now)
            if done.isOvertaken { ask(at: now) }
            backoff.succeed()
            return reachable + actions + recovered()
        } catch {
            return reachable + unusable(done.operation, error, at: now)
        }
    }

    /// Compares the DID and key in the server's answer with those that the operator has pinned for the agency.
    private mutating func checked(_ body: [UInt8], at now: Instant) -> [MailboxAction] {
        let json = body.count <= 16 * 1024 ? try? JSON.parse(body) : nil
        guard let party = AgencyParty(did: json?["DID"], key: json?["verKey"]) else {
            backoff.fail(at: now, settings.backoff, random: &random)
            return tell(.malformed)
        }
        guard party == settings.agency else {
            hold = now.advanced(by: settings.limits.refusedRetry)
            return tell(.otherKey)
        }
        isChecked = true
        backoff.succeed()
        if case .token(nil) = stage {
            told = nil
            return tell(.needsToken)
        }
        return recovered()
    }

    private mutating func use(
        _ answer: AgencyAnswer, of operation: Operation, _ request: AgencyRequest, at now: Instant
    ) throws(AgencyError) -> [MailboxAction] {
        switch operation {
        case .check: return []
        case .connect: try proceed(answer) { .signUp($0) }
        case .signUp:
            if case .signUp(let party) = stage { proceed(.createAgent(party)) }
        case .createAgent: try proceed(answer) { .ready($0) }
        case .token(let thread):
            if let echoed = answer.body["~thread"]?["thid"]?.string, echoed != thread { throw .otherAnswer }
            try proceed(answer) { .ready($0) }
            spentToken = nil
        case .createKey(let did):
            guard let agent = answer.party else { throw .malformed }
            change(did) { slot in
                slot.agent = agent
                slot.succeed()
            }
            storage = .changed
            if let slot = slot(did), slot.closing == nil { return [address(agent, slot.connection)] }
        case .webhook:
            (registered, webhookHold) = (settings.webhook, .distantPast)
            storage = .changed
        case .read(let did): return deliver([did: try answer.messages()], of: [did], at: now)
        case .readAll:
            guard case .messagesByConnections(let dids, _) = request else { return [] }
            var found: [Text: [AgencyMessage]] = [:]
            for list in try answer.messagesByConnections() { found[list.pairwiseDID, default: []] += list.messages }
            askAt = now.advanced(by: settings.limits.poll)
            return deliver(found, of: dids, at: now)
        case .release: return try released(request, answer, at: now)
        case .delete(let did):
            guard answer.body["statusCode"]?.string == AgencyRequest.deleted else { throw .malformed }
            return finish(did, isComplete: true)
        case .leftovers(let did): return leftovers(did, try answer.messages())
        case .releaseLeftovers(let did):
            change(did) { slot in
                slot.closing?.leftovers = []
                slot.succeed()
            }
        }
        return []
    }

    // MARK: Provisioning

    private mutating func proceed(
        _ answer: AgencyAnswer, to next: (AgencyParty) -> Stage
    ) throws(AgencyError) {
        guard let party = answer.party else { throw .malformed }
        proceed(next(party))
    }

    /// Enters the next stage of provisioning. A failure that was reported before is over.
    mutating func proceed(_ next: Stage) {
        (stage, told) = (next, nil)
        storage = .changed
    }

    // MARK: Messages

    /// Returns the new messages of the connections `dids`, to be passed to these connections.
    private mutating func deliver(
        _ found: [Text: [AgencyMessage]], of dids: [Text], at now: Instant
    ) -> [MailboxAction] {
        let asked = Set(dids)
        let old = now.advanced(by: .zero - settings.limits.handing)
        for index in slots.indices { slots[index].forgetHanded(before: old) }
        var underWay = Set(slots.flatMap { Array($0.handed.keys) + $0.applied })
        var messages: [MailboxMessage] = []
        for index in slots.indices where slots[index].isOpen && asked.contains(slots[index].ours.did) {
            let waiting = (found[slots[index].ours.did] ?? []).filter { $0.statusCode == AgencyRequest.pending }
            slots[index].succeed()
            if waiting.isEmpty { slots[index].isAskedAlone = false }
            if !slots[index].isReread { slots[index].rereads = 0 }
            (slots[index].isReread, slots[index].mayHaveMore) = (false, false)
            slots[index].askAt = now.advanced(by: settings.limits.poll)
            for message in waiting where underWay.count < settings.limits.handed {
                // A message with this id is already being passed to a connection. If the present one is for another
                // connection, a later read passes it.
                guard underWay.insert(message.uid).inserted else { continue }
                slots[index].handed[message.uid] = now
                if recent.insert(message.uid) { slots[index].mayHaveMore = true }
                messages.append(
                    MailboxMessage(
                        uid: message.uid, connection: slots[index].connection, envelope: message.envelope))
            }
        }
        return messages.isEmpty ? [] : [.messages(messages)]
    }

    /// Removes the released messages from the state, and reads the messages of connections again that may have more.
    mutating func released(
        _ request: AgencyRequest, _ answer: AgencyAnswer?, at now: Instant
    ) throws(AgencyError) -> [MailboxAction] {
        guard case .updateStatuses(_, let lists) = request else { return [] }
        var actions: [MailboxAction] = []
        var refused: Set<Text> = []
        for failure in try answer?.failures() ?? [] {
            switch failure.problem.kind {
            case .invalid, .notFound: break  // an earlier request released it, or it is gone
            case .busy: refused.insert(failure.pairwiseDID)
            default: actions += tell(.problem(failure.problem.code), for: failure.pairwiseDID)
            }
        }
        if !refused.isEmpty { hold = now.advanced(by: settings.limits.firstRetry) }
        for list in lists where !refused.contains(list.pairwiseDID) {
            let uids = Set(list.uids)
            let limit = settings.limits.rereads
            var rereads = false
            change(list.pairwiseDID) { slot in
                slot.applied.removeAll { uids.contains($0) }
                guard slot.mayHaveMore, slot.applied.isEmpty, slot.handed.isEmpty, slot.rereads < limit else { return }
                (slot.rereads, slot.isReread, slot.askAt) = (slot.rereads + 1, true, now)
                rereads = true
            }
            if rereads { askAt = now }
        }
        return actions
    }

    /// Releases the waiting messages of a closing connection without reading them, round by round, until none waits.
    /// The agency keeps the connection's agent, because it cannot delete it.
    private mutating func leftovers(_ did: Text, _ messages: [AgencyMessage]) -> [MailboxAction] {
        let uids = messages.filter { $0.statusCode == AgencyRequest.pending }.map(\.uid)
        let limit = settings.limits.rereads
        guard !uids.isEmpty, let closing = slot(did)?.closing, closing.rounds < limit else {
            return finish(did, isComplete: false)
        }
        change(did) { slot in
            slot.closing?.leftovers = uids
            slot.closing?.rounds += 1
            slot.succeed()
        }
        return []
    }
}
