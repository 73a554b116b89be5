import Encoding
import Foundation
import Ledger
import TestKit
import Testing

@testable import Store

@Suite struct StoreTests {
    @Test func aVisitIsRecordedReportedAndProven() async throws {
        let folder = try TestFolder("store")
        let store = try await Store.open(folder.database)
        try await store.appendIntent(Samples.visit(1), stamp: Samples.stamp)
        let record = try await store.appendOutcome(Samples.visit(1), Samples.accepted, stamp: Samples.stamp)
        #expect(record.seq == 1 && record.intent == 1)
        let entries = try await store.entries(after: 1, limit: 10)
        #expect(entries.map(\.body) == [LedgerRecord.outcome(record).bytes])
        let report = try await store.verify()
        #expect(report.isIntact && report.entries == 2 && report.openIntents.isEmpty)
        try await store.connect()
        #expect(try await store.visits(last: 9).map(\.report) == [.queued])
        try await store.confirm(upTo: 2)
        #expect(try await store.visits(last: 9).map(\.report) == [.confirmed])
        await store.close()
    }

    @Test func admittedCredentialsSurviveARestartInARing() async throws {
        let folder = try TestFolder("store")
        var options = StoreOptions()
        options.replays = 3
        let names = try (0..<5 as Range<UInt8>).map {
            try #require(ReplayName([UInt8](repeating: $0, count: ReplayName.byteCount)))
        }
        var store = try await Store.open(folder.database, options: options)
        func letIn(_ names: [ReplayName], at date: Timestamp) -> UnwrittenDecision {
            var stamp = Samples.stamp
            stamp.time.utc = date
            return Samples.decision(1, names: names, stamp: stamp)
        }
        let first = letIn([names[0], names[1]], at: Timestamp(seconds: 7, nanoseconds: 5))
        _ = try await store.append([], [], decisions: [first])
        for name in names[2...] {
            _ = try await store.append([], [], decisions: [letIn([name], at: Timestamp(seconds: 8))])
        }
        await store.close()
        store = try await Store.open(folder.database, options: options)
        let kept = try await store.replays()
        #expect(kept.map(\.name) == Array(names[2...]) && kept.map(\.at.seconds) == [8, 8, 8])
        // The next entry evicts the oldest entry. Only the newest entry of a name is removed. A name without an entry
        // is not an error.
        let ends = [[names[3]], [names[4], names[0]]].enumerated().map { number, names in
            UnwrittenOutcome(
                visit: Samples.visit(number), outcome: Samples.accepted, stamp: Samples.stamp, forgotten: names)
        }
        _ = try await store.append([], ends, decisions: [letIn([names[3]], at: Timestamp(seconds: 9))])
        #expect(try await store.replays().map(\.name) == [names[3]])
        await store.close()
    }

    @Test func everythingSurvivesARestart() async throws {
        let folder = try TestFolder("store")
        var store = try await Store.open(folder.database)
        try await store.appendIntent(Samples.visit(1), stamp: Samples.stamp)
        try await store.appendOutcome(Samples.visit(1), Samples.accepted, stamp: Samples.stamp)
        try await store.appendIntent(Samples.visit(2), stamp: Samples.stamp)
        let key = try await store.siteKey().name(ofSignedContent: [1])
        #expect(try await store.countStart() == 1)
        let head = await store.head
        await store.close()

        store = try await Store.open(folder.database)
        #expect(await store.head == head)
        #expect(await store.savedClock == Samples.stamp.time.utc)
        #expect(try await store.countStart() == 2)
        #expect(try await store.siteKey().name(ofSignedContent: [1]) == key)
        let closed = try await store.recover(stamp: Samples.stamp, software: Samples.software)
        #expect(closed.map(\.seq) == [2] && closed.map(\.outcome.result) == [.interrupted])
        #expect(try await store.recover(stamp: Samples.stamp, software: Samples.software).isEmpty)
        #expect(try await store.waiting().map(\.record.seq) == [1, 2])
        #expect(try await store.verify().isIntact)
        await store.close()
    }

    @Test func manyVisitsAtOnceShareCommitsAndKeepTheirNumbers() async throws {
        let folder = try TestFolder("store")
        let store = try await Store.open(folder.database)
        try await withThrowingTaskGroup(of: Void.self) { group in
            for number in 1...200 {
                group.addTask {
                    try await store.appendIntent(Samples.visit(number), stamp: Samples.stamp)
                    try await store.appendOutcome(Samples.visit(number), Samples.rejected, stamp: Samples.stamp)
                }
            }
            try await group.waitForAll()
        }
        #expect(try await store.waiting().map(\.record.seq).sorted() == Array(1...200))
        let report = try await store.verify()
        #expect(report.isIntact && report.entries == 400)
        await store.close()
    }

