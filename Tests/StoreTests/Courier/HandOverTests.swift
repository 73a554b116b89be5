import Encoding
import Foundation
import GRDB
import Glibc
import Ledger
import TestKit
import Testing

@testable import Store

/// The rows about agents move once from a ledger's file of an earlier version to the courier's database.
@Suite struct HandOverTests {
    private let folder: TestFolder

    init() throws { folder = try TestFolder("hand-over", inMemory: true) }

    /// Opens both databases, compares their content with the old ledger's, and closes them.
    private func expect(_ old: OldLedger) async throws {
        let both = try await Databases.open(folder.database)
        #expect(both.courier.damage == nil)
        for told in [both.store.keysAtRest, both.courier.keysAtRest] {
            #expect(told.failure == nil && told.unreadable == 0)
        }
        let found = try await both.courier.connections()
        #expect(found.map(\.id) == OldLedger.ids && found.map(\.snapshot) == OldLedger.states)
        #expect(found.map(\.isDeleting) == [true, false, false, false])
        #expect(try await both.courier.messages().count == 4)
        #expect(try await both.courier.invitations(.accepted(by: "copy")) == Array("[\"two\"]".utf8))
        await both.close()
        #expect(try OldForm.rows(folder.courier) == old.rows)
        #expect(try OldForm.rows(folder.database) == ["setting": [], "sequence": []], "and no longer in the ledger")
    }

    @Test func everyRowArrivesAsItWas() async throws {
        let old = try await OldLedger(folder.database)
        #expect(old.rows.count == 6 && old.rows.values.allSatisfy { !$0.isEmpty })
        #expect(try OldForm.rows(folder.database) == old.rows, "else nothing is shown here")
        // The second start has nothing to hand over, and changes nothing.
        for _ in 1...2 { try await expect(old) }
        let both = try await Databases.open(folder.database)
        #expect(await both.store.deliveries[DeliveryCursor.primary]?.connection == "agent")
        #expect(await both.store.deliveries["copy"]?.connection == "other")
        #expect(try await both.store.setting("date") == Array("2026-01-01".utf8), "it is the gate's")
        #expect(try await both.store.verify().isIntact)
        // The numbers of removed messages are not used again, and the order of the connections is the same.
        try await both.courier.setAside([9], uid: "next", for: "agent", reason: "no key")
        #expect(try await both.courier.quarantine().last?.number == 67)
        #expect(try await both.takeOver(DeliveryCursor.primary, by: "replaced").connection == "agent")
        #expect(try await both.takeOver(DeliveryCursor.primary, by: "marked").connection == "agent")
        await both.close()
    }

    /// The databases that released versions wrote (`Tests/Databases`).
    @Test func everyReleasedDatabaseIsHandedOver() async throws {
        let released = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
            .deletingLastPathComponent().appendingPathComponent("Databases")
        let files = FileManager.default
        let names = try files.contentsOfDirectory(atPath: released.path).filter { !$0.hasSuffix(".md") }
        #expect(!names.isEmpty)
        for name in names {
            let folder = try TestFolder("released", inMemory: true)
            for (file, path) in [
                ("gatehouse.sqlite", folder.database), ("witness", folder.path("witness")), ("key", folder.path("key")),
            ] {
                try files.copyItem(atPath: "\(released.path)/\(name)/\(file)", toPath: path)
                try files.setAttributes([.posixPermissions: 0o600], ofItemAtPath: path)
            }
            let source = WitnessSource(path: folder.path("witness"), keyPath: folder.path("key"), code: "code")
            let store = try await Store.open(folder.database, witness: source)
            let before = try OldForm.rows(folder.database)
            #expect(before["connection"]?.isEmpty == false, "\(name)")
            let states = try await Databases.attach(store)
            #expect(store.standing == .continued, "\(name)")
            #expect(try await states.courier.connections().allSatisfy { !$0.snapshot.isEmpty }, "\(name)")
            await states.close()
            for _ in 1...2 {
                #expect(try OldForm.rows(folder.courier) == before, "\(name)")
                #expect(try OldForm.rows(folder.database)["connection"] == nil, "\(name)")
                let both = try await Databases.open(folder.database, witness: source)
                #expect(both.store.standing == .continued, "\(name)")
                await both.close()
            }
        }
    }

    /// The operator puts an older ledger's file back, or runs an earlier version for a while: that file is right.
    @Test func anOlderLedgersFileReplacesTheRows() async throws {
        let old = try await OldLedger(folder.database)
        let file = try Data(contentsOf: URL(fileURLWithPath: folder.database))
        try await expect(old)
        let both = try await Databases.open(folder.database)
        try await both.connect("newer")
        try await both.courier.forgetConnection("other")
        try await both.courier.saveConnection("agent", [1], handled: [[99]])
        try await both.courier.saveInvitations(.accepted(by: "later"), [1])
        try await both.courier.setAside([1], uid: "later", for: "newer", reason: "no key")
        await both.close()
        #expect(try OldForm.rows(folder.courier) != old.rows)
        for ending in ["", "-wal", "-shm"] { unlink(folder.database + ending) }
        try file.write(to: URL(fileURLWithPath: folder.database))
        try await expect(old)
    }

