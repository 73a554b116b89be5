package import Encoding
import GRDB
package import Ledger

extension Store {
    /// Records intents, decisions and outcomes in one transaction with one sync. A decision includes the replay names
    /// of the admitted credentials. An intent that is already recorded counts as written. If the intent of a decision
    /// is not open, only the decision's replay names are stored.
    ///
    /// Returns the errors of the records that the ledger's rules refuse, by the id of the visit or intent. After the
    /// return, all other records survive a power cut. Throws if no record was written.
    package func append(
        _ intents: [UnwrittenIntent], _ outcomes: [UnwrittenOutcome], decisions: [UnwrittenDecision] = []
    ) async throws(StoreError) -> [Text: StoreError] {
        let (options, path) = (options, path)
        return try await commit { db, books in
            var refused: [Text: StoreError] = [:]
            func attempt(_ visit: Text, _ work: (inout LedgerFigures) throws -> Void) throws {
                var copy = books
                do {
                    try db.inSavepoint {
                        try work(&copy)
                        return .commit
                    }
                    books = copy
                } catch {
                    let error = StoreError(error, path: path)
                    if error.endsTransaction { throw error }
                    refused[visit] = error
                }
            }
            for intent in intents where books.head.open[intent.intent] == nil {
                try attempt(intent.intent) { _ = try Self.append(intent.intent, intent.stamp, db, &$0) }
            }
            for decision in decisions {
                try Self.remember(decision.names, at: decision.at, db, options)
                try books.head.decide(decision.decided)?.save(db)
            }
            for outcome in outcomes {
                try attempt(outcome.visit) { books in
                    try Self.forget(outcome.forgotten, db)
                    _ = try Self.append(outcome, db, &books, options)
                }
            }
            return refused
        }
    }
}
