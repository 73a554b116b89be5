import Encoding
import Foundation
import TestKit
import Testing

/// What the real program reports of itself after visits: the same in the status file, at the socket, on the
/// status page and in the metrics, and the same as its ledger.
@Suite(.tags(.realTime)) struct ObservationTests {
    @Test(.timeLimit(.minutes(3)))
    func everyViewAgreesWithTheLedger() async throws {
        let place = try Workplace("observation")
        guard let credential = try Credential(place) else { return place.remove() }
        let air = try await Air(place)
        let kiosk = try KioskProcess(
            place, radioPort: air.port, trust: credential.trust,
            sections: ["observe": "textfile = \"\(place.path("gatehouse.prom"))\""])
        try kiosk.start()
        var day = Day(air: air, kiosk: kiosk)
        for _ in 0..<3 { try await day.visit("accepted", .init(uri: "", payload: credential.genuine)) }
        try await day.passer(.init(uri: "", payload: credential.genuine, leave: "identified"))
        try await day.visit("rejected", .init(uri: "", payload: credential.tampered), reason: "proof.invalid")
        try await day.visit("accepted", .init(uri: "", payload: credential.genuine, lose: [2]))
        let records = try await kiosk.records(finished: 5)
        let accepted = records.count { $0.result == "accepted" }
        #expect(records.count == 5 && accepted == 4)

        // The file is updated without a request and agrees with the command.
        let status = try await read(place.path("status.json")) {
            $0["ledger"]?["entries"]?.int == 2 * records.count && $0["ledger"]?["open"]?.int == 0
                && $0["silent"]?.array == []
        }
        #expect(status["visits"] == ["abandoned": 1, "accepted": 4, "rejected": 1])
        #expect(status["reasons"]?["accepted"]?["ok"]?.int == accepted)
        #expect(status["reasons"]?["rejected"]?["proof.invalid"]?.int == 1)
        let asked = try await kiosk.status().report
        for member in ["name", "visits", "reasons", "figures", "ledger", "trust", "agent", "faults", "start"] {
            #expect(asked[Text(member)] == status[Text(member)], "\(member)")
        }
        #expect(asked.object?.names == status.object?.names)
        // No agent is configured, so no report waits for one.
        #expect(status["agent"] == [])
        let list = try await kiosk.command(["ledger", "list"]).lines
        #expect(list.count == records.count && list.allSatisfy { $0["report"] == "none" }, "\(list)")

        // Prometheus' own parser reads the metrics file and the served metrics, and finds the same. The two
        // have a thread each.
        let metrics = try await text(place.path("gatehouse.prom")) {
            $0.contains("\ngatehouse_ledger_entries \(2 * records.count)\n")
                && $0.contains("\ngatehouse_ledger_open_visits 0\n")
        }
        for text in [metrics, try get("/metrics", place)] {
            let samples = try await parse(text, place)
            func value(_ name: String, _ labels: JSON = [:]) -> Int? {
                samples.first { $0["name"]?.string == Text(name) && $0["labels"] == labels }
                    .flatMap { $0["value"]?.number.map { Int($0.double) } }
            }
            #expect(samples.count > 80 && !text.contains("gatehouse_agent_"))
            for (result, count) in [("accepted", 4), ("rejected", 1), ("failed", 0), ("abandoned", 1)] {
                #expect(value("gatehouse_visits_total", ["result": .text(result)]) == count, "\(result)")
            }
            #expect(value("gatehouse_visit_reasons_total", ["result": "rejected", "reason": "proof.invalid"]) == 1)
            #expect(value("gatehouse_ledger_visits") == records.count)
            for histogram in [
                "decision_seconds", "transfer_seconds", "transfer_bytes", "identified_to_verdict_seconds",
            ] {
                #expect(value("gatehouse_\(histogram)_count") == records.count, "\(histogram)")
                #expect(value("gatehouse_\(histogram)_bucket", ["le": "+Inf"]) == records.count, "\(histogram)")
            }
            #expect(value("gatehouse_repair_rounds_total") ?? 0 >= 1)
            #expect(value("gatehouse_radio_up") == 1 && value("gatehouse_radio_openings_total") == 1)
        }

        // The page has the visits by their numbers in the ledger, and no data of the visitors.
        let page = try await page(place) {
            $0.contains("<tr><td>\(records.count)</td>") && $0.contains("● In order")
        }
        for record in records { #expect(page.contains("<tr><td>\(record.seq ?? 0)</td>"), "\(record)") }
        #expect(page.components(separatedBy: "✓ accepted").count == accepted + 1)
        #expect(page.contains("proof.invalid"))
        #expect(page.contains("<dt>Cloud agent</dt><dd>none") && !page.contains("Reports queued"))
        let log = kiosk.journal.events("visit.ended")
        for text in [page, status.compactText, try get("/metrics", place)] {
            #expect(!text.contains("Mary Smith") && !text.contains("1975-08-22"))
            // It does not identify single visits either: their ids are for the log and the ledger.
            for visit in log.compactMap({ $0["visit"]?.string?.string }) { #expect(!text.contains(visit)) }
        }
        try await day.close()
        #expect(!FileManager.default.fileExists(atPath: place.path("observe.sock")))

        // After a restart, the counters start from zero; the day's numbers continue.
        try kiosk.start()
        let again = try await self.page(place) { $0.contains("<tr><td>\(records.count)</td>") }
        #expect(again.components(separatedBy: "✓ accepted").count == accepted + 1)
        #expect(try get("/metrics", place).contains("gatehouse_visits_total{result=\"accepted\"} 0"))
        #expect(try await kiosk.terminate() == .exit(0))
        try await air.stop()
        place.remove()
    }

    /// Returns the JSON of a file as soon as it satisfies `isSo`.
    private func read(_ path: String, until isSo: (JSON) -> Bool) async throws -> JSON {
        try JSON.parse(try await text(path) { (try? JSON.parse($0)).map(isSo) == true })
    }

    /// Returns the text of a file as soon as it satisfies `isSo`.
    private func text(_ path: String, until isSo: (String) -> Bool) async throws -> String {
        for _ in 0..<3000 {
            if let text = try? String(contentsOfFile: path, encoding: .utf8), isSo(text) { return text }
            try await Task.sleep(for: .milliseconds(10))
        }
        throw PeerFailure("\(path) does not say so within 30 s")
    }

    private func page(_ place: Workplace, until isSo: (String) -> Bool) async throws -> String {
        for _ in 0..<100 {
            let page = try? get("/", place)
            if let page, isSo(page) { return page }
            try await Task.sleep(for: .milliseconds(100))
        }
        throw PeerFailure("the page does not show it: \(try get("/", place))")
    }

    /// Returns the content that is served at a path of the socket, without the head.
    private func get(_ target: String, _ place: Workplace) throws -> String {
        let answer = try UnixRequest.get(target, at: place.path("observe.sock"))
        return answer.range(of: "\r\n\r\n").map { String(answer[$0.upperBound...]) } ?? ""
    }

    /// Returns the samples that the parser of Prometheus' own client finds.
    private func parse(_ text: String, _ place: Workplace) async throws -> [JSON] {
        let python = try Workplace.requiredEnvironment("metrics", "bin/python")
        let input = try place.write("metrics.txt", text)
        let output = place.path("samples.jsonl")
        let script = Workplace.peers.appendingPathComponent("metrics/parse.py").path
        let child = try Child(
            "/bin/sh", ["-c", "exec \"$0\" -B \"$1\" <\"$2\"", python, script, input], output: output)
        let end = try await child.wait(within: .seconds(60))
        let samples = Journal(output).lines
        guard end == .exit(0) else {
            throw PeerFailure("the parser ends with \(end): \(samples.last?.compactText ?? "-")")
        }
        return samples
    }
}
