import Encoding
import Testing

@testable import Aries

/// A keeper whose database was restored to an earlier state receives again the entries for which it had given
/// receipts.
@Suite struct RefillTests {
    private typealias Harness = DeliveryHarness

    /// Returns a ledger that is confirmed to its end, and a keeper that has only the first `keeper` entries.
    private func harness(_ count: Int = 900, keeper: Int, branch: UInt8 = 0, evicted: Int = 0) -> Harness {
        let harness = Harness(ReportSettings(confirm: .receipt), entries: count, cursor: count)
        for position in 0..<keeper { harness.peer.stored[position + 1] = harness.entries[position] }
        harness.peer.head = Harness.point(keeper, branch)
        harness.evicted = evicted
        return harness
    }

    private func cursors(_ harness: Harness) -> [Int] {
        harness.seen.compactMap { if case .confirmed(let point, _) = $0 { point.position } else { nil } }
    }

    @Test func lostEntriesAreSentAgainAndTheCursorStays() {
        let harness = harness(keeper: 300)
        harness.feed(.connected)
        #expect(harness.seen.contains(.refill(after: 300)))
        #expect(harness.batches.first?.first == 301 && harness.peer.stored.keys.sorted() == Array(1...900))
        #expect(cursors(harness).isEmpty && harness.delivery.confirmed == 900)
        harness.grow(10, isUrgent: true)
        #expect(cursors(harness) == [910] && harness.batches.last == Array(901...910) && !harness.isEndless)
    }

    /// The daily query finds the gap even while the kiosk is in service.
    @Test func theDailyQuestionFindsIt() {
        let harness = harness(keeper: 900)
        harness.feed(.connected)
        harness.run(for: .seconds(3600))
        #expect(harness.batches.isEmpty)
        for position in 500...900 { harness.peer.stored[position] = nil }
        harness.peer.head = Harness.point(499)
        harness.run(for: .seconds(86_400))
        #expect(harness.peer.stored.count == 900 && cursors(harness).isEmpty)
    }

    @Test(arguments: [(0, 0), (900, 0), (300, 1)] as [(Int, UInt8)])
    func otherHeadsStartNoRefill(keeper: Int, branch: UInt8) {
        let harness = harness(keeper: keeper, branch: branch)
        harness.feed(.connected)
        harness.run(for: .seconds(3600))
        #expect(
            harness.batches.isEmpty,
            "nothing of it, or all: a new connection; of another branch: our ledger is not theirs")
        #expect(harness.seen.contains { if case .claimed = $0 { true } else { false } } == (branch == 1))
    }

    /// The keeper stops during the refill, and part of the entries is no longer kept here; the refill
    /// continues where it stopped.
    @Test func itGoesOnWhereItStopped() {
        let harness = harness(keeper: 100, evicted: 200)
        harness.peer.problem = { message in
            let positions = (try? ReportRecords(message.json(.didcomm)))?.entries.map(\.position)
            return positions?.contains(700) == true ? VerificationReport.Trouble.notStored : nil
        }
        harness.feed(.connected)
        #expect(
            harness.delivery.hold == .notStored && harness.peer.stored[699] == nil && harness.peer.stored[400] != nil)
        #expect(harness.seen.contains(.gone(101...200)))
        harness.peer.head = Harness.point(harness.peer.stored.keys.max() ?? 0)
        harness.peer.problem = { _ in nil }
        harness.run(for: .seconds(900))
        #expect(harness.peer.stored.keys.sorted() == Array(1...100) + Array(201...900))
        #expect(harness.delivery.hold == nil && harness.seen.contains(.released) && !harness.isEndless)
        #expect(harness.messages.count < 30)
    }

    /// A peer that always claims to have less receives the entries once a day, and new entries in any case.
    @Test func aPeerThatAlwaysRequestsMoreIsBounded() {
        let harness = harness(keeper: 300)
        harness.feed(.connected)
        let sent = harness.messages.count
        harness.run(for: .seconds(86_399))
        harness.grow(5, isUrgent: true)
        #expect(harness.cursor == 905 && harness.messages.count == sent + 1)
        harness.run(for: .seconds(10 * 86_400))
        #expect(harness.messages.count <= 12 * (sent + 1) && !harness.isEndless)
    }
}
