import GRDB

// The move of the tables about agents (``AgentTables``). A ledger's file of an earlier version contains them; their
// rows move to the courier's database once.
extension Store {
    /// Moves the rows of the tables about agents from the ledger's file to the courier's database, if the ledger's
    /// file contains such tables. Call this function before `courier` is used.
    ///
    /// If the ledger's file contains the tables, an earlier version of the program wrote it, or it is a restored
    /// backup of such a version. Then its rows replace all rows of `courier`. If the tables are empty, as after an
    /// interrupted first start, the rows of `courier` stay.
    ///
    /// The first transaction copies the rows to the courier's database. When they are durable there, a second
    /// transaction drops the tables in the ledger's file. At any time, at least one file contains the rows. A call
    /// after an interruption repeats both transactions.
    package func handOver(to courier: CourierStore) async throws(StoreError) {
        guard try await read({ db in try AgentTables.areIn(db) }) else { return }
        // The courier's database must not contain a plain key. If the sealing key is missing, wait for a start that
        // has it and seals the snapshots.
        if !books.areKeysSealed, try await read({ db in try AgentTables.havePlainState(db) }) {
            throw keysAtRest.failure ?? .keyless(path: keysAtRest.path, detail: "the connections are not sealed yet")
        }
        try await courier.replaceAll(from: pool)
        try await dropAgentTables()
    }
}

extension CourierStore {
    /// Replaces all rows by the rows in a ledger's file, if the ledger's file has any.
    func replaceAll(from ledger: DatabasePool) async throws(StoreError) {
        try await write { db in
            try ledger.read { source in
                if try AgentTables.haveRows(source) { try AgentTables.copy(from: source, to: db) }
            }
        }
        // The commit has synced the write-ahead log. The entry of its name in the folder must be durable, too.
        try StoreFile.sync(folder: StoreFile.folder(of: path))
    }
}
