package import Aries
package import Encoding
import Ledger
package import Store

/// The ledger as the outbox of one destination. The ledger's database contains the destination's cursor with the id
/// of the active connection; the courier's database contains the connections. Unconfirmed entries of earlier ledgers
/// are sent first. If the entries of an earlier ledger cannot be read or delivered, their delivery ends, so that they
/// do not block the present ledger for ever.
package struct StoredOutbox: Outbox {
    private let store: Store
    private let courier: CourierStore
    private let destination: Text
    private let past: PastLedgers
    private let patience: Int
    private let observe: @Sendable (AgentNotice) -> Void

    /// Creates the outbox of `destination` in `store`, for the connections in `courier`. `patience`: the number of
    /// failed reads of an earlier ledger after which its delivery ends. `observe` is called, from any thread, with
    /// each failure to read an earlier ledger.
    package init(
        _ store: Store, _ courier: CourierStore, _ destination: Text, patience: Int = PastLedgers.patience,
        observe: @escaping @Sendable (AgentNotice) -> Void = { _ in }
    ) {
        (self.store, self.courier, self.destination) = (store, courier, destination)
        (past, self.patience, self.observe) = (PastLedgers(path: store.path), patience, observe)
    }

    /// Makes `connection` the active one of the destination, unless a newer connection is active. If no file contains
    /// the entries of an earlier ledger any more, ends the delivery of that ledger and reports this to `observe`.
    package func takeOver(by connection: Text) async throws -> OutboxState? {
        guard let cursor = try await route(over: connection) else { return nil }
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

    /// Makes `connection` the active one of the destination. Returns the cursor. Returns nil if a newer connection is
    /// active, or if `connection` is being deleted. The loop repeats if another connection has become active
    /// meanwhile.
    private func route(over connection: Text) async throws(StoreError) -> DeliveryCursor? {
        while true {
            // Read the active connection first. A connection that is stored after the following read of the courier's
            // database can become active only later; the ledger then refuses this call.
            let route = await store.deliveries[destination]?.connection
            guard let newer = try await courier.newer(than: connection, to: destination),
                route.map({ !newer.contains($0) }) ?? true
            else { return nil }
            let cursor = try await store.takeOver(destination, by: connection, insteadOf: route)
            guard cursor.connection == connection else { continue }
            // The connection may have been marked for deletion since the read above.
            if try await courier.newer(than: connection, to: destination) != nil { return cursor }
            try await store.letGo(of: connection)
            return nil
        }
    }

    /// Returns the end of the ledger, and whether one of the entries after `position` reports a failure or a
    /// rejection at the gate. Examines at most 64 entries.
    package func end(after position: Int, over connection: Text) async throws -> (end: ReportPoint, isUrgent: Bool)? {
        guard await isActive(connection) else { return nil }
        if let debt = await debt { return (Self.end(of: debt), false) }
        let end = await end
        let new = try await store.entries(after: position, limit: 64)
        return (end, new.contains { Report.isUrgent($0) })
    }

    /// Returns entries of `ledger` after `position`; none if another ledger is being delivered now.
    package func entries(
        of ledger: Text, after position: Int, limit: Int, bytes: Int, reports: Bool, over connection: Text
    ) async throws -> [ReportEntry]? {
        guard await isActive(connection) else { return nil }
        var kept: [LedgerEntry] = []
        if await store.head.ledger == ledger {
            kept = try await store.entries(after: position, limit: limit)
        } else if let debt = await debt, debt.ledger == ledger {
            let entries = try await read(debt) { reader in
                let entries = try await reader.entries(after: position, limit: limit)
                // The file contained these entries when it was verified. After this error, the next read looks for
                // another file that contains them.
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

    /// Returns the hash of the entry of `ledger` at `position`; nil if the entry is absent, or if another ledger is
    /// being delivered now.
    package func hash(of ledger: Text, at position: Int) async throws -> [UInt8]? {
        if await store.head.ledger == ledger { return try await store.hash(at: position)?.bytes }
        guard let debt = await debt, debt.ledger == ledger else { return nil }
        return try await read(debt) { try await $0.hash(at: position)?.bytes } ?? nil
    }

    /// Returns whether the key of this gate has signed the given head.
    package func hasSigned(_ head: ReportPoint) -> Bool {
        guard let signature = head.signature, let hash = ChainHash(head.hash) else { return false }
        return store.hasSigned(head.ledger, count: head.position, hash: hash, signature)
    }

    /// Records that the destination has confirmed every entry up to `point`. Returns the ids of the connections that
    /// this connection has replaced and that are now marked for deletion.
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
                destination, past: debt.ledger, upTo: point.position, reports: reports, lost: lost, over: connection)
            try await courier.noteHandled(handled)
            return []
        }
        guard await store.head.ledger == point.ledger,
            await store.accepts(destination, upTo: point.position, over: connection)
        else { return [] }
        // If the program ends between these steps, the destination confirms the entries again, or the message is
        // applied a second time.
        let replaced = try await courier.retireReplaced(by: connection)
        do {
            try await store.confirm(
                destination, upTo: point.position, receipt: isReceipt ? ChainHash(point.hash) : nil, over: connection,
                passedOver: passedOver)
            try await courier.noteHandled(handled)
        } catch {
            if !replaced.isEmpty { observe(.replaced(replaced)) }
            throw error
        }
        return replaced
    }

    /// Ends the delivery of `ledger`, if it is the earlier ledger that is delivered over `connection` now.
    package func giveUp(_ ledger: Text, over connection: Text) async throws {
        guard await isActive(connection), let debt = await debt, debt.ledger == ledger else { return }
        try await giveUp(debt, "the agent says that it receives it over another connection (was the box copied?)")
    }

    /// The part of the oldest earlier ledger that the destination has not confirmed. The gate delivers it before the
    /// present ledger; nil if there is none.
    private var debt: PastDebt? {
        get async { await store.debts.first { $0.destination == destination } }
    }

    /// Reads an earlier ledger. Reports a failure to `observe` and throws it, so that the link tries again later.
    /// After `patience` failures, or if no file contains the ledger, ends its delivery and returns nil.
    private func read<Value: Sendable>(
        _ debt: PastDebt, _ work: (LedgerReader) async throws -> Value
    ) async throws -> Value? {
        let reason: String
        do {
            if let reader = try await past.reader(of: debt) { return try await work(reader) }
            reason = "no file contains the sealed entries"
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

    private func isActive(_ connection: Text) async -> Bool {
        await store.deliveries[destination]?.connection == connection
    }
}
