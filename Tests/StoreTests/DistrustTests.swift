import GRDB
import Ledger
import TestKit
import Testing

@testable import Store

/// A database file that an attacker has written executes none of the attacker's SQL: not in root's commands that read
/// the file, not in the service, and not at the restore of a backup.
@Suite struct DistrustTests {
    /// Schemas that no version of the program makes: an endless view in place of a table, a trigger that empties the
    /// replay window, a column that exhausts the memory, a table of an extension.
    private static let hostile = [
        """
        PRAGMA legacy_alter_table = ON; ALTER TABLE entry RENAME TO e; CREATE VIEW entry AS WITH RECURSIVE c(n) AS
        (SELECT 1 UNION ALL SELECT n + 1 FROM c) SELECT e.* FROM e, c WHERE c.n < 0
        """,
        "ALTER TABLE grdb_migrations RENAME TO m; CREATE VIEW grdb_migrations AS SELECT * FROM m",
        "CREATE TRIGGER t AFTER INSERT ON replay BEGIN DELETE FROM replay; END",
        "CREATE TABLE t (a, b AS (zeroblob(900000000)))",
        "CREATE VIRTUAL TABLE t USING fts5(a)",
    ]

    @Test(arguments: hostile) func isNotRead(_ sql: String) async throws {
        let witnessed = try await WitnessedLedger(StoreOptions())
        let path = witnessed.folder.database
        _ = try LedgerReader(path: path)
        try witnessed.folder.edit(sql)
        let isRefused = { (error: any Error) in
            if case .unreadable(path, _)? = error as? StoreError { true } else { false }
        }
        #expect { try LedgerReader(path: path) } throws: { isRefused($0) }
        #expect { try DatabaseQueue(path: path, configuration: Store.configuration(of: path)) } throws: {
            isRefused($0)
        }

        // The service keeps the file as evidence and begins a new ledger without any data of the file.
        let store = try await Store.open(path, witness: witnessed.source)
        guard case .rewritten(let finding)? = store.standing else {
            Issue.record("\(String(describing: store.standing))")
            return
        }
        #expect(finding.contains("which no version of Gatehouse makes"))
        await store.close()
        _ = try LedgerReader(path: path)
    }

    /// The owner of the file changes it while a command has it open. The command then refuses to read the file.
    @Test func isNotReadAnyMoreEither() async throws {
        let witnessed = try await WitnessedLedger(StoreOptions())
        let path = witnessed.folder.database
        let reader = try LedgerReader(path: path)
        let visits = try await reader.visits(last: 100).count
        #expect(visits > 10)
        let owner = try DatabaseQueue(path: path)
        try await owner.writeWithoutTransaction { try $0.execute(sql: Self.hostile[0]) }
        let refused = StoreError.unreadable(path: path, detail: Database.foreignSchema)
        await #expect(throws: refused) { try await reader.visits(last: 100) }
        await #expect(throws: refused) { try await reader.copy(to: path + ".copy") { _, _ in } }
    }

    /// SQLite would otherwise read a value of a gigabyte into memory.
    @Test func aHugeValueIsNotRead() async throws {
        let witnessed = try await WitnessedLedger(StoreOptions())
        let path = witnessed.folder.database
        try witnessed.folder.edit("UPDATE entry SET body = zeroblob(\(Database.longestValue + 1))")
        let reader = try LedgerReader(path: path)
        await #expect(throws: StoreError.unreadable(path: path, detail: Database.foreignValue)) {
            try await reader.visits(last: 1)
        }
    }

    @Test func functionsOfAFileAreNotTrusted() throws {
        let folder = try TestFolder("store", inMemory: true)
        let queue = try DatabaseQueue(path: folder.database, configuration: Store.configuration(of: folder.database))
        let answers = try queue.read { db in
            try ["trusted_schema", "cell_size_check"].map { try Int.fetchOne(db, sql: "PRAGMA \($0)") }
        }
        #expect(answers == [0, 1])
    }
}
