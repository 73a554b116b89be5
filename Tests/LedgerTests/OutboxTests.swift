import Encoding
import Testing

@testable import Ledger

@Suite struct OutboxTests {
    @Test func whatThePeerHasGivesWayBeforeWhatItHasNot() {
        let rules = OutboxRules()
        let order = [
            rules.rank(.acknowledged, .opened), rules.rank(.sent, .opened), rules.rank(.queued, .junk),
            rules.rank(.queued, .ordinary), rules.rank(.queued, .opened),
        ]
        #expect(order == order.sorted() && Set(order).count == 5)
        #expect(rules.queuedRanks.sorted() == Array(order.dropFirst(2)))
        #expect(order.map(rules.isLoss) == [false, false, true, true, true])
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

    @Test func bothBoundsCount() {
        var rules = OutboxRules()
        (rules.reports, rules.bytes) = (2, 100)
        #expect(!rules.isOver(OutboxTally(reports: 2, bytes: 100)))
        #expect(rules.isOver(OutboxTally(reports: 3, bytes: 0)))
        #expect(rules.isOver(OutboxTally(reports: 1, bytes: 101)))
    }

    @Test func onlyWhatWasSentIsForgottenByAge() {
        let now = Timestamp(seconds: 1_000_000)
        #expect(OutboxRules().forgetBefore(.queued, now: now) == nil)
        #expect(OutboxRules().forgetBefore(.sent, now: now) == Timestamp(seconds: 1_000_000 - 7 * 86_400))
        #expect(OutboxRules().forgetBefore(.acknowledged, now: now) == Timestamp(seconds: 1_000_000 - 86_400))
    }

    @Test func evictionStopsAtOpenAndUnsentUntilTheHardBound() {
        var retention = Retention()
        (retention.entries, retention.hardEntries) = (10, 20)
        func point(_ count: Int) -> ChainPoint { ChainPoint(count: count, hash: .genesis(ledger: "l"), nextSeq: 1) }
        #expect(retention.evictable(start: point(0), end: point(10), firstOpen: nil, firstUnsent: nil) == nil)
        #expect(retention.evictable(start: point(0), end: point(15), firstOpen: nil, firstUnsent: nil) == 5)
        #expect(retention.evictable(start: point(3), end: point(15), firstOpen: nil, firstUnsent: 2) == nil)
        #expect(retention.evictable(start: point(0), end: point(15), firstOpen: nil, firstUnsent: 4) == 3)
        #expect(retention.evictable(start: point(0), end: point(15), firstOpen: 2, firstUnsent: 4) == 1)
        #expect(retention.evictable(start: point(0), end: point(25), firstOpen: nil, firstUnsent: 1) == 5)
        #expect(retention.evictable(start: point(0), end: point(25), firstOpen: 1, firstUnsent: 1) == nil)
        #expect(retention.evictable(upTo: 9, start: point(3), firstOpen: nil, firstUnsent: nil) == 9)
        #expect(retention.evictable(upTo: 9, start: point(3), firstOpen: 8, firstUnsent: 6) == 5)
        #expect(retention.evictable(upTo: 9, start: point(3), firstOpen: 8, firstUnsent: nil) == 7)
        #expect(retention.evictable(upTo: 9, start: point(3), firstOpen: nil, firstUnsent: 4) == nil)
    }
}
