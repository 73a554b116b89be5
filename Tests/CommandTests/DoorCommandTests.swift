import Encoding
import Foundation
import TestKit
import Testing

/// `gatehouse door` against the running program: orders take effect at once and hold over a restart, and
/// nothing opens by mistake.
@Suite struct DoorCommandTests {
    private let folder: Scratch

    init() throws { folder = try Scratch() }

    private static let free = """
        [gpio]
        chip = "no-such-chip"
        [gate]
        line = "GPIO17"
        [door]
        freeLine = "GPIO13"
        """

    /// Runs the service while `body` runs.
    private func run(_ configuration: String, _ body: @escaping () async throws -> Void) async throws {
        let folder = folder
        let ending = try await Program.run(
            "timeout", ["60", Program.gatehouse, "run", "--config", configuration], in: folder
        ) { id in
            try await eventually("the service answers") {
                try await folder.gatehouse("door", "status", "--config", configuration).code == 0
            }
            try await body()
            kill(id, SIGTERM)
        }
        #expect(ending.code == 0, "\(ending)")
    }

    private func door(_ words: String..., config: String = "gate.toml") async throws -> JSON {
        let ending = try await folder.gatehouse(["door"] + words + ["--json", "--config", config])
        #expect(ending.code == 0, "\(ending)")
        return ending.json.first ?? .null
    }

