import Encoding
import Testing

@testable import Aries

/// Batches of entries, confirmed by receipts.
@Suite struct RecordsDeliveryTests {
    private typealias Harness = DeliveryHarness

    private func connected(_ settings: ReportSettings = .init(), entries: Int = 0, cursor: Int = 0) -> Harness {
        let harness = Harness(settings, entries: entries, cursor: cursor)
        harness.feed(.connected)
        return harness
    }

    @Test func theWaitingLedgerGoesOutAtOnceInFullMessages() {
        let harness = connected(entries: 600)
        #expect(harness.messages.map(\.message.name) == ["query", "head-query", "records", "records", "records"])
        #expect(harness.batches.map(\.count) == [256, 256, 88])
        #expect(harness.cursor == 600 && harness.peer.stored.count == 600)
        #expect(harness.seen.first == .found(.records))
        #expect(harness.seen.last == .confirmed(Harness.point(600), by: .receipt))
        #expect(harness.delivery.confirmed == 600 && !harness.isEndless)
    }

    @Test func newEntriesWaitForOthersButNotAfterARejection() {
        let harness = connected()
        harness.grow(1)
        harness.run(for: .milliseconds(4999))
        harness.grow(2)
        #expect(harness.batches.isEmpty)
        harness.run(for: .milliseconds(1))
        #expect(harness.batches == [[1, 2, 3]])
        harness.grow(1)
        harness.grow(1, isUrgent: true)
        #expect(harness.batches == [[1, 2, 3], [4, 5]])
        harness.grow(256)
        #expect(harness.batches.last?.count == 256)
        #expect(harness.cursor == 261 && !harness.isEndless)
    }

    @Test func aMessageHasAtMost256KiBAsItIsWritten() throws {
        let harness = Harness()
        let body = Array(("{\"" + String(repeating: "\\\"", count: 10_000) + "\"}").utf8)
        for number in 1...20 {
            harness.entries.append(
                ReportEntry(position: number, hash: Harness.hash(number), body: body, report: nil))
        }
        harness.feed(.available(end: Harness.point(20), isUrgent: true))
        harness.feed(.connected)
        #expect(harness.peer.stored.count == 20)
        for message in harness.carriers {
            #expect(message.json(.didcomm).compactBytes.count <= 257 * 1024)
        }
        #expect(harness.batches.map(\.count) == [6, 6, 6, 2])
    }

    @Test func http200ConfirmsNothing() {
        let harness = connected(entries: 10)
        harness.peer.stores = false
        harness.grow(5, isUrgent: true)
        #expect(harness.cursor == 10)
        harness.run(for: .seconds(600))
        #expect(harness.cursor == 10)
        #expect(harness.seen.filter { $0 == .held(.unconfirmed) }.count == 1)
        // Attempts become less and less frequent and keep the same id.
        let attempts = harness.carriers.dropFirst()
        #expect((4...8).contains(attempts.count) && Set(attempts.map(\.id)).count == 1)
        harness.peer.stores = true
        harness.run(for: .seconds(900))
        #expect(harness.cursor == 15)
        #expect(harness.seen.suffix(2) == [.confirmed(Harness.point(15), by: .receipt), .released])
        #expect(!harness.isEndless)
    }

    @Test func aPeerWithoutStorageIsAskedLaterAndAtOnceWhenTheOperatorSays() throws {
        let harness = connected(entries: 3)
        harness.peer.stores = false
        harness.grow(3, isUrgent: true)
        let id = try #require(harness.carriers.last?.id)
        harness.feed(.problem(code: VerificationReport.Trouble.notStored, thread: id))
        #expect(harness.seen.last == .held(.notStored))
        harness.peer.stores = true
        harness.feed(.retryNow)
        #expect(harness.cursor == 6 && harness.seen.last == .released)
    }

