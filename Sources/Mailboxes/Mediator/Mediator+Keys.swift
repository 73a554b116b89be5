import DIDComm
import Encoding

// The keys for which the mediator accepts messages.
extension Mediator {
    mutating func open(_ name: Text, _ key: Verkey, at now: Instant) -> [MailboxAction] {
        if let index = entries.firstIndex(where: { $0.connection == name && $0.key == key }) {
            // The key that was opened last is the connection's present key.
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

    /// Returns the failure that a connection must know at once if the mailbox does not work; an empty list if
    /// it works.
    private func told(_ name: Text) -> [MailboxAction] { trouble.map { [.failed($0, for: name)] } ?? [] }

    /// Closes a connection. A mediator that has granted no address was never asked about the connection's
    /// keys, so it has nothing to forget.
    mutating func close(_ name: Text, at now: Instant) -> [MailboxAction] {
        if address == nil { entries.removeAll { $0.connection == name } }
        for index in entries.indices where entries[index].connection == name { entries[index].state = .unwanted(.zero) }
        let isGone = !entries.contains { $0.connection == name }
        return [persist()] + (isGone ? [.closed(connection: name, isComplete: true)] : [])
    }

    /// Returns the changes that are due now.
    func updates(at now: Instant) -> [Coordination.Update] {
        entries.compactMap { entry in
            switch entry.state {
            case .wanted(let time): now >= time ? Coordination.Update(entry.key, isAdded: true) : nil
            case .unwanted(let time): now >= time ? Coordination.Update(entry.key, isAdded: false) : nil
            case .registered: nil
            }
        }
    }

    /// When the next change is due.
    var updateDeadline: Instant? {
        entries.compactMap { entry -> Instant? in
            switch entry.state {
            case .wanted(let time), .unwanted(let time): time
            case .registered: nil
            }
        }.min()
    }

    /// Handles the mediator's results for keys. Ignores results for changes that were not sent.
    mutating func updated(_ results: [Coordination.Result], of asked: [Coordination.Update], at now: Instant)
        -> [MailboxAction]
    {
        var actions: [MailboxAction] = []
        let later = now.advanced(by: limits.again)
        for update in asked {
            guard let index = entries.firstIndex(where: { $0.key == update.key }) else { continue }
            let entry = entries[index]
            guard let result = results.first(where: { $0.update == update }) else {
                // Do not change a key that the answer leaves out: its state is not known.
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
                // Do not report an address for an older key of a connection: the newest key might not be
                // registered yet.
                if newest(of: entry.connection) == entry.key, let address {
                    actions.append(.address(address, for: entry.connection))
                }
            case (.wanted, true, let refusal?):
                entries[index].state = .wanted(later)
                actions.append(.failed(.problem(refusal), for: entry.connection))
            case (.unwanted, false, let refusal):
                // A key that the mediator does not know is gone, too.
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

    /// The connections that are registered at the mediator, each once.
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
