import DIDComm
import Encoding

// Which keys the mediator takes messages for.
extension Mediator {
    mutating func open(_ name: Text, _ key: Verkey, at now: Instant) -> [MailboxAction] {
        if let index = entries.firstIndex(where: { $0.connection == name && $0.key == key }) {
            // The key that was opened last is the connection's.
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

    /// What a connection is to know at once of a mailbox that does not serve.
    private func told(_ name: Text) -> [MailboxAction] { trouble.map { [.failed($0, for: name)] } ?? [] }

    /// A mediator that was never asked for a connection's keys has nothing to forget.
    mutating func close(_ name: Text, at now: Instant) -> [MailboxAction] {
        if address == nil { entries.removeAll { $0.connection == name } }
        for index in entries.indices where entries[index].connection == name { entries[index].state = .unwanted(.zero) }
        let isGone = !entries.contains { $0.connection == name }
        return [persist()] + (isGone ? [.closed(connection: name, isComplete: true)] : [])
    }

    /// What is to be told now.
    func updates(at now: Instant) -> [Coordination.Update] {
        entries.compactMap { entry in
            switch entry.state {
            case .wanted(let time): now >= time ? Coordination.Update(entry.key, isAdded: true) : nil
            case .unwanted(let time): now >= time ? Coordination.Update(entry.key, isAdded: false) : nil
            case .registered: nil
            }
        }
    }

    /// When there is something to tell.
    var updateDeadline: Instant? {
        entries.compactMap { entry -> Instant? in
            switch entry.state {
            case .wanted(let time), .unwanted(let time): time
            case .registered: nil
            }
        }.min()
    }

    /// What the mediator says about keys. About what was not asked it says nothing.
    mutating func updated(_ results: [Coordination.Result], of asked: [Coordination.Update], at now: Instant)
        -> [MailboxAction]
    {
        var actions: [MailboxAction] = []
        let later = now.advanced(by: limits.again)
        for update in asked {
            guard let index = entries.firstIndex(where: { $0.key == update.key }) else { continue }
            let entry = entries[index]
            guard let result = results.first(where: { $0.update == update }) else {
                // Of a key that the answer leaves out nothing is known.
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
                // An older key of a connection whose newest is not told yet says nothing about that one.
                if newest(of: entry.connection) == entry.key, let address {
                    actions.append(.address(address, for: entry.connection))
                }
            case (.wanted, true, let refusal?):
                entries[index].state = .wanted(later)
                actions.append(.failed(.problem(refusal), for: entry.connection))
            case (.unwanted, false, let refusal):
                // A key that it does not know is gone, too.
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

    /// The connections that are reached here, each once.
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
