import CrashKit
import Encoding
import Foundation
import GRDB
import Ledger
import TestKit
import Testing

@testable import Store

/// The store's requests to the disk, and its check that the database file is still the same file.
@Suite struct DiskUseTests {
    private func intent(_ number: Int) -> UnwrittenIntent {
        UnwrittenIntent(intent: Samples.visit(number), stamp: Samples.stamp)
    }

    private func outcome(_ number: Int) -> UnwrittenOutcome {
        UnwrittenOutcome(visit: Samples.visit(number), outcome: Samples.accepted, stamp: Samples.stamp)
    }

    @Test func aBatchSharesOneSyncAndARefusedRecordSpoilsNoOther() async throws {
        let disk = try CrashDisk()
        let store = try await Store.open(disk.database)
        try await store.appendOutcome(Samples.visit(1), Samples.accepted, stamp: Samples.stamp)
        let before = disk.syncs
        let refused = try await store.append((10...20).map(intent), (1...5).map(outcome))
        #expect(disk.syncs == before + 1)
        #expect(refused == [Samples.visit(1): .refused(.visitClosed)])
        // An intent that is already open is confirmed without a write.
        let (syncs, bytes) = (disk.syncs, disk.bytes)
        #expect(try await store.append([intent(10)], []) == [:])
        #expect(disk.syncs == syncs && disk.bytes == bytes)
        let report = try await store.verify()
        #expect(report.isIntact && report.entries == 16 && report.openIntents.count == 11)
        await store.close()
    }

    @Test(.tags(.realTime)) func theLogIsCopiedBetweenWritesAndNeverInsideACommit() async throws {
        let rest = Duration.seconds(1)
        // If the machine paused for the idle time, the log is copied as after real idle time. Repeat the trial in this
        // case.
        for trial in 1...5 {
            let disk = try CrashDisk()
            var options = StoreOptions()
            (options.checkpointRequests, options.checkpointRest) = (20, rest)
            let store = try await Store.open(disk.database, options: options)
            try await store.appendIntent(Samples.visit(1), stamp: Samples.stamp)
            var (wrote, pause, syncs) = (ContinuousClock.now, Duration.zero, Set<UInt64>())
            var before = disk.syncs
            for number in 2...200 {
                before = disk.syncs
                try await store.appendIntent(Samples.visit(number), stamp: Samples.stamp)
                syncs.insert(disk.syncs - before)
                try await store.appendOutcome(Samples.visit(number), Samples.accepted, stamp: Samples.stamp)
                before = disk.syncs
                pause = max(pause, wrote.duration(to: .now))
                wrote = .now
            }
            guard pause < rest || trial == 5 else {
                await store.close()
                continue
            }
            #expect(syncs == [1], "a copy would sync log and database besides")
            _ = await becomesTrue { disk.syncs >= before + 2 }
            #expect(disk.syncs == before + 2)
            await store.close()
            return
        }
    }

    /// A copy of the log that hangs in a disk operation delays no record.
    @Test(.timeLimit(.minutes(10)), .tags(.realTime)) func aWriterWaitsForNoCopy() async throws {
        let disk = try CrashDisk()
        var options = StoreOptions()
        (options.checkpointRequests, options.checkpointRest) = (1, .zero)
        let store = try await Store.open(disk.database, options: options)
        disk.stall(true)
        try await store.appendIntent(Samples.visit(1), stamp: Samples.stamp)
        try #require(await becomesTrue(every: .milliseconds(1)) { disk.stalled != 0 })
        for number in 2...9 {
            try await store.appendIntent(Samples.visit(number), stamp: Samples.stamp)
            try await store.appendOutcome(Samples.visit(number), Samples.accepted, stamp: Samples.stamp)
        }
        #expect(disk.stalled == 1)
        disk.stall(false)
        #expect(try await store.verify().isIntact)
        await store.close()
    }

