package import Encoding
import GRDB
package import Ledger

extension Store {
    /// Records intents, outcomes and the names of who was let in, in one transaction, with one sync for all. An intent that is
    /// there already is as good as written.
    ///
    /// Returns, by visit, what the ledger's rules refuse; everything else survives a power cut from now on. Throws when the
    /// disk took nothing.
    package func append(
        _ intents: [UnwrittenIntent], _ outcomes: [UnwrittenOutcome], names: [UnwrittenNames] = []
    ) async throws(StoreError) -> [Text: StoreError] {
        let (options, path) = (options, path)
        return try await commit { db, books in
            var refused: [Text: StoreError] = [:]
            func attempt(_ visit: Text, _ work: (inout Books) throws -> Void) throws {
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
            for intent in intents where books.head.open[intent.visit] == nil {
                try attempt(intent.visit) { _ = try Self.append(intent.visit, intent.stamp, db, &$0) }
            }
            try Self.remember(names, db, options)
            for outcome in outcomes {
                try attempt(outcome.visit) {
                    _ = try Self.append(outcome.visit, outcome.outcome, outcome.stamp, db, &$0, options)
                }
            }
            return refused
        }
    }
}
