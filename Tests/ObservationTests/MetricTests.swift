import Encoding
import Foundation
import TestKit
import Testing

@testable import Observation

/// The report in the Prometheus format. `Tests/PeerTests` reads it with an independent parser.
@Suite struct MetricTests {
    private func lines(_ report: StatusReport) -> [String] {
        Metric.exposition(of: report).split(separator: "\n").map(String.init)
    }

    @Test func everyFigureHasItsLine() throws {
        let lines = lines(try SampleBox.report(faults: false))
        for line in [
            "# HELP gatehouse_visits_total Visits by result. Abandoned visits are counted and not recorded.",
            "# TYPE gatehouse_visits_total counter", "gatehouse_visits_total{result=\"accepted\"} 412",
            "gatehouse_visit_reasons_total{result=\"rejected\",reason=\"policy.<id>\"} 9",
            "gatehouse_info{name=\"North-Gate\",version=\"0.1.0\"} 1", "gatehouse_state{state=\"fine\"} 1",
            "gatehouse_state{state=\"fault\"} 0", "gatehouse_faults 0", "gatehouse_radio_up 1",
            "gatehouse_transfer_seconds_bucket{le=\"0.25\"} 0", "gatehouse_transfer_seconds_bucket{le=\"0.5\"} 12",
            "gatehouse_transfer_seconds_bucket{le=\"1\"} 108", "gatehouse_transfer_seconds_bucket{le=\"+Inf\"} 444",
            "gatehouse_transfer_seconds_count 444", "gatehouse_transfer_seconds_sum 812.345",
            "gatehouse_decision_seconds_bucket{le=\"0.0025\"} 0", "gatehouse_decision_seconds_sum 3.456789",
            "gatehouse_trust_expiry_timestamp_seconds 1776675600",
            "gatehouse_agent_waiting_entries{agent=\"primary\"} 2",
            "gatehouse_clock_source{source=\"synchronised\"} 1", "gatehouse_disk_free_bytes 21474836480",
            "gatehouse_gate_open 0", "# TYPE gatehouse_door_mode gauge", "gatehouse_door_mode{mode=\"normal\"} 1",
            "gatehouse_door_mode{mode=\"locked\"} 0", "gatehouse_door_mode{mode=\"free\"} 0",
            "gatehouse_door_cause{cause=\"none\"} 1", "gatehouse_door_input_active{input=\"contact\"} 0",
            "# TYPE gatehouse_door_passages_total counter", "gatehouse_door_passages_total 398",
            "gatehouse_door_tailgating_total 3", "gatehouse_door_unused_openings_total 11",
            "gatehouse_door_exit_requests_total 57", "gatehouse_door_refused_exit_requests_total 2",
            "gatehouse_door_forced_total 1", "gatehouse_door_held_open_total 0", "gatehouse_light{pattern=\"ready\"} 1",
            "gatehouse_light{pattern=\"locked\"} 0",
        ] {
            #expect(lines.contains(line), "\(line)")
        }
        for metric in Metric.all {
            #expect(
                lines.contains { $0.hasPrefix("# TYPE \(metric.name) ") } || metric.name.hasPrefix("gatehouse_fault"),
                "\(metric.name)")
        }
    }

    /// A gate without agents has no samples of agents. Otherwise an alert would wait for an agent.
    @Test func aGateWithoutAgentsHasNoSamplesOfThem() throws {
        var report = try SampleBox.report(faults: false)
        report.agents = []
        let lines = lines(report)
        #expect(lines.contains("gatehouse_ledger_visits 12340"))
        #expect(!lines.contains { $0.hasPrefix("gatehouse_agent_") }, "\(lines)")
    }

    /// While the connections are not loaded, the gauge has no sample for the destination: 0 would cause an alert.
    @Test func anUnknownConnectionHasNoSample() throws {
        var report = try SampleBox.report(faults: false)
        report.agents = [
            StatusReport.Destination(["name": "primary", "waiting": 2]),
            StatusReport.Destination(["name": "copy", "connected": false]),
        ]
        let lines = lines(report).filter { $0.hasPrefix("gatehouse_agent_connected{") }
        #expect(lines == ["gatehouse_agent_connected{agent=\"copy\"} 0"])
    }

    /// The values for alerts about a gate that works correctly, but admits no visitor or every visitor.
    @Test func aGateThatIsLockedDownOrFree() throws {
        let locked = lines(try SampleBox.report(faults: false, door: SampleBox.lockedDoor))
        for line in [
            "gatehouse_state{state=\"fine\"} 1", "gatehouse_door_mode{mode=\"normal\"} 0",
            "gatehouse_door_mode{mode=\"locked\"} 1", "gatehouse_door_cause{cause=\"order\"} 1",
        ] { #expect(locked.contains(line), "\(line)") }
        #expect(!locked.contains { $0.hasPrefix("gatehouse_door_input_active{") }, "nothing is wired")
        let free = lines(try SampleBox.report(faults: false, door: SampleBox.freeDoor))
        #expect(free.contains("gatehouse_door_mode{mode=\"free\"} 1"))
        #expect(free.contains("gatehouse_door_input_active{input=\"contact\"} 1"))
        // An input that cannot be read is neither active nor inactive.
        let wired = lines(try SampleBox.report(faults: false))
        #expect(wired.count { $0.hasPrefix("gatehouse_door_input_active{") } == 4)
        #expect(!wired.contains { $0.contains("input=\"fire\"") })
    }

    @Test func faultsAreSamplesOfTheirOwn() throws {
        let lines = lines(try SampleBox.report(faults: true))
        #expect(lines.contains("gatehouse_fault{code=\"fault.radio\",severity=\"error\"} 1"))
        #expect(lines.contains("gatehouse_fault_age_seconds{code=\"fault.agent-unreachable\"} 10800"))
        #expect(lines.contains("gatehouse_faults 2") && lines.contains("gatehouse_silent_parts 1"))
        #expect(lines.contains("gatehouse_radio_up 0"))
        #expect(!lines.contains { $0.contains("gatehouse_disk") }, "a part that is silent has no samples")
        #expect(!lines.joined().contains("script"), "details are for people")
    }

    /// For any texts in the report, each line follows the format, and no text adds a line.
    @Test func hostileTextsStayInTheirLabels() throws {
        let name = "a\\b\"c\nd}\u{0} 1\n# TYPE x gauge" + String(repeating: "é", count: 400)
        var report = StatusReport()
        (report.name, report.version) = (Text(name), "1")
        report.agents = [StatusReport.Destination(["name": .text(name), "waiting": 3])]
        let lines = lines(report)
        #expect(lines.count == 6, "\(lines)")
        #expect(
            lines[2].hasPrefix("gatehouse_info{name=\"a\\\\b\\\"c\\nd}") && lines[2].hasSuffix("\",version=\"1\"} 1"))
        #expect(lines.allSatisfy { $0.utf8.count < 400 })
    }

    @Test(arguments: [
        "{}", "[]", "null", #"{"figures":{"transferMs":{"bounds":[1],"counts":[1],"sum":1}}}"#,
        #"{"figures":{"transferMs":{"bounds":["x"],"counts":[1,2],"sum":1}}}"#,
        #"{"visits":7,"faults":{},"agent":[1]}"#,
        #"{"trust":{"issued":"yesterday","soonestExpiry":5},"radio":[],"reasons":{"accepted":3}}"#,
    ])
    func aReportThatLacksThingsHasFewerSamples(_ text: String) throws {
        let lines = lines(StatusReport(try JSON.parse(text)))
        #expect(lines.allSatisfy { $0.hasPrefix("#") || $0.contains("result=") }, "\(lines)")
    }

    @Test func numbersAreExact() {
        for (number, decimals, text) in [
            (0, 0, "0"), (5, 3, "0.005"), (1500, 3, "1.5"), (-1500, 3, "-1.5"), (1_000_000, 6, "1"), (0, 6, "0"),
            (Int.max, 6, "9223372036854.775807"), (-1, 6, "-0.000001"),
        ] {
            #expect(Metric.decimal(number, decimals) == text)
        }
    }

    /// Names follow the conventions of Prometheus, and each has one help text without line ends.
    @Test func namesFollowTheRulesOfPrometheus() {
        #expect(Set(Metric.all.map(\.name)).count == Metric.all.count && Metric.all.count > 45)
        for metric in Metric.all {
            #expect(metric.name.wholeMatch(of: /gatehouse_[a-z]+(_[a-z]+)*/) != nil, "\(metric.name)")
            #expect(metric.name.hasSuffix("_total") == (metric.kind == .counter), "\(metric.name)")
            #expect(metric.help.hasSuffix(".") && !metric.help.contains("\n") && !metric.help.contains("\\"))
        }
    }

    /// The list in the document is the program's list.
    @Test func theDocumentListsThemAll() throws {
        let page = try String(
            contentsOf: Vectors.repository.appendingPathComponent("docs/observation.md"), encoding: .utf8)
        let rows = page.split(separator: "\n").filter { $0.hasPrefix("| `gatehouse_") }.map(String.init)
        #expect(rows == Metric.all.map(\.row), "\n\(Metric.all.map(\.row).joined(separator: "\n"))")
        // Every name in an example of the document exists.
        let names = Set(
            Metric.all.flatMap { [$0.name] + ["_bucket", "_sum", "_count"].map { [name = $0.name] in name + $0 } })
        let asked = page.matches(of: /gatehouse_[a-z_]+/).map { String($0.0) }
        #expect(asked.count > rows.count)
        for name in Set(asked) { #expect(names.contains(name), "\(name)") }
    }
}

extension Metric {
    /// The unit in the name of the metric: bytes, seconds, or a number of items.
    private var unit: String {
        if name.contains("timestamp_seconds") { return "seconds since 1970" }
        if name.contains("seconds") { return "seconds" }
        return name.contains("bytes") ? "bytes" : "number"
    }

    /// The row of the metric in a Markdown table: name with labels, kind, unit, meaning.
    fileprivate var row: String {
        let labels = labels.isEmpty ? "" : "{" + labels.joined(separator: ",") + "}"
        return "| `\(name)\(labels)` | \(kind.rawValue) | \(unit) | \(help) |"
    }
}
