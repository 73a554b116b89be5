import GRDB

// The part of a restore for the courier's database of a backup, which is next to the ledger.
extension StoppedStore {
    /// Migrates the courier's new database to this version of the program. With `closesQuestions`, closes the questions
    /// of agents that wait for an answer: the operator may have answered them after the backup.
    package func prepareCourier(closesQuestions: Bool) throws(StoreError) {
        do {
            let queue = try DatabaseQueue(path: staged, configuration: Store.configuration(of: staged))
            guard
                try queue.read({ db in try Int.fetchOne(db, sql: "PRAGMA application_id") })
                    == CourierSchema.applicationID
            else { throw StoreError.foreign(path: staged) }
            try CourierSchema.migrator.migrate(queue)
            if closesQuestions { try queue.write { db in try AgentTables.closeQuestions(db) } }
            try queue.writeWithoutTransaction { db in
                _ = try String.fetchOne(db, sql: "PRAGMA journal_mode = DELETE")
            }
            try queue.close()
        } catch {
            throw StoreError(error, path: staged)
        }
    }
}
