import Encoding
import Foundation
import Testing

/// `gatehouse run` as a process: what keeps it from starting, and that a missing radio does not.
@Suite struct RunCommandTests {
    private let folder: Scratch

    init() throws { folder = try Scratch() }

    @Test func aBrokenConfiguration() async throws {
        try folder.write("bad.toml", "[kiosk]\nname = 1\n")
        let ending = try await folder.gatehouse("run", "--config", "bad.toml")
        #expect(ending.code == 2)
        #expect(ending.errors.contains("bad.toml:2: kiosk.name: "))
        let absent = try await folder.gatehouse("run", "--config", "nowhere.toml")
        #expect(absent.code == 2)
    }

    @Test func aBrokenTrustDirectory() async throws {
        let configuration = try folder.configuration()
        try folder.write("trust/issuers.toml", "profile = 7\n")
        let ending = try await folder.gatehouse("run", "--config", configuration)
        #expect(ending.code == 2, "\(ending)")
        #expect(ending.errors.contains("trust/issuers.toml:1: "))
    }

    @Test func aPlaceWhereNoLedgerCanBe() async throws {
        try folder.write("file", "")
        try FileManager.default.createDirectory(atPath: folder.path("open"), withIntermediateDirectories: false)
        try FileManager.default.setAttributes([.posixPermissions: 0o777], ofItemAtPath: folder.path("open"))
        for (number, place) in ["/proc/nowhere/gatehouse.db", "file/gatehouse.db", "open/gatehouse.db"].enumerated() {
            let configuration = try folder.configuration("\(number).toml", ledger: place)
            let ending = try await folder.gatehouse("run", "--config", configuration)
            #expect(ending.code == 1, "\(place): \(ending)")
            #expect(ending.errors.contains("\n  what to do: "), "\(place): \(ending)")
        }
    }

    @Test func withoutARadioItStaysAndEndsWhenAsked() async throws {
        let folder = folder
        let configuration = try folder.configuration(port: try closedPort(), more: "[log]\npath = \"log.jsonl\"\n")
        // Through timeout(1): should this test be broken off, the process does not stay behind.
        let ending = try await Program.run(
            "timeout", ["60", Program.gatehouse, "run", "--config", configuration], in: folder
        ) { id in
            let failures = try await waitForFailures(4)
            #expect(failures.allSatisfy { $0["reason"]?.string?.string.contains("127.0.0.1") == true })
            let waits = failures.prefix(4).compactMap { $0["retryMs"]?.int }
            #expect(
                waits == waits.sorted() && Set(waits).count == 4, "each wait is longer than the one before: \(waits)")
            #expect(log().contains { $0["event"] == "signal" && $0["pattern"] == "fault" }, "the lamps show it")

            let list = try await folder.gatehouse("ledger", "list", "--config", configuration)
            #expect(list.code == 0, "the ledger can be read beside the service: \(list)")
            let agents = try await folder.gatehouse("agent", "list", "--config", configuration)
            #expect(agents.code == 2, "\(agents)")
            #expect(agents.hasRemedy && agents.errors.contains("in use by another process"))
            let asked = try await folder.gatehouse("status", "--config", configuration)
            #expect(asked.code == 1, "\(asked)")
            #expect(asked.lines.first == "Test-Gate: out of order")
            #expect(asked.output.contains("radio.failed") && asked.output.contains("→ Look at the adapter"))
            #expect(!asked.output.contains("\u{1B}"))
            let status = try await folder.gatehouse("status", "--json", "--socket", folder.path("control.sock"))
            #expect(status.code == 1 && status.json.first?["state"] == "fault", "\(status)")
            let fault = status.json.first?["faults"]?.array?.first
            #expect(fault?["code"] == "radio.failed" && fault?["seconds"]?.int != nil && fault?["count"]?.int ?? 0 >= 4)
            #expect(status.json.first?["radio"]?["state"] == "down" && status.json.first?["silent"]?.array == [])
            #expect(log().contains { $0["event"] == "fault" && $0["code"] == "radio.failed" })
            let second = try await folder.gatehouse("run", "--config", configuration)
            #expect(second.code == 1, "one service for one database: \(second)")
            kill(id, SIGTERM)
        }
        #expect(ending.code == 0, "\(ending)")
        #expect(log().last?["event"] == "ended")
        #expect(!FileManager.default.fileExists(atPath: folder.path("control.sock")))
        let gone = try await folder.gatehouse("status", "--config", configuration)
        #expect(gone.code == 2 && gone.hasRemedy && gone.errors.contains("not running"), "\(gone)")
    }

    @Test func somethingElseThatListensIsNoService() async throws {
        let folder = folder
        let configuration = try folder.configuration(more: "")
        // Listens, and says nothing.
        let mute = socket(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0)
        defer { close(mute) }
        var address = sockaddr_un()
        address.sun_family = sa_family_t(AF_UNIX)
        withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: Array(folder.path("control.sock").utf8)) }
        let isListening = withUnsafeMutablePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                bind(mute, $0, socklen_t(MemoryLayout<sockaddr_un>.size)) == 0 && listen(mute, 4) == 0
            }
        }
        try #require(isListening)
        let silent = try await folder.gatehouse("status", "--config", configuration)
        #expect(silent.code == 2 && silent.hasRemedy && silent.errors.contains("does not answer"), "\(silent)")
        let none = try folder.configuration("none.toml").replacingOccurrences(of: folder.url.path + "/", with: "")
        try folder.write(none, try folder.read(none).replacingOccurrences(of: "\"control.sock\"", with: "\"none\""))
        let off = try await folder.gatehouse("status", "--config", none)
        #expect(off.code == 2 && off.hasRemedy && off.errors.contains("no control socket"), "\(off)")
    }

    private func log() -> [JSON] {
        let text = (try? folder.read("log.jsonl")) ?? ""
        return text.split(separator: "\n").compactMap { try? JSON.parse(String($0)) }
    }

    private func waitForFailures(_ count: Int) async throws -> [JSON] {
        for _ in 0..<3000 {
            let failures = log().filter { $0["event"] == "radio.failed" }
            if failures.count >= count { return failures }
            try await Task.sleep(for: .milliseconds(10))
        }
        throw ProgramFailure(description: "no \(count) failures of the radio within 30 s")
    }
}
