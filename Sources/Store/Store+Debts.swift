package import Encoding
import GRDB
package import Ledger

// Debts: the entries of earlier ledgers that a destination has not confirmed. These entries are in the files of the
// earlier ledgers (``PastLedgers``).
extension Store {
    /// Records that a destination has confirmed every entry of an earlier ledger up to `position`. `reports`: the
    /// number of outcomes among the newly confirmed entries. `lost`: the number of outcomes that the destination has
    /// refused; those of the primary destination are counted as lost. A debt whose last entry is confirmed is
    /// removed. A confirmation over a connection that is not the destination's active connection changes nothing.
    package func confirm(
        _ destination: Text, past ledger: Text, upTo position: Int, reports: Int, lost: Int, over connection: Text
    ) async throws(StoreError) {
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

    /// Stops the delivery of an earlier ledger to a destination: the entries that the destination has not confirmed
    /// are never delivered. If the destination is the primary one, the next outcome and ``lostReports`` count the
    /// reports as lost. For a copy agent nothing is counted, because the other destinations have those reports.
    /// Returns the number of reports that the destination never gets.
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

    /// Returns the signature of the ledger's end, for the agents that receive its entries; nil if the store has no
    /// key.
    package nonisolated func signature(of end: ChainPoint, in ledger: Text) -> [UInt8]? {
        witness?.key.sign(sent: end, of: ledger)
    }

    /// Returns whether this store's key signed the head with the given count and hash. Returns false without a key.
    package nonisolated func hasSigned(_ ledger: Text, count: Int, hash: ChainHash, _ signature: [UInt8]) -> Bool {
        witness?.key.hasSigned(ledger, count: count, hash: hash, signature) == true
    }
}
