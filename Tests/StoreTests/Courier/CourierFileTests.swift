import Encoding
import Foundation
import GRDB
import Glibc
import Ledger
import TestKit
import Testing

@testable import Store

/// The courier's file when it is damaged, foreign, replaced or locked. The ledger's database works in each case.
@Suite struct CourierFileTests {
    private let folder: TestFolder

    init() throws { folder = try TestFolder("courier", inMemory: true) }

    private func bytes(_ path: String) throws -> Data { try Data(contentsOf: URL(fileURLWithPath: path)) }

    private var damaged: [String] { StoreFile.numbered(folder.courier, "damaged") }

    /// Makes both databases, with two connections, and closes them.
    private func make() async throws {
        let both = try await Databases.open(folder.database)
        _ = try await both.store.siteKey()
        try await both.connect()
        try await both.connect("other", to: "copy")
        for number in 1...40 {
            try await both.courier.setAside(
                [UInt8](repeating: 7, count: 300), uid: Text("m\(number)"), for: "", reason: "")
        }
        await both.close()
    }

    /// Records a visit in the ledger, whose courier's database may be absent.
    private func expectWork(_ store: Store) async throws {
        try await store.appendIntent(Samples.visit(1), stamp: Samples.stamp)
        try await store.appendOutcome(Samples.visit(1), Samples.accepted, stamp: Samples.stamp)
        #expect(try await store.verify().isIntact)
        #expect(await store.deliveries[DeliveryCursor.primary]?.connection == "agent")
        await store.close()
    }

