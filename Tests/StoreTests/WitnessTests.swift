import Clocks
import Encoding
import Foundation
import Ledger
import TestKit
import Testing

@testable import Store

/// The ledger and its witness across restarts: when the ledger continues, when a new ledger begins, and what the store
/// reports.
@Suite struct WitnessTests {
    private func visit(_ number: Int, _ store: Store, _ outcome: Outcome = Samples.accepted) async throws {
        try await store.appendIntent(Samples.visit(number), stamp: Samples.stamp)
        try await store.appendOutcome(Samples.visit(number), outcome, stamp: Samples.stamp)
    }

    private func bytes(_ path: String) throws -> Data { try Data(contentsOf: URL(fileURLWithPath: path)) }

    private func write(_ data: Data, _ path: String) throws { try data.write(to: URL(fileURLWithPath: path)) }

    private func asides(_ folder: TestFolder) throws -> [String] {
        try FileManager.default.contentsOfDirectory(atPath: folder.path).filter {
            $0.contains(".rewritten-") && !$0.hasSuffix("-wal")
        }.sorted()
    }

    @Test(.tags(.realTime)) func theWitnessRecordsOpeningsAtOnceAndTheRestWhenQuiet() async throws {
        let witnessed = try await WitnessedLedger(StoreOptions())
        var options = StoreOptions()
        options.witnessIdle = .milliseconds(20)
        let store = try await Store.open(witnessed.folder.database, options: options, witness: witnessed.source)
        #expect(store.standing == .continued)
        let key = try witnessed.source.key()
        func seen() -> HeadStatement? { witnessed.source.reading(key).head }
        /// Returns whether the condition becomes true within 20 s. Each check costs a signature.
        func hears(of count: Int) async -> Bool { await becomesTrue { seen()?.state.end.count == count } }
        try await visit(20, store)
        #expect(await hears(of: witnessed.count + 2))
        try await visit(21, store, Samples.rejected)
        #expect(await hears(of: witnessed.count + 4))
        let before = try #require(seen())
        try await store.confirm(upTo: 20)
        #expect(await becomesTrue { seen() != before })
        #expect(seen()?.state.revision == before.state.revision + 1)
        #expect(try await store.verify().witness == "agrees up to entry \(witnessed.count + 4)")
        await store.close()
        let mode = try FileManager.default.attributesOfItem(atPath: witnessed.source.path)[.posixPermissions] as? Int
        #expect(mode == 0o600)
    }

    @Test func aFirstStartAnUpdateAndALostWitness() async throws {
        let folder = try TestFolder("store", inMemory: true)
        var source = WitnessSource(path: folder.path + "/w", keyPath: folder.path + "/k", code: "code")
        // A version without witnesses wrote this database.
        var store = try await Store.open(folder.database)
        try await visit(1, store)
        await store.close()
        try OldForm.restore(folder.database)
        try folder.edit(
            """
            ALTER TABLE chain DROP COLUMN seal; ALTER TABLE chain DROP COLUMN revision;
            CREATE TABLE report (
                seq INTEGER, id TEXT, first INTEGER, result TEXT, state TEXT, rank INTEGER, since INTEGER, dropped INTEGER,
                bytes INTEGER, content BLOB);
            CREATE INDEX report_state ON report (state, seq, first);
            DROP INDEX entry_visit;
            CREATE UNIQUE INDEX entry_visit ON entry (visit, kind);
            DROP TABLE delivery; ALTER TABLE connection DROP COLUMN destination; ALTER TABLE connection DROP COLUMN number;
            DELETE FROM grdb_migrations WHERE identifier IN ('\(Schema.sealing)', '\(Schema.delivery)');
            """)
        store = try await Store.open(folder.database, witness: source)
        #expect(store.standing == .adopted)
        await store.close()
        store = try await Store.open(folder.database, witness: source)
        #expect(store.standing == .continued)
        #expect(try await store.verify().isIntact)
        await store.close()
        // Without its witness, the ledger continues and reports the missing witness. If an attacker also removes the
        // seal, so that the database looks like that of an earlier version, the ledger counts as rewritten.
        try FileManager.default.removeItem(atPath: source.path)
        store = try await Store.open(folder.database, witness: source)
        #expect(store.standing == .unwitnessed("there is no witness file"))
        await store.close()
        try FileManager.default.removeItem(atPath: source.path)
        try folder.edit("UPDATE chain SET seal = NULL")
        store = try await Store.open(folder.database, witness: source)
        guard case .rewritten = store.standing else { Issue.record("\(String(describing: store.standing))"); return }
        await store.close()
        // A new gate.
        let fresh = try TestFolder("store", inMemory: true)
        source = WitnessSource(path: fresh.path + "/w", keyPath: fresh.path + "/k", code: "code")
        store = try await Store.open(fresh.database, witness: source)
        #expect(store.standing == .new)
        await store.close()
        try FileManager.default.removeItem(atPath: fresh.path + "/w")
        try FileManager.default.removeItem(atPath: fresh.database)
        store = try await Store.open(fresh.database, witness: source)
        guard case .unwitnessed = store.standing else { Issue.record("\(String(describing: store.standing))"); return }
        await store.close()
    }

