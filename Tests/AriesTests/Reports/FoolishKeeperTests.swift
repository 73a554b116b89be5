import Encoding
import Testing

@testable import Aries

/// Keepers of records whose answers are wrong: no answer makes the kiosk send endlessly, stop without a
/// report, or leave out entries that others would accept.
@Suite struct FoolishKeeperTests {
    private typealias Harness = DeliveryHarness

    private func positions(_ message: OutboundMessage) -> [Int] {
        (try? ReportRecords(message.json(.didcomm)))?.entries.map(\.position) ?? []
    }

    /// The keeper's server accepts the message, but its plugin refuses one entry: the effect is the same as
    /// that of a server that refuses.
    @Test func anEntryThatTheKeeperRefusesIsSetAsideAlone() {
        let harness = Harness(entries: 300)
        harness.peer.problem = {
            self.positions($0).contains(100) ? VerificationReport.Trouble.refused : nil
        }
        harness.feed(.connected)
        harness.run(for: .seconds(60))
        #expect(!harness.isEndless && harness.cursor == 300)
        #expect(harness.seen.filter { $0 == .setAside(100) }.count == 1)
        #expect(harness.peer.stored.keys.sorted() == Array(1...99) + Array(101...300))
        #expect(harness.carriers.count < 40)
    }

    @Test(arguments: [VerificationReport.Trouble.refused, VerificationReport.Trouble.unknown])
    func aKeeperThatRefusesEverythingLosesNoEntryAndIsNotFlooded(code: Text) {
        let harness = Harness(entries: 400)
        harness.peer.problem = { $0.name == "records" ? code : nil }
        harness.feed(.connected)
        harness.run(for: .seconds(3600))
        let aside = harness.seen.count { if case .setAside = $0 { true } else { false } }
        #expect(!harness.isEndless && (3...12).contains(aside))
        #expect(harness.seen.count { $0 == .held(.refused) } == 1)
        #expect(harness.messages.count < 100)
        harness.peer.problem = { _ in nil }
        harness.run(for: .seconds(3600))
        #expect(harness.cursor == 400 && harness.peer.stored.count == 400 - aside)
    }

    /// The keeper always answers that another connection writes the ledger. An earlier ledger is given up
    /// after some hours, and early attempts do not shorten that time; the present ledger is never given up.
    @Test(arguments: [true, false]) func aLedgerThatIsForeignForEver(isPast: Bool) {
        let harness = Harness(entries: 10, isPast: isPast)
        harness.peer.problem = { $0.name == "records" ? VerificationReport.Trouble.foreign : nil }
        harness.feed(.connected)
        for _ in 0..<100 { harness.feed(.retryNow) }
        harness.run(for: .seconds(3 * 3600))
        #expect(!harness.seen.contains(.giveUp))
        #expect(harness.seen.count { $0 == .held(.foreign) } == 1, "it is reported meanwhile")
        harness.run(for: .seconds(3 * 3600))
        #expect(harness.seen.contains(.giveUp) == isPast && !harness.isEndless)
    }

