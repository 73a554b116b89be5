import Encoding
import Testing

@testable import Aries

/// The peer's memory of the ledger is evidence about this gate's own ledger.
@Suite struct RemoteWitnessTests {
    private typealias Harness = DeliveryHarness

    private func harness(
        head: ReportPoint?, signed: ReportPoint? = nil, entries: Int = 20, evicted: Int = 0, receipt: ReportPoint? = nil
    ) -> Harness {
        let harness = Harness(entries: entries, cursor: entries, receipt: receipt)
        (harness.peer.head, harness.peer.signed) = (head, signed)
        harness.evicted = evicted
        harness.feed(.connected)
        return harness
    }

    private func behind(_ harness: Harness) -> [ReportPoint] {
        harness.seen.compactMap { if case .behind(let point) = $0 { point } else { nil } }
    }

    private func claimed(_ harness: Harness) -> [ReportPoint] {
        harness.seen.compactMap { if case .claimed(let point) = $0 { point } else { nil } }
    }

    /// Points that the ledger of 20 entries does not contain.
    private static let foreign = [
        Harness.point(21), Harness.point(1 << 53), Harness.point(20, 1), Harness.point(7, 1),
    ]

    @Test func aHeadThatTheLedgerContainsIsFine() {
        for position in [0, 1, 19, 20] {
            for signed in [nil, Harness.point(position), Harness.point(20)] {
                let harness = harness(head: Harness.point(position), signed: signed)
                #expect(behind(harness).isEmpty && claimed(harness).isEmpty, "\(position)")
            }
        }
        #expect(behind(harness(head: nil)).isEmpty)
        // An entry that is no longer kept cannot be compared, so it proves nothing.
        for signed in [nil, Harness.point(5, 1)] {
            let harness = harness(head: Harness.point(5, 1), signed: signed, evicted: 10)
            #expect(behind(harness).isEmpty && claimed(harness).isEmpty)
        }
    }

    /// The ledger is older than the peer's, or different. The head signed by this gate proves it, and the
    /// peer is not blamed.
    @Test func aLedgerWithoutASignedHeadIsBehind() {
        for point in Self.foreign {
            let harness = harness(head: point, signed: point)
            #expect(behind(harness) == [point] && claimed(harness).isEmpty)
        }
        // The signed head is often later than the last entry, which an older ledger may contain.
        #expect(behind(harness(head: Harness.point(18), signed: Harness.point(23))) == [Harness.point(23)])
        #expect(behind(harness(head: Harness.point(3, 1), signed: Harness.point(7, 1))) == [Harness.point(7, 1)])
    }

    /// Without a signed head there is only the peer's claim: that is a fault of the peer, and the delivery
    /// continues.
    @Test func anUnsignedHeadIsAClaim() {
        for point in Self.foreign {
            for signed in [nil, Harness.point(20), Harness.point(4), Harness.point(0)] {
                let harness = harness(head: point, signed: signed)
                #expect(behind(harness).isEmpty && claimed(harness) == [point])
                harness.grow(3, isUrgent: true)
                #expect(harness.peer.stored.keys.sorted() == [21, 22, 23], "what is recorded is delivered")
            }
        }
    }

    @Test func aClaimIsOverWhenThePeerAgreesAgain() {
        for agreeing in [20, 7] {
            let harness = harness(head: Harness.point(40))
            harness.peer.head = Harness.point(agreeing)
            harness.run(for: .seconds(86_400))
            #expect(claimed(harness).count == 1 && harness.seen.count { $0 == .agreed } == 1)
            harness.run(for: .seconds(86_400))
            #expect(harness.seen.count { $0 == .agreed } == 1)
        }
    }

    /// A receipt beyond the end of the ledger confirms nothing; together with a head that this gate signed it
    /// is evidence, as a head is.
    @Test func aReceiptBeyondTheEnd() {
        let harness = harness(head: Harness.point(20))
        harness.feed(.receipt(Harness.point(25)))
        #expect(claimed(harness) == [Harness.point(25)] && behind(harness).isEmpty && harness.cursor == 20)
        harness.feed(.receipt(Harness.point(20), signed: Harness.point(25)))
        #expect(behind(harness) == [Harness.point(25)] && harness.cursor == 20)
        // An earlier ledger is known to be replaced, so neither is held against it.
        var past = ReportDelivery(ReportSettings(format: .records), end: Harness.point(20), confirmed: 5, isPast: true)
        var actions = past.handle(.connected, at: .zero)
        actions += past.handle(.head(Harness.point(30), signed: Harness.point(30)), at: .zero)
        actions += past.handle(.receipt(Harness.point(30), signed: Harness.point(30)), at: .zero)
        #expect(!actions.contains(.behind(Harness.point(30))) && !actions.contains(.claimed(Harness.point(30))))
        #expect(!actions.contains { if case .send(let message) = $0 { message.name == "head-query" } else { false } })
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
        #expect(queries() == 2 && claimed(harness) == [Harness.point(33)])
        harness.run(for: .seconds(86_400 * 10))
        #expect(queries() == 12)
        #expect(Set(harness.messages.filter { $0.message.name == "head-query" }.map(\.message.id)).count == 12)
    }

    @Test func unrequestedAnswersAreIgnored() {
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
