import Encoding
import Testing

@testable import Aries

/// The peer's memory of the ledger as evidence against this box.
@Suite struct FarWitnessTests {
    private typealias Harness = DeliveryHarness

    private func harness(head: ReportPoint?, entries: Int = 20, evicted: Int = 0, receipt: ReportPoint? = nil)
        -> Harness
    {
        let harness = Harness(entries: entries, cursor: entries, receipt: receipt)
        harness.peer.head = head
        harness.evicted = evicted
        harness.feed(.connected)
        return harness
    }

    private func behind(_ harness: Harness) -> [ReportPoint] {
        harness.seen.compactMap { if case .behind(let point) = $0 { point } else { nil } }
    }

    @Test func aHeadThatTheLedgerContainsIsFine() {
        for position in [0, 1, 19, 20] {
            #expect(behind(harness(head: Harness.point(position))).isEmpty, "\(position)")
        }
        #expect(behind(harness(head: nil)).isEmpty)
        // An entry that is no longer kept can prove nothing.
        #expect(behind(harness(head: Harness.point(5, 1), evicted: 10)).isEmpty)
    }

    @Test func aLedgerThatIsOlderThanThePeersIsBehind() {
        #expect(behind(harness(head: Harness.point(21))) == [Harness.point(21)])
        #expect(behind(harness(head: Harness.point(1 << 53))) == [Harness.point(1 << 53)])
    }

    @Test func aLedgerThatDiffersFromThePeersIsBehind() {
        #expect(behind(harness(head: Harness.point(20, 1))) == [Harness.point(20, 1)])
        #expect(behind(harness(head: Harness.point(7, 1))) == [Harness.point(7, 1)])
    }

    @Test func theKeptReceiptIsHeldAgainstTheLedgerWithoutThePeer() {
        let old = harness(head: nil, receipt: Harness.point(25))
        #expect(behind(old) == [Harness.point(25)])
        #expect(behind(harness(head: nil, receipt: Harness.point(12, 1))) == [Harness.point(12, 1)])
        #expect(behind(harness(head: nil, receipt: Harness.point(12))).isEmpty)
    }

    @Test func aCursorBeyondTheEndKeepsNothingBack() {
        let harness = Harness(entries: 10, cursor: 30)
        harness.feed(.connected)
        harness.grow(2, isUrgent: true)
        #expect(harness.peer.stored.keys.sorted() == [11, 12])
    }

    @Test func thePeerIsAskedAtTheStartAndDaily() {
        let harness = harness(head: Harness.point(20))
        func queries() -> Int { harness.messages.count { $0.message.name == "head-query" } }
        #expect(queries() == 1)
        harness.run(for: .seconds(86_399))
        #expect(queries() == 1)
        harness.peer.head = Harness.point(33)
        harness.run(for: .seconds(1))
        #expect(queries() == 2 && behind(harness) == [Harness.point(33)])
        harness.run(for: .seconds(86_400 * 10))
        #expect(queries() == 12)
        #expect(Set(harness.messages.filter { $0.message.name == "head-query" }.map(\.message.id)).count == 12)
    }

    @Test func nobodyIsHeardWhoWasNotAsked() {
        let harness = harness(head: Harness.point(20))
        harness.feed(.head(Harness.point(99)))
        #expect(harness.seen.last == .discarded(.notAsked))
        harness.peer.head = ReportPoint(ledger: "other", position: 99, hash: Harness.hash(99))
        harness.run(for: .seconds(86_400))
        #expect(harness.seen.last == .discarded(.otherLedger) && behind(harness).isEmpty)
    }

    @Test func nothingIsSentBeforeTheHeadIsKnownOrItsTimeIsOver() {
        let harness = Harness(entries: 5)
        harness.peer.head = nil
        harness.feed(.connected)
        #expect(harness.batches.isEmpty)
        harness.run(for: .seconds(10))
        #expect(harness.batches == [[1, 2, 3, 4, 5]])
    }
}
