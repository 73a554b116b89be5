package import Aries
package import Encoding
import Ledger
package import Store

/// The ledger of the kiosk's database as the outbox of one destination. What that is still owed of ledgers before
/// goes first, until that turns out to be impossible: nothing holds the present ledger up for ever.
package struct StoredOutbox: Outbox {
    private let store: Store
    private let destination: Text
    private let past: PastLedgers
    private let patience: Int
    private let observe: @Sendable (AgentNotice) -> Void

    /// What `store` has for `destination`. `patience`: failed reads of a ledger before until that is given up; `observe`
    /// is told of these, from any thread.
    package init(
        _ store: Store, _ destination: Text, patience: Int = PastLedgers.patience,
        observe: @escaping @Sendable (AgentNotice) -> Void = { _ in }
    ) {
        (self.store, self.destination, past) = (store, destination, PastLedgers(path: store.path))
        (self.patience, self.observe) = (patience, observe)
    }

    /// Makes `connection` the way to the destination, unless a newer one is. What no file has any more of a ledger
    /// before is given up, and told.
    package func takeOver(by connection: Text) async throws -> OutboxState? {
        let cursor = try await store.takeOver(destination, by: connection)
        guard cursor.connection == connection else { return nil }
        while let debt = await debt {
            if try await read(debt, { _ in true }) != nil {
                return OutboxState(end: Self.end(of: debt), confirmed: debt.confirmed, isPast: true)
            }
        }
        let end = await end
        return OutboxState(
            end: end, confirmed: cursor.confirmed,
            receipt: cursor.receipt.map { ReportPoint(ledger: end.ledger, position: $0.count, hash: $0.hash.bytes) })
    }

    /// Where the ledger ends, and whether something went wrong at the gate behind `position`.
    package func end(after position: Int, over connection: Text) async throws -> (end: ReportPoint, isUrgent: Bool)? {
        guard await isPresent(connection) else { return nil }
        if let debt = await debt { return (Self.end(of: debt), false) }
        let end = await end
        let new = try await store.entries(after: position, limit: 64)
        return (end, new.contains { Report.isUrgent($0) })
    }

    /// The entries of `ledger` behind `position`; none where that one is not delivered now.
    package func entries(
        of ledger: Text, after position: Int, limit: Int, bytes: Int, reports: Bool, over connection: Text
    ) async throws -> [ReportEntry]? {
        guard await isPresent(connection) else { return nil }
        var kept: [LedgerEntry] = []
        if await store.head.ledger == ledger {
            kept = try await store.entries(after: position, limit: limit)
        } else if let debt = await debt, debt.ledger == ledger {
            let entries = try await read(debt) { reader in
                let entries = try await reader.entries(after: position, limit: limit)
                // They were there when the file was proven: whether another one has them is found out.
                if entries.isEmpty, position < debt.end.count { throw StoreError.absent(path: store.path) }
                return entries
            }
            kept = (entries ?? []).filter { $0.position <= debt.end.count }
        }
        var (found, room): ([ReportEntry], Int) = ([], bytes)
        for entry in kept {
            room -= entry.body.count
            guard room >= 0 || found.isEmpty else { break }
            found.append(
                ReportEntry(
                    position: entry.position, hash: entry.hash.bytes, body: entry.body,
                    report: reports ? Report.json(of: entry, in: ledger) : nil))
        }
        return found
    }

    /// The hash of the entry of `ledger` at `position`; nil where that one is not delivered now.
    package func hash(of ledger: Text, at position: Int) async throws -> [UInt8]? {
        if await store.head.ledger == ledger { return try await store.hash(at: position)?.bytes }
        guard let debt = await debt, debt.ledger == ledger else { return nil }
        return try await read(debt) { try await $0.hash(at: position)?.bytes } ?? nil
    }

    /// Whether the key of this box signed that head.
    package func hasSigned(_ head: ReportPoint) -> Bool {
        guard let signature = head.signature, let hash = ChainHash(head.hash) else { return false }
        return store.hasSigned(head.ledger, count: head.position, hash: hash, signature)
    }

    /// The destination has confirmed everything up to `point`; the connections that go by that.
    package func confirm(
        _ point: ReportPoint, isReceipt: Bool, passedOver: [Int], over connection: Text, handled: [[UInt8]]
    ) async throws -> [Text] {
        if let debt = await debt, debt.ledger == point.ledger {
            let found = try await read(debt) { reader in
                var lost = 0
                for position in passedOver where position > debt.confirmed {
                    lost += try await reader.outcomes(after: position - 1, through: position)
                }
                return (try await reader.outcomes(after: debt.confirmed, through: point.position), lost)
            }
            guard let (reports, lost) = found else { return [] }
            try await store.confirm(
                destination, past: debt.ledger, upTo: point.position, reports: reports, lost: lost, over: connection,
                handled: handled)
            return []
        }
        guard await store.head.ledger == point.ledger else { return [] }
        return try await store.confirm(
            destination, upTo: point.position, receipt: isReceipt ? ChainHash(point.hash) : nil, over: connection,
            passedOver: passedOver, handled: handled
        ).replaced
    }

    /// What is left of that ledger is given up, if it is the one before the present that is delivered over `connection`.
    package func giveUp(_ ledger: Text, over connection: Text) async throws {
        guard await isPresent(connection), let debt = await debt, debt.ledger == ledger else { return }
        try await giveUp(debt, "the agent says that another connection writes it (was the box copied?)")
    }

    /// What the destination gets first.
    private var debt: PastDebt? {
        get async { await store.debts.first { $0.destination == destination } }
    }

    /// Reads a ledger before; nil: it is given up by now. What fails is told and thrown, so that it is tried again; the
    /// last time it is given up, too.
    private func read<Value: Sendable>(
        _ debt: PastDebt, _ work: (LedgerReader) async throws -> Value
    ) async throws -> Value? {
        let reason: String
        do {
            if let reader = try await past.reader(of: debt) { return try await work(reader) }
            reason = "no file has it as it was sealed"
        } catch let error as StoreError {
            guard await past.failed(debt) >= patience else {
                observe(.pastUnread(error.text))
                throw error
            }
            reason = error.text
        }
        try await giveUp(debt, reason)
        return nil
    }

    private func giveUp(_ debt: PastDebt, _ reason: String) async throws {
        observe(.pastGivenUp(reports: try await store.giveUp(destination, past: debt.ledger), reason))
    }

    private static func end(of debt: PastDebt) -> ReportPoint {
        ReportPoint(ledger: debt.ledger, position: debt.end.count, hash: debt.end.hash.bytes)
    }

    private var end: ReportPoint {
        get async {
            let head = await store.head
            return ReportPoint(
                ledger: head.ledger, position: head.point.count, hash: head.point.hash.bytes,
                signature: store.signature(of: head.point, in: head.ledger))
        }
    }

    private func isPresent(_ connection: Text) async -> Bool {
        await store.deliveries[destination]?.connection == connection
    }
}
