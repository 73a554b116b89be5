import Encoding
import Foundation
import Ledger
import TestKit
import Testing

@testable import Store

/// The unconfirmed entries of a destination, the connections that may confirm them, and the order of eviction for lack
/// of room.
@Suite struct OutboxTests {
    private let primary = DeliveryCursor.primary

    private func append(_ numbers: ClosedRange<Int>, to store: Store) async throws {
        for number in numbers {
            try await store.appendIntent(Samples.visit(number), stamp: Samples.stamp)
            let outcome = number.isMultiple(of: 2) ? Samples.rejected : Samples.accepted
            try await store.appendOutcome(Samples.visit(number), outcome, stamp: Samples.stamp)
        }
    }

    @Test func entriesAfterTheCursorWaitAndSurviveARestart() async throws {
        let folder = try TestFolder("store", inMemory: true)
        var store = try await Store.open(folder.database)
        try await store.connect()
        try await append(1...4, to: store)
        #expect(try await store.waiting().map(\.record.seq) == [1, 2, 3, 4])
        try await store.confirm(upTo: 4)
        #expect(try await store.waiting().map(\.record.seq) == [3, 4])
        #expect(try await store.visits(last: 9).map(\.report) == [.queued, .queued, .confirmed, .confirmed])
        await store.close()
        store = try await Store.open(folder.database)
        #expect(await store.deliveries == [primary: DeliveryCursor(primary, confirmed: 4, connection: "agent")])
        await store.close()
    }