    @Test func aBrokenRuleAffectsNoOtherRecord() async throws {
        let folder = try TestFolder("store")
        let store = try await Store.open(folder.database)
        try await store.appendOutcome(Samples.visit(1), Samples.accepted, stamp: Samples.stamp)
        async let good: Void = { try await store.appendIntent(Samples.visit(2), stamp: Samples.stamp) }()
        await #expect(throws: StoreError.refused(.visitClosed)) {
            try await store.appendOutcome(Samples.visit(1), Samples.accepted, stamp: Samples.stamp)
        }
        await #expect(throws: StoreError.refused(.visitClosed)) {
            try await store.appendIntent(Samples.visit(1), stamp: Samples.stamp)
        }
        try await good
        #expect(try await store.verify().isIntact)
        await store.close()
        await #expect(throws: StoreError.closed) { try await store.countStart() }
    }

    @Test func onlyOneProcessOwnsTheFile() async throws {
        let folder = try TestFolder("store")
        let store = try await Store.open(folder.database)
        await #expect(throws: StoreError.locked(path: folder.database, owner: getpid())) {
            try await Store.open(folder.database)
        }
        await store.close()
    }

    @Test func filesArePrivateAndUnsafeFoldersAreRefused() async throws {
        let folder = try TestFolder("store")
        let store = try await Store.open(folder.database)
        try await store.appendIntent(Samples.visit(1), stamp: Samples.stamp)
        for name in try FileManager.default.contentsOfDirectory(atPath: folder.path) {
            let mode =
                try FileManager.default.attributesOfItem(atPath: folder.path + "/" + name)[.posixPermissions] as? Int
            #expect(mode == 0o600, "\(name)")
        }
        await store.close()
        chmod(folder.path, 0o770)
        await #expect(throws: StoreError.unsafeFolder(path: folder.path, detail: "can be written by other users")) {
            try await Store.open(folder.database)
        }
        chmod(folder.path, 0o700)
    }

    @Test func foreignAndDamagedFilesAreNamed() async throws {
        let folder = try TestFolder("store")
        try Data(repeating: 0x41, count: 8192).write(to: URL(fileURLWithPath: folder.database))
        await #expect { try await Store.open(folder.database) } throws: { error in
            if case .corrupt = error as? StoreError { true } else { false }
        }
        #expect(throws: StoreError.absent(path: folder.path + "/none")) {
            try LedgerReader(path: folder.path + "/none")
        }
    }

    @Test func readersWorkWithAndWithoutTheOwner() async throws {
        let folder = try TestFolder("store")
        let store = try await Store.open(folder.database)
        try await store.appendOutcome(Samples.visit(1), Samples.accepted, stamp: Samples.stamp)
        let reader = try LedgerReader(path: folder.database)
        #expect(try await reader.verify().entries == 1)
        try await store.appendOutcome(Samples.visit(2), Samples.accepted, stamp: Samples.stamp)
        #expect(try await reader.visits(last: 10).map(\.record?.seq) == [2, 1])
        await store.close()
        let later = try LedgerReader(path: folder.database)
        #expect(try await later.verify().isIntact)
        #expect(try await later.entries(after: 1, limit: 10).map(\.position) == [2])
    }

    @Test func oldEntriesGoAndTheRestStaysProvable() async throws {
        let folder = try TestFolder("store")
        var store = try await Store.open(folder.database, options: .small)
        try await store.connect()
        for number in 1...20 {
            try await store.appendIntent(Samples.visit(number), stamp: Samples.stamp)
            try await store.appendOutcome(Samples.visit(number), Samples.accepted, stamp: Samples.stamp)
        }
        #expect(try await store.verify().entries == 40)  // all of them wait
        try await store.confirm(upTo: 40)
        try await store.housekeep(at: Samples.stamp.time)
        await store.close()
        store = try await Store.open(folder.database, options: .small)
        var report = try await store.verify()
        #expect(report.isIntact, "\(report.lines)")
        #expect(report.start.count == 16 && report.entries == 24)
        for number in 21...60 {
            try await store.appendOutcome(Samples.visit(number), Samples.accepted, stamp: Samples.stamp)
        }
        report = try await store.verify()
        #expect(report.isIntact, "\(report.lines)")
        #expect(report.entries <= 60)
        #expect(try await store.waiting().map(\.record.seq) == Array(21...60))
        await store.close()
    }

    @Test func anEditedDatabaseIsFound() async throws {
        let folder = try TestFolder("store")
        let store = try await Store.open(folder.database)
        for number in 1...5 {
            try await store.appendIntent(Samples.visit(number), stamp: Samples.stamp)
            if number < 5 {
                try await store.appendOutcome(Samples.visit(number), Samples.accepted, stamp: Samples.stamp)
            }
        }
        await store.close()
        let pristine = try Data(contentsOf: URL(fileURLWithPath: folder.database))
        for sql in [
            "UPDATE entry SET body = CAST(replace(body, 'accepted', 'rejected') AS BLOB) WHERE position = 4",
            "DELETE FROM entry WHERE position = 3", "DELETE FROM entry WHERE position = 9", "DELETE FROM open_visit",
            "UPDATE delivery SET confirmed = 99",
            "UPDATE chain SET count = 8", "UPDATE chain SET next_seq = 99", "UPDATE chain SET ledger = 'other'",
        ] {
            try pristine.write(to: URL(fileURLWithPath: folder.database))
            try folder.edit(sql)
            let report = try await LedgerReader(path: folder.database).verify()
            #expect(!report.isIntact, "\(sql)")
        }
    }
}