    /// An attacker has written a start state with impossible figures. The state is rejected, and the new ledger takes
    /// no data from it.
    @Test(arguments: ["9223372036854775807", "9007199254740992", "-1"])
    func anImpossibleBeginningIsNotUsed(nextSeq: String) async throws {
        let folder = try TestFolder("store", inMemory: true)
        let source = WitnessSource(path: folder.path + "/w", keyPath: folder.path + "/k", code: "code")
        var store = try await Store.open(folder.database, witness: source)
        await store.close()
        let json = #"{"predecessor":null,"code":"x","finding":"y","nextSeq":\#(nextSeq),"open":[]}"#
        try folder.edit("INSERT INTO setting VALUES ('founding', CAST('\(json)' AS BLOB))")
        store = try await Store.open(folder.database, witness: source)
        await #expect(throws: StoreError.self) {
            try await store.begin(stamp: Samples.stamp, software: Samples.software)
        }
        await store.close()
        try folder.edit("UPDATE chain SET seal = x'00'")
        store = try await Store.open(folder.database, witness: source)
        guard case .rewritten = store.standing else { Issue.record("\(String(describing: store.standing))"); return }
        try await store.begin(stamp: Samples.stamp, software: Samples.software)
        try await visit(2, store)
        let report = try await store.verify()
        #expect(report.entries == 3, "\(report.lines)")
        await store.close()
    }

    /// An audit does not work on one state of the database. It also reads records written while it runs, and evictions
    /// do not mislead it.
    @Test func anAuditGoesOnPieceByPiece() async throws {
        let folder = try TestFolder("store", inMemory: true)
        let pauses = Pauses()
        var options = StoreOptions()
        options.auditPiece = 4
        (options.retention.entries, options.evictionBatch) = (100, 4)
        options.clock = Clock(now: Clock.system.now, utc: Clock.system.utc) { _ in
            await pauses.rest()
        }
        let store = try await Store.open(folder.database, options: options)
        @Sendable func record(_ numbers: ClosedRange<Int>) async throws {
            for number in numbers {
                try await store.appendIntent(Samples.visit(number), stamp: Samples.stamp)
                try await store.appendOutcome(Samples.visit(number), Samples.accepted, stamp: Samples.stamp)
            }
        }
        try await record(1...30)
        pauses.inThird { try await record(31...40) }
        let report = try await store.audit()
        #expect(report.isIntact, "\(report.lines)")
        #expect(report.entries == 80)
        // Half of the remaining entries are evicted meanwhile.
        pauses.inThird { try await record(41...90) }
        let other = try await store.audit()
        #expect(other.isIntact, "\(other.lines)")
        #expect(pauses.isDone)
        await store.close()
    }

    /// A log damaged by a power cut and a manual change is kept and reported, up to a limited number of files. An
    /// undamaged log is not kept.
    @Test func damagedFilesAreKeptAsTheyWereFound() async throws {
        for round in 1...3 {
            let witnessed = try await WitnessedLedger(StoreOptions())
            let folder = witnessed.folder
            var store = try await witnessed.open()
            for number in 100..<110 {
                try await store.appendOutcome(Samples.visit(number), Samples.accepted, stamp: Samples.stamp)
            }
            await store.updateWitness()
            let (log, database) = (try bytes(folder.database + "-wal"), try bytes(folder.database))
            await store.close()
            // The state as if the database had never been closed.
            try write(database, folder.database)
            try write(log, folder.database + "-wal")
            store = try await witnessed.open()
            #expect(store.standing == .continued && store.found.isEmpty && !exists(folder.database + ".found-wal"))
            await store.close()
            var damaged = log
            damaged[damaged.startIndex + 40] ^= 0xFF
            if round > 1 { try write(Data([1]), folder.database + ".found-1-wal") }
            if round > 2 { try write(Data([2]), folder.database + ".found-2") }
            try write(database, folder.database)
            try write(damaged, folder.database + "-wal")
            store = try await witnessed.open()
            guard case .rewritten = store.standing else { Issue.record("not found"); return }
            let name = folder.database + ".found-\(round)"
            #expect(store.found == (round < 3 ? [name + "-wal", name] : []))
            for path in store.found { #expect(try bytes(path) == (path.hasSuffix("-wal") ? damaged : database)) }
            #expect(!exists(folder.database + ".found-wal") && !exists(folder.database + ".found"))
            await store.close()
        }
    }

    /// A pipe, a folder or a link in place of the log or of its copy does not block the start and is not kept as
    /// evidence.
    @Test(.timeLimit(.minutes(10)), arguments: ["-wal", ".found-wal"])
    func onlyFilesAreCopied(ending: String) throws {
        let folder = try TestFolder("store", inMemory: true)
        let log = folder.database + "-wal"
        try write(Data([7]), log)
        if ending == "-wal" { try FileManager.default.removeItem(atPath: log) }
        #expect(mkfifo(folder.database + ending, 0o600) == 0)
        #expect(FoundFiles(folder.database).keep() == [])
        if ending == "-wal" {
            try write(Data([8]), folder.path + "/other")
            #expect(unlink(log) == 0 && symlink(folder.path + "/other", log) == 0)
            #expect(FoundFiles(folder.database).keep() == [], "what a link leads to is none of ours")
        }
        // After the pipe is removed, a copy is made again.
        unlink(folder.database + ending)
        if ending == "-wal" { try write(Data([7]), log) }
        #expect(FoundFiles(folder.database).keep() == [folder.database + ".found-1-wal"])
    }

    private func exists(_ path: String) -> Bool { FileManager.default.fileExists(atPath: path) }

    private func tamper(_ deed: String, _ folder: TestFolder, isOldForm: Bool) async throws {
        let original = try bytes(folder.database)
        switch deed {
        case "deleted": try FileManager.default.removeItem(atPath: folder.database)
        case "cut": try write(original.prefix(3 * 4096), folder.database)
        case "garbled": try write(Data(repeating: 0x55, count: original.count), folder.database)
        case "emptied": try write(Data(), folder.database)
        case "another box":
            let other = try await WitnessedLedger(StoreOptions(), isOldForm: isOldForm)
            try write(try #require(other.states.last), folder.database)
        case "result":
            try folder.edit("UPDATE entry SET body = CAST(replace(CAST(body AS TEXT), 'accepted', 'rejected') AS BLOB)")
        case "struck out": try folder.edit("UPDATE delivery SET confirmed = 24")
        case "dropped": try folder.edit("UPDATE chain SET dropped = 7")
        case "clock": try folder.edit("UPDATE chain SET clock = '2030-01-01T00:00:00.000Z'")
        default: try folder.edit("UPDATE setting SET value = zeroblob(32) WHERE name = 'site-key'")
        }
    }

    /// The database file is deleted, cut, corrupted, emptied, or replaced by that of another gate. A new ledger begins
    /// and names the old ledger. The found file is kept, unless it is empty. `isOldForm`: the file has the connections,
    /// as until version 12.
    @Test(
        arguments: [
            "deleted", "cut", "garbled", "emptied", "another box", "result", "struck out", "dropped", "clock",
            "site key",
        ], [false, true])
    func changesOfTheWitnessFile(_ deed: String, isOldForm: Bool) async throws {
        let witnessed = try await WitnessedLedger(StoreOptions(), isOldForm: isOldForm)
        let folder = witnessed.folder
        if isOldForm { try witnessed.put(try #require(witnessed.states.last)) }
        try await tamper(deed, folder, isOldForm: isOldForm)
        let tampered = FileManager.default.contents(atPath: folder.database)
        var store = try await witnessed.open()
        // The audit at the start of the service finds a change in the middle. The next start then acts on the finding.
        if deed == "result" || store.standing == .continued {
            #expect(try await !store.audit().isIntact, "\(deed)")
            await store.close()
            store = try await witnessed.open()
        }
        guard case .rewritten = store.standing else {
            Issue.record("\(deed): \(String(describing: store.standing))"); return
        }
        try await store.begin(stamp: Samples.stamp, software: Samples.software)
        try await store.recover(stamp: Samples.stamp, software: Samples.software)
        let first = try #require(try await store.visits(last: 100).last)
        guard case .outcome(let record) = first.record else { Issue.record("no outcome"); return }
        #expect(first.position == 1 && record.outcome.result == .failed && record.outcome.gate == .shut)
        #expect(record.outcome.reasons.map(\.code) == ["code.of-the-table"])
        #expect(record.outcome.predecessor?.ledger == witnessed.ledger)
        #expect(record.outcome.predecessor?.count == witnessed.count)
        #expect(record.outcome.finding?.isEmpty == false)
        #expect(record.seq > 1000, "no number is used twice")
        let entry = try #require(try await store.entries(after: 0, limit: 1).first)
        let report = Report.json(of: entry, in: await store.head.ledger)
        #expect(report?["predecessor"]?["ledger"]?.string == witnessed.ledger)
        try await visit(50, store)
        let proof = try await store.verify()
        #expect(proof.isIntact && proof.predecessor == record.outcome.predecessor, "\(deed): \(proof.lines)")
        if !isOldForm || !["deleted", "cut", "garbled", "emptied"].contains(deed) {
            // The connections of the other box are sealed under its own key.
            let isOurs = !isOldForm || deed != "another box"
            let courier = try await Databases.attach(store).courier
            #expect(try await courier.connections().map(\.snapshot) == (isOurs ? [[1, 2, 3], [1]] : [[], []]))
            await courier.close()
        }
        await store.close()
        // The found file is kept next to the database, unless it was deleted or empty.
        let asides = try asides(folder)
        #expect(asides.count == (["deleted", "emptied"].contains(deed) ? 0 : 1), "\(asides)")
        if ["cut", "garbled"].contains(deed) { #expect(try bytes(folder.path + "/" + asides[0]) == tampered) }
        let again = try await witnessed.open()
        #expect(again.standing == .continued)
        await again.close()
    }

    /// After a power cut and damage in the log, the witness shows that a durable commit is missing.
    @Test func damageInTheLogAfterAPowerCut() async throws {
        let folder = try TestFolder("store", inMemory: true)
        let source = WitnessSource(path: folder.path + "/w", keyPath: folder.path + "/k", code: "code")
        let store = try await Store.open(folder.database, witness: source)
        for number in 1...20 { try await visit(number, store) }
        await store.updateWitness()
        // The files in their present state, without an orderly close.
        let after = try TestFolder("store", inMemory: true)
        for ending in ["", "-wal"] { try write(try bytes(folder.database + ending), after.database + ending) }
        try write(try bytes(folder.path + "/w"), after.path + "/w")
        try write(try bytes(folder.path + "/k"), after.path + "/k")
        chmod(after.path + "/k", 0o600)
        await store.close()
        let copy = WitnessSource(path: after.path + "/w", keyPath: after.path + "/k", code: "code")
        let log = try bytes(after.database + "-wal")
        let main = try bytes(after.database)
        let witness = try bytes(after.path + "/w")
        var lost = 0
        for place in stride(from: 32, to: log.count, by: max(4096, log.count / 24)) {
            for name in try asides(after) { try FileManager.default.removeItem(atPath: after.path + "/" + name) }
            var damaged = log
            for byte in place..<min(place + 8, log.count) { damaged[byte] ^= 0xFF }
            try write(main, after.database)
            try? FileManager.default.removeItem(atPath: after.database + "-shm")
            try write(damaged, after.database + "-wal")
            try write(witness, after.path + "/w")
            let opened = try await Store.open(after.database, witness: copy)
            guard case .rewritten = opened.standing else {
                Issue.record("damage at \(place): \(opened.standing as Any)"); continue
            }
            lost += 1
            #expect(await opened.head.point.count == 0)
            try await opened.begin(stamp: Samples.stamp, software: Samples.software)
            try await opened.recover(stamp: Samples.stamp, software: Samples.software)
            #expect(await opened.head.point.nextSeq > 1020, "the numbers of what is lost are not used again")
            await opened.close()
        }
        #expect(lost > 10)
    }

    /// A power cut may leave a commit that the witness does not contain, or a partly written statement.
    @Test func theResultOfAPowerCutIsNoTampering() async throws {
        let witnessed = try await WitnessedLedger(StoreOptions())
        let before = try bytes(witnessed.source.path)
        let store = try await witnessed.open()
        try await visit(30, store)
        await store.updateWitness()  // the witness is current: nothing is written
        await store.close()
        let after = try bytes(witnessed.source.path)
        let database = try bytes(witnessed.folder.database)
        let newest = try #require(WitnessSlots.read(Array(after), key: nil).head)
        let place = newest.number & 1 == 0 ? 0 : WitnessSlots.slotBytes
        let end = place + WitnessSlots.slotBytes
        for cut in stride(from: 0, through: 1024, by: 128) {
            // The first `cut` bytes of the newest statement reached the disk.
            var torn = after
            torn.replaceSubrange((place + cut)..<end, with: before[(place + cut)..<end])
            try write(torn, witnessed.source.path)
            try write(database, witnessed.folder.database)
            let store = try await witnessed.open()
            #expect(store.standing == .continued, "cut after \(cut) bytes")
            #expect(try await store.verify().isIntact)
            await store.close()
        }
    }

    /// Changes every byte of a statement. The file never confirms a different statement.
    @Test func noByteOfTheWitnessCanBeChanged() async throws {
        let witnessed = try await WitnessedLedger(StoreOptions())
        let key = try #require(try witnessed.source.key())
        let file = Array(try bytes(witnessed.source.path))
        guard case .read(let newest, isTorn: false) = WitnessSlots.read(file, key: key.publicKey) else {
            Issue.record("no witness")
            return
        }
        let start = newest.head.number & 1 == 0 ? 0 : WitnessSlots.slotBytes
        var count = 0
        for place in file.indices where file[place] != 0 || place % 64 == 0 {
            var edited = file
            edited[place] ^= 1
            count += 1
            guard case .read(let head, let isTorn) = WitnessSlots.read(edited, key: key.publicKey) else {
                Issue.record("both statements gone by byte \(place)")
                continue
            }
            #expect(isTorn && (head == newest) == !(start..<start + WitnessSlots.slotBytes).contains(place))
        }
        #expect(count > 1000)
        // A statement signed with another key.
        let other = try #require(WitnessKey([UInt8](repeating: 9, count: 32)))
        #expect(WitnessSlots.read(file, key: other.publicKey) == .unusable("it was signed with another key"))
    }

    @Test func anotherKeyProvesNothing() async throws {
        let witnessed = try await WitnessedLedger(StoreOptions())
        try FileManager.default.removeItem(atPath: witnessed.source.keyPath)
        let store = try await witnessed.open()
        guard case .rewritten = store.standing else { Issue.record("\(String(describing: store.standing))"); return }
        await store.close()
        // A key that others can read is not used, and the gate continues.
        chmod(witnessed.source.keyPath, 0o644)
        let open = try await witnessed.open()
        guard case .unwitnessed = open.standing else { Issue.record("\(String(describing: open.standing))"); return }
        try await visit(40, open)
        await open.close()
    }

    /// A command without the service's key changes nothing: it makes neither files nor keys, and the ledger stays at
    /// its place.
    @Test func aCommandBeginsNoLedger() async throws {
        let witnessed = try await WitnessedLedger(StoreOptions())
        let (key, files) = (witnessed.source.keyPath, FileManager.default)
        var options = StoreOptions()
        options.mayBeginNewLedger = false
        let folder = URL(fileURLWithPath: witnessed.folder.database).deletingLastPathComponent().path
        func listing() throws -> [String] { try files.contentsOfDirectory(atPath: folder).sorted() }
        try files.moveItem(atPath: key, toPath: key + ".away")
        let before = try listing()
        for isOther in [false, true] {
            if isOther { _ = try SecretFile.make(key) }
            do {
                await (try Store.open(witnessed.folder.database, options: options, witness: witnessed.source)).close()
                Issue.record("opened")
            } catch StoreError.doubtful {
                #expect(
                    try listing()
                        == (isOther ? (before + [URL(fileURLWithPath: key).lastPathComponent]).sorted() : before))
            }
        }
        try files.removeItem(atPath: key)
        try files.moveItem(atPath: key + ".away", toPath: key)
        let store = try await Store.open(witnessed.folder.database, options: options, witness: witnessed.source)
        #expect(store.standing == .continued)
        await store.close()
    }

    /// A witness that cannot be written is reported and does not stop visits. When it can be written again, it
    /// recovers.
    @Test func aWitnessThatCannotBeWritten() async throws {
        let folder = try TestFolder("store", inMemory: true)
        let source = WitnessSource(path: folder.path + "/off/w", keyPath: folder.path + "/k", code: "code")
        let told = Told()
        let store = try await Store.open(folder.database, witness: source) { told.add($0) }
        try await visit(1, store)
        await store.updateWitness()
        #expect(told.all.last??.text.contains("/off/w") == true)
        try FileManager.default.createDirectory(atPath: folder.path + "/off", withIntermediateDirectories: false)
        try await visit(2, store)
        await store.updateWitness()
        #expect(told.all.last == .some(nil))
        await store.close()
    }

    /// Regression test: a pipe in place of the witness or the key blocked the start for ever, and in a running service
    /// the witness silently stopped.
    @Test(.timeLimit(.minutes(10))) func aPipeInItsPlaceHoldsUpNothing() async throws {
        let folder = try TestFolder("store", inMemory: true)
        let source = WitnessSource(path: folder.path + "/w", keyPath: folder.path + "/k", code: "code")
        let told = Told()
        let store = try await Store.open(folder.database, witness: source) { told.add($0) }
        try await visit(1, store)
        await store.updateWitness()
        #expect(told.all.last == .some(nil))
        #expect(unlink(source.path) == 0 && mkfifo(source.path, 0o600) == 0)
        try await visit(2, store)
        await store.updateWitness()
        #expect(told.all.last??.text.contains("/w") == true)
        // The same test, with a process at the other end of the pipe that reads nothing.
        let reader = open(source.path, O_RDONLY | O_NONBLOCK)
        defer { close(reader) }
        try await visit(3, store)
        await store.updateWitness()
        #expect(told.all.last??.text.contains("is not a file") == true)
        await store.close()
        let again = try await Store.open(folder.database, witness: source)
        guard case .unwitnessed = again.standing else { Issue.record("\(String(describing: again.standing))"); return }
        await again.close()
        #expect(unlink(source.keyPath) == 0 && mkfifo(source.keyPath, 0o600) == 0)
        #expect(throws: StoreError.self) { try source.key() }
    }

    /// The gate continues while the witness's disk hangs, so the hang is reported.
    @Test(.timeLimit(.minutes(10)), .tags(.realTime)) func aWitnessThatDoesNotAnswerIsReported() async throws {
        let folder = try TestFolder("store", inMemory: true)
        let source = WitnessSource(path: folder.path + "/w", keyPath: folder.path + "/k", code: "code")
        var options = StoreOptions()
        options.witnessLimit = .milliseconds(20)
        let told = Told()
        let store = try await Store.open(folder.database, options: options, witness: source) { told.add($0) }
        let hung = DispatchSemaphore(value: 0)
        WitnessFile.queue.async { hung.wait() }
        try await visit(1, store)
        #expect(await becomesTrue { told.all.contains(.silent(path: source.path)) })
        hung.signal()
        await store.updateWitness()
        #expect(told.all.last == .some(nil))
        await store.close()
    }

    private final class Told: @unchecked Sendable {
        private let lock = NSLock()
        private var list: [StoreError?] = []
        func add(_ error: StoreError?) { lock.withLock { list.append(error) } }
        var all: [StoreError?] { lock.withLock { list } }
    }
}
