import ArgumentParser
import Encoding
import Foundation
import Testing
import Workbench

@testable import gatehouse

/// `gatehouse demo`: every scenario ends as expected, in text and in JSON.
@Suite struct DemoCommandTests {
    private let folder: Scratch

    init() throws { folder = try Scratch() }

    /// Each scenario with the expected content of its last line.
    static let endings: [(scenario: String, result: String, reason: String)] = [
        ("accepted", "accepted", "ok"), ("tampered", "rejected", "proof.invalid"),
        ("untrusted-issuer", "rejected", "issuer.untrusted"), ("expired", "rejected", "validity.expired"),
        ("lossy-radio", "accepted", "ok"), ("agent-down", "accepted", "ok"),
    ]

    @Test(arguments: endings) func everyScenarioForMachines(
        _ scenario: String, _ result: String, _ reason: String
    ) async throws {
        let ending = try await folder.gatehouse("demo", "--json", "--scenario", scenario)
        #expect(ending.code == 0, "\(ending)")
        #expect(ending.errors.isEmpty)
        #expect(ending.json.allSatisfy { $0.object != nil }, "each line is one JSON object")
        #expect(ending.json.allSatisfy { $0["event"]?.string != nil }, "each line says what it is")
        #expect(!ending.output.contains("Simulation."), "no names of the implementation")
        let last = try #require(ending.json.last)
        #expect(last["event"] == "result")
        #expect(last["result"]?.string == Text(result))
        #expect(last["reasons"]?.array?.first?.string == Text(reason))
        #expect(last["phone"]?.string == Text(result))
        #expect(last["reports"]?.int == 1)
        #expect(last["chainIntact"] == true)
        let events = ending.json.dropLast()
        #expect(events.contains { $0["event"] == "gate" && $0["open"] == true } == (result == "accepted"))
        #expect(events.contains { $0["event"] == "report.delivered" })
        #expect(events.contains { $0["lamps"]?.array == [result == "accepted" ? "green" : "red"] })
        #expect(isOrdered(events.compactMap { $0["at"]?.number?.double }))
    }

    @Test(arguments: endings) func everyScenarioForPeople(
        _ scenario: String, _ result: String, _ reason: String
    ) async throws {
        let ending = try await folder.gatehouse("demo", "--fast", "--scenario", scenario)
        #expect(ending.code == 0, "\(ending)")
        let isAccepted = result == "accepted"
        #expect(ending.lines.contains { $0.hasPrefix(isAccepted ? "ACCEPTED  " : "REJECTED (\(reason))  ") })
        #expect(ending.output.contains("OPENID4VP://connect?name="))
        #expect(ending.output.contains("gate    OPEN") == isAccepted)
        #expect(!ending.output.contains("\u{1B}"), "no colour in a pipe")
        #expect(ending.lines.allSatisfy { $0.count <= 120 })
    }

    /// The demonstrations of the gate's promises, each with the number of checks that must hold.
    static let promises = [("power-cut", 5), ("crowd", 5), ("wrong-clock", 8), ("forged-ledger", 5)]

