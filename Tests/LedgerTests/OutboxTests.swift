import Encoding
import Testing

@testable import Ledger

@Suite struct OutboxTests {
    private func point(_ count: Int) -> ChainPoint {
        ChainPoint(count: count, hash: .genesis(ledger: "l"), nextSeq: 1)
    }

    @Test func aCursorMovesForwardAndNeverBeyondTheEnd() {
        var cursor = DeliveryCursor(DeliveryCursor.primary)
        #expect(cursor.firstUnconfirmed == nil && cursor.state(of: 1) == .nobody, "nobody to send to: nothing is owed")
        #expect(!cursor.isKnown)
        cursor.takeOver(by: "one")
        #expect(cursor.firstUnconfirmed == 1 && cursor.state(of: 1) == .queued)
        let positions = [7, 7, 6, 0, -1, 10, Int.max, Int.min]
        let moved = positions.map { cursor.confirm(upTo: $0, end: point(9)) }
        #expect(moved == [true] + [Bool](repeating: false, count: 7))
        #expect(cursor.confirmed == 7 && cursor.firstUnconfirmed == 8)
        #expect(cursor.state(of: 7) == .confirmed && cursor.state(of: 8) == .queued)
        cursor.takeOver(by: "two")
        #expect(cursor.confirmed == 7, "it goes on where the last one ended")
        #expect(cursor.isKnown)
        var left = cursor
        left.letGo()
        #expect(left.firstUnconfirmed == nil && left.isKnown, "what waited waits for whoever comes next")
        #expect(left.state(of: 7) == .confirmed && left.state(of: 8) == .queued)
        #expect(cursor.inNewLedger == DeliveryCursor(DeliveryCursor.primary, confirmed: 0, connection: "two"))
    }

    @Test func aVisitWeighsWhatItDidAtTheGate() {
        #expect(Samples.accepted.weight == .opened && Samples.rejected.weight == .ordinary)
        #expect(Recovery.outcome(software: Samples.software).weight == .opened, "the gate may have opened")
        var failed = Outcome(
            .failed, reasons: [Outcome.Reason("transfer.silence")], gate: .shut, software: Samples.software)
        #expect(failed.weight == .junk)
        failed.reasons = [Outcome.Reason("internal")]
        #expect(failed.weight == .ordinary)
        failed.reasons = []
        #expect(failed.weight == .ordinary)
        failed.reasons = [Outcome.Reason("transfer.silence")]
        failed.credential = Samples.accepted.credential
        #expect(failed.weight == .ordinary)
        failed.gate = .pulsed(milliseconds: 1)
        #expect(failed.weight == .opened)
    }

    @Test func evictionStopsAtOpenAndUnconfirmedUntilTheHardBound() {
        var retention = Retention()
        (retention.entries, retention.hardEntries) = (10, 20)
        #expect(retention.evictable(start: point(0), end: point(10), firstOpen: nil, firstUnconfirmed: nil) == nil)
        #expect(retention.evictable(start: point(0), end: point(15), firstOpen: nil, firstUnconfirmed: nil) == 5)
        #expect(retention.evictable(start: point(3), end: point(15), firstOpen: nil, firstUnconfirmed: 2) == nil)
        #expect(retention.evictable(start: point(0), end: point(15), firstOpen: nil, firstUnconfirmed: 4) == 3)
        #expect(retention.evictable(start: point(0), end: point(15), firstOpen: 2, firstUnconfirmed: 4) == 1)
        #expect(retention.evictable(start: point(0), end: point(25), firstOpen: nil, firstUnconfirmed: 1) == 5)
        #expect(retention.evictable(start: point(0), end: point(25), firstOpen: 1, firstUnconfirmed: 1) == nil)
        #expect(retention.evictable(upTo: 9, start: point(3), firstOpen: nil, firstUnconfirmed: nil) == 9)
        #expect(retention.evictable(upTo: 9, start: point(3), firstOpen: 8, firstUnconfirmed: 6) == 5)
        #expect(retention.evictable(upTo: 9, start: point(3), firstOpen: 8, firstUnconfirmed: nil) == 7)
        #expect(retention.evictable(upTo: 9, start: point(3), firstOpen: nil, firstUnconfirmed: 4) == nil)
    }
}
