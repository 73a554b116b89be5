import Encoding
import Foundation
import Kiosk
import Ledger
import Testing

@testable import Observation

/// The text of the page; `make test-page` checks how it looks.
@Suite struct StatusPageTests {
    private func page(
        faults: Bool, door: String = SampleBox.door, gate: String = SampleBox.gate, day: DailyStatistics? = nil,
        refreshes: Bool = true
    ) throws -> String {
        let day = try day ?? SampleBox.day().day
        return StatusPage(
            try SampleBox.report(faults: faults, door: door, gate: gate), day: day, at: SampleBox.now,
            zone: SampleBox.zone,
            refreshes: refreshes
        ).html
    }

    /// Returns the text that a card or a list of tiles has under a name.
    private func row(_ name: String, in page: String) -> String? {
        page.components(separatedBy: "<dt>\(name)</dt><dd>").dropFirst().first?
            .components(separatedBy: "</dd>").first?.components(separatedBy: "<small>").first
    }

    /// The part of the page before its cards.
    private func head(_ page: String) throws -> String { try #require(page.components(separatedBy: "</header>").first) }

    @Test func aDayAtAGate() throws {
        let (day, records) = try SampleBox.day()
        let page = try page(faults: false, day: day)
        for text in [
            "<title>North-Gate: In order</title>", "● In order", "14:05:00", "\(records)<small>", "role=\"img\"",
            "Top of the plot:", "validity.expired", "transfer.silence", "policy.&lt;id&gt;", "ends in 48 d",
            "confirmed up to 24678, 8 s ago; 2 queued", "Newest first", "18.3 MB", "21.4 GB", "a time server",
        ] {
            if text != "Newest first" { #expect(page.contains(text), "\(text)") }
        }
        #expect(page.contains("The last \(DailyStatistics.kept) of \(day.total), newest first"))
        #expect(!page.contains("Faults") && page.utf8.count < 100_000, "\(page.utf8.count)")
        #expect(page.contains("<meta http-equiv=\"refresh\" content=\"10\">"))
        #expect(!(try self.page(faults: false, refreshes: false)).contains("http-equiv=\"refresh\""))
        if let folder = ProcessInfo.processInfo.environment["GATEHOUSE_PAGES"] { try write(into: folder) }
    }

    @Test func theStateOfTheDoorIsShown() throws {
        let page = try page(faults: false)
        #expect(row("mode", in: page) == "normal service" && row("Gate", in: page) == "shut")
        #expect(row("door", in: page) == "closed" && row("fire panel", in: page) == "cannot be read")
        #expect(row("light", in: page) == "ready" && row("passages since the start", in: page) == "398")
        #expect(row("tailgating detected", in: page) == "3" && row("times forced", in: page) == "1")
        #expect(row("times held open", in: page) == nil, "what has not happened")
        #expect(try head(page).components(separatedBy: "class=\"state ").count == 2)
    }

    /// The page of a gate that is locked down or in free passage says so in words, next to "in order".
    @Test func aDoorThatIsNotInOrdinaryService() throws {
        let locked = try page(faults: false, door: SampleBox.lockedDoor)
        #expect(
            try head(locked).contains("● In order</p><p class=\"state warn\">⊘ Locked down by order since 13:31</p>"))
        #expect(locked.contains("<title>North-Gate: In order, locked down by order</title>"))
        #expect(row("Gate", in: locked) == "locked" && row("mode", in: locked) == "locked down by order")
        // No input is wired, so the card has no further rows.
        #expect(row("door", in: locked) == nil && row("passages since the start", in: locked) == nil)

        let free = try page(faults: false, door: SampleBox.freeDoor)
        #expect(try head(free).contains("⇄ Free passage by order since 2026-03-01 22:00, for 1 h more</p>"))
        #expect(row("Gate", in: free) == "free" && row("ends automatically", in: free) == "for 1 h more")
        #expect(row("door", in: free) == "open" && row("button inside", in: free) == "pressed")
        // The page of a gate without a relay does not say that the gate is shut.
        let judging = try self.page(faults: false, gate: "null")
        #expect(row("Gate", in: judging) == "none")
        for page in [locked, free, judging] { #expect(isBalanced(page)) }
    }

    @Test func faultsAreFirstWithTheirRemedy() throws {
        let page = try page(faults: true)
        for text in [
            "■ Out of order", "<code>fault.radio</code>", "for 7 min, 3 times so far", "→ <strong>Look at the adapter",
            "disk does not answer", "no adapter hci0 &lt;script&gt;alert(1)&lt;/script&gt;",
        ] {
            #expect(page.contains(text), "\(text)")
        }
        #expect(!page.contains("<script"))
        let wrong = try #require(page.range(of: "Faults")), visits = try #require(page.range(of: "Visits today"))
        #expect(wrong.lowerBound < visits.lowerBound)
    }

    /// The page contains no script, loads nothing, and has no style outside the sheet that the policy names.
    @Test func nothingNeedsMoreThanThePolicyPermits() throws {
        for page in [try page(faults: true), try page(faults: false)] {
            for text in [" style=", "<script", "<img", "<link", "<iframe", "javascript:", "url(", "@import", " on"] {
                let found = text == " on" ? page.firstMatch(of: /<[^>]* on[a-z]+=/) != nil : page.contains(text)
                #expect(!found, "\(text)")
            }
            #expect(page.contains("<style>\(PageStyle.css)</style>"))
            #expect(isBalanced(page))
        }
        #expect(StatusPage.policy.contains("default-src 'none'") && !StatusPage.policy.contains("unsafe"))
    }

    /// The page of a gate without agents does not say that records wait for an agent.
    @Test func aGateWithoutAgents() throws {
        func page(_ agents: [StatusReport.Destination]?) throws -> String {
            var report = try SampleBox.report(faults: false)
            report.agents = agents
            return StatusPage(
                report, day: try SampleBox.day().day, at: SampleBox.now, zone: SampleBox.zone,
                refreshes: true
            ).html
        }
        let none = try page([])
        #expect(none.contains("<dt>Cloud agent</dt><dd>none<small>no report is sent</small></dd>"))
        #expect(!none.contains("Reports queued") && !none.contains("cloud agent</small>") && isBalanced(none))
        let unconnected = try page([
            StatusReport.Destination(["name": "primary", "connected": false, "confirmed": 0, "waiting": 2])
        ])
        #expect(unconnected.contains("<dt>Reports queued</dt><dd>2<small>for the cloud agent</small></dd>"))
        #expect(unconnected.contains("none is connected") && !unconnected.contains("Cloud agent"))
        // While the connections are not loaded, the page does not state that none is connected.
        let unknown = try page([StatusReport.Destination(["name": "primary", "confirmed": 0, "waiting": 2])])
        #expect(unknown.contains("connections not loaded; 2 queued") && !unknown.contains("none is connected"))
        // If the agent part does not answer in time, the page mentions no agent at all.
        let silent = try page(nil)
        #expect(!silent.contains("Cloud agent") && !silent.contains("Reports queued"))
    }

    /// A past expiry stays on the page as the soonest expiry, and the page says that it has ended.
    @Test func anEndThatIsPast() throws {
        func page(_ end: String) throws -> String {
            var report = try SampleBox.report(faults: false)
            report.trust?.soonestExpiry = Timestamp(rfc3339: end)
            return StatusPage(
                report, day: try SampleBox.day().day, at: SampleBox.now, zone: SampleBox.zone,
                refreshes: true
            ).html
        }
        #expect(try page("2026-03-01T13:05:00.000Z").contains("ended 1 d ago"))
        #expect(try page("2026-03-03T13:05:00.000Z").contains(">in 1 d"))
    }

    /// After a restart, the earlier state of the radio is unknown. The page does not say that the service did not run.
    @Test func theRadioBeforeARestart() throws {
        let full = try SampleBox.day().day
        var head = LedgerHead(ledger: "l", point: .genesis(ledger: "l"))
        var day = DailyStatistics(begin: SampleBox.midnight, after: 0)
        let stamp = RecordStamp(
            kiosk: "k", boot: "b",
            time: WallTime(utc: SampleBox.midnight.advanced(by: .seconds(8 * 3600)), provenance: .rtc), monotonic: .zero
        )
        let software = Outcome.Software(name: "gatehouse", version: "0")
        day.take([
            try head.appendIntent("v", stamp: stamp),
            try head.appendOutcome("v", Outcome(.accepted, gate: .shut, software: software), stamp: stamp).entry,
        ])
        for minute in 720...845 {
            day.look(SampleBox.radio(.up), at: SampleBox.midnight.advanced(by: .seconds(minute * 60)))
        }
        #expect(day.total == 1)
        let page = try page(faults: false, day: day)
        for text in [
            "Today: the radio was not seen down since 12:00.", "no data",
            "<rect class=\"empty\" x=\"0\" y=\"7\" width=\"720\" height=\"3\"/>",
            "<rect class=\"good\" x=\"720\" y=\"3\" width=\"126\" height=\"7\"/>",
        ] {
            #expect(page.contains(text), "\(text)")
        }
        #expect(!page.contains("did not run"))
        // Nothing is drawn for the future.
        #expect(!page.contains("x=\"846\""))
        #expect(try self.page(faults: false, day: full).contains("Today: seen down in 8 minutes since 04:00."))
    }

    /// A gate of which little is known has a page too.
    @Test(arguments: ["{}", #"{"state":"fault","silent":["radio","ledger","trust"],"faults":[{}]}"#, "[]"])
    func missingValuesAreLeftOut(_ report: String) throws {
        let page = StatusPage(
            StatusReport(try JSON.parse(report)), day: DailyStatistics(begin: SampleBox.midnight, after: 0),
            at: SampleBox.now,
            zone: 0,
            refreshes: true
        ).html
        #expect(page.contains("No visits yet today.") && isBalanced(page))
    }

    /// No text of the report can leave its place in the page.
    @Test func hostileTextsAreText() throws {
        let bad = "</title><script>x</script>\" onload=\"x\u{202E}\u{0}&" + String(repeating: "w", count: 5000)
        let value: JSON = .text(bad)
        let report: JSON = [
            "name": value, "version": value, "silent": [value], "faults": [["code": value, "detail": value]],
            "radio": ["state": value, "controller": value], "trust": ["version": value, "age": value, "policy": value],
            "agent": [["name": value, "connected": true]], "clock": ["source": value, "utc": value], "light": value,
            "door": ["mode": value, "by": value, "since": value, "inputs": ["contact": value], "passages": value],
        ]
        let page = StatusPage(
            StatusReport(report), day: DailyStatistics(begin: SampleBox.midnight, after: 0), at: SampleBox.now, zone: 0,
            refreshes: true
        ).html
        #expect(!page.contains("<script") && !page.contains("\" onload") && !page.contains("\u{202E}"))
        #expect(page.contains("&lt;/title&gt;") && page.utf8.count < 40_000 && isBalanced(page))
    }

    /// WCAG 2.2, 1.4.3: text on cards and background has a contrast of at least 4.5 to 1, in the light and
    /// the dark style.
    @Test func textCanBeRead() throws {
        let parts = PageStyle.css.components(separatedBy: "prefers-color-scheme:dark")
        #expect(parts.count == 2)
        for part in parts {
            let colours = Dictionary(
                part.matches(of: /--([a-z]+):#([0-9a-f]{6})/).map { (String($0.1), String($0.2)) },
                uniquingKeysWith: { first, _ in first })
            #expect(colours.count == 11)
            for text in ["text", "soft", "good", "bad", "warn", "other", "blue"] {
                for ground in ["card", "ground"] {
                    let contrast = contrast(try #require(colours[text]), try #require(colours[ground]))
                    #expect(contrast >= 4.5, "\(text) on \(ground): \(contrast)")
                }
            }
        }
    }

    private func contrast(_ one: String, _ other: String) -> Double {
        func light(_ colour: String) -> Double {
            let value = Int(colour, radix: 16) ?? 0
            let parts = [value >> 16, value >> 8 & 0xFF, value & 0xFF].map { part -> Double in
                let part = Double(part) / 255
                return part <= 0.04045 ? part / 12.92 : pow((part + 0.055) / 1.055, 2.4)
            }
            return 0.2126 * parts[0] + 0.7152 * parts[1] + 0.0722 * parts[2]
        }
        let (low, high) = (min(light(one), light(other)), max(light(one), light(other)))
        return (high + 0.05) / (low + 0.05)
    }

    /// Returns whether all elements are closed in the order in which they were opened.
    private func isBalanced(_ page: String) -> Bool {
        var open: [Substring] = []
        let single: Set<Substring> = ["meta", "br", "!DOCTYPE"]
        for tag in page.matches(of: /<(\/?)([!A-Za-z0-9]+)[^>]*?(\/?)>/) where tag.3.isEmpty && !single.contains(tag.2)
        {
            if tag.1.isEmpty { open.append(tag.2) } else if open.popLast() != tag.2 { return false }
        }
        return open.isEmpty
    }

    /// Writes the pages that `Tests/Page/run` examines.
    private func write(into folder: String) throws {
        let empty = DailyStatistics(begin: SampleBox.midnight, after: 0)
        for (name, page) in [
            ("fine", try page(faults: false)), ("fault", try page(faults: true)),
            ("empty", try page(faults: false, day: empty)),
            ("locked", try page(faults: false, door: SampleBox.lockedDoor)),
            ("free", try page(faults: true, door: SampleBox.freeDoor)),
        ] {
            try Data(page.utf8).write(to: URL(fileURLWithPath: folder).appendingPathComponent(name + ".html"))
        }
    }
}