    @Test(.tags(.realTime), .timeLimit(.minutes(3))) func aLockDownHoldsOverARestart() async throws {
        let configuration = try folder.configuration(port: try closedPort())
        try await run(configuration) { () async throws -> Void in
            #expect(try await door("status")["mode"] == "normal")
            #expect(try await door("lock")["mode"] == "locked")
            #expect(try await door("status")["by"] == "order")
            let words = try await folder.gatehouse("door", "status", "--config", configuration)
            #expect(words.lines.first?.hasPrefix("locked down by order since ") == true, "\(words)")
            let status = try await folder.gatehouse("status", "--config", configuration)
            #expect(
                status.lines.first?.wholeMatch(
                    of: /Test-Gate: out of order, locked down by order since ([0-9-]{10} )?[0-9:]{5} UTC/) != nil,
                "\(status)")
        }
        #expect(try String(contentsOfFile: folder.path("state/gatehouse.db.order"), encoding: .utf8) == "lock\n")
        try await run(configuration) { () async throws -> Void in
            #expect(try await door("status")["mode"] == "locked")
            #expect(try await door("release")["mode"] == "normal")
        }
        #expect(!FileManager.default.fileExists(atPath: folder.path("state/gatehouse.db.order")))
    }

    @Test(.tags(.realTime), .timeLimit(.minutes(3))) func freePassageHasAnEndThatARestartKeeps() async throws {
        let configuration = try folder.configuration(port: try closedPort(), more: Self.free)
        try await run(configuration) { () async throws -> Void in
            let usual = try await door("free")
            #expect(usual["mode"] == "free" && (3500...3600).contains(usual["secondsLeft"]?.int ?? 0))
            #expect((7100...7200).contains(try await door("free", "--for", "2h")["secondsLeft"]?.int ?? 0))
        }
        try await run(configuration) { () async throws -> Void in
            #expect((7000...7200).contains(try await door("status")["secondsLeft"]?.int ?? 0))
            #expect(try await door("lock")["mode"] == "locked")
            #expect(try await door("free", "--for", "5s")["mode"] == "free")
            try await eventually("its end") { try await door("status")["mode"] == "normal" }
        }
    }

    @Test(.tags(.realTime), .timeLimit(.minutes(3))) func theMetricsAndThePageShowALockDown() async throws {
        let folder = folder
        let configuration = try folder.configuration(
            port: try closedPort(), more: "[observe]\ntextfile = \"gate.prom\"\n")
        try await run(configuration) { () async throws -> Void in
            #expect(try await door("lock")["mode"] == "locked")
            try await eventually("the metrics show it") {
                let metrics = (try? folder.read("gate.prom")) ?? ""
                return metrics.contains("\ngatehouse_door_mode{mode=\"locked\"} 1\n")
                    && metrics.contains("\ngatehouse_door_cause{cause=\"order\"} 1\n")
            }
            try await eventually("the page shows it") {
                // The status socket opens independently of the control socket.
                let page = try? UnixRequest.get("/", at: folder.path("observe.sock"))
                return page?.contains("⊘ Locked down by order since ") == true
            }
        }
    }

    @Test(.tags(.realTime), .timeLimit(.minutes(3))) func anUnreadableStoredOrderIsALockDown() async throws {
        let configuration = try folder.configuration(port: try closedPort())
        try folder.write("state/gatehouse.db.order", "fre")
        try await run(configuration) { () async throws -> Void in
            #expect(try await door("status")["mode"] == "locked")
            let status = try await folder.gatehouse("status", "--json", "--config", configuration)
            #expect(status.output.contains("\"door.order\""), "\(status)")
            #expect(try await door("release")["mode"] == "normal")
        }
        try await run(configuration) { () async throws -> Void in #expect(try await door("status")["mode"] == "normal")
        }
    }

    @Test(.tags(.realTime), .timeLimit(.minutes(3))) func impossibleOrdersAreRefused() async throws {
        let configuration = try folder.configuration(port: try closedPort())
        try await run(configuration) { () async throws -> Void in
            let ending = try await folder.gatehouse("door", "free", "--config", configuration)
            #expect(ending.code == 2 && ending.hasRemedy && ending.errors.contains("door.freeLine"), "\(ending)")
            #expect(try await door("status")["mode"] == "normal")
        }
        for words in [["free", "--for", "soon"], ["free", "--for", "25h"]] {
            let ending = try await folder.gatehouse(["door"] + words + ["--config", configuration])
            #expect(ending.code == 2, "\(ending)")
        }
        let ending = try await folder.gatehouse("door", "lock", "--config", configuration)
        #expect(ending.code == 2 && ending.errors.contains("not running"), "\(ending)")
    }

    /// Two gates on one machine: each has its own configuration, state and socket, and an order for one does
    /// not affect the other.
    @Test(.tags(.realTime), .timeLimit(.minutes(3))) func twoGatesRunOnOneBox() async throws {
        let first = try folder.configuration("in.toml", ledger: "in/gatehouse.db", port: try closedPort())
        let second = try folder.configuration("out.toml", ledger: "out/gatehouse.db", port: try closedPort())
        let text = try String(contentsOfFile: second, encoding: .utf8)
        try folder.write("out.toml", text.replacing("control.sock", with: "out.sock"))
        try await run(first) { () async throws -> Void in
            try await run(second) { () async throws -> Void in
                #expect(try await door("lock", config: second)["mode"] == "locked")
                #expect(try await door("status", config: first)["mode"] == "normal")
            }
        }
    }

    // MARK: - Configuration

    /// A section that would open a gate by mistake, or never open it, is refused, each with its remedy.
    @Test(arguments: [
        ("opening = \"level\"", "door.opening"), ("whenUnused = \"release\"", "door.whenUnused"),
        ("fireOpens = true", "door.fireOpens"), ("wait = \"31s\"", "door.wait"), ("zone = \"Mars\"", "door.zone"),
        ("[[door.schedule]]\nmode = \"free\"", "door.schedule"),
        ("[[door.schedule]]\nmode = \"shut\"", "door.schedule"),
        ("[[door.schedule]]\nmode = \"locked\"\nfrom = \"25:00\"", "door.schedule"),
        ("[[door.input]]\nuse = \"window\"\nline = \"GPIO16\"", "door.input.use"),
        ("[[door.input]]\nuse = \"passage\"", "door.input.line"),
        ("[[door.input]]\nuse = \"passage\"\nline = \"GPIO17\"", "door.input"),
        ("[[door.input]]\nuse = \"passage\"\nline = \"GPIO16\"\ndebounce = \"1s\"", "door.input.debounce"),
    ])
    func aDoorThatCannotBe(_ section: String, _ key: String) async throws {
        let configuration = try folder.configuration(
            more: "[gpio]\nchip = \"c\"\n[gate]\nline = \"GPIO17\"\n[door]\n\(section)\n")
        let ending = try await folder.gatehouse("config", "check", configuration)
        #expect(ending.code == 2 && ending.errors.contains(key), "\(ending)")
    }

    /// Each key that names a line is reported by its own name.
    @Test func linesWithoutAChip() async throws {
        let configuration = try folder.configuration(more: "[door]\nfreeLine = \"GPIO13\"\n")
        let ending = try await folder.gatehouse("config", "check", configuration)
        #expect(ending.code == 2 && ending.errors.contains("door.freeLine: needs a chip"), "\(ending)")
        #expect(!ending.errors.contains("door.input"), "\(ending)")
    }

    /// The sections of the document are valid as written.
    @Test func theConfigurationsOfThePageAreGood() async throws {
        let page = try String(
            contentsOf: Vectors.repository.appendingPathComponent("docs/door.md"), encoding: .utf8)
        let blocks = page.components(separatedBy: "```toml\n").dropFirst().map { $0.components(separatedBy: "```")[0] }
        #expect(blocks.count == 4)
        for block in blocks {
            let gate = "[gpio]\nchip = \"c\"\n[gate]\nline = \"GPIO17\"\n"
            let text = (block.contains("[kiosk]") ? "" : "[kiosk]\nname = \"A\"\n" + gate) + block
            try folder.write("page.toml", text)
            let ending = try await folder.gatehouse("config", "check", "page.toml")
            #expect(ending.code == 0, "\(text)\n\(ending)")
        }
    }

    @Test func everythingWired() async throws {
        let uses = [("passage", 16), ("request-to-exit", 26), ("contact", 20), ("tamper", 21), ("fire", 19)]
        let inputs = uses.map { "[[door.input]]\nuse = \"\($0.0)\"\nline = \"GPIO\($0.1)\"\n" }.joined()
        let configuration = try folder.configuration(
            more: """
                [gpio]
                chip = "c"
                [gate]
                line = "GPIO17"
                [door]
                opening = "level"
                whenUnused = "release"
                fireOpens = true
                freeLine = "GPIO13"
                zone = "Europe/Berlin"
                \(inputs)
                [[door.schedule]]
                mode = "free"
                days = ["mon-fri"]
                from = "07:00"
                to = "09:30"
                [[door.schedule]]
                mode = "locked"
                from = "22:00"
                to = "05:00"
                """)
        let ending = try await folder.gatehouse("config", "check", configuration)
        #expect(ending.code == 0, "\(ending)")
    }
}
