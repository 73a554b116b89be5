import Aries
import DIDComm
import Encoding

extension AgencyMailbox {
    /// Makes the connection `connection` reachable under `key`. An earlier key of the connection stays usable for a
    /// while.
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
        // Close an earlier key that has no agent yet, because no peer knows it. Of the other earlier keys keep only the
        // newest.
        let kept = others.filter { slots[$0].agent != nil }.suffix(settings.limits.earlierKeyCount)
        for index in others where !kept.contains(index) { slots[index].close(isTold: false) }
        guard slots.count < settings.limits.connections else { return [.failed(.denied, for: connection)] }
        // Do not use a key twice: another slot may still have it, for example one that is being closed.
        guard !slots.contains(where: { $0.key.verkey == key.verkey }) else {
            return [.failed(.keyTaken, for: connection)]
        }
        slots.append(AgencySlot(connection: connection, key: key))
        storage = .changed
        return actions
    }

    /// Closes the slots of earlier keys whose time has passed: no message is expected for them any more.
    mutating func expire(at now: Instant) {
        for index in slots.indices where slots[index].closing == nil {
            guard let until = slots[index].earlierUntil, now >= until else { continue }
            slots[index].close(isTold: false)
            storage = .changed
        }
    }

    /// Returns the action that reports the address of `connection`, whose messages the agency's agent `agent` receives.
    /// The first routing key, nearest to the gate, is the agent's key; the second and outermost is the agency's key.
    func address(_ agent: AgencyParty, _ connection: Text) -> MailboxAction {
        .address(
            MailboxAddress(endpoint: settings.endpoint, routingKeys: [agent.key, settings.agency.key]), for: connection)
    }

    /// Reports the end of failures: reports the address again for each connection whose failure was reported and is
    /// over.
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
        // The connection has no slot: it was closed before, and a crash may have prevented the report, or it never
        // existed.
        guard slots.contains(where: { $0.connection == connection }) else {
            return [.closed(connection: connection, isComplete: settings.dialect.deletes)]
        }
        for index in slots.indices where slots[index].connection == connection && slots[index].closing?.isTold != true {
            slots[index].close(isTold: true)
            storage = .changed
        }
        return []
    }

    /// Removes the closing slots without an agent: the agency has nothing to close for them.
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

    /// Removes the slot (a key of a connection) in which the gate has the DID `did`. `isComplete`: whether the agency
    /// has deleted the connection's agent.
    mutating func finish(_ did: Text, isComplete: Bool) -> [MailboxAction] {
        guard let index = slots.firstIndex(where: { $0.ours.did == did }) else { return [] }
        let slot = slots.remove(at: index)
        storage = .changed
        guard let closing = slot.closing, closing.isTold else { return [] }
        let isComplete = isComplete && closing.isComplete
        // A connection may have several slots. Report that it is closed once, when the last of them is removed.
        let others = slots.indices.filter {
            slots[$0].connection == slot.connection && slots[$0].closing?.isTold == true
        }
        for index in others where !isComplete { slots[index].closing?.isComplete = false }
        return others.isEmpty ? [.closed(connection: slot.connection, isComplete: isComplete)] : []
    }
}
