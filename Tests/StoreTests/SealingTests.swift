import CrashKit
import CrashVFS
import Encoding
import Foundation
import GRDB
import Ledger
import TestKit
import Testing

@testable import Store

/// Keys in the database are sealed under a key that is stored elsewhere. Old keys are sealed, too, replaced keys are
/// erased, and a missing sealing key loses no data.
@Suite struct SealingTests {
    /// Returns a snapshot that is long enough for its own pages and contains a part that occurs nowhere else.
    private static func snapshot(_ number: UInt8) -> [UInt8] {
        let seed = (0..<32).map { UInt8(truncatingIfNeeded: $0 &* 37 &+ Int(number) &* 11 &+ 101) }
        return Array("{\"seed\":\"".utf8) + seed + [UInt8](repeating: number, count: 900) + seed
    }
    private static func seed(_ number: UInt8) -> [UInt8] { Array(snapshot(number).suffix(32)) }
    private static let oldSiteKey = (0..<32).map { UInt8($0 * 5 + 3) }

    private func keyPath(_ folder: TestFolder) -> String { folder.database + ".agent-key" }

    private func holds(_ folder: TestFolder, _ bytes: [UInt8]) -> Bool {
        ["", "-wal", ".courier", ".courier-wal"].contains { ending in
            FileManager.default.contents(atPath: folder.database + ending)?.range(of: Data(bytes)) != nil
        }
    }

    private func raw(_ path: String, _ sql: String) throws -> [[UInt8]] {
        let queue = try DatabaseQueue(path: path)
        defer { try? queue.close() }
        return try queue.read { db in try Row.fetchAll(db, sql: sql).map { try $0.bytes("bytes") } }
    }

    /// Returns the settings of the ledger and the states of the connections as stored.
    private func stored(_ folder: TestFolder) throws -> [[UInt8]] {
        try raw(folder.database, "SELECT value AS bytes FROM setting")
            + raw(folder.courier, "SELECT snapshot AS bytes FROM connection")
    }

    /// Copies the log into the database, while its owner has it open.
    private func copyLog(_ path: String) throws {
        let queue = try DatabaseQueue(path: path)
        try queue.writeWithoutTransaction { db in _ = try db.checkpoint(.passive) }
        try queue.close()
    }

    /// Writes keys into a ledger's file like earlier versions, and replaces some of them.
    private static func plantOpenKeys(_ database: String, copyLog: (() throws -> Void)? = nil) throws {
        try OldForm.restore(database)
        let queue = try DatabaseQueue(path: database)
        try queue.writeWithoutTransaction { db in
            try db.execute(sql: "PRAGMA journal_mode = WAL; PRAGMA secure_delete = ON; PRAGMA wal_autocheckpoint = 0")
            for number in [9, 1] as [UInt8] {
                for (id, name, offset) in [("agent", "primary", 0), ("other", "copy", 1)] as [(String, String, UInt8)] {
                    try db.execute(
                        sql:
                            "INSERT OR REPLACE INTO connection (id, snapshot, destination, number) VALUES (?, ?, ?, ?)",
                        arguments: [id, Data(snapshot(number + offset)), name, Int(offset)])
                }
            }
            try db.execute(
                sql: """
                    INSERT OR REPLACE INTO setting VALUES ('site-key', ?);
                    DELETE FROM setting WHERE name LIKE 'keys-%';
                    DELETE FROM grdb_migrations WHERE identifier LIKE '% sealed keys';
                    """, arguments: [Data(oldSiteKey)])
            try copyLog?()
        }
        try queue.close()
    }

    private static func expectOldKeys(_ both: Databases) async throws {
        let found = try await both.courier.connections()
        #expect(found.map(\.id) == ["agent", "other"] && found.map(\.destination) == ["primary", "copy"])
        #expect(found.map(\.snapshot) == [snapshot(1), snapshot(2)])
        let name = try await both.store.siteKey().name(ofSignedContent: [1])
        #expect(name == SiteKey(oldSiteKey)?.name(ofSignedContent: [1]))
    }