    /// The connections that an older ledger's file replaces are kept in a copy, once.
    @Test func replacedConnectionsAreKept() async throws {
        let old = try await OldLedger(folder.database)
        var both = try await Databases.open(folder.database)
        try await both.connect("newer")
        await both.close()
        let before = try OldForm.rows(folder.courier)
        try OldForm.restore(folder.database, rowsOf: folder.courier)
        try folder.edit("DELETE FROM connection WHERE id = 'newer'")
        let store = try await Store.open(folder.database)
        let courier = try await CourierStore.open(besides: folder.database)
        let copy = folder.courier + ".replaced-1"
        #expect(try await store.handOver(to: courier) == HandOver(replaced: copy))
        #expect(try await courier.connections().map(\.id) == OldLedger.ids)
        await courier.close()
        await store.close()
        #expect(try OldForm.rows(copy) == before)
        var status = stat()
        #expect(stat(copy, &status) == 0 && status.st_mode & 0o777 == 0o600)
        both = try await Databases.open(folder.database)
        await both.close()
        #expect(StoreFile.numbered(folder.courier, "replaced") == [copy])
        withExtendedLifetime(old) {}
    }

    /// A table or index with a damaged page does not keep the connections in the ledger's file. SQLite cannot drop the
    /// table, and the next start does not move the rows again.
    @Test(arguments: ["quarantine", "message", "handled_message", "sqlite_autoindex_message_1"])
    func damageOfAnotherTableDoesNotKeepTheConnections(table: String) async throws {
        _ = try await OldLedger(folder.database)
        try folder.garble(table)
        let store = try await Store.open(folder.database)
        var courier = try await CourierStore.open(besides: folder.database)
        let isIndex = table.hasPrefix("sqlite")
        #expect(try await store.handOver(to: courier) == HandOver(damaged: isIndex ? [] : [table]))
        #expect(try await courier.connections().map(\.snapshot) == OldLedger.states)
        #expect(try await courier.messages().isEmpty == (table == "message"))
        try await courier.saveConnection("later", [1])
        await courier.close()
        courier = try await CourierStore.open(besides: folder.database)
        #expect(try await store.handOver(to: courier) == HandOver())
        #expect(try await courier.connections().map(\.id) == OldLedger.ids + ["later"])
        await courier.close()
        try await store.appendIntent(Samples.visit(9), stamp: Samples.stamp)
        await store.close()
    }

