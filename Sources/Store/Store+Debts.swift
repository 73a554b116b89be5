package import Encoding
import GRDB
package import Ledger

// What is left of ledgers before this one. Their entries are read from the files that were put aside (``PastLedgers``).
extension Store {
    /// The destination has confirmed everything up to `position` of a ledger before, and with it `reports` outcomes; of
    /// these it has refused `lost`, which counts with the primary destination as it does in the present ledger. What is
    /// confirmed to the end is no debt any more. `handled`: keys of inbound messages, remembered as by
    /// ``confirm(_:upTo:receipt:over:passedOver:handled:)``. A confirmation over another connection than the present
    /// one changes nothing.
    package func confirm(
        _ destination: Text, past ledger: Text, upTo position: Int, reports: Int, lost: Int, over connection: Text,
        handled: [[UInt8]] = []
    ) async throws(StoreError) {
        try await keepInMind(handled)
        try await commit { db, books in
            let index = books.debts.firstIndex { $0.destination == destination && $0.ledger == ledger }
            guard let index, books.deliveries[destination]?.connection == connection else { return }
            books.debts[index].confirm(upTo: position, reports: reports)
            if destination == DeliveryCursor.primary, lost > 0 { books.head.lost(reports: lost, told: 0) }
            if books.debts[index].entries > 0 {
                try books.debts[index].save(db)
            } else {
                try books.debts.remove(at: index).remove(db)
            }
        }
    }

    /// The entries of a ledger before cannot be had any more: what is owed of it is lost. All destinations lack the
    /// same end of it, more or less of it; so the longest one is counted, for the next outcome and for ``lostReports``.
    /// Returns how many reports.
    @discardableResult
    package func giveUp(past ledger: Text) async throws(StoreError) -> Int {
        try await commit { db, books in
            let given = books.debts.filter { $0.ledger == ledger }
            let reports = given.map(\.reports).max() ?? 0
            for debt in given { try debt.remove(db) }
            books.debts.removeAll { $0.ledger == ledger }
            if !given.isEmpty { books.head.lost(reports: reports, told: 0) }
            books.lost += reports
            return reports
        }
    }

    /// Keys of inbound messages: written with the next state of a connection, or once they are many.
    func keepInMind(_ handled: [[UInt8]]) async throws(StoreError) {
        unwritten = (unwritten + handled.filter { !unwritten.contains($0) }).suffix(options.handledMessages / 10)
        if unwritten.count >= options.confirmationsTogether { try await writeHandled([]) { _, _ in } }
    }

    /// Signs the ledger's end for those who get its entries; nil without a key.
    package nonisolated func signature(of end: ChainPoint, in ledger: Text) -> [UInt8]? {
        witness?.key.sign(sent: end, of: ledger)
    }

    /// Whether the key here signed that head; without a key that cannot be known.
    package nonisolated func hasSigned(_ ledger: Text, count: Int, hash: ChainHash, _ signature: [UInt8]) -> Bool {
        witness?.key.hasSigned(ledger, count: count, hash: hash, signature) == true
    }
}