    /// An attacker who can write the file but has no key adds a connection in the format before sealing.
    @Test func aPlantedConnectionIsNotTakenOver() async throws {
        let folder = try TestFolder("store", inMemory: true)
        let source = WitnessSource(path: folder.path + "/w", keyPath: folder.path + "/k", code: "code")
        var both = try await Databases.open(folder.database, witness: source)
        try await both.courier.saveConnection("ours", Self.snapshot(7))
        try await both.store.appendIntent("visit", stamp: Samples.stamp)
        await both.close()
        try OldForm.restore(folder.database, rowsOf: folder.courier)
        try FileManager.default.removeItem(atPath: folder.courier)
        let queue = try DatabaseQueue(path: folder.database)
        try await queue.write { db in
            try db.execute(
                sql: """
                    INSERT INTO connection (id, snapshot, destination, number) VALUES ('theirs', ?, 'primary', 99);
                    DELETE FROM setting WHERE name LIKE 'keys-%';
                    UPDATE chain SET count = count + 1;
                    """, arguments: [Data(Self.snapshot(8))])
        }
        try queue.close()
        both = try await Databases.open(folder.database, witness: source)
        #expect(both.store.hasBegunNewLedger)
        #expect(try await both.courier.connections().map(\.id) == ["ours"])
        #expect(try await both.courier.connections().map(\.snapshot) == [Self.snapshot(7)])
        await both.close()
    }

