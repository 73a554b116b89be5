import GRDB

// A ledger's file of an earlier version has the tables about agents (``AgentTables``). Their rows move to the courier's
// database once.
extension Store {
    /// Moves connections, message book and quarantine from the ledger's file to the courier's database, if the file
    /// still has them. Call this function before `courier` is used.
    ///
    /// A file with these tables is authoritative: an earlier version of the program wrote it, or a restored backup of
    /// that version. Its rows replace all rows of `courier`. If it has no rows, those of `courier` stay: a first start
    /// that was interrupted leaves empty tables.
    ///
    /// First the rows become durable in the courier's database, in one transaction, then one transaction drops the
    /// tables in the ledger's file. The rows are therefore in one file at least at any time. A call after an
    /// interruption repeats both steps.
    package func handOver(to courier: CourierStore) async throws(StoreError) {
        guard try await read({ db in try AgentTables.areIn(db) }) else { return }
        // The courier's database never has a plain key. The next start that has the key seals the states first.
        if !books.areKeysSealed, try await read({ db in try AgentTables.havePlainState(db) }) {
            throw keysAtRest.failure ?? .keyless(path: keysAtRest.path, detail: "the connections are not sealed yet")
        }
        try await courier.replaceAll(from: pool)
        try await dropAgentTables()
    }
}

extension CourierStore {
    /// Replaces all rows by those of a ledger's file, if it has rows.
    func replaceAll(from ledger: DatabasePool) async throws(StoreError) {
        try await write { db in
            try ledger.read { source in
                if try AgentTables.haveRows(source) { try AgentTables.copy(from: source, to: db) }
            }
        }
        // The commit has synced the log; its name must be durable, too.
        try StoreFile.sync(folder: StoreFile.folder(of: path))
    }
}
