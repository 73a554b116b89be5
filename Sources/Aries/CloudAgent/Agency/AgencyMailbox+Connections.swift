import DIDComm
import Encoding

extension AgencyMailbox {
    /// A connection is to be reached under a key.
    mutating func open(_ connection: Text, _ key: KeyPair, at now: Instant) -> [MailboxAction] {
        let actions: [MailboxAction] = told.map { [.failed($0, for: connection)] } ?? []
        let others = slots.indices.filter { slots[$0].connection == connection && slots[$0].closing == nil }
        let known = others.first { slots[$0].key.verkey == key.verkey }
        for index in others where index != known && slots[index].earlierUntil == nil {
            slots[index].earlierUntil = now.advanced(by: settings.limits.earlierKeys)
            storage = .changed
        }
        if let known {
            if slots[known].earlierUntil != nil { (slots[known].earlierUntil, storage) = (nil, .changed) }
            return (slots[known].agent.map { [address($0, connection)] } ?? []) + actions
        }
        // Nobody was told of a key whose agent we do not know; of the others the last few are kept.
        let kept = others.filter { slots[$0].agent != nil }.suffix(settings.limits.earlierKeyCount)
        for index in others where !kept.contains(index) { slots[index].close(isTold: false) }
        guard slots.count < settings.limits.connections else { return [.failed(.denied, for: connection)] }
        // A key that is on its way out there is not taken twice.
        guard !slots.contains(where: { $0.key.verkey == key.verkey }) else {
            return [.failed(.keyTaken, for: connection)]
        }
        slots.append(AgencySlot(connection: connection, key: key))
        storage = .changed
        return actions
    }

    /// Nothing is expected any more for keys that others took the place of long ago.
    mutating func expire(at now: Instant) {
        for index in slots.indices where slots[index].closing == nil {
            guard let until = slots[index].earlierUntil, now >= until else { continue }
            slots[index].close(isTold: false)
            storage = .changed
        }
    }

    /// The routing key nearest to us is the connection's agent's, the outermost the agency's.
    func address(_ agent: AgencyParty, _ connection: Text) -> MailboxAction {
        .address(
            MailboxAddress(endpoint: settings.endpoint, routingKeys: [agent.key, settings.agency.key]), for: connection)
    }

    /// Whoever was told that it is not served is told where it is again.
    mutating func recovered() -> [MailboxAction] {
        guard agent != nil else { return [] }
        let all = told != nil
        told = nil
        var actions: [MailboxAction] = []
        for index in slots.indices where slots[index].isOpen && slots[index].earlierUntil == nil {
            guard let agent = slots[index].agent, all || slots[index].hasRecovered else { continue }
            slots[index].hasRecovered = false
            actions.append(address(agent, slots[index].connection))
        }
        return actions
    }

    /// A connection is not used any more.
    mutating func close(_ connection: Text) -> [MailboxAction] {
        // Gone already, or never there: a crash may have been faster than the word of it.
        guard slots.contains(where: { $0.connection == connection }) else {
            return [.closed(connection: connection, isComplete: settings.dialect.deletes)]
        }
        for index in slots.indices where slots[index].connection == connection && slots[index].closing?.isTold != true {
            slots[index].close(isTold: true)
            storage = .changed
        }
        return []
    }

    /// Ends what cannot be ended at the agency: an agent that we were never told of.
    mutating func settle() -> [MailboxAction] {
        var underWay: Text?
        if case .createKey(let did) = exchange?.operation { underWay = did }
        let isReady = agent != nil
        var actions: [MailboxAction] = []
        for slot in slots where slot.closing != nil && slot.agent == nil && slot.ours.did != underWay {
            actions += finish(slot.ours.did, isComplete: !isReady)
        }
        return actions
    }

    /// The slot is gone.
    mutating func finish(_ did: Text, isComplete: Bool) -> [MailboxAction] {
        guard let index = slots.firstIndex(where: { $0.ours.did == did }) else { return [] }
        let slot = slots.remove(at: index)
        storage = .changed
        guard let closing = slot.closing, closing.isTold else { return [] }
        let isComplete = isComplete && closing.isComplete
        // Told once, when the last of the connection's keys is gone.
        let others = slots.indices.filter {
            slots[$0].connection == slot.connection && slots[$0].closing?.isTold == true
        }
        for index in others where !isComplete { slots[index].closing?.isComplete = false }
        return others.isEmpty ? [.closed(connection: slot.connection, isComplete: isComplete)] : []
    }
}