    @Test func receiptsCountOnlyForWhatWasSent() {
        let harness = connected(entries: 4)
        harness.peer.stores = false
        harness.grow(4, isUrgent: true)
        func refusal(_ point: ReportPoint) -> ReportDelivery.Action? {
            let before = harness.seen.count
            harness.feed(.receipt(point))
            return harness.seen.dropFirst(before).first
        }
        #expect(refusal(Harness.point(8, 1)) == .discarded(.otherHash))
        #expect(refusal(Harness.point(7)) == .discarded(.neverSent))
        #expect(refusal(Harness.point(9)) == .claimed(Harness.point(9)))
        #expect(refusal(Harness.point(0)) == .discarded(.neverSent))
        #expect(refusal(ReportPoint(ledger: "other", position: 8, hash: Harness.hash(8))) == .discarded(.otherLedger))
        #expect(harness.cursor == 4)
        #expect(refusal(Harness.point(4)) == nil)  // a repetition has no effect
        #expect(harness.cursor == 4)
        #expect(refusal(Harness.point(8)) == .confirmed(Harness.point(8), by: .receipt))
    }

    @Test func aReceiptThatComesLateCountsAllTheSame() {
        let harness = connected(entries: 4)
        harness.peer.stores = false
        harness.grow(4, isUrgent: true)
        harness.run(for: .seconds(12))
        #expect(harness.seen.last == .held(.unconfirmed))
        harness.feed(.receipt(Harness.point(8)))
        #expect(harness.cursor == 8 && harness.seen.last == .released)
        harness.peer.stores = true
        harness.grow(1, isUrgent: true)
        #expect(harness.batches.last == [9] && harness.cursor == 9)
    }

    @Test func aSilentPeerGetsNothingUntilItAnswersAPing() {
        let harness = connected(entries: 4)
        harness.peer.isAlive = false
        harness.grow(4, isUrgent: true)
        let sent = harness.carriers.count
        harness.run(for: .seconds(60))
        #expect(harness.seen.last == .silent)
        harness.grow(400, isUrgent: true)
        harness.run(for: .seconds(3 * 3600))
        #expect(harness.carriers.count == sent && harness.cursor == 4)
        // The peer is pinged all the time, in the end at most every quarter of an hour.
        let gaps = zip(harness.pings, harness.pings.dropFirst()).map { $0.duration(to: $1) }
        #expect(gaps.allSatisfy { $0 <= .seconds(910) } && harness.pings.count < 40)
        harness.peer.isAlive = true
        harness.run(for: .seconds(915))
        #expect(harness.seen.contains(.heard) && harness.cursor == 408 && harness.peer.stored.count == 408)
        #expect(!harness.isEndless)
    }

    @Test func aRefusedMessageIsHalvedAndASingleEntrySetAside() {
        let harness = Harness(entries: 300)
        harness.peer.refuses = { message in
            guard let records = try? ReportRecords(message.json(.didcomm)) else { return false }
            return records.entries.contains { $0.position == 100 }
        }
        harness.feed(.connected)
        #expect(harness.cursor == 300)
        #expect(harness.seen.filter { $0 == .setAside(100) }.count == 1)
        #expect(harness.peer.stored.keys.sorted() == Array(1...99) + Array(101...300))
        #expect(harness.pings.count == 1)
        // The gate itself confirms position 100, the refused entry. No receipt confirms it.
        #expect(harness.seen.contains(.confirmed(Harness.point(100), by: nil)))
        #expect(harness.carriers.count < 40 && !harness.isEndless)
    }

    @Test func aServerThatRefusesEverythingGetsNothingSetAside() {
        let harness = connected(entries: 4)
        harness.peer.refuses = { _ in true }
        harness.peer.takesPings = false
        harness.grow(40, isUrgent: true)
        harness.run(for: .seconds(7 * 86_400))
        #expect(harness.cursor == 4 && !harness.seen.contains(.setAside(5)))
        #expect(harness.carriers.count < 12 && harness.pings.count == 1)
        harness.peer.refuses = { _ in false }
        harness.comeBack()
        harness.run(for: .seconds(10))
        #expect(harness.cursor == 44 && harness.peer.stored.count == 44)
        #expect(!harness.isEndless)
    }

