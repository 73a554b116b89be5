import Encoding
import Testing

@testable import Ledger

@Suite struct RecordTests {
    @Test func anIntentHasTheseBytes() throws {
        let record = LedgerRecord.intent(IntentRecord(seq: 7, intent: Samples.visit(7), stamp: Samples.stamp()))
        #expect(
            String(decoding: record.bytes, as: UTF8.self) == """
                {"v":1,"kind":"intent","seq":7,"visit":"00000000-0000-4000-8000-000000000007","kiosk":"gate-1",\
                "boot":"b0070000-0000-4000-8000-000000000000","time":"2026-01-01T00:00:00.250Z","clock":"rtc",\
                "monotonic":5000000000}
                """)
        #expect(try LedgerRecord(bytes: record.bytes).bytes == record.bytes)
    }

    @Test func anOutcomeHasTheseBytes() throws {
        let record = LedgerRecord.outcome(
            OutcomeRecord(
                seq: 7, visit: Samples.visit(7), intent: 13, stamp: Samples.stamp(), outcome: Samples.accepted,
                dropped: 2))
        #expect(
            String(decoding: record.bytes, as: UTF8.self) == """
                {"v":1,"kind":"outcome","seq":7,"visit":"00000000-0000-4000-8000-000000000007","intent":13,\
                "kiosk":"gate-1","boot":"b0070000-0000-4000-8000-000000000000","time":"2026-01-01T00:00:00.250Z",\
                "clock":"rtc","monotonic":5000000000,"result":"accepted","reasons":[],\
                "credential":{"format":"ldp_vc","issuer":"did:web:example.org","types":["VerifiableCredential","Pass"],\
                "name":"cd34","validFrom":"1970-01-01T00:00:00Z"},\
                "session":{"transport":"tuvali","ms":812,"chunks":3,"crcErrors":1,"retries":0},\
                "gate":{"opened":true,"pulseMs":200},\
                "software":{"name":"gatehouse","version":"0.1.0","trust":"t7","policy":"p3"},"dropped":2}
                """)
    }

    /// A record that counts several visits contains the span of their ends. The report has dates in place of instants.
    @Test func countedVisitsHaveTheirSpan() throws {
        var outcome = Samples.rejected
        let second = { Instant(nanoseconds: $0 * 1_000_000_000) }
        (outcome.repeated, outcome.repeatedSpan) = (41, second(1)...second(4))
        let record = OutcomeRecord(
            seq: 7, visit: Samples.visit(7), intent: nil, stamp: Samples.stamp(), outcome: outcome, dropped: 0)
        let bytes = LedgerRecord.outcome(record).bytes
        let text = String(decoding: bytes, as: UTF8.self)
        #expect(text.contains(#","repeated":41,"repeatedFrom":1000000000,"repeatedTo":4000000000,"dropped":0}"#))
        #expect(try LedgerRecord(bytes: bytes) == .outcome(record))
        for wrong in [#""repeatedTo":4"#, #""repeatedTo":"x","y":4"#, #""z":4"#] {
            let changed = text.replacing(#""repeatedTo":4000000000"#, with: wrong)
            #expect(throws: RecordError.self) { try LedgerRecord(bytes: Array(changed.utf8)) }
        }
        let entry = LedgerEntry(position: 1, hash: ChainPoint.genesis(ledger: "l").hash, body: bytes)
        let report = Report.json(of: entry, in: "l")
        #expect(report?["repeated"]?.int == 41)
        #expect(report?["repeatedFrom"]?.string == "2025-12-31T23:59:56.250Z")
        #expect(report?["repeatedTo"]?.string == "2025-12-31T23:59:59.250Z")
    }

    /// The credentials other than the decisive one have a member of their own. Without such credentials, the member is
    /// absent.
    @Test func otherCredentialsFollowTheDecidingOne() throws {
        var outcome = Samples.accepted
        let second = Outcome.Credential(format: "ldp_vc", issuer: "did:web:example.org", types: ["Pass"], name: "ef56")
        outcome.others = [second, Outcome.Credential(format: "vc+jwt", issuer: "did:web:library.example", types: [])]
        let record = OutcomeRecord(
            seq: 7, visit: Samples.visit(7), intent: 13, stamp: Samples.stamp(), outcome: outcome, dropped: 2)
        let bytes = LedgerRecord.outcome(record).bytes
        #expect(
            String(decoding: bytes, as: UTF8.self).contains(
                """
                "policy":"p3"},"others":[{"format":"ldp_vc","issuer":"did:web:example.org","types":["Pass"],"name":"ef56"},\
                {"format":"vc+jwt","issuer":"did:web:library.example","types":[]}],"dropped":2}
                """))
        #expect(try LedgerRecord(bytes: bytes) == .outcome(record))
        // An empty list, which no gate writes, and a list with an element of another type.
        let text = String(decoding: LedgerRecord.outcome(record).bytes, as: UTF8.self)
        for (from, to) in [(#""types":[]}]"#, #""types":[]},5]"#), (#""types":[]}]"#, #""types":[]},null]"#)] {
            #expect(throws: RecordError.self) { try LedgerRecord(bytes: Array(text.replacing(from, with: to).utf8)) }
        }
        let entry = LedgerEntry(position: 1, hash: ChainPoint.genesis(ledger: "l").hash, body: bytes)
        #expect(Report.json(of: entry, in: "l")?["others"]?.array?.count == 2)
        #expect(LedgerTable.line(entry).contains(#","cd34","ef56","812","#), "\(LedgerTable.line(entry))")
        let columns = LedgerTable.header.split(separator: ",")
        #expect(columns.count == LedgerTable.line(entry).split(separator: ",").count, "\(LedgerTable.line(entry))")
    }

    @Test func recordsStaySmallWhateverIsShown() throws {
        let long = Text(String(repeating: "i", count: 4096))
        let credential = Outcome.Credential(format: long, issuer: long, types: .init(repeating: long, count: 99))
        var outcome = Outcome(
            .rejected, reasons: .init(repeating: .init(long, pointer: long), count: 99), credential: credential,
            gate: .shut, software: .init(name: long, version: long, trust: long, policy: long))
        outcome.others = .init(repeating: credential, count: 99)
        var head = LedgerHead(ledger: "l", point: .genesis(ledger: "l"))
        let entry = try head.appendOutcome("v", outcome, stamp: Samples.stamp()).entry
        #expect(entry.body.count < 24 * 1024, "\(entry.body.count) bytes")
        guard case .outcome(let record) = try LedgerRecord(bytes: entry.body) else { throw RecordError(member: "kind") }
        #expect(record.outcome.others.count == 4 && record.outcome.others.allSatisfy { $0.types.count == 4 })
    }

    /// A record as earlier versions wrote it: with a plain digest, and dates to the millisecond.
    @Test func anOldOutcomeIsReadAndProvenAsItIs() throws {
        let text = """
            {"v":1,"kind":"outcome","seq":7,"visit":"00000000-0000-4000-8000-000000000007","intent":13,\
            "kiosk":"gate-1","boot":"b0070000-0000-4000-8000-000000000000","time":"2026-01-01T00:00:00.250Z",\
            "clock":"rtc","monotonic":5000000000,"result":"accepted","reasons":[],\
            "credential":{"format":"ldp_vc","issuer":"did:web:example.org","types":["VerifiableCredential","Pass"],\
            "digest":"ab12","name":"cd34","validFrom":"1970-01-01T12:34:56.789Z"},"session":null,\
            "gate":{"opened":true,"pulseMs":200},\
            "software":{"name":"gatehouse","version":"0.1.0","trust":"t7","policy":"p3"},"dropped":2}
            """
        let record = try LedgerRecord(bytes: Array(text.utf8))
        #expect(record.bytes == Array(text.utf8))
        guard case .outcome(let outcome) = record else { throw RecordError(member: "kind") }
        #expect(outcome.outcome.credential?.oldDigest == "ab12")

        let point = ChainPoint.genesis(ledger: "l")
        let entry = LedgerEntry(
            position: 1, hash: point.hash.next(position: 1, body: record.bytes), body: record.bytes)
        var verifier = ChainVerifier(ledger: "l", start: ChainPoint(count: 0, hash: point.hash, nextSeq: 7))
        verifier.add(entry)
        let report = verifier.finish(end: ChainPoint(count: 1, hash: entry.hash, nextSeq: 8))
        #expect(!report.findings.contains(.altered(1)) && report.results == [.accepted: 1])
        #expect(
            LedgerListing.lines(ListedVisit(position: 1, hash: entry.hash, body: record.bytes, report: .queued)).first?
                .contains("accepted") == true)
        // The reader must not accept one form as the other.
        for (from, to) in [("56.789Z", "56Z"), ("\"digest\":\"ab12\",", "")] {
            #expect(throws: RecordError.self) { try LedgerRecord(bytes: Array(text.replacing(from, with: to).utf8)) }
        }
    }

    @Test func aDateOfACredentialSaysNoMoreThanItsDay() throws {
        func written(_ date: Timestamp) throws -> String? {
            var outcome = Samples.accepted
            outcome.credential = Outcome.Credential(
                format: "ldp_vc", issuer: nil, types: [], validFrom: date, validUntil: date)
            let record = OutcomeRecord(
                seq: 1, visit: Samples.visit(1), intent: nil, stamp: Samples.stamp(), outcome: outcome, dropped: 0)
            let json = try JSON.parse(LedgerRecord.outcome(record).bytes)["credential"]
            #expect(try LedgerRecord(bytes: LedgerRecord.outcome(record).bytes) == .outcome(record))
            #expect(json?["validFrom"] == json?["validUntil"] && json?["digest"] == nil)
            return json?["validFrom"]?.string?.string
        }
        for second in [0, 1, 86_399] as [Int64] {
            #expect(
                try written(Timestamp(seconds: 1_767_225_600 + second, nanoseconds: 999_999_999))
                    == "2026-01-01T00:00:00Z")
        }
        #expect(try written(Timestamp(seconds: -1)) == "1969-12-31T00:00:00Z")
        #expect(try written(Timestamp(seconds: .max)) == "9999-12-31T00:00:00Z")
        #expect(try written(Timestamp(seconds: .min)) == "0000-01-01T00:00:00Z")
    }

    @Test(arguments: [Samples.accepted, Samples.rejected, Recovery.outcome(software: Samples.software)])
    func everyOutcomeReadsBackAsItWas(outcome: Outcome) throws {
        let record = OutcomeRecord(
            seq: 1, visit: Samples.visit(1), intent: nil, stamp: Samples.stamp(), outcome: outcome, dropped: 0)
        #expect(try LedgerRecord(bytes: LedgerRecord.outcome(record).bytes) == .outcome(record))
    }

    @Test func anotherSpellingOfARecordIsNotARecord() throws {
        let (_, entries) = try Samples.chain(visits: 1)
        let text = String(decoding: try #require(entries.first).body, as: UTF8.self)
        #expect(throws: Never.self) { try LedgerRecord(bytes: Array(text.utf8)) }
        for other in [
            " " + text, text.replacing("\"v\":1,", with: "\"v\":1, "), text.replacing("gate-1", with: "g\\u0061te-1"),
        ] {
            #expect(throws: RecordError.self) { try LedgerRecord(bytes: Array(other.utf8)) }
        }
    }

    @Test func anInvalidRecordNamesItsMember() {
        #expect(throws: RecordError(member: "")) { try LedgerRecord(bytes: []) }
        #expect(throws: RecordError(member: "v")) { try LedgerRecord(bytes: Array("{}".utf8)) }
        #expect(throws: RecordError(member: "v")) { try LedgerRecord(bytes: Array(#"{"v":2}"#.utf8)) }
    }

    /// An attacker who can write the database or the reserve can write such figures. Their sums would end the process.
    @Test(arguments: ["9223372036854775807", "9007199254740993", "-1"])
    func impossibleFiguresAreNoRecord(figure: String) throws {
        var outcome = Samples.rejected
        outcome.repeated = 4
        outcome.predecessor = Predecessor(ledger: "m", count: 9, hash: ChainPoint.genesis(ledger: "m").hash)
        let record = LedgerRecord.outcome(
            OutcomeRecord(
                seq: 7, visit: Samples.visit(7), intent: 13, stamp: Samples.stamp(), outcome: outcome, dropped: 2))
        #expect(try LedgerRecord(bytes: record.bytes) == record)
        let text = String(decoding: record.bytes, as: UTF8.self)
        let members = [("seq", 7), ("intent", 13), ("repeated", 4), ("dropped", 2), ("count", 9)]
        for (member, value) in members {
            let changed = text.replacing("\"\(member)\":\(value)", with: "\"\(member)\":\(figure)")
            #expect(changed != text)
            #expect(throws: RecordError(member: member)) { try LedgerRecord(bytes: Array(changed.utf8)) }
            #expect(UnwrittenOutcome(bytes: Array(changed.utf8)) == nil)
        }
        let most = text.replacing("\"repeated\":4", with: "\"repeated\":4294967296")
        #expect(UnwrittenOutcome(bytes: Array(most.utf8))?.visits == 4_294_967_297)
    }

    /// A record can be read back after any count.
    @Test func figuresOfTheWriterStayWithinTheBounds() throws {
        var head = LedgerHead(ledger: "l", point: .genesis(ledger: "l"), dropped: .max)
        for _ in 0..<3 { head.lost(reports: 1, told: ChainPoint.countLimit) }
        for (repeated, written) in [(Int.max, Outcome.mostRepeated), (-1, 0), (4, 4)] {
            var outcome = Samples.rejected
            outcome.repeated = repeated
            let visit = Samples.visit(written + 1)
            let (entry, record) = try head.appendOutcome(visit, outcome, stamp: Samples.stamp())
            #expect(try LedgerRecord(bytes: entry.body) == .outcome(record) && record.outcome.repeated == written)
        }
    }

    @Test func oversizedTextIsCutAndStillRecorded() throws {
        var head = LedgerHead(ledger: "l", point: .genesis(ledger: "l"))
        var outcome = Samples.rejected
        outcome.reasons = Array(
            repeating: Outcome.Reason("json.syntax", pointer: Text(String(repeating: "é", count: 5000))), count: 99)
        outcome.credential = Outcome.Credential(
            format: Text(String(repeating: "f", count: 9999)), issuer: Text(String(repeating: "\u{1}", count: 99_999)),
            types: Array(repeating: Text(String(repeating: "t", count: 9999)), count: 999),
            validFrom: Timestamp(seconds: .min), validUntil: Timestamp(seconds: .max))
        let (entry, record) = try head.appendOutcome(Samples.visit(1), outcome, stamp: Samples.stamp())
        #expect(record.outcome.reasons.count == 16)
        #expect(record.outcome.reasons[0].pointer?.utf8.count ?? 0 <= 256)
        #expect(record.outcome.reasons[0].pointer?.string.hasSuffix("é…") == true)
        #expect(entry.body.count < 24 * 1024)
        #expect(try LedgerRecord(bytes: entry.body).bytes == entry.body)
    }

    @Test func aReportHasTheFieldsOfTheInterface() throws {
        var head = LedgerHead(ledger: "l", point: .genesis(ledger: "l"))
        head.lost(reports: 3, told: 1)
        let (entry, _) = try head.appendOutcome(Samples.visit(1), Samples.accepted, stamp: Samples.stamp())
        #expect(
            Report.json(of: entry, in: "l")?.compactText == """
                {"type":"verification-report/1.0","id":"00000000-0000-4000-8000-000000000001","seq":1,\
                "boot":"b0070000-0000-4000-8000-000000000000","ledger":"l","position":1,"hash":"\(entry.hash.hex)",\
                "kiosk":"gate-1","time":"2026-01-01T00:00:00.250Z",\
                "clock":"unsynced","clockSource":"rtc","result":"accepted","reasons":[],\
                "credential":{"format":"ldp_vc","issuer":"did:web:example.org","types":["VerifiableCredential","Pass"],\
                "name":"cd34","validFrom":"1970-01-01T00:00:00Z"},\
                "session":{"transport":"tuvali","ms":812,"chunks":3,"crcErrors":1,"retries":0},\
                "gate":{"opened":true,"relayMs":200},\
                "software":{"name":"gatehouse","version":"0.1.0","trust":"t7","policy":"p3"},"dropped":4}
                """)
        #expect(head.dropped == 0)
        let intent = try head.appendIntent(Samples.visit(2), stamp: Samples.stamp())
        #expect(Report.json(of: intent, in: "l") == nil)
    }

    @Test func aBoxThatOpensNothingSaysNullInRecordReportAndTable() throws {
        var head = LedgerHead(ledger: "l", point: .genesis(ledger: "l"))
        for judged in [Samples.accepted, Samples.rejected] {
            var outcome = judged
            outcome.gate = nil
            let (entry, record) = try head.appendOutcome(Samples.visit(1), outcome, stamp: Samples.stamp())
            #expect(try LedgerRecord(bytes: entry.body) == .outcome(record) && record.outcome.gate == nil)
            #expect(try JSON.parse(entry.body)["gate"] == .null)
            #expect(Report.json(of: entry, in: "l")?["gate"] == .null)
            // The gate was neither opened nor shut: both cells are empty.
            let cells = LedgerTable.line(entry).split(separator: ",")
            #expect(cells[9] == "\"\"" && cells[10] == "\"\"", "\(cells)")
        }
    }

    @Test func aCredentialsNameIsKeyed() throws {
        // The HMAC-SHA-256 was computed with another implementation (Python's hmac).
        let key = try #require(SiteKey(Array(0..<32)))
        #expect(
            key.name(ofSignedContent: Array(repeating: 0xAA, count: 32))
                == "2d2defcc6fe7e06a096305e7b18ebf600cf53c9150f6cc805b8eb3bb3970a8c5")
        #expect(SiteKey(Array(0..<31)) == nil)
        // The replay window uses another name, so that the two names cannot be linked.
        let replay = key.replayName(of: Array(repeating: 0xAA, count: 32))
        #expect(Hex.encode(replay.bytes) == "426bf56149010701307a73e59fdec2fa")
        #expect(ReplayName(replay.bytes) == replay)
        #expect(ReplayName(Array(replay.bytes.dropLast())) == nil)
    }
}
