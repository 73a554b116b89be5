import DIDComm
import Encoding

// The keys for which the mediator accepts messages.
extension Mediator {
    mutating func open(_ name: Text, _ key: Verkey, at now: Instant) -> [MailboxAction] {
        if let index = entries.firstIndex(where: { $0.connection == name && $0.key == key }) {
            // The key that was opened last is the connection's present key, so move its entry to the end.
            entries.append(entries.remove(at: index))
            let last = entries.endIndex - 1
            switch entries[last].state {
            case .registered: return address.map { [.address($0, for: name)] } ?? []
            case .wanted: entries[last].state = .wanted(.zero)
            case .unwanted:
                entries[last].state = .wanted(.zero)
                return [persist()] + told(name)
            }
            return told(name)
        }
        guard entries.count < limits.keys, entries.allSatisfy({ $0.key != key }) else {
            return [.failed(.problem("too-many-keys"), for: name)]
        }
        entries.append(Entry(connection: name, key: key, state: .wanted(.zero)))
        let own = entries.indices.filter { entries[$0].connection == name && !entries[$0].isUnwanted }
        for index in own.dropLast(limits.keysOfOne) { entries[index].state = .unwanted(.zero) }
        return [persist()] + told(name)
    }

    /// Returns the failure to report to the connection `name` at once; an empty list if the mailbox works.
    private func told(_ name: Text) -> [MailboxAction] { trouble.map { [.failed($0, for: name)] } ?? [] }

    /// Closes the connection `name`. If the mediator has granted no address yet, it does not know the connection's
    /// keys, so nothing has to be removed there.
    mutating func close(_ name: Text, at now: Instant) -> [MailboxAction] {
        if address == nil { entries.removeAll { $0.connection == name } }
        for index in entries.indices where entries[index].connection == name { entries[index].state = .unwanted(.zero) }
        let isGone = !entries.contains { $0.connection == name }
        return [persist()] + (isGone ? [.closed(connection: name, isComplete: true)] : [])
    }

    /// Returns the keys to add or to remove at the mediator now.
    func updates(at now: Instant) -> [Coordination.Update] {
        entries.compactMap { entry in
            switch entry.state {
            case .wanted(let time): now >= time ? Coordination.Update(entry.key, isAdded: true) : nil
            case .unwanted(let time): now >= time ? Coordination.Update(entry.key, isAdded: false) : nil
            case .registered: nil
            }
        }
    }

    /// When the next key must be added or removed; nil if there is none.
    var updateDeadline: Instant? {
        entries.compactMap { entry -> Instant? in
            switch entry.state {
            case .wanted(let time), .unwanted(let time): time
            case .registered: nil
            }
        }.min()
    }

    /// Handles the mediator's results for the requests `asked`. Ignores results for other requests.
    mutating func updated(_ results: [Coordination.Result], of asked: [Coordination.Update], at now: Instant)
        -> [MailboxAction]
    {
        var actions: [MailboxAction] = []
        let later = now.advanced(by: limits.again)
        for update in asked {
            guard let index = entries.firstIndex(where: { $0.key == update.key }) else { continue }
            let entry = entries[index]
            guard let result = results.first(where: { $0.update == update }) else {
                // The answer leaves this key out, so its state is not known: send the request for this key again later.
                switch (entry.state, update.isAdded) {
                case (.wanted, true):
                    entries[index].state = .wanted(later)
                    actions.append(.failed(.malformed, for: entry.connection))
                case (.unwanted, false): entries[index].state = .unwanted(later)
                default: break
                }
                continue
            }
            switch (entry.state, update.isAdded, result.refusal) {
            case (.wanted, true, nil):
                entries[index].state = .registered
                // Report the address only for the newest key of a connection: it may not be registered yet when an
                // older key is.
                if newest(of: entry.connection) == entry.key, let address {
                    actions.append(.address(address, for: entry.connection))
                }
            case (.wanted, true, let refusal?):
                entries[index].state = .wanted(later)
                actions.append(.failed(.problem(refusal), for: entry.connection))
            case (.unwanted, false, let refusal):
                // The mediator reports `client_error` for a key that it does not have, so this key is removed, too.
                guard refusal == nil || refusal == "client_error" else {
                    entries[index].state = .unwanted(later)
                    continue
                }
                entries.remove(at: index)
                actions.append(persist())
                if !entries.contains(where: { $0.connection == entry.connection }) {
                    actions.append(.closed(connection: entry.connection, isComplete: true))
                }
            default: break
            }
        }
        return actions
    }

    private func newest(of name: Text) -> Verkey? { entries.last { $0.connection == name && !$0.isUnwanted }?.key }

    /// The ids of the connections that have a key registered at the mediator, each once.
    var registered: [Text] {
        var names: [Text] = []
        for entry in entries {
            if case .registered = entry.state, !names.contains(entry.connection) { names.append(entry.connection) }
        }
        return names
    }
}

extension Mediator.Entry {
    var isUnwanted: Bool { if case .unwanted = state { true } else { false } }
}