    @Test func aServerThatAcceptsOnlyPingsLosesNoEntry() {
        let harness = connected(entries: 4)
        harness.peer.refuses = { $0.name == "records" }
        harness.grow(400, isUrgent: true)
        harness.run(for: .seconds(7 * 86_400))
        let aside = harness.seen.count { if case .setAside = $0 { true } else { false } }
        #expect(aside == 3)
        #expect(harness.seen.count { $0 == .held(.refused) } == 1)
        harness.peer.refuses = { _ in false }
        harness.run(for: .seconds(3600))
        #expect(harness.cursor == 404 && harness.peer.stored.count == 404 - aside)
        #expect(!harness.isEndless)
    }

    @Test func anAgentThatLostTheProtocolGetsBasicmessages() throws {
        let harness = connected(entries: 4)
        (harness.peer.discloses, harness.peer.stores) = (false, false)
        harness.grow(5, isUrgent: true)
        let id = try #require(harness.carriers.last?.id)
        harness.feed(.problem(code: VerificationReport.Trouble.unknown, thread: id))
        harness.run(for: .seconds(60))
        #expect(harness.delivery.way?.form == .single)
        #expect(harness.peer.order == ["report-5", "report-6", "report-8", "report-9"])
        // The peer is queried again the next day.
        (harness.peer.discloses, harness.peer.stores) = (true, true)
        harness.run(for: .seconds(86_400))
        #expect(harness.delivery.way == .records && harness.cursor == 9)
    }

    @Test func whereReceiptsAreDemandedNothingElseWillDo() throws {
        let harness = Harness(ReportSettings(confirm: .receipt), entries: 3)
        harness.peer.stores = false
        harness.feed(.connected)
        harness.run(for: .seconds(11))
        let id = try #require(harness.carriers.last?.id)
        harness.feed(.problem(code: VerificationReport.Trouble.unknown, thread: id))
        harness.run(for: .seconds(3600))
        #expect(harness.cursor == 0 && harness.peer.reports.isEmpty)
        #expect(harness.seen.contains { if case .held = $0 { true } else { false } })
    }

    @Test func aRestartGoesOnAtTheCursorWithTheSameIDs() {
        let harness = connected(entries: 10)
        harness.peer.stores = false
        harness.grow(10, isUrgent: true)
        let first = harness.carriers.last
        harness.peer.stores = true
        harness.restart()
        #expect(harness.carriers.last?.id == first?.id && harness.carriers.last == first)
        #expect(harness.cursor == 20 && harness.peer.stored.count == 20)
    }

    /// A read was in progress when everything after the cursor was discarded: its entries are discarded too
    /// and read again, from the cursor on.
    @Test func entriesThatComeTooLateAreNotTaken() {
        var delivery = ReportDelivery(ReportSettings(format: .basicmessage), end: Harness.point(600), confirmed: 0)
        func read(_ actions: [ReportDelivery.Action]) -> Int? {
            actions.compactMap { if case .read(let after, _, _, _) = $0 { after } else { nil } }.last
        }
        func entries(_ after: Int) -> ReportDelivery.Event { .entries((after + 1...after + 6).map(Harness.entry)) }
        #expect(read(delivery.handle(.connected, at: .zero)) == 0)
        _ = delivery.handle(entries(0), at: .zero)
        for id in ["report-2", "report-3", "report-5"] as [Text] { _ = delivery.handle(.sent(id), at: .zero) }
        #expect(read(delivery.handle(.sent("report-6"), at: .zero)) == 6)
        _ = delivery.handle(.connected, at: .zero)
        let again = delivery.handle(entries(6), at: .zero)
        #expect(read(again) == 0 && delivery.confirmed == 0)
    }

    @Test func evictedEntriesAreAGapAndNothingMore() {
        let harness = Harness(entries: 500, cursor: 100)
        harness.evicted = 300
        harness.feed(.connected)
        #expect(harness.cursor == 500 && harness.peer.stored.keys.min() == 301)
        harness.evicted = 510
        harness.grow(10, isUrgent: true)
        harness.run(for: .seconds(3600))
        #expect(harness.cursor == 500 && !harness.isEndless)
    }
}
