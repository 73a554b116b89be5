import Encoding
import Foundation
import TestKit
import Testing

/// `gatehouse run` as a process: the errors that keep it from starting, and a missing radio, which does not.
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

    /// Everything that may be wrong on the machine apart from its configuration, all at once: the service
    /// runs, reports it, and uses each thing once it is available.
    @Test(.tags(.realTime)) func aFaultOfTheBoxDoesNotEndTheService() async throws {
        let folder = folder
        let configuration = try folder.configuration(
            port: try closedPort(),
            more: """
                [gpio]
                chip = "no-such-chip"
                [gate]
                line = "GPIO17"
                [policy]
                file = "policy.toml"
                [log]
                path = "log.jsonl"
                """)
        try folder.write("trust/issuers.toml", "profile = 7\n")
        let ending = try await Program.run(
            "timeout", ["60", Program.gatehouse, "run", "--config", configuration], in: folder
        ) { id in
            let codes: Set<Text> = [
                "gate.unavailable", "fault.gpio", "fault.trust-unusable", "fault.policy-file", "fault.radio",
            ]
            try await eventually("the faults") { codes.isSubset(of: health().compactMap { $0["code"]?.string }) }
            let faults = Dictionary(grouping: health(), by: { $0["code"]?.string ?? "" })
            #expect(Set(faults.keys) == codes, "\(faults)")
            #expect(
                faults["fault.trust-unusable"]?.last?["detail"]?.string?.string.contains("issuers.toml:1: ") == true)
            // Each detail begins with the code of its cause, which the table of reasons explains; the status
            // has the same code.
            let causes = [
                "fault.gpio": "gpio.no-chip", "gate.unavailable": "gpio.no-chip", "fault.radio": "radio.unreachable",
            ]
            try await folder.waitForService(configuration)
            let status = try await folder.gatehouse("status", "--json", "--config", configuration)
            let told = status.json.first?["faults"]?.array ?? []
            for (code, cause) in causes {
                let logged = faults[Text(code)]?.last?["detail"]?.string?.string ?? ""
                let asked = told.first { $0["code"]?.string == Text(code) }?["detail"]?.string?.string ?? ""
                for detail in [logged, asked] { #expect(detail.hasPrefix(cause + ": "), "\(code): \(detail)") }
                let reason = try await folder.gatehouse("reasons", "--json", cause)
                #expect(reason.code == 0 && reason.json.first?["remedy"]?.string != nil, "\(reason)")
            }
            #expect(faults["fault.gpio"]?.last?["detail"]?.string?.string.contains("no-such-chip") == true)
            let failed = log().last { $0["event"] == "radio.failed" }
            #expect(
                failed?["code"] == "radio.unreachable" && failed?["reason"]?.string != nil,
                "\(String(describing: failed))")
            try folder.write(
                "trust/issuers.toml", "[[issuer]]\nid = \"did:key:z6MkiTBz1ymuepAQ4HEHYSF1H8quG5GLVVQR3djdX3mDooWp\"\n")
            try folder.write("policy.toml", "id = \"p\"\nversion = \"1\"\n[[accept]]\nid = \"all\"\n")
            for code in ["fault.trust-unusable", "fault.policy-file"] {
                try await eventually("\(code) is over") {
                    health().contains { $0["code"]?.string == Text(code) && $0["present"]?.bool == false }
                }
            }
            kill(id, SIGTERM)
        }
        #expect(ending.code == 0, "\(ending)")
    }

    /// The unit records that it has stopped a bluetoothd; the service reports it at this start, and not at
    /// the next one.
    @Test(.tags(.realTime)) func aStoppedBluetoothdIsReported() async throws {
        let configuration = try folder.configuration(port: try closedPort(), more: "[log]\npath = \"log.jsonl\"\n")
        try FileManager.default.createDirectory(
            atPath: folder.path("run/bluetoothd-stopped"), withIntermediateDirectories: true)
        for start in 1...2 {
            let ending = try await Program.run(
                "timeout", ["60", Program.gatehouse, "run", "--config", configuration], in: folder,
                environment: ["RUNTIME_DIRECTORY": folder.path("run")]
            ) { id in
                // The service handles signals before it first looks for a controller.
                try await eventually("start \(start)") {
                    let starts = log().split(omittingEmptySubsequences: false) { $0["event"] == "started" }
                    return starts.count == start + 1 && starts.last?.contains { $0["event"] == "radio.failed" } == true
                }
                kill(id, SIGTERM)
            }
            #expect(ending.code == 0, "\(ending)")
            #expect(log().count { $0["event"] == "radio.bluetoothd-stopped" } == 1)
        }
    }

    /// The service is killed twice after a request to its agent: the third start serves without contacting
    /// the agent, and reports it; an orderly restart contacts it again.
    @Test(.tags(.realTime)) func crashesAreReported() async throws {
        let agent = try AgentOnLoopback("An agent")
        try folder.write("agent.json", agent.invitation.compactText)
        let configuration = try folder.configuration(
            port: try closedPort(),
            more: """
                [agent]
                allowPlainHTTP = true
                invitations = ["agent.json"]
                retryFirst = "200ms"
                [log]
                path = "log.jsonl"
                """)
        try FileManager.default.createDirectory(atPath: folder.path("run"), withIntermediateDirectories: false)
        func start(_ number: Int, until isThere: @escaping () -> Bool, _ signal: Int32) async throws {
            _ = try await Program.run(
                "timeout", ["60", Program.gatehouse, "run", "--config", configuration], in: folder,
                environment: ["RUNTIME_DIRECTORY": folder.path("run")]
            ) { id in
                try await eventually("start \(number)") {
                    log().count { $0["event"] == "started" } == number && isThere()
                }
                try await eventually("signals of start \(number)") {
                    log().split { $0["event"] == "started" }.last?.contains { $0["event"] == "radio.failed" } == true
                }
                kill(signal == SIGKILL ? -id : id, signal)
            }
        }
        let asked = {
            let lines =
                (try? folder.read("run/running"))?.split(separator: "\n", omittingEmptySubsequences: false) ?? []
            return lines.count > 3 && lines[3].contains(" 127.0.0.1:")
        }
        for number in 1...2 { try await start(number, until: asked, SIGKILL) }
        try await start(3, until: { health().contains { $0["code"] == "fault.crashes" } }, SIGTERM)
        let crashed = log().filter { $0["event"] == "crashed" }
        #expect(crashed.map { $0["count"]?.int } == [1, 2], "\(crashed)")
        #expect(crashed.last?["leftOut"]?.string?.hasPrefix("127.0.0.1:") == true)
        let last = try #require(log().lastIndex { $0["event"] == "crashed" })
        #expect(log()[last...].contains { $0["event"] == "started" }, "it is the first line of its start")
        #expect(!log()[last...].contains { $0["text"]?.string == "connected" })
        try await start(4, until: asked, SIGTERM)
        #expect(log().filter { $0["event"] == "crashed" }.count == 2)
    }

    @Test(.tags(.realTime)) func aLogFileThatCannotBeMadeLeavesStandardError() async throws {
        let configuration = try folder.configuration(
            port: try closedPort(), more: "[log]\npath = \"nowhere/log.jsonl\"\n")
        let words = ["\"code\":\"fault.log-dropped\"", "\"event\":\"started\""]
        let ending = try await folder.serve(configuration, until: words)
        #expect(ending.code == 0, "\(ending)")
    }

    /// A path at which no ledger can exist: the service waits for it with the gate shut and the radio silent,
    /// and uses it once it is available.
    @Test(.tags(.realTime)) func aPlaceWhereNoLedgerCanBe() async throws {
        let folder = folder
        try folder.write("file", "")
        try FileManager.default.createDirectory(atPath: folder.path("open"), withIntermediateDirectories: false)
        try FileManager.default.setAttributes([.posixPermissions: 0o777], ofItemAtPath: folder.path("open"))
        for (number, place) in ["/proc/nowhere/gatehouse.db", "file/gatehouse.db", "open/gatehouse.db"].enumerated() {
            let log = "log-\(number).jsonl"
            let configuration = try folder.configuration(
                "\(number).toml", ledger: place, port: try closedPort(), more: "[log]\npath = \"\(log)\"\n")
            let isMended = place.hasPrefix("open")
            let ending = try await Program.run(
                "timeout", ["60", Program.gatehouse, "run", "--config", configuration], in: folder
            ) { id in
                try await eventually("the fault of \(place)") {
                    health(log).contains { $0["code"] == "fault.ledger-unopened" && $0["present"]?.bool == true }
                }
                #expect(health(log).last?["detail"]?.string?.string.contains("; remedy: ") == true)
                #expect(!self.log(log).contains { $0["event"] == "radio.failed" }, "the radio is silent")
                if isMended {
                    try FileManager.default.setAttributes(
                        [.posixPermissions: 0o700], ofItemAtPath: folder.path("open"))
                    try await eventually("the start") { self.log(log).contains { $0["event"] == "radio.failed" } }
                    let told = health(log).filter { $0["code"] == "fault.ledger-unopened" }
                    #expect(told.map { $0["present"]?.bool } == [true, false], "told once each: \(told)")
                }
                kill(id, SIGTERM)
            }
            #expect(ending.code == (isMended ? 0 : -SIGTERM), "\(place): \(ending)")
        }
    }

    @Test func linesAreReleasedAfterTheService() async throws {
        let none = try await folder.gatehouse("release-lines", "--config", try folder.configuration())
        #expect(none.code == 0 && none.lines == ["no GPIO lines are configured"], "\(none)")
        let lines = "[gpio]\nchip = \"no-such-chip\"\n[gate]\nline = \"GPIO17\"\n"
        let absent = try await folder.gatehouse(
            "release-lines", "--config", try folder.configuration("lines.toml", more: lines))
        #expect(absent.code == 0, "\(absent)")
        #expect(absent.lines == ["there is no GPIO chip no-such-chip: no line is driven"] && absent.errors.isEmpty)
        let wrong = try await folder.gatehouse("release-lines", "--config", "nowhere.toml")
        #expect(wrong.code == 2)
    }

    @Test(.tags(.realTime)) func withoutARadioItStaysAndEndsWhenAsked() async throws {
        let folder = folder
        let configuration = try folder.configuration(port: try closedPort(), more: "[log]\npath = \"log.jsonl\"\n")
        // Through timeout(1): when this test is interrupted, the process ends, too.
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
            #expect(agents.code == 0, "the service answers itself: \(agents)")
            let deaf = try folder.configuration("deaf.toml").replacingOccurrences(of: folder.url.path + "/", with: "")
            try folder.write(deaf, try folder.read(deaf).replacingOccurrences(of: "control.sock", with: "other.sock"))
            let held = try await folder.gatehouse("agent", "list", "--config", deaf)
            #expect(held.code == 2 && held.hasRemedy && held.errors.contains("in use by another process"), "\(held)")
            let asked = try await folder.gatehouse("status", "--config", configuration)
            #expect(asked.code == 1, "\(asked)")
            #expect(asked.lines.first == "Test-Gate: out of order")
            #expect(asked.output.contains("fault.radio") && asked.output.contains("→ Check the adapter"))
            #expect(!asked.output.contains("\u{1B}"))
            let status = try await folder.gatehouse("status", "--json", "--socket", folder.path("control.sock"))
            #expect(status.code == 1 && status.json.first?["state"] == "fault", "\(status)")
            let fault = status.json.first?["faults"]?.array?.first
            #expect(fault?["code"] == "fault.radio" && fault?["seconds"]?.int != nil && fault?["count"]?.int ?? 0 >= 4)
            #expect(status.json.first?["radio"]?["state"] == "down" && status.json.first?["silent"]?.array == [])
            #expect(log().contains { $0["event"] == "fault" && $0["code"] == "fault.radio" })
            // A second service waits for the database, which the first one holds.
            let second = try folder.configuration(
                "second.toml", port: try closedPort(), more: "[log]\npath = \"second.jsonl\"\n")
            _ = try await Program.run("timeout", ["60", Program.gatehouse, "run", "--config", second], in: folder) {
                id in
                try await eventually("the second's fault") {
                    health("second.jsonl").contains { $0["code"] == "fault.ledger-unopened" }
                }
                let told = health("second.jsonl").first { $0["code"] == "fault.ledger-unopened" }
                #expect(told?["detail"]?.string?.string.contains("in use by another") == true)
                #expect(!self.log("second.jsonl").contains { $0["event"] == "radio.failed" }, "its radio is silent")
                kill(id, SIGTERM)
            }
            kill(id, SIGTERM)
        }
        #expect(ending.code == 0, "\(ending)")
        #expect(log().last?["event"] == "ended")
        #expect(!FileManager.default.fileExists(atPath: folder.path("control.sock")))
        let gone = try await folder.gatehouse("status", "--config", configuration)
        #expect(gone.code == 2 && gone.hasRemedy && gone.errors.contains("not running"), "\(gone)")
    }

    @Test(.tags(.realTime)) func somethingElseThatListensIsNoService() async throws {
        let folder = folder
        let configuration = try folder.configuration(more: "")
        // A socket that listens and does not answer.
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
        #expect(silent.code == 2 && silent.hasRemedy && silent.errors.contains("does not respond"), "\(silent)")
        let none = try folder.configuration("none.toml").replacingOccurrences(of: folder.url.path + "/", with: "")
        try folder.write(none, try folder.read(none).replacingOccurrences(of: "\"control.sock\"", with: "\"none\""))
        let off = try await folder.gatehouse("status", "--config", none)
        #expect(off.code == 2 && off.hasRemedy && off.errors.contains("no control socket"), "\(off)")
    }

    /// A unit without its configuration does not start and reports nothing: the remedy is another command.
    @Test func statusWhereNothingIsConfigured() async throws {
        let named = try await folder.gatehouse("status", "--config", "nowhere.toml")
        #expect(named.code == 2 && named.errors.contains("sudo gatehouse setup --config nowhere.toml"), "\(named)")
        let usual = try await folder.gatehouse("status")
        #expect(usual.code == 2 && usual.hasRemedy && usual.errors.contains("sudo gatehouse setup"), "\(usual)")
        #expect(usual.errors.contains("there is no \(folder.path("etc/gatehouse/gatehouse.toml"))"), "\(usual)")
        #expect(!usual.errors.contains("systemctl"), "\(usual)")
    }

    private func log(_ name: String = "log.jsonl") -> [JSON] {
        let text = (try? folder.read(name)) ?? ""
        return text.split(separator: "\n").compactMap { try? JSON.parse(String($0)) }
    }

    /// Returns the lines that report a change of health.
    private func health(_ name: String = "log.jsonl") -> [JSON] { log(name).filter { $0["event"] == "fault" } }

    private func waitForFailures(_ count: Int) async throws -> [JSON] {
        var failures: [JSON] = []
        try await eventually("\(count) failures of the radio") {
            failures = log().filter { $0["event"] == "radio.failed" }
            return failures.count >= count
        }
        return failures
    }
}
