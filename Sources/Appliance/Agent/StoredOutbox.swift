package import Aries
package import Encoding
import Ledger
package import Store

/// The ledger of the kiosk's database as the outbox of one destination. What that is still owed of ledgers before
/// goes first.
package struct StoredOutbox: Outbox {
    private let store: Store
    private let destination: Text
    private let past: PastLedgers

    /// What `store` has for `destination`.
    package init(_ store: Store, _ destination: Text) {
        (self.store, self.destination, past) = (store, destination, PastLedgers(path: store.path))
    }

    /// Makes `connection` the way to the destination, unless a newer one is. What no file has any more of a ledger
    /// before is given up, and counted.
    package func takeOver(by connection: Text) async throws -> OutboxState? {
        let cursor = try await store.takeOver(destination, by: connection)
        guard cursor.connection == connection else { return nil }
        while let debt = await debt {
            if try await past.reader(of: debt) != nil {
                return OutboxState(end: Self.end(of: debt), confirmed: debt.confirmed, isPast: true)
            }
            try await store.giveUp(past: debt.ledger)
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

    /// The entries behind `position`.
    package func entries(
        after position: Int, limit: Int, bytes: Int, reports: Bool, over connection: Text
    ) async throws -> [ReportEntry]? {
        guard await isPresent(connection) else { return nil }
        let (kept, ledger): ([LedgerEntry], Text)
        if let debt = await debt {
            let reader = try await reader(of: debt)
            let entries = try await reader.entries(after: position, limit: limit)
            (kept, ledger) = (entries.filter { $0.position <= debt.end.count }, debt.ledger)
        } else {
            (kept, ledger) = (try await store.entries(after: position, limit: limit), await store.head.ledger)
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

    /// The hash of the entry at `position`.
    package func hash(at position: Int) async throws -> [UInt8]? {
        if let debt = await debt { return try await reader(of: debt).hash(at: position)?.bytes }
        return try await store.hash(at: position)?.bytes
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
            let reader = try await reader(of: debt)
            let reports = try await reader.outcomes(after: debt.confirmed, through: point.position)
            var lost = 0
            for position in passedOver where position > debt.confirmed {
                lost += try await reader.outcomes(after: position - 1, through: position)
            }
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

    /// What the destination gets first.
    private var debt: PastDebt? {
        get async { await store.debts.first { $0.destination == destination } }
    }

    private func reader(of debt: PastDebt) async throws(StoreError) -> LedgerReader {
        guard let reader = try await past.reader(of: debt) else { throw .absent(path: store.path) }
        return reader
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
