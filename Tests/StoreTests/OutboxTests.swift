import Encoding
import Foundation
import Ledger
import Testing

@testable import Store

/// Which reports go out, in what order, and which give way when there is no room.
@Suite struct OutboxTests {
    private let now = Samples.stamp.time.utc

    private func store(_ folder: TemporaryFolder, reports: Int = 50_000) async throws -> Store {
        var options = StoreOptions()
        options.outbox.reports = reports
        return try await Store.open(folder.database, options: options)
    }

    private func append(_ outcomes: [Outcome], to store: Store, from first: Int = 1) async throws {
        for (number, outcome) in outcomes.enumerated() {
            try await store.appendOutcome(Samples.visit(first + number), outcome, stamp: Samples.stamp)
        }
    }

    @Test func reportsGoOutInTheOrderOfTheVisitsWhateverTheirResult() async throws {
        let folder = try TemporaryFolder()
        let store = try await store(folder)
        try await append([Samples.rejected, Samples.accepted, Samples.junk, Samples.accepted], to: store)
        #expect(try await store.pendingReports(limit: 9).map(\.seq) == [1, 2, 3, 4])
        #expect(try await store.pendingReports(limit: 2).map(\.seq) == [1, 2])
        try await store.markSent([Samples.visit(1), Samples.visit(3)], at: now)
        try await store.requeue(sentBefore: now.advanced(by: .seconds(1)), at: now)
        #expect(
            try await store.pendingReports(limit: 9).map(\.seq) == [1, 2, 3, 4], "one sent again does not go behind")
        await store.close()
    }

    /// The acknowledgement may come before the transport's own answer.
    @Test func whatWasAcknowledgedIsNotSentAgain() async throws {
        let folder = try TemporaryFolder()
        let store = try await store(folder)
        try await append([Samples.accepted, Samples.accepted], to: store)
        try await store.markAcknowledged([Samples.visit(1)], at: now)
        #expect(try await store.pendingReports(limit: 9).map(\.seq) == [2])
        try await store.markSent([Samples.visit(1)], at: now)
        #expect(try await store.report(id: Samples.visit(1))?.state == .acknowledged)
        try await store.requeue(sentBefore: now.advanced(by: .seconds(60)), at: now)
        #expect(try await store.pendingReports(limit: 9).map(\.seq) == [2])
        await store.close()
    }

    /// One after the other gives way: what the peer confirmed, what it has, phones that brought nothing, rejections, and those
    /// for whom the gate opened last.
    @Test func whatThePeerHasGivesWayFirstAndOpenedGatesLast() async throws {
        let folder = try TemporaryFolder()
        let store = try await store(folder, reports: 5)
        try await append(
            [Samples.accepted, Samples.rejected, Samples.junk, Samples.accepted, Samples.accepted], to: store)
        try await store.markSent([Samples.visit(4)], at: now)
        try await store.markAcknowledged([Samples.visit(5)], at: now)
        var kept: [[Int]] = []
        for number in 6...10 {
            try await append([Samples.accepted], to: store, from: number)
            var numbers: [Int] = []
            for visit in 1...number where try await store.report(id: Samples.visit(visit)) != nil {
                numbers.append(visit)
            }
            kept.append(numbers)
        }
        #expect(
            kept == [[1, 2, 3, 4, 6], [1, 2, 3, 6, 7], [1, 2, 6, 7, 8], [1, 6, 7, 8, 9], [6, 7, 8, 9, 10]])
        // Two had gone out; of each that had not, the next report tells.
        let told = try await store.pendingReports(limit: 9).map { try JSON.parse($0.content)["dropped"]?.int }
        #expect(told == [0, 0, 0, 1, 1])
        await store.close()
    }

    /// A report that is queued again has its rank again: it is not taken for one that the peer has.
    @Test func oneThatIsQueuedAgainDoesNotGiveWayAsIfItWereSent() async throws {
        let folder = try TemporaryFolder()
        let store = try await store(folder, reports: 2)
        try await append([Samples.accepted, Samples.rejected], to: store)
        try await store.markSent([Samples.visit(1)], at: now)
        try await store.requeue(sentBefore: now.advanced(by: .seconds(1)), at: now)
        try await append([Samples.accepted], to: store, from: 3)
        #expect(try await store.pendingReports(limit: 9).map(\.seq) == [1, 3])
        await store.close()
    }
}
