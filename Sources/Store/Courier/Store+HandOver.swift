import GRDB
import LinuxIO

/// The result of ``Store/handOver(to:)``.
package struct HandOver: Hashable, Sendable {
    /// The path of the copy of the courier's database before the move; nil if the move removed no connection from it.
    package var replaced: String?
    /// The names of the damaged tables in the ledger's file, whose rows are lost.
    package var damaged: [String] = []
}

// The move of the tables about agents (``AgentTables``). A ledger's file of an earlier version contains them; their
// rows move to the courier's database once.
extension Store {
    /// Moves the rows of the tables about agents from the ledger's file to the courier's database, if the ledger's
    /// file contains such tables. Call this function before `courier` is used.
    ///
    /// If the ledger's file contains the tables, an earlier version of the program wrote it, or it is a restored
    /// backup of such a version. Then its rows replace all rows of `courier`. If `courier` contains a connection that
    /// the ledger's file does not contain, a copy of the courier's database is kept as `PATH.courier.replaced-N`. If
    /// the tables are empty, as after an interrupted first start, the rows of `courier` stay.
    ///
    /// The first transaction copies the rows to the courier's database. When they are durable there, a second
    /// transaction drops the tables in the ledger's file. At any time, at least one file contains the rows. A call
    /// after an interruption repeats both transactions.
    @discardableResult
    package func handOver(to courier: CourierStore) async throws(StoreError) -> HandOver {
        try file.check()
        guard try await read({ db in try AgentTables.areIn(db) }) else { return HandOver() }
        // The courier's database must not contain a plain key. If the sealing key is missing, wait for a start that
        // has it and seals the snapshots.
        if !books.areKeysSealed, try await read({ db in try AgentTables.havePlainState(db) }) {
            throw keysAtRest.failure ?? .keyless(path: keysAtRest.path, detail: "the connections are not sealed yet")
        }
        let content = try await read { db in try AgentTables.Content(of: db) }
        let replaced = content.isEmpty ? nil : try await courier.replaceAll(by: content)
        do throws(StoreError) {
            try await dropAgentTables()
        } catch {
            // SQLite cannot drop a table with a damaged page. Do not move the rows again at each start.
            guard case .corrupt = error else { throw error }
            try await saveSetting(AgentTables.handedOver, [1])
        }
        // SQLite overwrites the dropped rows only in the write-ahead log. Overwrite them in the file now.
        try? await copyLog()
        return HandOver(replaced: replaced, damaged: content.damaged)
    }
}

extension CourierStore {
    /// Replaces all rows. Returns the path of the copy of the database that was made before; nil if `content` includes
    /// all connections.
    func replaceAll(by content: AgentTables.Content) async throws(StoreError) -> String? {
        var kept: String?
        if try await connections().contains(where: { !content.contains($0.id) }) {
            let copy = StoreFile.unused(path, "replaced")
            try await CourierReader(path: path).copy(to: copy)
            try StoreFile.with(copy) { () throws(SystemError) in try OpenFile(copy, .reading).sync() }
            kept = copy
        }
        try await write { db in try content.replaceRows(of: db) }
        // The commit has synced the write-ahead log. The entries of the names in the folder must be durable, too.
        try StoreFile.sync(folder: StoreFile.folder(of: path))
        return kept
    }
}