    /// Counts the bytes written to the file for an admitted visitor if every record is written alone: log and database,
    /// intent, decision with the credential, and outcome. The ids are as random as in practice.
    @Test(.tags(.models)) func aVisitCostsFewBytes() async throws {
        let disk = try CrashDisk()
        let store = try await Store.open(disk.database)
        let (first, visits) = (1000, 2000)
        var before: UInt64 = 0
        for number in 0..<first + visits {
            if number == first { before = disk.bytes }
            let (visit, intent) = (Text(UUID().uuidString.lowercased()), Text(UUID().uuidString.lowercased()))
            try await store.appendIntent(intent, stamp: Samples.stamp)
            let outcome = UnwrittenOutcome(
                visit: visit, intent: intent, outcome: Samples.letIn, stamp: Samples.stamp,
                signedDigests: [[UInt8](repeating: UInt8(number & 255), count: 32)]
            ).named(under: try await store.siteKey())
            let name = try #require(ReplayName((0..<ReplayName.byteCount).map { _ in UInt8.random(in: 0...255) }))
            #expect(try await store.append([], [], decisions: [UnwrittenDecision(outcome, names: [name])]) == [:])
            #expect(try await store.append([], [outcome]) == [:])
        }
        await store.close()
        let each = Int(disk.bytes - before) / visits
        print("store: \(each) bytes written for each visit")
        #expect(each <= 12_000)
    }

    @Test func aVisitIsLookedUpByItsIndex() async throws {
        let folder = try TestFolder("store", inMemory: true)
        let store = try await Store.open(folder.database)
        let plan = try await store.read { db in
            try Row.fetchAll(db, sql: "EXPLAIN QUERY PLAN " + Store.closedVisit, arguments: ["v"]).map { "\($0)" }
        }
        #expect(plan.count == 1 && plan[0].contains("SEARCH entry USING INDEX entry_visit"), "\(plan)")
        await store.close()
    }

    /// Only a small part of the witness changes, and only that part is written.
    @Test func aStatementIsWrittenWithoutTheEmptyRestOfItsSlot() async throws {
        let disk = try CrashDisk()
        let written = Recorder<Int>()
        var witness = WitnessSource(path: disk.folder + "/w", keyPath: disk.folder + "/k", code: "code")
        witness.sync = { descriptor, bytes in
            written.add(bytes)
            return fdatasync(descriptor)
        }
        let store = try await Store.open(disk.database, witness: witness)
        for number in 1...6 {
            try await store.appendOutcome(Samples.visit(number), Samples.accepted, stamp: Samples.stamp)
            await store.updateWitness()
        }
        await store.close()
        let sizes = written.all
        #expect(sizes.count >= 6 && sizes.allSatisfy { $0 <= 2048 && $0 % 512 == 0 }, "\(sizes)")
        #expect(witness.reading(try witness.key()).head != nil)
    }

    // MARK: - Another file while the service was running

    private func attempt(_ store: Store, _ number: Int) async -> String {
        do throws(StoreError) {
            try await store.appendIntent(Samples.visit(number), stamp: Samples.stamp)
            return "written"
        } catch {
            if case .replaced = error { return "replaced" }
            return "\(error)"
        }
    }

    @Test(arguments: ["", "-wal", "-shm", ".lock"])
    func aFileThatIsDeletedOrReplacedIsNoticedBeforeTheNextRecord(suffix: String) async throws {
        let folder = try TestFolder("store", inMemory: true)
        let store = try await Store.open(folder.database)
        #expect(await attempt(store, 1) == "written")
        #expect(await attempt(store, 2) == "written")
        let (file, aside) = (folder.database + suffix, folder.path + "/aside")
        try FileManager.default.moveItem(atPath: file, toPath: aside)
        #expect(await attempt(store, 3) == "replaced")
        try FileManager.default.copyItem(atPath: aside, toPath: file)
        #expect(await attempt(store, 4) == "replaced", "a copy is another file")
        try FileManager.default.removeItem(atPath: file)
        try FileManager.default.moveItem(atPath: aside, toPath: file)
        #expect(await attempt(store, 5) == "written")
        #expect(try await store.verify().entries == 3)
        await store.close()
    }

