import Encoding
import Foundation
import TestKit
import Testing

/// `gatehouse config bundle` on the operator's machine, `gatehouse config import` at a gate in service.
@Suite(.tags(.realTime), .timeLimit(.minutes(3))) struct FleetCommandTests {
    private let folder: Scratch

    init() throws { folder = try Scratch() }

    private func log() -> String { (try? folder.read("log.jsonl")) ?? "" }

    @Test func aBundleGoesToAGateThatServes() async throws {
        let key = try await folder.gatehouse("trust", "keygen", "operator.pem")
        #expect(key.code == 0)
        let fleet = "[fleet]\nkeys = [\"\(key.lines[0])\"]\n[log]\npath = \"log.jsonl\"\n"
        let gate = try folder.configuration(port: try closedPort(), more: fleet)
        try folder.write(
            "fleet/common.toml", try folder.read("gate.toml").replacingOccurrences(of: "name = \"Test-Gate\"", with: "")
        )
        try folder.write("fleet/kiosks/Test-Gate.toml", "[kiosk]\nname = \"Test-Gate\"\n[gate]\npulse = \"321ms\"\n")
        let made = try await folder.gatehouse(
            "config", "bundle", "fleet", "--key", "operator.pem", "--number", "1", "--output", "fleet.bundle")
        #expect(made.code == 0 && made.output.contains("version 1 for 1 gates"), "\(made)")
        // The service ends by itself; systemd would start it again.
        let ended = try await Program.run(
            "timeout", ["60", Program.gatehouse, "run", "--config", gate], in: folder
        ) { _ in
            #expect(await becomesTrue { log().contains("ledger.head") })
            try await folder.waitForService(gate)
            let imported = try await folder.gatehouse("config", "import", "fleet.bundle", "--config", gate)
            #expect(imported.code == 0 && imported.output.contains("when no visitor is at the gate"), "\(imported)")
        }
        #expect(ended.code == 0 && log().contains("a restart was requested"), "\(ended)")
        let check = try await folder.gatehouse("config", "check", "--json", "--config", gate)
        #expect(check.json.first?["gate"]?["pulse"] == "321ms", "\(check)")
        let again = try await folder.gatehouse("config", "import", "fleet.bundle", "--config", gate)
        #expect(again.code == 0 && again.output.contains("already installed"), "\(again)")
        // After this bundle only a newer one is accepted; a wrong folder makes none.
        let older = try await folder.gatehouse("config", "import", "gate.toml", "--config", gate)
        #expect(older.code == 1 && older.hasRemedy, "\(older)")
        for (name, text) in [
            ("common.toml", "[gate]\npulse = \"1h\"\n"), ("kiosks/Other.toml", "[kiosk]\nname = \"Third\"\n"),
        ] {
            try folder.write("wrong/common.toml", try folder.read("fleet/common.toml"))
            try folder.write("wrong/kiosks/Test-Gate.toml", "[kiosk]\nname = \"Test-Gate\"\n")
            try folder.write("wrong/" + name, text)
            let wrong = try await folder.gatehouse(
                "config", "bundle", "wrong", "--key", "operator.pem", "--number", "2", "--output", "wrong.bundle")
            #expect(wrong.code == 2 && wrong.hasRemedy, "\(wrong)")
            #expect(!FileManager.default.fileExists(atPath: folder.path("wrong.bundle")))
        }
    }

    /// Runs the service until it ends by itself, and runs `body` once the log contains `word`.
    private func serving(_ gate: String, until word: String, _ body: @escaping () async throws -> Void) async throws {
        try folder.write("log.jsonl", "")
        let ended = try await Program.run(
            "timeout", ["60", Program.gatehouse, "run", "--config", gate], in: folder
        ) { _ in
            #expect(await becomesTrue { log().contains(word) })
            try await folder.waitForService(gate)
            try await body()
        }
        #expect(ended.code == 0 && log().contains("a restart was requested"), "\(ended)")
    }

    private func takes(_ bundle: String, _ gate: String) async throws -> JSON? {
        let imported = try await folder.gatehouse("config", "import", bundle, "--json", "--config", gate)
        #expect(imported.code == 0, "\(imported)")
        return imported.json.first
    }

    /// A policy that the bundle names but does not contain: the gate would reject every visitor.
    @Test func aFileThatIsNotThereIsNamedAndRefused() async throws {
        let key = try await folder.gatehouse("trust", "keygen", "operator.pem")
        let gate = try folder.configuration(
            port: try closedPort(), more: "[fleet]\nkeys = [\"\(key.lines[0])\"]\n[log]\npath = \"log.jsonl\"\n")
        let before = try folder.read("gate.toml")
        let policy = folder.path("rules.toml")
        try folder.write("fleet/common.toml", before)
        try folder.write(
            "fleet/kiosks/Test-Gate.toml", "[kiosk]\nname = \"Test-Gate\"\n[policy]\nfile = \"\(policy)\"\n")
        let made = try await folder.gatehouse(
            "config", "bundle", "fleet", "--key", "operator.pem", "--number", "1", "--output", "1")
        #expect(made.code == 0 && made.output.contains("not in it: \(policy), which must be at Test-Gate"), "\(made)")
        func take() async throws -> Ending {
            try await folder.gatehouse("config", "import", "1", "--no-restart", "--config", gate)
        }
        let refused = try await take()
        #expect(refused.code == 1 && refused.hasRemedy && refused.errors.contains("rules.toml"), "\(refused)")
        #expect(try folder.read("gate.toml") == before)
        let anyway = try await folder.gatehouse(
            "config", "import", "1", "--no-restart", "--anyway", "--config", gate)
        #expect(anyway.code == 0, "\(anyway)")
        try folder.write("gate.toml", before)
        try folder.write("rules.toml", "[[accept]]\nid = \"a\"\n[[accept\n")
        #expect(try await take().code == 1, "a policy that cannot be used")
        try folder.write("rules.toml", "id = \"r\"\nversion = \"1\"\n[[accept]]\nid = \"a\"\n")
        let taken = try await take()
        #expect(taken.code == 0, "\(taken)")
        #expect(try folder.read("gate.toml").contains("rules.toml"))
    }

    /// After a disk that filled up during an import, a lost answer or a bundle with a wrong path, the next
    /// import brings the running service to the configuration in place.
    @Test func theRunningServiceComesToTheConfigurationInPlace() async throws {
        let key = try await folder.gatehouse("trust", "keygen", "operator.pem")
        let gate = try folder.configuration(
            port: try closedPort(), more: "[fleet]\nkeys = [\"\(key.lines[0])\"]\n[log]\npath = \"log.jsonl\"\n")
        let common = try folder.read("gate.toml")
        func bundle(_ number: Int, _ text: String) async throws -> String {
            try folder.write("fleet/common.toml", text)
            try folder.write(
                "fleet/kiosks/Test-Gate.toml", "[kiosk]\nname = \"Test-Gate\"\n[gate]\npulse = \"\(320 + number)ms\"\n")
            let made = try await folder.gatehouse(
                "config", "bundle", "fleet", "--key", "operator.pem", "--number", "\(number)", "--output", "\(number)")
            #expect(made.code == 0, "\(made)")
            return "\(number)"
        }
        let first = try await bundle(1, common)
        try await serving(gate, until: "ledger.head") {
            let quiet = try await folder.gatehouse("config", "import", first, "--no-restart", "--config", gate)
            #expect(quiet.code == 0)
            let again = try await takes(first, gate)
            #expect(again?["isNew"] == false && again?["restarts"] == true, "\(String(describing: again))")
        }
        // No service runs: a person has to start it.
        #expect(try await takes(first, gate)?["restarts"] == false)
        let wrong = common.split(separator: "\n", omittingEmptySubsequences: false).map {
            $0.hasPrefix("path = ") && $0.contains(".db") ? "path = \"gate.toml/gatehouse.db\"" : $0
        }.joined(separator: "\n")
        #expect(wrong != common)
        _ = try await takes(try await bundle(2, wrong), gate)
        let third = try await bundle(3, common)
        try await serving(gate, until: "fault.ledger-unopened") {
            let now = try await takes("2", gate)
            #expect(now?["restarts"] == .null, "it was started with this one: \(String(describing: now))")
            let mended = try await takes(third, gate)
            #expect(mended?["isNew"] == true && mended?["restarts"] == true, "\(String(describing: mended))")
        }
    }
}
