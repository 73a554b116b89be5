import Dispatch
import Encoding
import Foundation
import GRDB
import Ledger
import Synchronization
import TestKit
import Testing

@testable import Store

/// A copy of the database made while the service runs, and a start of the service on a restored copy.
@Suite(.timeLimit(.minutes(3))) struct CopyTests {
    private func record(_ numbers: ClosedRange<Int>, _ store: Store) async throws {
        // Record as many visits at a time as the ledger permits to be open together.
        for first in stride(from: numbers.lowerBound, through: numbers.upperBound, by: 50) {
            let visits = (first...min(first + 49, numbers.upperBound)).map(Samples.visit)
            let refused = try await store.append(
                visits.map { UnwrittenIntent(intent: $0, stamp: Samples.stamp) },
                visits.map { UnwrittenOutcome(visit: $0, outcome: Samples.accepted, stamp: Samples.stamp) })
            #expect(refused.isEmpty)
        }
    }

    /// A copy that is paused in the middle delays no commit. The copy contains the state at its beginning.
    @Test(.tags(.realTime)) func aWriterNeverWaitsForACopy() async throws {
        let folder = try TestFolder("store", inMemory: true)
        let store = try await Store.open(folder.database)
        try await record(1...1500, store)
        let before = await store.head.point
        let (began, goOn) = (AsyncStream.makeStream(of: Void.self), DispatchSemaphore(value: 0))
        let steps = Mutex(0)
        let target = folder.path + "/copy"
        async let copy: Void = LedgerReader(path: folder.database).copy(to: target) { done, total in
            let step = steps.withLock { steps in
                steps += 1
                return steps
            }
            guard step == 1, done < total else { return }
            began.continuation.yield()
            _ = goOn.wait(timeout: .now() + 60)
        }
        for await _ in began.stream { break }
        try await record(1501...1600, store)
        try await store.housekeep(at: Samples.stamp.time)
        try await store.copyLog()
        goOn.signal()
        try await copy
        #expect(steps.withLock { $0 } > 1)
        #expect(await store.head.point.count == before.count + 200)
        let reader = try LedgerReader(path: target)
        let report = try await reader.verify()
        #expect(report.isIntact && report.end == before, "\(report.lines)")
        #expect(try FileManager.default.attributesOfItem(atPath: target)[.posixPermissions] as? Int == 0o600)
        #expect(!FileManager.default.fileExists(atPath: target + "-wal"))
        #expect(try await store.verify().isIntact)
        await store.close()
    }

    /// Neither a cancelled copy nor a copy to an unwritable target leaves a file.
    @Test func aCopyThatEndsEarlyLeavesNothing() async throws {
        let folder = try TestFolder("store", inMemory: true)
        let store = try await Store.open(folder.database)
        // The records fill more pages than one step copies.
        try await record(1...1500, store)
        let reader = try LedgerReader(path: folder.database)
        await #expect(throws: StoreError.self) {
            try await reader.copy(to: folder.path + "/copy") { _, _ in throw CancellationError() }
        }
        await #expect(throws: StoreError.self) { try await reader.copy(to: folder.path + "/nowhere/copy") { _, _ in } }
        #expect(
            try FileManager.default.contentsOfDirectory(atPath: folder.path).allSatisfy {
                $0.hasPrefix("gatehouse.sqlite")
            })
        await store.close()
    }

    /// Restores the database as the restore command does.
    private func putBack(_ witnessed: WitnessedLedger) throws {
        let place = try StoppedStore(path: witnessed.folder.database)
        try FileManager.default.copyItem(atPath: witnessed.folder.database, toPath: place.staged)
        let key = try witnessed.source.key()
        try place.prepare(
            mark: RestoredMark(finding: "put back"), sealedBy: nil, key: key, witness: witnessed.source.reading(key))
        _ = try place.commit()
    }

    /// Returns the witness source with the program's reason code, because the database must not choose the code.
    private func source(_ witnessed: WitnessedLedger) -> WitnessSource {
        var source = witnessed.source
        source.restoredCode = "code.of-a-restore"
        return source
    }

    /// The first record names the restored ledger. The connections stay, sequence numbers are skipped, and a visit that
    /// was open in the restored ledger is reported as lost and not closed again.
    @Test(arguments: [true, false]) func aMarkBeginsAnotherLedger(hasKey: Bool) async throws {
        let witnessed = try await WitnessedLedger(StoreOptions())
        let folder = witnessed.folder
        try putBack(witnessed)
        if !hasKey { try Data("no key".utf8).write(to: URL(fileURLWithPath: witnessed.source.keyPath)) }
        // A command leaves the start of a new ledger to the service.
        var options = StoreOptions()
        options.mayBeginNewLedger = false
        await #expect(throws: StoreError.self) {
            _ = try await Store.open(folder.database, options: options, witness: witnessed.source)
        }
        var store = try await Store.open(folder.database, witness: source(witnessed))
        #expect(store.hasBegunNewLedger)
        if hasKey { #expect(store.standing == .restored("put back")) }
        try await store.begin(stamp: Samples.stamp, software: Samples.software)
        #expect(try await store.recover(stamp: Samples.stamp, software: Samples.software).isEmpty)
        try await record(50...50, store)
        let entries = try await store.entries(after: 0, limit: 10)
        guard case .outcome(let first) = try LedgerRecord(bytes: entries[0].body),
            case .intent(let next) = try LedgerRecord(bytes: entries[1].body)
        else {
            Issue.record("other records")
            return
        }
        #expect(first.outcome.predecessor?.ledger == witnessed.ledger)
        #expect(first.outcome.predecessor?.count == witnessed.count)
        #expect(first.outcome.reasons.map(\.code) == ["code.of-a-restore"] && first.outcome.finding == "put back")
        #expect(next.seq > RestoredMark.gap)
        #expect(first.dropped >= 1)
        let courier = try await Databases.attach(store).courier
        #expect(Set(try await courier.connections().map(\.id)) == ["agent", "other"])
        await courier.close()
        #expect(await store.deliveries.values.allSatisfy { $0.confirmed == 0 && $0.connection != nil })
        #expect(try await store.verify().isIntact)
        await store.close()
        // The next start does not begin another ledger.
        store = try await Store.open(folder.database, witness: hasKey ? witnessed.source : nil)
        #expect(!store.hasBegunNewLedger)
        await store.close()
    }

    /// Changes by an attacker who can write the database but lacks the key, and who marks the change as a restore.
    enum Forgery: String, CaseIterable {
        case aRecordAndAMark, aMarkAlone, aMarkOfBefore, figuresBehindAMark
    }

    @Test(arguments: Forgery.allCases) func aForgedMarkExcusesNothing(_ forgery: Forgery) async throws {
        let witnessed = try await WitnessedLedger(StoreOptions())
        let (folder, source) = (witnessed.folder, source(witnessed))
        let mark = #"{"code":"code.of-somebody","finding":"put back"}"#
        let row = "INSERT OR REPLACE INTO setting VALUES ('restored', CAST('\(mark)' AS BLOB))"
        switch forgery {
        case .aRecordAndAMark:
            try folder.edit(
                "UPDATE entry SET body = CAST('{}' AS BLOB) WHERE position = 3; UPDATE chain SET dropped = 3; \(row)")
        case .aMarkAlone: try folder.edit(row)
        case .aMarkOfBefore:
            try putBack(witnessed)
            let store = try await Store.open(folder.database, witness: source)
            #expect(store.standing == .restored("put back"))
            try await store.begin(stamp: Samples.stamp, software: Samples.software)
            await store.close()
            try FileManager.default.removeItem(atPath: folder.database)
            try FileManager.default.copyItem(atPath: folder.database + ".rewritten-1", toPath: folder.database)
        case .figuresBehindAMark:
            try putBack(witnessed)
            try folder.edit("UPDATE chain SET dropped = 3")
        }
        let store = try await Store.open(folder.database, witness: source)
        guard case .rewritten(let finding)? = store.standing else {
            Issue.record("\(String(describing: store.standing))")
            return
        }
        #expect(finding != "put back")
        try await store.begin(stamp: Samples.stamp, software: Samples.software)
        let first = try #require(try await store.entries(after: 0, limit: 1).first)
        guard case .outcome(let record) = try LedgerRecord(bytes: first.body) else {
            Issue.record("another record")
            return
        }
        #expect(record.outcome.reasons.map(\.code) == ["code.of-the-table"])
        // In every case no sequence number is given twice.
        #expect(record.seq > RestoredMark.gap)
        await store.close()
        let again = try await Store.open(folder.database, witness: source)
        #expect(again.standing == .continued)
        await again.close()
    }
}