    /// A damaged file is put aside once and kept, and a new one begins.
    @Test(arguments: ["garbled", "cut", "a page", "a trigger", "a view"]) func aDamagedFileIsPutAside(
        _ deed: String
    ) async throws {
        try await make()
        let whole = try bytes(folder.courier)
        switch deed {
        case "garbled": try Data(repeating: 0x55, count: whole.count).write(to: URL(fileURLWithPath: folder.courier))
        case "cut": try whole.prefix(whole.count / 512 / 2 * 512).write(to: URL(fileURLWithPath: folder.courier))
        case "a page":
            // A page in the middle that the start would not read otherwise.
            var edited = whole
            let page = whole.count / 512 * 3 / 4 * 512
            edited.replaceSubrange(page..<page + 512, with: Data(repeating: 0xAA, count: 512))
            try edited.write(to: URL(fileURLWithPath: folder.courier))
        case "a trigger":
            try folder.editCourier("CREATE TRIGGER t AFTER INSERT ON message BEGIN DELETE FROM connection; END")
        default: try folder.editCourier("CREATE VIEW v AS SELECT * FROM connection")
        }
        let found = try bytes(folder.courier)
        let store = try await Store.open(folder.database)
        // A command changes nothing.
        var options = StoreOptions()
        options.mayBeginNewLedger = false
        await #expect(throws: StoreError.self) {
            _ = try await CourierStore.open(besides: folder.database, options: options)
        }
        #expect(try isSame(bytes(folder.courier), found, deed) && damaged.isEmpty)
        for start in 1...2 {
            let both = try await Databases.attach(store)
            #expect((both.courier.damage != nil) == (start == 1), "start \(start)")
            if start == 1 {
                #expect(both.courier.damage?.file == folder.courier + ".damaged-1")
                #expect(both.courier.damage?.detail.isEmpty == false)
                #expect(try await both.courier.connections().isEmpty)
                try await both.courier.saveConnection("new", [5])
            }
            #expect(try await both.courier.connections().map(\.snapshot) == [[5]])
            await both.courier.close()
            #expect(damaged == [folder.courier + ".damaged-1"])
            #expect(try isSame(bytes(damaged[0]), found, deed), "it is kept as it was found")
        }
        try await expectWork(store)
        var status = stat()
        #expect(stat(folder.courier, &status) == 0 && status.st_mode & 0o777 == 0o600)
    }

    /// A start that ended between the two steps of the renaming continues it. Otherwise two names would lead to the
    /// open database.
    @Test func anInterruptedRenamingContinues() async throws {
        try await make()
        let aside = folder.courier + ".damaged-1"
        #expect(link(folder.courier, aside) == 0)
        let both = try await Databases.open(folder.database)
        #expect(both.courier.damage?.file == aside)
        #expect(try await both.courier.connections().isEmpty)
        await both.close()
        #expect(damaged == [aside] && !StoreFile.isSame(aside, folder.courier))
    }

    @Test func onlyTheNewestDamagedFilesAreKept() async throws {
        let store = try await Store.open(folder.database)
        for number in 1...5 {
            try folder.write("gatehouse.sqlite.courier", "damage \(number)" + String(repeating: " ", count: 2000))
            chmod(folder.courier, 0o600)
            let courier = try await CourierStore.open(besides: folder.database)
            #expect(courier.damage?.file == folder.courier + ".damaged-\(number)")
            await courier.close()
            for ending in ["-wal", "-shm"] { unlink(folder.courier + ending) }
        }
        await store.close()
        #expect(damaged == (3...5).map { "\(folder.courier).damaged-\($0)" })
        #expect(damaged.count == CourierStore.mostDamaged)
    }

    /// Whether a file still has the content `found`. SQLite opens a database of which only a page is damaged, and GRDB
    /// then makes and drops a table in it: such a file keeps its damaged page, and all other rows.
    private func isSame(_ bytes: Data, _ found: Data, _ deed: String) -> Bool {
        guard deed == "a page" else { return bytes == found }
        let page = Data(repeating: 0xAA, count: 512)
        return bytes.count >= found.count && bytes.range(of: page) == found.range(of: page)
    }

    /// A start that was interrupted after the damaged file got its second name goes on, and makes no third name.
    @Test func anInterruptedPuttingAsideGoesOn() async throws {
        try await make()
        try Data(repeating: 0x55, count: 4096).write(to: URL(fileURLWithPath: folder.courier))
        #expect(link(folder.courier, folder.courier + ".damaged-1") == 0)
        let courier = try await CourierStore.open(besides: folder.database)
        #expect(courier.damage?.file == folder.courier + ".damaged-1")
        await courier.close()
        #expect(damaged == [folder.courier + ".damaged-1"])
    }

    /// What is not a courier's file of this version is an error and stays as it is.
    @Test(arguments: ["a folder", "a pipe", "a link", "a ledger", "another program's", "a newer version's", "a log"])
    func anotherFileIsAnErrorAndStays(_ deed: String) async throws {
        try await make()
        let path = folder.courier
        if !["a newer version's", "a log"].contains(deed) { unlink(path) }
        var expected = StoreError.foreign(path: path)
        switch deed {
        case "a folder": #expect(mkdir(path, 0o700) == 0)
        case "a pipe": #expect(mkfifo(path, 0o600) == 0)
        case "a link": #expect(symlink(folder.database, path) == 0)
        case "a ledger": try FileManager.default.copyItem(atPath: folder.database, toPath: path)
        case "another program's":
            try folder.editCourier("PRAGMA application_id = 77; CREATE TABLE t (a)")
        case "a newer version's":
            try folder.editCourier("INSERT INTO grdb_migrations VALUES ('99 of the future')")
            expected = .newer(path: path)
        default:
            unlink(path + "-wal")
            #expect(mkfifo(path + "-wal", 0o600) == 0)
            expected = .unusable(path: path + "-wal", detail: "it is not a file")
        }
        let isDatabase = ["a ledger", "another program's", "a newer version's"].contains(deed)
        func content() throws -> [String] {
            guard isDatabase else { return ["\(try FileManager.default.attributesOfItem(atPath: path)[.size] ?? 0)"] }
            let queue = try DatabaseQueue(path: path)
            defer { try? queue.close() }
            return try queue.read { db in
                let tables = try String.fetchAll(db, sql: "SELECT name FROM sqlite_master ORDER BY name")
                let rows = try tables.contains("grdb_migrations") ? Self.migrations(db) : []
                return tables + rows + ["\(try Int.fetchOne(db, sql: "PRAGMA application_id") ?? 0)"]
            }
        }
        let before = try content()
        let store = try await Store.open(folder.database)
        await #expect(throws: expected) { _ = try await Databases.attach(store) }
        #expect(try content() == before)
        #expect(damaged.isEmpty)
        try await expectWork(store)
    }

    private static func migrations(_ db: Database) throws -> [String] {
        try String.fetchAll(db, sql: "SELECT identifier FROM grdb_migrations ORDER BY identifier")
    }

    /// The file is absent: it is made, also by a command that may make no key.
    @Test func anAbsentFileIsMade() async throws {
        try await make()
        unlink(folder.courier)
        let store = try await Store.open(folder.database)
        var options = StoreOptions()
        (options.mayMake, options.mayBeginNewLedger) = (false, false)
        let both = try await Databases.attach(store, options: options)
        #expect(both.courier.damage == nil)
        #expect(try await both.courier.connections().isEmpty)
        await both.courier.close()
        try await expectWork(store)
    }

    /// A missing key is not replaced while a database may contain values that it sealed. The ledger may be a new one.
    @Test func aMissingKeyIsNotReplaced() async throws {
        var both = try await Databases.open(folder.database)
        _ = try await both.store.siteKey()
        try await both.connect()
        await both.close()
        let key = folder.database + ".agent-key"
        try FileManager.default.moveItem(atPath: key, toPath: key + ".away")
        for isNew in [false, true] {
            if isNew { for ending in ["", "-wal", "-shm"] { unlink(folder.database + ending) } }
            both = try await Databases.open(folder.database)
            for told in [both.store.keysAtRest, both.courier.keysAtRest] {
                guard case .keyless? = told.failure else { Issue.record("new ledger: \(isNew)"); continue }
            }
            #expect(try await both.courier.connections().map(\.snapshot) == [[]])
            await #expect(throws: StoreError.self) { try await both.courier.saveConnection("new", [1]) }
            await both.close()
            #expect(!FileManager.default.fileExists(atPath: key))
        }
        try FileManager.default.moveItem(atPath: key + ".away", toPath: key)
        both = try await Databases.open(folder.database)
        #expect(both.store.keysAtRest.failure == nil && both.courier.keysAtRest.failure == nil)
        #expect(try await both.courier.connections().map(\.snapshot) == [[1]])
        await both.close()
    }

    @Test func oneProcessOwnsTheFile() async throws {
        try await make()
        let both = try await Databases.open(folder.database)
        await #expect(throws: StoreError.locked(path: folder.courier, owner: getpid())) {
            _ = try await CourierStore.open(besides: folder.database)
        }
        try await both.courier.saveConnection("agent", [2])
        await both.courier.close()
        await #expect(throws: StoreError.closed) { try await both.courier.saveConnection("agent", [3]) }
        await #expect(throws: StoreError.closed) { _ = try await both.courier.connections() }
        try await expectWork(both.store)
    }

    /// Another program changes or replaces the open file. The next change is refused, and the ledger goes on.
    @Test(arguments: ["written", "replaced", "deleted"]) func anOpenFileThatIsTouchedIsNoticed(
        _ deed: String
    ) async throws {
        try await make()
        let both = try await Databases.open(folder.database)
        try await both.courier.saveConnection("agent", [2])
        switch deed {
        case "written":
            let other = try DatabaseQueue(path: folder.courier)
            try await other.write { db in try db.execute(sql: "DELETE FROM quarantine") }
            try other.close()
        case "replaced":
            try FileManager.default.copyItem(atPath: folder.courier, toPath: folder.courier + ".copy")
            #expect(rename(folder.courier + ".copy", folder.courier) == 0)
        default: unlink(folder.courier)
        }
        for _ in 1...2 {
            await #expect {
                try await both.courier.saveConnection("agent", [3])
            } throws: { error in
                if case .replaced? = error as? StoreError { true } else { false }
            }
        }
        await both.courier.close()
        try await expectWork(both.store)
    }

    /// Two databases of one gate are not mixed up: a ledger is not opened as the courier's, and the other way round.
    @Test func aCouriersFileIsNoLedger() async throws {
        try await make()
        try FileManager.default.copyItem(atPath: folder.courier, toPath: folder.path("other.sqlite"))
        chmod(folder.path("other.sqlite"), 0o600)
        await #expect(throws: StoreError.foreign(path: folder.path("other.sqlite"))) {
            _ = try await Store.open(folder.path("other.sqlite"))
        }
        #expect(throws: StoreError.self) { _ = try LedgerReader(path: folder.courier) }
        #expect(throws: StoreError.self) { _ = try CourierReader(path: folder.database) }
    }

    /// A copy for a backup is whole, and is made next to the open database.
    @Test func aCopyOfTheOpenDatabaseIsWhole() async throws {
        try await make()
        let both = try await Databases.open(folder.database)
        try await both.courier.saveConnection("agent", [7])
        let reader = try CourierReader(path: folder.courier)
        try await reader.check()
        try await reader.copy(to: folder.path("copy"))
        let rows = try OldForm.rows(folder.courier)
        await both.close()
        #expect(try OldForm.rows(folder.path("copy")) == rows)
        try await CourierReader(path: folder.path("copy")).check()
    }
}
