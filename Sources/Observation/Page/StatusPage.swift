import Credentials
package import Encoding
import Kiosk
import Ledger
import Reasons

/// The status page: the status report and the statistics of the day as HTML without scripts, for a browser on this
/// machine.
///
/// All contents come from the report and the statistics. These contain no claims, so the page contains none. The page
/// names the parts of the gate that do not answer.
package struct StatusPage: Sendable {
    /// The media type of ``html``.
    package static let mediaType = "text/html; charset=utf-8"
    /// The content security policy of the page. It permits nothing except the page's own style sheet.
    package static let policy =
        "default-src 'none'; style-src \(PageStyle.source); base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
    /// The time in seconds after which a browser reloads the page.
    private static let pause = 10

    private let report: StatusReport
    private let day: DailyStatistics
    private let now: Timestamp
    private let zone: Int
    private let refreshes: Bool

    /// Creates a page of the status report `report` and the statistics `day`. `now` is the present date. `zone` is
    /// the difference of local time from UTC in seconds, positive to the east. `refreshes`: the browser reloads the
    /// page.
    package init(_ report: StatusReport, day: DailyStatistics, at now: Timestamp, zone: Int, refreshes: Bool) {
        (self.report, self.day, self.now, self.zone, self.refreshes) = (report, day, now, zone, refreshes)
    }

    /// The page as HTML.
    package var html: String {
        let name = text(report.name) ?? "gatehouse"
        let state = self.state
        let door = DoorCard(report, at: now, zone: zone)
        let refresh = refreshes ? "<meta http-equiv=\"refresh\" content=\"\(Self.pause)\">\n" : ""
        return """
            <!DOCTYPE html>
            <html lang="en">
            <head>
            <meta charset="utf-8">
            <title>\(name): \(state.words)\(door.title)</title>
            <meta name="viewport" content="width=device-width, initial-scale=1">
            <meta name="robots" content="noindex">
            \(refresh)<style>\(PageStyle.css)</style>
            </head>
            <body>
            <header><h1>\(name)</h1><p class="state \(state.kind)">\(state.mark) \(state.words)</p>\(door.badge)\
            <p class="soft">\(clock(now)) · \(refresher)</p></header>
            <main>
            \(faults)
            \(tiles(door))
            \(Markup.section("Visits per minute, today", throughput, class: "card across"))
            \(Markup.section("Verdicts by reason, today", reasons))
            \(Markup.section("Transfer times", transfers))
            \(Markup.section("Door", door.html))
            \(Markup.section("Radio", radio))
            \(Markup.section("Trust", trust))
            \(Markup.section("Delivery and records", delivery))
            \(Markup.section("Clock and program", program))
            \(Markup.section("Today's visits", visits, class: "card across"))
            </main>
            <footer><p>This page shows no claims and no identities of visitors. For machines: <a \
            href="/status.json">status.json</a>, <a href="/metrics">metrics</a>.</p></footer>
            </body>
            </html>

            """
    }

    // MARK: - State

    private var state: (words: String, kind: String, mark: String) {
        switch report.state {
        case .fine: ("In order", "good", "●")
        case .fault: ("Out of order", "bad", "■")
        case .attention, nil: ("Needs attention", "warn", "▲")
        }
    }

    private var refresher: String {
        refreshes
            ? "refreshes every \(Self.pause) s · <a href=\"/?refresh=off\">pause</a>"
            : "automatic refresh is off · <a href=\"/\">resume</a>"
    }

    private var faults: String {
        let silent = (report.silent ?? []).map { Markup.escaped($0.string) }.map { part in
            """
            <article class="fault bad"><h3>\(part) does not answer</h3>\
            <p>→ The watchdog restarts the service</p></article>
            """
        }
        let faults = (report.faults ?? []).map { fault in
            let kind = fault.severity == .error ? "bad" : "warn"
            let age = fault.seconds.map { "for \(Words.duration($0))" } ?? ""
            let times = fault.count.flatMap { $0 > 1 ? ", \($0) times so far" : nil } ?? ""
            let lines = [fault.meaning, fault.detail].compactMap { text($0).map { "<p>\($0)</p>" } }
            let remedy = text(fault.remedy).map { "<p>→ <strong>\($0)</strong></p>" } ?? ""
            return """
                <article class="fault \(kind)"><h3><code>\(text(fault.code) ?? "?")</code> \
                <span class="soft">\(age)\(times)</span></h3>\(lines.joined())\(remedy)</article>
                """
        }
        return Markup.section("Faults", (silent + faults).joined(separator: "\n"), class: "card across")
    }

    private func tiles(_ door: DoorCard) -> String {
        let accepted = day.total(of: .accepted)
        let others = day.total(of: .rejected)
        let failed = day.total - accepted - others
        let decision = report.figures?.decision
        let phones = report.radio?.phones
        var tiles: [(name: String, html: String?)] = [
            (
                "Visits today",
                "\(day.total)<small>\(accepted) accepted, \(others) rejected, \(failed) failed</small>"
            ),
            (
                "Gate",
                door.gate.map {
                    $0 + (phones.map { "<small>\(Words.count($0, "phone", "phones")) connected</small>" } ?? "")
                }
            ),
        ]
        if let decision, decision.count > 0 {
            let bound = decision.bound(ofPercent: 95).map { "≤ " + Words.microseconds($0) } ?? "> 5 s"
            tiles.append(
                ("Last byte to gate", bound + "<small>95th percentile since the start</small>"))
        }
        if let agents = report.agents {
            let waiting = agents.compactMap(\.waiting).max()
            tiles.append(
                agents.isEmpty
                    ? ("Cloud agent", "none<small>no report is sent</small>")
                    : ("Reports queued", waiting.map { "\($0)<small>for the cloud agent</small>" }))
        }
        let html = tiles.compactMap { tile in tile.html.map { "<div><dt>\(tile.name)</dt><dd>\($0)</dd></div>" } }
        return
            "<section class=\"card across\" aria-label=\"Summary\"><dl class=\"tiles\">\(html.joined())</dl></section>"
    }

    // MARK: - Visits

    private var throughput: String {
        Plots.throughput(day, now: minute) + "\n<p class=\"soft\">\(Plots.summary(day))</p>"
    }

    private var reasons: String {
        if day.endings.isEmpty { return "<p class=\"soft\">No visits yet today.</p>" }
        let endings = day.endings.sorted { ($1.value, $0.key.reason.text) < ($0.value, $1.key.reason.text) }
        let rows = endings.prefix(12).map { ending, count in
            let code =
                ending.reason == .ok ? "" : "<br><code class=\"soft\">\(Markup.escaped(ending.reason.text))</code>"
            return (label: ending.result.rawValue + code, count: count, kind: Self.kind(ending.result))
        }
        let rest = endings.dropFirst(12).reduce(0) { $0 + $1.value }
        let last = rest > 0 ? [(label: "others", count: rest, kind: "other")] : []
        return Plots.bars("Recorded visits by how they ended", rows + last)
    }

    private var transfers: String {
        guard let figure = report.figures?.transfer else { return "" }
        if figure.count == 0 { return "<p class=\"soft\">No transfers since the start.</p>" }
        let labels =
            figure.bounds.map { "up to " + Words.milliseconds($0) } + ["longer"]
        let rows = zip(labels, figure.counts).map { (label: $0, count: $1, kind: "blue") }
        let last = rows.lastIndex { $0.count > 0 } ?? 0
        let size = report.figures?.bytes
        let mean = size.flatMap { $0.count > 0 ? $0.sum / $0.count : nil }
        return Plots.bars("Transfers since the start, by how long they took", Array(rows[...last]))
            + Markup.list([
                ("mean", Words.milliseconds(figure.sum / figure.count)), ("mean size", mean.map(Words.bytes)),
            ])
    }

    private var visits: String {
        if day.visits.isEmpty { return "<p class=\"soft\">No visits yet today.</p>" }
        let rows = day.visits.map { visit in
            let reason = visit.reason == .ok ? "" : "<code>\(Markup.escaped(visit.reason.text))</code> "
            let meaning = visit.reason == .ok ? "" : Markup.escaped(visit.reason.meaning)
            let alike = visit.alike > 0 ? " (and \(visit.alike) alike)" : ""
            return [
                "\(visit.number)", clock(visit.at),
                "<span class=\"\(Self.kind(visit.result))\">\(Self.mark(visit.result)) \(visit.result.rawValue)</span>",
                reason + "<span class=\"soft\">\(meaning)\(alike)</span>",
            ]
        }
        let caption =
            day.visits.count < day.total
            ? "The last \(day.visits.count) of \(day.total), newest first" : "Newest first"
        return Markup.table(caption, head: ["Number", "Time", "Verdict", "Reason"], rows: rows)
    }

    private static func kind(_ result: Outcome.Result) -> String {
        switch result {
        case .accepted: "good"
        case .rejected: "bad"
        case .failed, .interrupted: "other"
        }
    }

    /// Returns a sign for a result, for readers who cannot distinguish the colours.
    private static func mark(_ result: Outcome.Result) -> String {
        switch result {
        case .accepted: "✓"
        case .rejected: "✗"
        case .failed, .interrupted: "–"
        }
    }

    // MARK: - The box

    private var radio: String {
        guard let radio = report.radio else { return "" }
        func some(_ count: Int?) -> String? { count.flatMap { $0 > 0 ? String($0) : nil } }
        return Plots.radio(day, now: minute)
            + Markup.list([
                ("state", radio.state?.rawValue), ("adapter", text(radio.controller)),
                ("openings since the start", radio.timesReady.map(String.init)),
                ("failures", some(radio.failures)), ("resets of the adapter", some(radio.adapterResets)),
                ("unexpected advertising stops", some(radio.advertisingLapses)),
                ("resets: links held by silent phones", some(radio.linkResets)),
                ("resets: buffers held by phones", some(radio.bufferResets)),
                ("damaged chunks", some(radio.spoiledChunks)),
                ("repair rounds", some(radio.repairs)), ("phones sent away", some(radio.refusedPhones)),
            ])
    }

    private var trust: String {
        guard let trust = report.trust else { return "" }
        let end = trust.soonestExpiry.map { (Int($0.seconds) >= seconds ? "" : "ended ") + distance($0) }
        let rules = [text(trust.policy), text(trust.policyOrigin)].compactMap(\.self)
        var plot = ""
        if let issued = trust.issued, let end = trust.validUntil {
            plot = Plots.span("The bundle", from: Int(issued.seconds), to: Int(end.seconds), now: seconds)
        }
        return plot
            + Markup.list([
                ("version", text(trust.version)), ("issuers", trust.issuers.map(String.init)),
                ("bundle", trust.age?.rawValue), ("bundle made", trust.issued.map(distance)),
                ("oldest part confirmed", trust.oldest.map(distance)), ("next expiry", end),
                ("policy", rules.isEmpty ? nil : rules.joined(separator: ", ")),
            ])
    }

    private var delivery: String {
        let agents = (report.agents ?? []).map { agent -> (name: String, html: String?) in
            let name = text(agent.name) ?? "?"
            guard let isConnected = agent.isConnected else {
                return ("agent \(name)", "connections not loaded; \(agent.waiting ?? 0) queued")
            }
            guard isConnected else { return ("agent \(name)", "none is connected") }
            let last = agent.lastReceipt.map { ", " + distance($0) } ?? ""
            return (
                "agent \(name)", "confirmed up to \(agent.confirmed ?? 0)\(last); \(agent.waiting ?? 0) queued"
            )
        }
        let lost = report.ledger?.lostReports ?? 0
        return Markup.list(
            (agents.isEmpty && report.agents != nil ? [("agent", "none")] : agents) + [
                ("visits in the ledger", report.ledger?.visits.map(String.init)),
                ("entries", report.ledger?.entries.map(String.init)),
                ("reports deleted undelivered", lost > 0 ? String(lost) : nil),
                ("database", report.disk??.ledger.map(Words.bytes)),
                ("free on its disk", report.disk??.free.map(Words.bytes)),
            ])
    }

    private var program: String {
        let clock = report.clock
        return Markup.list([
            ("date", clock?.utc.map { $0.rfc3339.prefix(19).replacing("T", with: " ") + " UTC" }),
            ("rests on", clock?.source.map(Self.words)),
            ("without a time server for", clock?.unsynchronised.flatMap { $0 > 0 ? Words.duration($0) : nil }),
            ("uptime", report.uptime.map(Words.duration)),
            ("start", report.start.map(String.init)), ("version", text(report.version)),
        ])
    }

    // MARK: - Texts of values

    private static func words(_ source: WallTime.Provenance) -> String {
        switch source {
        case .synchronised: "a time server"
        case .rtc: "a battery clock"
        case .saved: "the ledger only"
        case .unset: "nothing"
        case .given: source.rawValue
        }
    }

    private func text(_ value: Text?) -> String? { text(value?.string) }
    private func text(_ value: String?) -> String? { value.map(Markup.escaped) }

    private func distance(_ date: Timestamp) -> String { Words.distance(Int(date.seconds), from: seconds) }

    private var seconds: Int { Int(now.seconds) }

    /// The number of minutes from the beginning of ``day`` to ``now``.
    private var minute: Int { Int(now.seconds - day.begin.seconds) / 60 }

    /// Returns the local time of a date, such as 14:02:31.
    private func clock(_ date: Timestamp) -> String {
        String(Timestamp(seconds: date.seconds + Int64(zone)).rfc3339.dropFirst(11).prefix(8))
    }
}