    @Test(arguments: promises) func everyPromiseIsKept(_ name: String, _ count: Int) async throws {
        let machines = try await folder.gatehouse("demo", "--json", "--scenario", name)
        #expect(machines.code == 0 && machines.errors.isEmpty, "\(machines)")
        let found = machines.json.filter { $0["event"] == "promise" }
        #expect(found.count == count && found.allSatisfy { $0["kept"] == true && $0["found"]?.string != nil })
        let last = try #require(machines.json.last)
        #expect(last["event"] == "result" && last["scenario"]?.string == Text(name) && last["asTold"] == true)
        #expect(last["promises"]?.int == count && last["kept"]?.int == count)
        #expect(machines.json.first?["event"] == "step" && machines.json.allSatisfy { $0.object != nil })

        let people = try await folder.gatehouse("demo", "--scenario", name)
        #expect(people.code == 0 && people.lines.last == "KEPT  \(count) of \(count) hold", "\(people)")
        #expect(people.lines.count { $0.hasPrefix("✓ ") } == count && !people.output.contains("\u{1B}"))
        if name == "power-cut" { #expect(people.output.contains("ended by signal 9")) }
    }

    @Test func aBrokenPromiseEndsWithOne() throws {
        let screen = PromiseScreen(try #require(DemoPromise.named("crowd")), json: true)
        let (kept, broken) = (
            DemoPromise.Finding("a", "b", isKept: true), DemoPromise.Finding("a", "b", isKept: false)
        )
        try screen.finish([kept])
        for findings in [[kept, broken], []] {
            #expect(throws: ExitCode(1)) { try screen.finish(findings) }
        }
    }

    @Test func checkingIsShownBeforeTheVerdict() async throws {
        let text = try await folder.gatehouse("demo", "--fast").output
        let checking = try #require(text.range(of: "checking"))
        let verdict = try #require(text.range(of: "verdict: accept"))
        let green = try #require(text.range(of: "green"))
        #expect(checking.lowerBound < verdict.lowerBound && verdict.lowerBound < green.lowerBound)
    }

    @Test func aCredentialFromAFile() async throws {
        try await folder.exportSample()
        let good = try await folder.gatehouse("demo", "--json", "--credential", "sample/credential.json")
        #expect(good.code == 0, "\(good)")
        #expect(good.json.last?["result"] == "accepted")
        let record = try await folder.gatehouse("demo", "--json", "--credential", "sample/wallet-record.json")
        #expect(record.code == 0, "\(record)")

        let text = try folder.read("sample/credential.json")
        let altered = text.replacingOccurrences(of: "\"Leased\"", with: "\"Owned\"")
        #expect(altered != text)
        try folder.write("altered.json", altered)
        let bad = try await folder.gatehouse("demo", "--json", "--credential", "altered.json")
        #expect(bad.code == 1)
        #expect(bad.json.last?["result"] == "rejected")
        #expect(bad.json.last?["reasons"]?.array == ["proof.invalid"])
        #expect(!bad.json.contains { $0["event"] == "gate" && $0["open"] == true })

        try folder.write("garbage", "\u{0}\u{1}this is no credential")
        let garbage = try await folder.gatehouse("demo", "--json", "--credential", "garbage")
        #expect(garbage.code == 1)
        #expect(garbage.json.last?["reasons"]?.array == ["json.syntax"])

        let late = try await folder.gatehouse(
            "demo", "--json", "--credential", "sample/credential.json", "--at", "2030-01-01T00:00:00Z")
        #expect(late.code == 1)
        #expect(late.json.last?["reasons"]?.array == ["validity.expired"])
    }

    @Test func theExportsOwnCommandsWork() async throws {
        let export = try await folder.gatehouse("demo", "--export", "try me")
        #expect(export.code == 0)
        let verify = try await folder.gatehouse(
            "verify", "--trust", "try me/trust", "--at", "2026-06-01T09:00:00Z", "try me/credential.json")
        #expect(verify.code == 0, "\(verify)")
        // The commands as printed, run through a shell with the program on the path.
        let commands = export.lines.filter { $0.hasPrefix("  gatehouse ") }
        #expect(commands.count == 2)
        let binaries = URL(fileURLWithPath: Program.gatehouse).deletingLastPathComponent().path
        for command in commands {
            let ending = try await Program.run(
                "sh", ["-c", "PATH=\"\(binaries):$PATH\"; \(command)"], in: folder)
            #expect(ending.code == 0, "\(command): \(ending)")
            #expect(ending.output.contains("ACCEPTED"))
        }
    }

    @Test(arguments: [
        ["demo", "--scenario", "sunny"], ["demo", "--credential", "nowhere.json"], ["demo", "--trust", "x"],
        ["demo", "--credential", "gate.toml", "--at", "tomorrow"], ["demo", "--credential", "."],
        ["demo", "--credential", "gate.toml", "--trust", "nowhere"], ["demo", "--export", "/dev/null/x"],
    ]) func demonstrationsThatCannotRunAreExplained(_ arguments: [String]) async throws {
        _ = try folder.configuration()
        let ending = try await folder.gatehouse(arguments)
        #expect(ending.code == 2, "\(ending)")
        #expect(ending.output.isEmpty)
        #expect(ending.hasRemedy || ending.errors.contains("Create it"), "\(ending)")
    }

    private func isOrdered(_ times: [Double]) -> Bool { zip(times, times.dropFirst()).allSatisfy { $0 <= $1 } }
}
