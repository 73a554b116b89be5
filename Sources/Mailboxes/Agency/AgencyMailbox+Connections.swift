import Aries
import DIDComm
import Encoding

extension AgencyMailbox {
    /// Makes a connection reachable under a key.
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
        // A key that has no agent yet is known to no peer, so close it. Of the other earlier keys keep the
        // newest few.
        let kept = others.filter { slots[$0].agent != nil }.suffix(settings.limits.earlierKeyCount)
        for index in others where !kept.contains(index) { slots[index].close(isTold: false) }
        guard slots.count < settings.limits.connections else { return [.failed(.denied, for: connection)] }
        // Do not use a key twice: another slot, such as one that is being closed, may still have it.
        guard !slots.contains(where: { $0.key.verkey == key.verkey }) else {
            return [.failed(.keyTaken, for: connection)]
        }
        slots.append(AgencySlot(connection: connection, key: key))
        storage = .changed
        return actions
    }

    /// Closes the slots whose key was replaced long ago: no message is expected for them any more.
    mutating func expire(at now: Instant) {
        for index in slots.indices where slots[index].closing == nil {
            guard let until = slots[index].earlierUntil, now >= until else { continue }
            slots[index].close(isTold: false)
            storage = .changed
        }
    }

    /// Returns the action that reports the address of `connection` at `agent`. The first routing key, the
    /// nearest to the gate, is the agent's key; the outermost is the agency's key.
    func address(_ agent: AgencyParty, _ connection: Text) -> MailboxAction {
        .address(
            MailboxAddress(endpoint: settings.endpoint, routingKeys: [agent.key, settings.agency.key]), for: connection)
    }

    /// Reports the addresses of connections again whose failure was reported and is over.
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

    /// Closes a connection that is no longer used.
    mutating func close(_ connection: Text) -> [MailboxAction] {
        // The connection is closed already, or never existed: a crash may have prevented the report.
        guard slots.contains(where: { $0.connection == connection }) else {
            return [.closed(connection: connection, isComplete: settings.dialect.deletes)]
        }
        for index in slots.indices where slots[index].connection == connection && slots[index].closing?.isTold != true {
            slots[index].close(isTold: true)
            storage = .changed
        }
        return []
    }

    /// Ends the slots whose agent the gate never learned: the agency cannot end them.
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

    /// Removes a slot.
    mutating func finish(_ did: Text, isComplete: Bool) -> [MailboxAction] {
        guard let index = slots.firstIndex(where: { $0.ours.did == did }) else { return [] }
        let slot = slots.remove(at: index)
        storage = .changed
        guard let closing = slot.closing, closing.isTold else { return [] }
        let isComplete = isComplete && closing.isComplete
        // Report the closing once, when the last of the connection's keys is removed.
        let others = slots.indices.filter {
            slots[$0].connection == slot.connection && slots[$0].closing?.isTold == true
        }
        for index in others where !isComplete { slots[index].closing?.isComplete = false }
        return others.isEmpty ? [.closed(connection: slot.connection, isComplete: isComplete)] : []
    }
}