    @Test func aFileThatIsCutIsNoticed() async throws {
        for suffix in ["", "-wal"] {
            let folder = try TestFolder("store", inMemory: true)
            let store = try await Store.open(folder.database)
            #expect(await attempt(store, 1) == "written")
            #expect(await attempt(store, 2) == "written")
            #expect(truncate(folder.database + suffix, 0) == 0)
            #expect(await attempt(store, 3) == "replaced", "\(suffix)")
        }
    }

    @Test func aSecondWriterIsNoticed() async throws {
        let folder = try TestFolder("store", inMemory: true)
        let store = try await Store.open(folder.database)
        #expect(await attempt(store, 1) == "written")
        let reader = try LedgerReader(path: folder.database)
        #expect(try await reader.verify().entries == 1)
        #expect(await attempt(store, 2) == "written", "a reader is welcome")
        let other = try DatabaseQueue(path: folder.database)
        try await other.write { db in try db.execute(sql: "UPDATE chain SET dropped = 7") }
        try other.close()
        #expect(await attempt(store, 3) == "replaced")
        #expect(await attempt(store, 4) == "replaced", "until the restart")
        await store.close()
    }

    // MARK: - Housekeeping

    @Test func oldEntriesAreDeletedInPortionsAndOnlyByABelievedDate() async throws {
        let folder = try TestFolder("store", inMemory: true)
        var options = StoreOptions()
        (options.retention.age, options.evictionBatch) = (.seconds(100), 2)
        let store = try await Store.open(folder.database, options: options)
        try await store.connect()
        for number in 1...20 {
            var stamp = Samples.stamp
            stamp.time.utc = stamp.time.utc.advanced(by: .seconds(10 * number))
            try await store.appendOutcome(Samples.visit(number), Samples.accepted, stamp: stamp)
        }
        func kept(after seconds: Int, _ provenance: WallTime.Provenance = .rtc) async throws -> Int {
            try await store.housekeep(
                at: WallTime(utc: Samples.stamp.time.utc.advanced(by: .seconds(seconds)), provenance: provenance))
            let report = try await store.verify()
            #expect(report.isIntact, "\(report.lines)")
            return report.entries
        }
        #expect(try await kept(after: 250) == 20, "they still wait")
        try await store.confirm(upTo: 20)
        #expect(try await kept(after: 100_000, .saved) == 20)
        #expect(try await kept(after: 155) == 15)
        #expect(try await kept(after: 100_000) == 7, "eight at a time")
        await store.close()
    }

    @Test func aDatabaseThatGrowsTooLargeLosesItsOldest() async throws {
        let folder = try TestFolder("store", inMemory: true)
        var options = StoreOptions()
        (options.retention.bytes, options.evictionBatch) = (80_000, 8)
        let store = try await Store.open(folder.database, options: options)
        try await store.connect()
        for number in 1...200 {
            try await store.appendOutcome(Samples.visit(number), Samples.accepted, stamp: Samples.stamp)
            if number.isMultiple(of: 20) { try await store.housekeep(at: Samples.stamp.time) }
        }
        let report = try await store.verify()
        #expect(report.isIntact && report.start.count > 0 && report.start.count.isMultiple(of: 32))
        #expect(await store.lostReports == report.start.count)
        await store.close()
    }

    @Test func anUnreadableEntryHidesNoLaterEntry() async throws {
        let folder = try TestFolder("store", inMemory: true)
        let store = try await Store.open(folder.database)
        for number in 1...5 {
            try await store.appendOutcome(Samples.visit(number), Samples.accepted, stamp: Samples.stamp)
        }
        await store.close()
        try folder.edit(
            "UPDATE entry SET body = x'7b' WHERE position = 3; UPDATE entry SET hash = x'00' WHERE position = 2")
        let visits = try await LedgerReader(path: folder.database).visits(last: 10)
        #expect(visits.map(\.position) == [5, 4, 3, 2, 1])
        #expect(visits.map { $0.record != nil } == [true, true, false, true, true])
        #expect(visits.map { $0.hash != nil } == [true, true, true, false, true])
    }
}
