import Encoding
import Testing

@testable import Ledger

@Suite struct ListingTests {
    private func lines(_ outcome: Outcome, intent: Int? = 1, dropped: Int = 0, report: ReportState? = .queued)
        -> [String]
    {
        LedgerListing.lines(
            listed(
                .outcome(
                    OutcomeRecord(
                        seq: 12, visit: Samples.visit(12), intent: intent, stamp: Samples.stamp(), outcome: outcome,
                        dropped: dropped)), report))
    }

    private func listed(_ record: LedgerRecord, _ report: ReportState?) -> ListedVisit {
        ListedVisit(position: 7, hash: nil, body: record.bytes, report: report)
    }

    @Test func theTableLooksLikeThis() {
        var many = Samples.rejected
        (many.reasons, many.repeated) = ([], 41)
        let open = LedgerRecord.intent(IntentRecord(seq: 13, intent: Samples.visit(13), stamp: Samples.stamp()))
        var longCode = Samples.rejected
        longCode.reasons = [Outcome.Reason("context.inline-forbidden")]
        // A gate without an opening, and a gate at a controller, which opens for its own time.
        var (judged, sent) = (Samples.accepted, Samples.accepted)
        (judged.gate, sent.gate) = (nil, .pulsed(milliseconds: 0))
        #expect(
            [
                [LedgerListing.header], lines(Samples.accepted, report: .confirmed),
                lines(Samples.rejected, report: .nobody),
                lines(Recovery.outcome(software: Samples.software), dropped: 3, report: .queued),
                lines(Recovery.outcome(software: Samples.software)),
                lines(longCode),
                LedgerListing.lines(listed(open, nil)), lines(many), lines(judged), lines(sent),
                LedgerListing.lines(ListedVisit(position: 7, hash: nil, body: [0x7B], report: nil)),
            ].flatMap(\.self) == [
                "TIME                SEQ    RESULT      GATE    REPORT       REASONS",
                "2026-01-01 00:00:00 12     accepted    200 ms  confirmed",
                "2026-01-01 00:00:00 12     rejected    shut    none         validity.expired",
                "  trust.stale",
                "2026-01-01 00:00:00 12     interrupted unknown queued       interrupted",
                "  (3 reports dropped)",
                "2026-01-01 00:00:00 12     interrupted unknown queued       interrupted",
                "2026-01-01 00:00:00 12     rejected    shut    queued",
                "  context.inline-forbidden",
                "2026-01-01 00:00:00 13     open        -       -",
                "2026-01-01 00:00:00 12     rejected    shut    queued       (and 41 alike)",
                "2026-01-01 00:00:00 12     accepted    none    queued",
                "2026-01-01 00:00:00 12     accepted    opened  queued",
                "-                   -      unreadable  -       -            (entry 7)",
            ])
    }

    @Test func aLineNeverLeavesItsColumnsNorSteersTheTerminal() {
        var outcome = Samples.rejected
        let hostile = Outcome.Reason(Text("\u{1B}[2J\n\u{202E}" + String(repeating: "x", count: 300)))
        outcome.reasons = [hostile, hostile]
        let lines = lines(outcome, intent: nil, dropped: 1 << 50)
        #expect(lines.count >= 3 && lines.allSatisfy { $0.count <= LedgerListing.width })
        #expect(lines.contains { $0.hasSuffix("x…") })
        #expect(!lines.joined().unicodeScalars.contains { $0.value < 0x20 || $0 == "\u{202E}" })
    }

    @Test func jsonLinesKeepTheRecordsMembers() throws {
        let (_, entries) = try Samples.chain(visits: 1)
        let entry = try #require(entries.last)
        let visit = ListedVisit(position: 2, hash: entry.hash, body: entry.body, report: .confirmed)
        let line = LedgerListing.json(visit, remedy: "Wait.")
        #expect(!line.contains("\n"))
        let json = try JSON.parse(line)
        #expect(json["seq"]?.int == 1 && json["position"]?.int == 2 && json["report"]?.string == "confirmed")
        #expect(json["hash"]?.string == Text(entry.hash.hex) && json["remedy"]?.string == "Wait.")
        let unread = ListedVisit(position: 2, hash: entry.hash, body: entry.body, report: .nobody)
        #expect(try JSON.parse(LedgerListing.json(unread, remedy: nil))["report"]?.string == "none")
        let nothing = try JSON.parse(LedgerListing.json(visit, remedy: nil))
        #expect(nothing["remedy"]?.isNull == true)
        // The members of the record come first and unchanged.
        let body = try #require(try JSON.parse(entry.body).object)
        #expect(nothing.object?.members.prefix(body.members.count).map(\.name) == body.members.map(\.name))
    }

    @Test func anEntryThatIsNoRecordIsListedAsSuch() throws {
        let visit = ListedVisit(position: 9, hash: nil, body: [0xFF], report: nil)
        let json = try JSON.parse(LedgerListing.json(visit, remedy: "Keep it."))
        #expect(json["unreadable"]?.bool == true && json["position"]?.int == 9 && json["hash"]?.isNull == true)
    }

    @Test func aDamagedLedgerComesWithARemedy() throws {
        let (head, entries) = try Samples.chain(visits: 4)
        var verifier = ChainVerifier(ledger: head.ledger, start: .genesis(ledger: head.ledger))
        for entry in entries where entry.position != 3 { verifier.add(entry) }
        let report = verifier.finish(end: head.point)
        #expect(report.lines.first?.hasPrefix("NOT INTACT") == true)
        #expect(report.lines.contains("  entry 3 is missing"))
        #expect(report.lines.last?.hasPrefix("remedy: ") == true)
        #expect(report.json["intact"]?.bool == false)
        var whole = ChainVerifier(ledger: head.ledger, start: .genesis(ledger: head.ledger))
        for entry in entries { whole.add(entry) }
        #expect(
            whole.finish(end: head.point).lines.first
                == "intact: 7 entries, nothing removed, altered, inserted or moved")
    }
}