    /// An attacker who writes to the ledger's file adds rows without end: they are not read into the memory. If a table
    /// without which the gate cannot deliver is too large, nothing moves, and the gate works.
    @Test func aTableThatIsTooLargeIsNotRead() async throws {
        _ = try await OldLedger(folder.database)
        func flood(_ insert: String) throws {
            try folder.edit(
                "WITH RECURSIVE n(i) AS (VALUES (1) UNION ALL SELECT i + 1 FROM n WHERE i < 40) \(insert) FROM n")
        }
        try flood(
            """
            INSERT INTO quarantine (uid, connection, reason, envelope)
            SELECT 'flood' || i, 'agent', 'no key', zeroblob(500000)
            """)
        var both = try await Databases.open(folder.database)
        #expect(try await both.courier.connections().map(\.id) == OldLedger.ids)
        #expect(try await both.courier.quarantine().isEmpty)
        await both.close()

        try OldForm.restore(folder.database, rowsOf: folder.courier)
        try flood(
            """
            INSERT INTO connection (id, snapshot, destination, number, made)
            SELECT 'flood' || i, zeroblob(500000), 'primary', 99 + i, 0
            """)
        let store = try await Store.open(folder.database)
        await #expect {
            _ = try await Databases.attach(store)
        } throws: { error in
            if case .unreadable(folder.database, _)? = error as? StoreError { true } else { false }
        }
        try await store.appendIntent(Samples.visit(9), stamp: Samples.stamp)
        await store.close()
        try folder.edit("DELETE FROM connection WHERE id GLOB 'flood*'")
        both = try await Databases.open(folder.database)
        #expect(try await both.courier.connections().map(\.id) == OldLedger.ids)
        await both.close()
    }

    /// A first start that was interrupted leaves empty tables: the courier's rows stay.
    @Test func emptyTablesReplaceNothing() async throws {
        var both = try await Databases.open(folder.database)
        try await both.connect()
        await both.close()
        let rows = try OldForm.rows(folder.courier)
        try OldForm.restore(folder.database)
        both = try await Databases.open(folder.database)
        #expect(try await both.courier.connections().map(\.snapshot) == [[1]])
        await both.close()
        #expect(try OldForm.rows(folder.courier) == rows)
        #expect(try OldForm.rows(folder.database)["connection"] == nil)
    }

    /// An attacker who has no key changes the ledger and adds a connection: only states that this gate sealed are
    /// handed over, and no question. The found file is kept with all its rows.
    @Test func anUnauthenticLedgerHandsOverOnlySealedStates() async throws {
        let source = WitnessSource(path: folder.path("w"), keyPath: folder.path("k"), code: "code")
        let old = try await OldLedger(folder.database, witness: source)
        try folder.edit(
            """
            INSERT INTO connection (id, snapshot, destination, number, made)
                VALUES ('theirs', x'7B7D', 'primary', 99, 0);
            UPDATE chain SET count = count + 1;
            """)
        let both = try await Databases.open(folder.database, witness: source)
        #expect(both.store.hasBegunNewLedger)
        let found = try await both.courier.connections()
        #expect(found.map(\.id) == OldLedger.ids && found.map(\.snapshot) == OldLedger.states)
        #expect(try await both.courier.handledMessages(last: 99).count == 4)
        #expect(try await both.courier.messages().isEmpty)
        await both.close()
        #expect(try OldForm.rows(folder.courier)["connection"] == old.rows["connection"])
        #expect(try OldForm.rows(folder.database)["connection"] == nil)
        let aside = try #require(StoreFile.numbered(folder.database, PastLedgers.word).last)
        #expect(try OldForm.rows(aside)["connection"]?.count == 5)
    }

    /// A ledger that was never sealed has plain states. Without a key they stay where they are, and the gate works.
    @Test func withoutAKeyPlainStatesStayInTheLedger() async throws {
        try await Store.open(folder.database).close()
        let key = folder.database + ".agent-key"
        try FileManager.default.moveItem(atPath: key, toPath: key + ".away")
        try OldForm.restore(folder.database)
        try folder.edit(
            """
            INSERT INTO connection (id, snapshot, destination, number, made)
                VALUES ('agent', x'7B7D', 'primary', 1, 0);
            DELETE FROM setting WHERE name LIKE 'keys-%';
            """)
        try folder.write("gatehouse.sqlite.agent-key", "no key")
        chmod(key, 0o600)
        let store = try await Store.open(folder.database)
        await #expect {
            _ = try await Databases.attach(store)
        } throws: { error in
            if case .keyless? = error as? StoreError { true } else { false }
        }
        try await store.appendIntent(Samples.visit(1), stamp: Samples.stamp)
        await store.close()
        #expect(try OldForm.rows(folder.database)["connection"]?.count == 1)
        #expect(try OldForm.rows(folder.courier)["connection"] == [])
        try FileManager.default.removeItem(atPath: key)
        try FileManager.default.moveItem(atPath: key + ".away", toPath: key)
        let both = try await Databases.open(folder.database)
        #expect(try await both.courier.connections().map(\.snapshot) == [Array("{}".utf8)])
        await both.close()
        let stored = try #require(try OldForm.rows(folder.courier)["connection"]?.first)
        #expect(!stored.contains("snapshot=x'7b7d'") && !stored.contains("snapshot=x'7B7D'"), "sealed")
    }

    /// The two files share no key: after the hand-over neither the states of connections nor their sealed form are in
    /// the ledger's file or log, and the site key is not in the courier's.
    @Test func eachFileHasItsOwnKeysOnly() async throws {
        let old = try await OldLedger(folder.database)
        func holds(_ path: String, _ bytes: [UInt8]) -> Bool {
            ["", "-wal"].contains { ending in
                FileManager.default.contents(atPath: path + ending)?.range(of: Data(bytes)) != nil
            }
        }
        // A part in the middle of a state, within one page.
        func parts(_ bytes: [UInt8]) -> [[UInt8]] {
            [Array(bytes.suffix(48)), Array(bytes.dropFirst(120).prefix(48)), Array(bytes.dropFirst(560).prefix(48))]
        }
        #expect(old.sealed.count == 4)
        for sealed in old.sealed {
            #expect(parts(sealed).contains { holds(folder.database, $0) }, "else nothing is shown here")
        }
        let both = try await Databases.open(folder.database)
        let rows = try await both.store.read { db in
            try Row.fetchAll(db, sql: "SELECT value FROM setting WHERE name LIKE 'site-key%'").map {
                try $0.bytes("value")
            }
        }
        #expect(rows.count == 1)
        for key in rows { #expect(!holds(folder.courier, Array(key.suffix(32)))) }
        let file = try #require(FileManager.default.contents(atPath: folder.database))
        for sealed in old.sealed {
            for part in parts(sealed) { #expect(file.range(of: Data(part)) == nil, "already before the end") }
        }
        await both.close()
        for sealed in old.sealed {
            for part in parts(sealed) { #expect(!holds(folder.database, part)) }
            #expect(parts(sealed).contains { holds(folder.courier, $0) })
        }
        for state in OldLedger.states {
            for part in parts(state) { #expect(!holds(folder.database, part) && !holds(folder.courier, part)) }
        }
        for key in rows {
            #expect(holds(folder.database, Array(key.suffix(32))) && !holds(folder.courier, Array(key.suffix(32))))
        }
    }
}