    @Test func onlyThePresentConnectionConfirmsAndOnlyWhatIsThere() async throws {
        let folder = try TestFolder("store", inMemory: true)
        let both = try await Databases.open(folder.database)
        try await both.connect("old")
        try await both.connect("new")
        try await append(1...3, to: both.store)
        for (position, connection) in [(2, "old"), (2, "other"), (7, "new"), (0, "new"), (-1, "new"), (.max, "new")]
            as [(Int, Text)]
        {
            #expect(
                try await both.confirm(upTo: position, over: connection).cursor.confirmed == 0,
                "\(position) \(connection)")
        }
        #expect(try await both.courier.connections().map(\.isDeleting) == [false, false])
        #expect(try await both.confirm(upTo: 5, over: "new").cursor.confirmed == 5)
        #expect(try await both.confirm(upTo: 4, over: "new").cursor.confirmed == 5, "never back")
        await both.close()
    }

    /// The next outcome counts the reports that the primary destination refuses, once. Refusals of a copy agent are not
    /// counted.
    @Test func refusedReportsAreCounted() async throws {
        let folder = try TestFolder("store", inMemory: true)
        let store = try await Store.open(folder.database)
        try await store.connect()
        try await store.connect("other", to: "copy")
        try await append(1...3, to: store)
        func confirm(_ name: Text, upTo position: Int, passedOver: [Int]) async throws {
            let connection: Text = name == primary ? "agent" : "other"
            _ = try await store.confirm(name, upTo: position, over: connection, passedOver: passedOver)
        }
        try await confirm("copy", upTo: 2, passedOver: [1, 2])
        #expect(await store.head.dropped == 0)
        // The intent at position 1 is not a report.
        try await confirm(primary, upTo: 2, passedOver: [1, 2])
        #expect(await store.head.dropped == 1)
        try await confirm(primary, upTo: 2, passedOver: [2])
        try await confirm(primary, upTo: 3, passedOver: [2, 4])
        #expect(await store.head.dropped == 1)
        try await append(4...4, to: store)
        #expect(try await store.waiting().map(\.record.dropped) == [0, 0, 1])
        // A refused record contains a count of earlier losses. The next record repeats the count.
        try await confirm(primary, upTo: 8, passedOver: [8])
        try await append(5...5, to: store)
        #expect(try await store.waiting().map(\.record.dropped) == [2])
        #expect(try await store.audit().isIntact)
        await store.close()
    }

    /// The old connection is kept until the new connection has confirmed an entry, and cannot become the route again.
    @Test func aNewConnectionGoesOnAtTheCursorAndTheOldOneIsForgotten() async throws {
        let folder = try TestFolder("store", inMemory: true)
        let both = try await Databases.open(folder.database)
        try await both.connect("old")
        try await append(1...3, to: both.store)
        try await both.confirm(upTo: 2, over: "old")
        #expect(try await both.takeOver(primary, by: "never stored").connection == "old")
        try await both.connect("new")
        #expect(await both.store.deliveries[primary] == DeliveryCursor(primary, confirmed: 2, connection: "new"))
        #expect(try await both.takeOver(primary, by: "old").connection == "new")
        #expect(try await both.courier.connections().map(\.id) == ["old", "new"])
        try await both.courier.saveConnection("old", [2])
        #expect(try await both.courier.connections().map(\.id) == ["old", "new"], "it does not become the newer one")
        let replaced = try await both.confirm(upTo: 4, over: "new", handled: [[7], [8]]).replaced
        #expect(replaced == ["old"])
        #expect(
            try await both.courier.connections().map(\.isDeleting) == [true, false], "kept until its agent was told")
        #expect(try await both.confirm(upTo: 5, over: "new").replaced.isEmpty, "told once")
        try await both.courier.saveConnection("old", [3])
        #expect(try await both.takeOver(primary, by: "old").connection == "new", "what it still says changes nothing")
        try await both.courier.finishDeletion(of: "old")
        #expect(try await both.courier.connections().map(\.id) == ["new"])
        #expect(try await both.courier.handledMessages(last: 9) == [[7], [8]])
        await both.close()
    }

    @Test func aReceiptIsKeptUntilTheNext() async throws {
        let folder = try TestFolder("store", inMemory: true)
        let store = try await Store.open(folder.database)
        try await store.connect()
        try await append(1...3, to: store)
        let hash = try #require(try await store.hash(at: 4))
        try await store.confirm(primary, upTo: 4, receipt: hash, over: "agent")
        try await store.confirm(upTo: 5)
        await store.close()
        let again = try await Store.open(folder.database)
        let cursor = try #require(await again.deliveries[primary])
        #expect(cursor.confirmed == 5 && cursor.receipt == Checkpoint(ledger: nil, count: 4, hash: hash))
        #expect(try await again.hash(at: 0) == .genesis(ledger: again.head.ledger))
        #expect(try await again.hash(at: 99) == nil)
        await again.close()
    }

    @Test func destinationsHaveCursorsOfTheirOwn() async throws {
        let folder = try TestFolder("store", inMemory: true)
        let both = try await Databases.open(folder.database)
        let store = both.store
        try await store.cursor(of: "copy")
        try await both.connect("a")
        try await both.connect("b", to: "copy")
        try await append(1...3, to: store)
        try await store.confirm(upTo: 6, over: "a")
        #expect(
            try await both.confirm("copy", upTo: 6, over: "a").cursor.confirmed == 0, "nobody confirms for another")
        #expect(try await both.takeOver("copy", by: "a").connection == "b")
        #expect(try await store.waiting().isEmpty)
        #expect(try await store.waiting(for: "copy").map(\.record.seq) == [1, 2, 3])
        try await both.forgetDestinations(except: [])
        #expect(await Array(store.deliveries.keys) == [primary])
        #expect(try await both.courier.connections().map(\.id) == ["a"])
        await both.close()
    }

    /// Unconfirmed records stay as long as there is room. Then the oldest records are evicted and counted, including
    /// the losses that they report.
    @Test func evictedUnconfirmedRecordsAreCounted() async throws {
        let folder = try TestFolder("store", inMemory: true)
        let store = try await Store.open(folder.database, options: .small)
        try await store.connect()
        try await append(1...30, to: store)
        #expect(try await store.verify().entries == 60, "all of them wait")
        try await append(31...200, to: store)
        let waiting = try await store.waiting().map(\.record)
        let told = waiting.reduce(0) { $0 + $1.dropped }
        #expect(waiting.count + told + (await store.head.dropped) == 200)
        #expect(await store.lostReports == 200 - waiting.count)
        #expect(waiting.count >= 30 && waiting.last?.seq == 200)
        #expect(try await store.verify().isIntact)
        await store.close()
    }

    /// Without a connection no report is due, and evicted records are not counted as lost.
    @Test func withoutAConnectionNothingIsLost() async throws {
        let folder = try TestFolder("store", inMemory: true)
        let store = try await Store.open(folder.database, options: .small)
        try await append(1...50, to: store)
        #expect(try await store.verify().entries < 30)
        #expect(await store.lostReports == 0)
        #expect(await store.head.dropped == 0)
        #expect(try await store.visits(last: 1).map(\.report) == [.nobody])
        await store.close()
    }
}