    /// An answered ping confirms neither a message about which the agent complained nor one that its server
    /// refused.
    @Test(arguments: [ReportFormat.basicmessage, .several])
    func aComplaintAboutAMessageIsARefusal(format: ReportFormat) {
        let harness = Harness(ReportSettings(format: format), entries: 30)
        harness.peer.problem = { message in
            let content = message.members.first { $0.name == "content" }?.value.string
            return content?.string.contains("\"report-9\"") == true ? "message-parse-failure" : nil
        }
        harness.feed(.connected)
        harness.run(for: .seconds(60))
        #expect(harness.cursor == 30 && !harness.isEndless)
        #expect(harness.seen.filter { $0 == .setAside(9) }.count == 1)
        #expect(
            Set(harness.peer.order)
                == Set(harness.reportPositions.filter { $0 != 9 }.map { Text("report-\($0)") }))
    }

    /// A receipt for fewer entries than were sent moves the cursor to that point and no further. Formerly
    /// such a receipt was ignored and delayed the report that the rest is unconfirmed.
    @Test func aReceiptForAPartIsTakenForThatPart() {
        let harness = Harness(entries: 100)
        harness.peer.stores = false
        harness.feed(.connected)
        harness.run(for: .seconds(15))
        harness.grow(100, isUrgent: true)
        for _ in 0..<60 where harness.batches.last?.count != 200 { harness.run(for: .seconds(1)) }
        #expect(harness.batches.last.map { $0 == Array(1...200) } == true)
        harness.feed(.receipt(Harness.point(100)))
        #expect(harness.cursor == 100 && harness.batches.last.map { $0 == Array(101...200) } == true)
        for _ in 0..<20 {
            harness.run(for: .seconds(4))
            harness.feed(.receipt(Harness.point(100)))
        }
        #expect(harness.cursor == 100 && harness.delivery.hold == .unconfirmed)
        harness.peer.stores = true
        harness.run(for: .seconds(1000))
        #expect(harness.cursor == 200 && harness.peer.stored.keys.min() == 101)
    }

    /// The keeper's database was unavailable at the start: the head query is repeated soon, not only the next
    /// day.
    @Test(arguments: [true, false]) func anUnknownHeadIsRequestedAgain(isRefused: Bool) {
        let harness = Harness(entries: 5)
        (harness.peer.head, harness.peer.refuses) = (nil, { isRefused && $0.name == "head-query" })
        harness.feed(.connected)
        harness.run(for: .seconds(60))
        #expect(harness.cursor == 5, "it holds nothing up")
        harness.peer.refuses = { _ in false }
        harness.peer.head = Harness.point(9)
        harness.run(for: .seconds(1800))
        #expect(harness.seen.contains(.claimed(Harness.point(9))))
        // A keeper that never answers the head query is not queried all the time.
        let silent = Harness(entries: 5)
        silent.peer.head = nil
        silent.feed(.connected)
        silent.run(for: .seconds(86_400))
        #expect((2...100).contains(silent.messages.count { $0.message.name == "head-query" }))
    }

    /// Entries that were evicted while earlier entries were already being read leave a gap; no message spans
    /// the gap.
    @Test func noMessageSpansAGap() {
        var delivery = ReportDelivery(ReportSettings(format: .records), end: Harness.point(40), confirmed: 0)
        var actions = delivery.handle(.connected, at: .zero)
        func message() -> OutboundMessage? {
            actions.lazy.compactMap { if case .send(let message) = $0 { message } else { nil } }.first
        }
        let query = message()
        _ = delivery.handle(.sent(query?.id ?? ""), at: .zero)
        _ = delivery.handle(.head(Harness.point(0)), at: .zero)
        actions = delivery.handle(.entries(([1, 2, 3] + [21, 22]).map(Harness.entry)), at: .zero)
        #expect(message().map(positions) == [1, 2, 3])
        #expect(actions.first == .gone(4...20), "and it is told")
        _ = delivery.handle(.sent(message()?.id ?? ""), at: .zero)
        actions = delivery.handle(.receipt(Harness.point(3)), at: .zero)
        #expect(message().map(positions) == [21, 22])
    }

    /// Problem reports with unknown threads and codes cause no work.
    @Test func aFloodOfProblemReportsCausesNoWork() throws {
        let harness = Harness(entries: 10)
        harness.feed(.connected)
        harness.peer.stores = false
        harness.grow(5, isUrgent: true)
        let id = try #require(harness.carriers.last?.id)
        let (messages, seen) = (harness.messages.count, harness.seen.count)
        for number in 0..<10_000 {
            harness.feed(
                .problem(code: Text("storm-\(number)"), thread: number.isMultiple(of: 2) ? id : Text("\(number)")))
        }
        #expect(harness.messages.count == messages && harness.seen.count == seen + 1)
        #expect(harness.seen.last == .held(.problem("storm-0")))
        harness.peer.stores = true
        harness.run(for: .seconds(60))
        #expect(harness.cursor == 15)
    }
}
