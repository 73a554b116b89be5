import Encoding
import Foundation
import TestKit
import Testing

/// `gatehouse backup` next to the running service and `gatehouse restore` after it.
@Suite(.timeLimit(.minutes(5))) struct BackupCommandTests {
    private let folder: Scratch
    private let configuration: String

    init() throws {
        folder = try Scratch()
        configuration = try folder.configuration(port: try closedPort(), more: "[log]\npath = \"log.jsonl\"\n")
        try folder.write("passphrase", "five words are quite good\n")
    }

    private func events(_ name: Text) -> [JSON] {
        let text = (try? folder.read("log.jsonl")) ?? ""
        return text.split(separator: "\n").compactMap { try? JSON.parse(Array($0.utf8)) }.filter {
            $0["event"]?.string == name
        }
    }

    /// Runs the service while `body` runs, and stops it in an orderly way.
    private func serving(_ body: @escaping () async throws -> Void = {}) async throws {
        let before = events("ledger.head").count
        let ending = try await Program.run(
            "timeout", ["90", Program.gatehouse, "run", "--config", configuration], in: folder
        ) { id in
            #expect(await becomesTrue { events("ledger.head").count > before })
            try await body()
            kill(id, SIGTERM)
        }
        #expect(ending.code == 0, "\(ending)")
    }

    @Test(.tags(.realTime)) func aBackupDuringServiceAndItsRestoration() async throws {
        try await serving {
            let made = try await folder.gatehouse(
                "backup", "backup.tar", "--with-keys", "--passphrase-file", "passphrase", "--config", configuration)
            #expect(made.code == 0 && made.output.contains("with keys"), "\(made)")
            let again = try await folder.gatehouse("backup", "backup.tar", "--config", configuration)
            #expect(again.code == 2 && again.hasRemedy && again.errors.contains("already exists"), "\(again)")
            let last = try await folder.gatehouse("backup", "last.tar", "--last", "--config", configuration)
            #expect(last.code == 2 && last.hasRemedy && last.errors.contains("in use"), "\(last)")
            #expect(!FileManager.default.fileExists(atPath: folder.path("last.tar")))
            let busy = try await folder.gatehouse(
                "restore", "backup.tar", "--replace", "--passphrase-file", "passphrase", "--config", configuration)
            #expect(busy.code == 2 && busy.hasRemedy && busy.errors.contains("in use"), "\(busy)")
        }
        let check = try await folder.gatehouse("restore", "--check", "backup.tar", "--config", configuration)
        #expect(check.code == 0 && check.output.contains("intact"), "\(check)")
        let refused = try await folder.gatehouse(
            "restore", "backup.tar", "--passphrase-file", "passphrase", "--config", configuration)
        #expect(refused.code == 2 && refused.hasRemedy && refused.errors.contains("--replace"), "\(refused)")
        let nobody = try await folder.gatehouse("restore", "backup.tar", "--replace", "--config", configuration)
        #expect(nobody.code == 2 && nobody.hasRemedy && nobody.errors.contains("--passphrase-file"), "\(nobody)")
        let before = try #require(events("ledger.head").last?["ledger"]?.string)
        // A machine without an id is never recognised as the same one.
        let number = (try? String(contentsOfFile: "/etc/machine-id", encoding: .utf8)) ?? ""
        let done = try await folder.gatehouse(
            (number.isEmpty ? ["restore", "--other-machine"] : ["restore"]) + [
                "backup.tar", "--replace", "--json", "--passphrase-file", "passphrase", "--config", configuration,
            ])
        let aside = done.json.first?["aside"]?.array?.compactMap(\.string) ?? []
        #expect(done.code == 0 && aside.map { $0.hasSuffix(".courier.replaced-1") } == [true, false], "\(done)")
        try folder.write("log.jsonl", "")
        try await serving()
        let fault = try #require(events("fault").first { $0["code"] == "fault.ledger-restored" })
        #expect(fault["detail"]?.string?.hasPrefix("restored at ") == true, "\(fault)")
        #expect(events("fault").allSatisfy { $0["code"] != "fault.ledger-rewritten" })
        let list = try await folder.gatehouse("ledger", "list", "--json", "--config", configuration)
        #expect(list.json.last?["predecessor"]?["ledger"]?.string == before, "\(list)")
        let verify = try await folder.gatehouse("ledger", "verify", "--config", configuration)
        #expect(verify.code == 0 && verify.output.contains("follows ledger \(before)"), "\(verify)")
    }

    /// A planned move as the document describes it: onto a card without a configuration, and onto one that
    /// was set up and has served.
    @Test(.tags(.realTime), arguments: [false, true]) func aPlannedMove(toOneThatWasSetUp isSetUp: Bool) async throws {
        try await serving()
        let last = try await folder.gatehouse(
            "backup", "last.tar", "--last", "--with-keys", "--passphrase-file", "passphrase", "--config", configuration)
        #expect(last.code == 0, "\(last)")
        let ledger = try #require(events("ledger.head").last?["ledger"]?.string)
        // The same configuration is restored: its paths are in this folder.
        if isSetUp {
            for name in ["state", "control.sock"] { try? FileManager.default.removeItem(atPath: folder.path(name)) }
            try await serving()
            #expect(events("ledger.head").last?["ledger"]?.string != ledger)
        } else {
            for name in ["state", "gate.toml", "trust"] {
                try FileManager.default.removeItem(atPath: folder.path(name))
            }
            try FileManager.default.createDirectory(atPath: folder.path("state"), withIntermediateDirectories: false)
        }
        let number = (try? String(contentsOfFile: "/etc/machine-id", encoding: .utf8)) ?? ""
        let options =
            ["last.tar", "--continue", "--configuration", "--passphrase-file", "passphrase", "--config", configuration]
            + (number.isEmpty ? ["--other-machine"] : [])
        let first = try await folder.gatehouse(["restore"] + options)
        #expect((first.code == 0) == !isSetUp, "\(first)")
        if isSetUp {
            #expect(first.errors.contains("--replace"), "\(first)")
            let second = try await folder.gatehouse(["restore", "--replace"] + options)
            #expect(second.code == 0, "\(second)")
        }
        // A card that was set up keeps its own keys. The old witness is not valid under them, which is
        // reported once.
        for expected in isSetUp ? [["fault.ledger-witness"], []] : [[]] {
            try folder.write("log.jsonl", "")
            try await serving()
            #expect(events("ledger.head").last?["ledger"]?.string == ledger)
            let codes = events("fault").filter { $0["present"] == true }.compactMap { $0["code"]?.string?.string }
            #expect(codes.filter { $0.hasPrefix("fault.ledger") } == expected, "\(codes)")
        }
    }

    @Test func invalidBackups() async throws {
        try folder.write("short", "eleven sign\n")
        let short = try await folder.gatehouse(
            "backup", "b", "--with-keys", "--passphrase-file", "short", "--config", configuration)
        #expect(short.code == 2 && short.hasRemedy && short.errors.contains("too short"), "\(short)")
        let none = try await folder.gatehouse("backup", "b", "--config", configuration)
        #expect(none.code == 2 && none.hasRemedy && none.errors.contains("no ledger at "), "\(none)")
        #expect(try FileManager.default.contentsOfDirectory(atPath: folder.path("")).allSatisfy { !$0.hasPrefix("b") })
        for (name, text) in [("empty", ""), ("text", "x"), ("zeros", String(repeating: "\u{0}", count: 2048))] {
            try folder.write(name, text)
            for arguments in [["--check"], []] {
                let ending = try await folder.gatehouse(["restore"] + arguments + [name, "--config", configuration])
                #expect(
                    ending.code == 1 && ending.hasRemedy && ending.errors.contains("not a complete backup"), "\(ending)"
                )
            }
        }
        let absent = try await folder.gatehouse("restore", "nowhere", "--config", configuration)
        #expect(absent.code == 2 && absent.hasRemedy)
    }
}