    /// The first start after a killed run, with a log full of keys. The test searches the files before and after the
    /// close.
    @Test func openKeysAreSealedAtTheFirstStart() async throws {
        let folder = try TestFolder("store", inMemory: true)
        try await Store.open(folder.database).close()
        let files = FileManager.default
        try Self.plantOpenKeys(folder.database) {
            for ending in ["", "-wal"] {
                try files.copyItem(atPath: folder.database + ending, toPath: folder.path + "/killed" + ending)
            }
        }
        for ending in ["", "-wal"] {
            try? files.removeItem(atPath: folder.database + ending)
            try files.moveItem(atPath: folder.path + "/killed" + ending, toPath: folder.database + ending)
        }
        let secrets = [1, 2, 9, 10].map(Self.seed) + [Self.oldSiteKey]
        #expect(secrets.allSatisfy { holds(folder, $0) }, "else nothing is shown here")
        var both = try await Databases.open(folder.database)
        let told = both.store.keysAtRest
        #expect(told.sealed == 3 && told.failure == nil && !told.leavesTraces)
        for secret in secrets { #expect(!holds(folder, secret)) }
        try await Self.expectOldKeys(both)
        await both.close()
        both = try await Databases.open(folder.database)
        for told in [both.store.keysAtRest, both.courier.keysAtRest] {
            #expect(told.sealed == 0 && told.resealed == 0)
        }
        try await Self.expectOldKeys(both)
        await both.close()
        for secret in secrets { #expect(!holds(folder, secret)) }
    }

    /// Cuts the power before each disk operation of the first start with a key. The result must be the same as without
    /// a cut.
    @Test(.timeLimit(.minutes(10)), .tags(.models)) func sealingSurvivesAPowerCut() async throws {
        let disk = try CrashDisk()
        try await Store.open(disk.database).close()
        try Self.plantOpenKeys(disk.database)
        let began = disk.operations
        try await Databases.open(disk.database).close()
        let secrets = [1, 2, 9, 10].map(Self.seed) + [Self.oldSiteKey]
        var (states, wasOpen) = (Set<UInt64>(), 0)
        for operation in began...disk.operations {
            for survival in [CRASH_KEEP_NONE, CRASH_KEEP_ALL, CRASH_KEEP_SOME] {
                let after = try disk.cut(before: operation, survival, seed: operation)
                guard states.insert(after.fingerprint).inserted else { continue }
                if secrets.contains(where: after.holds) { wasOpen += 1 }
                let both = try await Databases.open(after.database)
                for told in [both.store.keysAtRest, both.courier.keysAtRest] {
                    #expect(told.failure == nil && told.unreadable == 0)
                }
                try await Self.expectOldKeys(both)
                await both.close()
                #expect(!secrets.contains(where: after.holds), "cut before \(operation), keep \(survival.rawValue)")
            }
        }
        #expect(states.count > 10 && wasOpen > 3)
    }

    /// After a key is replaced or a connection is deleted, neither the key nor its sealed form stays in the files.
    @Test func replacedKeysAreErased() async throws {
        let folder = try TestFolder("store", inMemory: true)
        try await Store.open(folder.database).close()
        let courier = try await CourierStore.open(besides: folder.database)
        var sealed: [[UInt8]] = []
        for number in 1...40 as ClosedRange<UInt8> {
            let bytes = Self.snapshot(number) + [UInt8](repeating: number, count: Int(number % 7) * 100)
            try await courier.saveConnection("agent", bytes, handled: [[number]])
            sealed += try raw(folder.courier, "SELECT snapshot AS bytes FROM connection").map { Array($0.suffix(64)) }
            if number.isMultiple(of: 4) { try copyLog(folder.courier) }
            #expect(!holds(folder, Self.seed(number)))
        }
        #expect(Set(sealed).count == 40 && holds(folder, sealed[39]))
        try await courier.saveConnection("gone", Self.snapshot(50), to: "copy")
        sealed += try raw(folder.courier, "SELECT snapshot AS bytes FROM connection WHERE id = 'gone'")
        try await courier.forgetConnections(to: ["copy"])
        await courier.close()
        for (number, old) in sealed.enumerated() { #expect(holds(folder, old) == (number == 39), "\(number)") }
    }

    @Test func aChangedOrMovedSnapshotIsRefusedAndStays() async throws {
        let folder = try TestFolder("store", inMemory: true)
        try await Store.open(folder.database).close()
        var courier = try await CourierStore.open(besides: folder.database)
        try await courier.saveConnection("a", [1, 2, 3])
        try await courier.saveConnection("b", [4, 5, 6])
        await courier.close()
        let sealed = try #require(
            try raw(folder.courier, "SELECT snapshot AS bytes FROM connection WHERE id = 'a'").first)
        func set(_ bytes: [UInt8], _ id: String = "a") throws {
            try folder.editCourier("UPDATE connection SET snapshot = x'\(Hex.encode(bytes))' WHERE id = '\(id)'")
        }
        func look() async throws -> [[UInt8]] {
            courier = try await CourierStore.open(besides: folder.database)
            let found = try await courier.connections().map(\.snapshot)
            await courier.close()
            return found
        }
        for index in sealed.indices {
            var altered = sealed
            altered[index] ^= 0x40
            try set(altered)
            #expect(try await look() == [[], [4, 5, 6]], "byte \(index)")
            #expect(courier.keysAtRest.unreadable == 1)
            #expect(try raw(folder.courier, "SELECT snapshot AS bytes FROM connection WHERE id = 'a'") == [altered])
        }
        try set(sealed)
        #expect(try await look() == [[1, 2, 3], [4, 5, 6]])
        try set(sealed, "b")
        #expect(try await look() == [[1, 2, 3], []], "moved to another connection")
        try folder.editCourier("UPDATE connection SET destination = 'copy' WHERE id = 'a'")
        #expect(try await look() == [[], []], "moved to another destination")
        // A connection that was added without the key.
        try set(Array("{}".utf8))
        #expect(try await look() == [[], []])
    }

    /// The ledger's seal covers the note that keys are sealed. An attacker cannot make the database look like that of
    /// an earlier version.
    @Test func anInsertedOpenKeyIsDetected() async throws {
        let witnessed = try await WitnessedLedger(StoreOptions())
        let folder = witnessed.folder
        try OldForm.restore(folder.database, rowsOf: folder.courier)
        try folder.edit(
            """
            DELETE FROM setting WHERE name LIKE 'keys-%';
            INSERT INTO connection (id, snapshot, destination, number) VALUES ('x', x'7B7D', 'primary', 9);
            """)
        let store = try await witnessed.open()
        guard case .rewritten = store.standing else { Issue.record("\(String(describing: store.standing))"); return }
        await store.close()
    }

    /// The gate works without the key, and no data is lost.
    @Test func aMissingKeyIsReportedUntilItIsBack() async throws {
        let folder = try TestFolder("store", inMemory: true)
        var both = try await Databases.open(folder.database)
        try await both.connect()
        try await both.courier.saveConnection("agent", [1, 2, 3])
        let name = try await both.store.siteKey().name(ofSignedContent: [1])
        await both.close()
        let file = keyPath(folder)
        for deed in ["missing", "unreadable", "nonsense", "a pipe"] {
            try FileManager.default.moveItem(atPath: file, toPath: file + ".away")
            switch deed {
            case "unreadable":
                try FileManager.default.copyItem(atPath: file + ".away", toPath: file)
                try FileManager.default.setAttributes([.posixPermissions: 0o640], ofItemAtPath: file)
            case "nonsense":
                _ = FileManager.default.createFile(
                    atPath: file, contents: Data([1]), attributes: [.posixPermissions: 0o600])
            case "a pipe": #expect(mkfifo(file, 0o600) == 0)
            default: break
            }
            let before = try stored(folder)
            both = try await Databases.open(folder.database)
            for told in [both.store.keysAtRest, both.courier.keysAtRest] {
                guard case .keyless(file, _)? = told.failure else { Issue.record("\(deed)"); return }
                #expect(told.failure?.remedy.contains("restore the key") == true)
            }
            #expect(both.courier.keysAtRest.unreadable == 1 && both.store.keysAtRest.isSiteKeyUnreadable)
            #expect(try await both.courier.connections().map(\.snapshot) == [[]])
            await #expect(throws: StoreError.self) { try await both.courier.saveConnection("new", [9]) }
            #expect(try await both.store.siteKey().name(ofSignedContent: [1]) != name)
            try await both.store.appendOutcome(Text(deed), Samples.accepted, stamp: Samples.stamp)
            await both.close()
            #expect(try stored(folder) == before, "nothing is deleted, nothing is written open")
            if deed != "missing" { try FileManager.default.removeItem(atPath: file) }
            try FileManager.default.moveItem(atPath: file + ".away", toPath: file)
            both = try await Databases.open(folder.database)
            for told in [both.store.keysAtRest, both.courier.keysAtRest] {
                #expect(told.failure == nil && told.unreadable == 0)
            }
            #expect(try await both.courier.connections().map(\.snapshot) == [[1, 2, 3]])
            #expect(try await both.store.siteKey().name(ofSignedContent: [1]) == name)
            await both.close()
        }
    }

    /// After the loss of a key, a new key and new connections work. When the old key is put back, the old connections
    /// are readable again.
    @Test func anotherKeyBeginsAnewAndKeepsUnreadableData() async throws {
        let folder = try TestFolder("store", inMemory: true)
        let file = keyPath(folder)
        var both = try await Databases.open(folder.database)
        try await both.connect()
        let name = try await both.store.siteKey().name(ofSignedContent: [1])
        await both.close()
        try FileManager.default.moveItem(atPath: file, toPath: file + ".right")
        _ = try SecretFile.make(file)
        var names: Set<Text?> = [name]
        for round in 1...2 {
            both = try await Databases.open(folder.database)
            #expect(both.store.keysAtRest.failure == nil && both.courier.keysAtRest.failure == nil)
            #expect(both.courier.keysAtRest.unreadable == 1 && both.store.keysAtRest.isSiteKeyUnreadable)
            names.insert(try await both.store.siteKey().name(ofSignedContent: [1]))
            if round == 1 { try await both.courier.saveConnection("new", [4]) }
            #expect(try await both.courier.connections().map(\.snapshot) == [[], [4]])
            await both.close()
        }
        #expect(names.count == 2, "one name for each key, also after a restart")
        try FileManager.default.removeItem(atPath: file)
        try FileManager.default.moveItem(atPath: file + ".right", toPath: file)
        both = try await Databases.open(folder.database)
        #expect(try await both.courier.connections().map(\.snapshot) == [[1], []])
        #expect(try await both.store.siteKey().name(ofSignedContent: [1]) == name)
        // After another connection became the route, the unreadable connections are deleted like all replaced
        // connections.
        try await both.courier.saveConnection("third", [5])
        try await both.takeOver(DeliveryCursor.primary, by: "third")
        try await both.store.appendOutcome("v", Samples.accepted, stamp: Samples.stamp)
        try await both.confirm(upTo: 1, over: "third")
        for old in try await both.courier.connections() where old.isDeleting {
            try await both.courier.finishDeletion(of: old.id)
        }
        #expect(try await both.courier.connections().map(\.id) == ["third"])
        await both.close()
    }

    /// A new key with the old one next to it, and a key that systemd provides in place of the file.
    @Test func aNewKeySealsAnew() async throws {
        let folder = try TestFolder("store", inMemory: true)
        let file = keyPath(folder)
        var both = try await Databases.open(folder.database)
        try await both.courier.saveConnection("agent", Self.snapshot(1))
        let name = try await both.store.siteKey().name(ofSignedContent: [1])
        await both.close()
        func check(_ source: SealingSource?, resealed: Int) async throws {
            let old = try raw(folder.courier, "SELECT snapshot AS bytes FROM connection").first ?? []
            both = try await Databases.open(folder.database, sealing: source)
            for told in [both.store.keysAtRest, both.courier.keysAtRest] {
                #expect(told.failure == nil && told.unreadable == 0 && told.resealed == resealed / 2)
            }
            #expect(!both.store.keysAtRest.isSiteKeyUnreadable)
            #expect(try await both.courier.connections().map(\.snapshot) == [Self.snapshot(1)])
            #expect(try await both.store.siteKey().name(ofSignedContent: [1]) == name)
            #expect(holds(folder, Array(old.suffix(64))) == (resealed == 0), "the old form is gone at once")
            await both.close()
        }
        try FileManager.default.moveItem(atPath: file, toPath: file + ".old")
        try await check(nil, resealed: 2)
        let told = both.store.keysAtRest
        #expect(told.failure == nil && FileManager.default.fileExists(atPath: told.path))
        try FileManager.default.removeItem(atPath: file + ".old")
        try await check(nil, resealed: 0)
        // The mode of systemd's file shows the mask of an access control list. Its folder excludes other users.
        let credential = folder.path + "/credential"
        _ = try SecretFile.make(credential)
        try FileManager.default.setAttributes([.posixPermissions: 0o440], ofItemAtPath: credential)
        let handedOver = SealingSource(path: credential, isHandedOver: true, oldPaths: [credential + "-old", file])
        try await check(handedOver, resealed: 2)
        try FileManager.default.removeItem(atPath: file)
        try await check(handedOver, resealed: 0)
        // If systemd's key is missing again, the store makes no new key in place of systemd's.
        both = try await Databases.open(folder.database)
        guard case .keyless? = both.store.keysAtRest.failure else { Issue.record("made anew"); return }
        #expect(!FileManager.default.fileExists(atPath: file))
        await both.close()
    }

    /// A reader prevents the truncation of the log. This is reported, and the next start truncates it.
    @Test func aReaderDelaysTheRemovalOfOldPages() async throws {
        let folder = try TestFolder("store", inMemory: true)
        try await Store.open(folder.database).close()
        try Self.plantOpenKeys(folder.database)
        var configuration = GRDB.Configuration()
        configuration.allowsUnsafeTransactions = true
        let reader = try DatabaseQueue(path: folder.database, configuration: configuration)
        try await reader.writeWithoutTransaction { db in
            try db.execute(sql: "BEGIN")
            #expect(try Int.fetchOne(db, sql: "SELECT count(*) FROM connection") == 2)
        }
        let store = try await Store.open(folder.database)
        #expect(store.keysAtRest.leavesTraces && store.keysAtRest.sealed == 3)
        try await reader.writeWithoutTransaction { db in try db.execute(sql: "COMMIT") }
        try reader.close()
        await store.close()
        let next = try await Databases.open(folder.database)
        #expect(!next.store.keysAtRest.leavesTraces && next.store.keysAtRest.sealed == 0)
        #expect(!holds(folder, Self.seed(1)))
        try await Self.expectOldKeys(next)
        await next.close()
    }
}
