import Encoding
import Foundation
import TestKit
import Testing

/// `gatehouse setup` at a terminal: it asks, reports errors at once, and writes nothing before the end.
@Suite(.tags(.realTime), .timeLimit(.minutes(3))) struct SetupDialogueCommandTests {
    private let folder: Scratch

    init() throws {
        folder = try Scratch()
        try folder.write("gate/empty", "")
        try folder.write("root/etc/passwd", "root:x:0:0::/root:/bin/sh\n")
    }

    private func terminal(_ words: String...) throws -> Pseudoterminal {
        try Pseudoterminal(Program.gatehouse, SetupCommandTests.common + words, in: folder)
    }

    private var configuration: String? { try? folder.read("gate/gate.toml") }

    @Test func aWholeDialogue() async throws {
        try await folder.exportSample()
        let agent = try AgentOnLoopback()
        try folder.write("agent.json", agent.invitation.compactText)
        let terminal = try terminal("--clock", "unset", "--allow-plain-http")
        try await terminal.wait(for: "name: ", then: "a name with spaces")
        try await terminal.wait(for: "1 to 14 of A-Z")
        try await terminal.wait(for: "name: ", then: "")
        try await terminal.wait(for: "is missing")
        try await terminal.wait(for: "name: ", then: "North")
        try await terminal.wait(for: "id [North]: ", then: "works-north")
        try await terminal.wait(for: "board: ", then: "pi9")
        try await terminal.wait(for: "not a known board")
        try await terminal.wait(for: "board: ", then: "pi4")
        try await terminal.wait(for: "magnet (5s)")
        try await terminal.wait(for: "pulse [turnstile]: ", then: "strike")
        try await terminal.wait(for: "direction [any]: ", then: "in")
        try await terminal.wait(for: "display [file]: ", then: "none")
        try await terminal.wait(for: "trust-bundle [none]: ", then: "absent.bundle")
        try await terminal.wait(for: "does not exist")
        try await terminal.wait(for: "trust-bundle [none]: ", then: "")
        try await terminal.wait(for: "trust-directory [none]: ", then: "sample/none")
        try await terminal.wait(for: "trust-directory [none]: ", then: "sample/trust")
        try await terminal.wait(for: "invitation [none]: ", then: "{}")
        try await terminal.wait(for: "not a usable invitation")
        try await terminal.wait(for: "invitation [none]: ", then: "agent.json")
        try await terminal.wait(for: "pulse = \"3s\"")
        #expect(configuration == nil, "nothing is written before the end")
        try await terminal.wait(for: "[Y/n]: ", then: "y")
        let code = try await terminal.end()
        #expect(code == 2 && terminal.screen.contains("box.not-running"), "as the doctor ends: \(terminal.screen)")
        let check = try await folder.gatehouse("config", "check", "--json", "gate/gate.toml")
        #expect(check.code == 0 && check.json.first?["kiosk"]?["id"] == "works-north", "\(check)")
        #expect(
            check.json.first?["gate"]?["direction"] == "in" && check.json.first?["gpio"]?["chip"] == "pinctrl-bcm2711")
        #expect(try folder.read("gate/agent.invitation") == agent.invitation.compactText)
        #expect(FileManager.default.fileExists(atPath: folder.path("gate/trust/issuers.toml")))
    }

    @Test func interruptedNothingIsWritten() async throws {
        let terminal = try terminal("--board", "none", "--name", "N")
        try await terminal.wait(for: "id [N]: ", then: "")
        try await terminal.wait(for: "direction [any]: ")
        terminal.type("\u{03}")
        #expect(try await terminal.end() == -SIGINT)
        #expect(try FileManager.default.contentsOfDirectory(atPath: folder.path("gate")) == ["empty"])
        // The end of the input, and a refusal at the end.
        let closed = try self.terminal("--board", "none")
        try await closed.wait(for: "name: ")
        closed.type("\u{04}")
        #expect(try await closed.end() == 2 && closed.screen.contains("nothing was written"), "\(closed.screen)")
        let refused = try self.terminal(
            "--board", "none", "--name", "N", "--id", "N", "--direction", "any", "--clock", "rtc")
        for question in [
            "display [file]: ", "trust-bundle [none]: ", "trust-directory [none]: ", "issuer [none]: ",
            "invitation [none]: ",
        ] {
            try await refused.wait(for: question, then: "")
        }
        try await refused.wait(for: "[Y/n]: ", then: "n")
        #expect(try await refused.end() == 1 && refused.screen.contains("nothing was written"))
        #expect(try FileManager.default.contentsOfDirectory(atPath: folder.path("gate")) == ["empty"])
    }

    @Test func knownProblemsAreReportedBeforeTheQuestions() async throws {
        let wrong = try terminal("--pulse", "9s")
        #expect(try await wrong.end() == 2 && wrong.screen.contains("--pulse 9s is out of range"), "\(wrong.screen)")
        try folder.write("gate/gate.toml", "[kiosk]\nname = \"Mine\"\n")
        let there = try terminal()
        #expect(
            try await there.end() == 2 && there.screen.contains("there is already a configuration"), "\(there.screen)")
        #expect(!there.screen.contains("name: ") && configuration == "[kiosk]\nname = \"Mine\"\n")
        // With `--yes`, it asks nothing.
        let silent = try terminal("--yes", "--replace")
        #expect(try await silent.end() == 2 && silent.screen.contains("--name is missing"), "\(silent.screen)")
    }
}
