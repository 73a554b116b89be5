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

    /// A destination never gets what it is owed of a ledger before. What the primary one loses by that is counted, for
    /// the next outcome and for ``lostReports``; a copy has it from nobody, which says nothing of the others. Returns how
    /// many reports it never gets.
    @discardableResult
    package func giveUp(_ destination: Text, past ledger: Text) async throws(StoreError) -> Int {
        try await commit { db, books in
            let index = books.debts.firstIndex { $0.destination == destination && $0.ledger == ledger }
            guard let index else { return 0 }
            let debt = books.debts.remove(at: index)
            try debt.remove(db)
            if destination == DeliveryCursor.primary {
                books.head.lost(reports: debt.reports, told: 0)
                books.lost += debt.reports
            }
            return debt.reports
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
