import Encoding
import Foundation
import TestKit
import Testing

/// `gatehouse ledger head`, `verify --head`, `export` and `verify --export`, on a ledger that the real service made.
@Suite(.tags(.realTime), .timeLimit(.minutes(3))) struct LedgerProofTests {
    private let folder: Scratch
    private let configuration: String

    init() throws {
        folder = try Scratch()
        configuration = try folder.configuration(
            port: try closedPort(), more: "[log]\npath = \"log.jsonl\"\n[policy]\nfile = \"\"\n")
    }

    private func log() -> [JSON] {
        let text = (try? String(contentsOfFile: folder.path("log.jsonl"), encoding: .utf8)) ?? ""
        return text.split(separator: "\n").compactMap { try? JSON.parse(Array($0.utf8)) }
    }

    private func events(_ name: Text) -> [JSON] { log().filter { $0["event"]?.string == name } }

    /// Starts the service once and stops it in an orderly way.
    private func serve() async throws {
        let before = events("ended").count
        let ending = try await Program.run(
            "timeout", ["60", Program.gatehouse, "run", "--config", configuration], in: folder
        ) { id in
            #expect(await becomesTrue { events("ledger.head").count > 2 * before })
            kill(id, SIGTERM)
        }
        #expect(ending.code == 0 && events("ended").count == before + 1, "\(ending)")
    }

    @Test func theHeadIsLoggedShownAndHeldTo() async throws {
        try await serve()
        let heads = events("ledger.head")
        #expect(heads.count == 2, "at the start and at the end")
        let at = try #require(heads.last?["at"]?.string?.string)
        let shown = try await folder.gatehouse("ledger", "head", "--config", configuration)
        #expect(shown.code == 0 && shown.lines.first == at, "\(shown)")
        let signed = try await folder.gatehouse("ledger", "head", "--json", "--config", configuration)
        try folder.write("head.json", signed.output)
        let key = try #require(signed.json.first?["key"]?.string?.string)
        #expect(heads.last?["key"]?.string?.string == key)
        for head in [at, "head.json"] {
            let good = try await folder.gatehouse(
                "ledger", "verify", "--head", head, "--key", key, "--config", configuration)
            #expect(good.code == 0 && good.output.contains("checkpoints: 1 met"), "\(good)")
            #expect(good.output.contains("witness: agrees"), "\(good)")
        }
        let zeros = String(repeating: "0", count: 64)
        let other = try await folder.gatehouse("ledger", "verify", "--head", "0:\(zeros)", "--config", configuration)
        #expect(other.code == 1 && other.output.contains("remedy: "), "\(other)")
        let more = try await folder.gatehouse("ledger", "verify", "--head", "7:\(zeros)", "--config", configuration)
        #expect(more.code == 1, "\(more)")
        try folder.write("forged.json", signed.output.replacingOccurrences(of: "\"dropped\":0", with: "\"dropped\":1"))
        let forged = try await folder.gatehouse(
            "ledger", "verify", "--head", "forged.json", "--config", configuration)
        #expect(forged.code == 2 && forged.hasRemedy && forged.errors.contains("the signature is wrong"), "\(forged)")
        let stranger = try await folder.gatehouse(
            "ledger", "verify", "--head", "head.json", "--key", zeros, "--config", configuration)
        #expect(stranger.code == 2 && stranger.errors.contains("another key"), "\(stranger)")
        let neither = try await folder.gatehouse("ledger", "verify", "--head", "nowhere", "--config", configuration)
        #expect(neither.code == 2 && neither.hasRemedy)
    }

    @Test func aDeletedLedgerIsReportedAndExported() async throws {
        try await serve()
        let first = try #require(events("ledger.head").last?["ledger"]?.string)
        try FileManager.default.removeItem(atPath: folder.path("state/gatehouse.db"))
        try await serve()
        let fault = try #require(events("fault").first { $0["code"] == "fault.ledger-rewritten" })
        #expect(fault["present"]?.bool == true && fault["remedy"]?.string?.isEmpty == false)
        #expect(fault["detail"]?.string?.hasPrefix("the database is missing") == true, "\(fault)")
        let list = try await folder.gatehouse("ledger", "list", "--json", "--config", configuration)
        let record = try #require(list.json.first)
        #expect(record["predecessor"]?["ledger"]?.string == first && record["position"]?.int == 1, "\(list)")
        #expect(record["reasons"]?.array?.first?["code"] == fault["code"])
        #expect(record["remedy"]?.string?.isEmpty == false)
        let verify = try await folder.gatehouse("ledger", "verify", "--config", configuration)
        #expect(verify.code == 0 && verify.output.contains("follows ledger \(first)"), "\(verify)")

        let export = try await folder.gatehouse("ledger", "export", "--config", configuration)
        #expect(export.code == 0 && export.errors.isEmpty && export.lines.count == 3, "\(export)")
        try folder.write("all.jsonl", export.output)
        let key = try #require(export.json.last?["key"]?.string?.string)
        let alone = try await folder.gatehouse("ledger", "verify", "--export", "all.jsonl", "--key", key)
        #expect(alone.code == 0 && alone.output.contains("witness: signed by \(key)"), "\(alone)")
        // An export with any line left out, doubled or changed fails.
        for number in export.lines.indices {
            var lines = export.lines
            lines[number] = lines[number].replacingOccurrences(of: "\"seq\":", with: "\"seq\":1")
                .replacingOccurrences(of: "\"count\":1", with: "\"count\":2").replacingOccurrences(
                    of: "\"ledger\":\"", with: "\"ledger\":\"x")
            for edited in [
                lines, Array(export.lines[..<number] + export.lines[(number + 1)...]),
                export.lines + [export.lines[number]],
            ] {
                try folder.write("edited.jsonl", edited.joined(separator: "\n") + "\n")
                let ending = try await folder.gatehouse("ledger", "verify", "--export", "edited.jsonl", "--key", key)
                #expect(ending.code == 1, "line \(number): \(ending)")
            }
        }
        // The same entries for a spreadsheet; no cell is a formula.
        let table = try await folder.gatehouse("ledger", "export", "--csv", "--config", configuration)
        #expect(table.code == 0 && table.errors.isEmpty && table.output.hasSuffix("\"\r\n"), "\(table)")
        let rows = table.output.components(separatedBy: "\r\n").dropLast().map { $0.components(separatedBy: "\",\"") }
        #expect(rows.count == export.lines.count - 1 && Set(rows.map(\.count)).count == 1, "\(table)")
        #expect(rows[1][0] == "\"1" && rows[1][8] == fault["code"]?.string?.string, "\(rows)")
        let part = try await folder.gatehouse(
            "ledger", "export", "--csv", "--to", "1999-12-31", "--config", configuration)
        #expect(part.code == 0 && part.output.components(separatedBy: "\r\n").count == 2, "\(part)")
        // Unsigned exports: from a copy, and of a day without visits.
        let copy = try await folder.gatehouse("ledger", "export", "--database", "state/gatehouse.db")
        #expect(copy.code == 0 && copy.errors.contains("not signed"), "\(copy)")
        let none = try await folder.gatehouse("ledger", "export", "--to", "1999-12-31", "--config", configuration)
        try folder.write("none.jsonl", none.output)
        let empty = try await folder.gatehouse("ledger", "verify", "--export", "none.jsonl", "--key", key)
        #expect(none.lines.count == 2 && empty.code == 0, "\(none) \(empty)")
        let wrong = try await folder.gatehouse("ledger", "export", "--from", "yesterday", "--config", configuration)
        #expect(wrong.code == 2 && wrong.hasRemedy)
    }
}
