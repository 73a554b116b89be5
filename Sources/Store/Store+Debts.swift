package import Encoding
import GRDB
package import Ledger

// Debts of earlier ledgers, whose entries are in files that were moved aside (``PastLedgers``).
extension Store {
    /// Records that the destination has confirmed every entry up to `position` of an earlier ledger, including
    /// `reports` outcomes. The destination has refused `lost` of them; the losses of the primary destination are
    /// counted as in the present ledger. A debt that is confirmed to its end is removed. A confirmation over another
    /// connection than the present route changes nothing.
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

    /// Gives up the debt of an earlier ledger to a destination. The next outcome and ``lostReports`` count the reports
    /// that the primary destination loses. Losses of a copy agent are not counted, because the other destinations have
    /// those reports. Returns the number of reports that the destination never gets.
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

    /// Signs the ledger's end for the agents that receive its entries. Returns nil if the store has no key.
    package nonisolated func signature(of end: ChainPoint, in ledger: Text) -> [UInt8]? {
        witness?.key.sign(sent: end, of: ledger)
    }

    /// Returns whether this store's key signed the head with the given count and hash. Without a key, returns false.
    package nonisolated func hasSigned(_ ledger: Text, count: Int, hash: ChainHash, _ signature: [UInt8]) -> Bool {
        witness?.key.hasSigned(ledger, count: count, hash: hash, signature) == true
    }
}
