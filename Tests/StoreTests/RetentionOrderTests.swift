import Encoding
import Foundation
import Ledger
import TestKit
import Testing

@testable import Store

/// The order of eviction for lack of room: confirmed entries first, then unconfirmed entries, which is a fault.
@Suite struct RetentionOrderTests {
    private func full(_ folder: TestFolder, confirmed: Int) async throws -> Store {
        var options = StoreOptions()
        (options.retention.bytes, options.evictionBatch) = (40_000, 4)
        let store = try await Store.open(folder.database, options: options)
        try await store.connect()
        for number in 1...120 {
            let outcome = number.isMultiple(of: 2) ? Samples.accepted : Samples.rejected
            try await store.appendOutcome(Samples.visit(number), outcome, stamp: Samples.stamp)
        }
        if confirmed > 0 { try await store.confirm(upTo: confirmed) }
        return store
    }

    @Test func confirmedEntriesAreEvictedFirst() async throws {
        let folder = try TestFolder("store", inMemory: true)
        let store = try await full(folder, confirmed: 41)
        try #require(await store.room().ledger > 40_000)
        var start = 0
        while start < 41 {
            try await store.housekeep(at: Samples.stamp.time)
            let next = try await store.verify().start.count
            #expect(next > start && next <= 41, "\(next)")
            start = next
            let lost = (await store.lostReports, await store.lostOpenings)
            #expect(lost == (0, 0))
        }
        try await store.housekeep(at: Samples.stamp.time)
        let report = try await store.verify()
        let lost = report.start.count - 41
        #expect(report.isIntact && lost > 0)
        let counted = (await store.lostReports, await store.lostOpenings)
        #expect(counted == (lost, lost / 2), "\(counted)")
        await store.close()
    }

    /// Before the store loses anything, it reports that unconfirmed entries fill it. From then on, rejected visits are
    /// only counted.
    @Test func aLedgerThatIsFilledSaysSoBeforeAnythingIsLost() async throws {
        let folder = try TestFolder("store", inMemory: true)
        let store = try await full(folder, confirmed: 0)
        #expect(try await store.isFilledWithUnconfirmed())
        #expect(await store.lostReports == 0)
        try await store.confirm(upTo: 100)
        #expect(!(try await store.isFilledWithUnconfirmed()))
        await store.close()
    }

    @Test func theShareThatIsOwedCounts() {
        var retention = Retention()
        retention.bytes = 800
        let start = ChainPoint(count: 100, hash: .genesis(ledger: "l"), nextSeq: 1)
        let end = ChainPoint(count: 200, hash: .genesis(ledger: "l"), nextSeq: 1)
        func isFilled(_ size: Int, _ firstUnconfirmed: Int?) -> Bool {
            retention.isFilled(size: size, start: start, end: end, firstUnconfirmed: firstUnconfirmed)
        }
        #expect(isFilled(701, 101) && !isFilled(700, 101))
        #expect(isFilled(701, 1), "what has gone is not owed twice")
        #expect(!isFilled(1400, 151) && isFilled(1402, 151))
        #expect(!isFilled(100_000, nil) && !isFilled(100_000, 201))
        #expect(!retention.isFilled(size: 100_000, start: start, end: start, firstUnconfirmed: 101))
    }
}
