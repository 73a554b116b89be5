import Encoding
import Foundation
import TestKit
import Testing

/// The real program, a third-party Bluetooth stack with an independent wallet, and a real cloud agent, during
/// one day at a gate.
@Suite(.tags(.realTime, .agents)) struct VisitTests {
    @Test(.timeLimit(.minutes(3)), arguments: CloudAgent.versions)
    func withARealAgent(version: String) async throws { try await day(agent: version) }

    @Test(.timeLimit(.minutes(3)), .enabled(if: Rootcanal.isUsable, "no rootcanal, or no network of one's own, here"))
    func overAnotherController() async throws {
        let place = try Workplace("rootcanal")
        guard let credential = try Credential(place) else { return place.remove() }
        let air = try await Air(place, rootcanal: Rootcanal.program)
        let relay = try Stall(place, library: try await Stall.library(place))
        let kiosk = try KioskProcess(
            place, radioPort: air.port, trust: credential.trust, prefix: air.networkPrefix, relay: relay)
        try kiosk.start()
        var day = Day(air: air, kiosk: kiosk)
        try await day.visit("accepted", .init(uri: "", payload: credential.genuine))
        try await day.visit("rejected", .init(uri: "", payload: credential.tampered), reason: "proof.invalid")
        try await day.visit(
            "accepted", .init(uri: "", payload: credential.genuine, manner: "ios", mtu: 185, lose: [2, 4]))
        #expect(day.differ())
        #expect(try await kiosk.records(finished: day.results.count).map(\.result) == day.results)
        try await day.close()
        #expect(relay.pulses.count == 2, "as the line itself saw it")
        try await air.stop()
        place.remove()
    }

    private func day(agent version: String) async throws {
        let place = try Workplace("day-\(version)")
        guard let credential = try Credential(place) else { return place.remove() }
        let agent = try CloudAgent(version: version, place)
        try await agent.command("start")
        let invitation = try place.write("invitation", try await agent.command("invite")["url"]?.string?.string ?? "")
        let air = try await Air(place)
        let kiosk = try KioskProcess(place, radioPort: air.port, trust: credential.trust, invitation: invitation)
        try kiosk.start()
        try await kiosk.journal.wait(for: "connection to the agent") {
            $0["event"]?.string == "agent" && $0["text"]?.string == "connected"
        }

        var day = Day(air: air, kiosk: kiosk)
        try await day.visit("accepted", .init(uri: "", payload: credential.genuine))
        try await day.visit("accepted", .init(uri: "", payload: credential.genuine, lose: [2]))
        try await day.passer(.init(uri: "", payload: credential.genuine, leave: "identified"))
        try await day.visit("rejected", .init(uri: "", payload: credential.tampered), reason: "proof.invalid")
        try await day.visit("accepted", .init(uri: "", payload: credential.genuine, manner: "ios"))
        #expect(try await agent.reports(count: 4).count == 4)

        // The agent ends while a person is choosing, which has no effect at the gate. (Killed: an orderly end
        // waits for the gate's connection and goes on taking reports meanwhile.)
        try await day.visit("accepted", .init(uri: "", payload: credential.genuine, choosesSlowly: true)) {
            try await agent.command("kill")
        }
        try await day.visit("rejected", .init(uri: "", payload: credential.tampered), reason: "proof.invalid")
        #expect(try agent.reports().count == 4)
        try await agent.command("start")

        let reports = try await agent.reports(count: 6)
        #expect(day.differ())
        try await expect(reports, toTell: day)

        try await day.close()
        try await agent.stop()
        try await air.stop()
        place.remove()
    }

    /// Expects that the reports match the records: the same ids, numbers and results, no gap, no repetition.
    private func expect(_ reports: [CloudAgent.Message], toTell day: Day) async throws {
        let records = try await day.kiosk.records()
        #expect(records.map(\.result) == day.results)
        #expect(records.map(\.seq) == Array(1...day.results.count))
        let told = reports.sorted { ($0.content["seq"]?.int ?? 0) < ($1.content["seq"]?.int ?? 0) }
        #expect(told.map { $0.content["seq"]?.int } == records.map(\.seq))
        #expect(told.map(\.id) == records.map(\.visit))
        #expect(told.map { $0.content["id"]?.string } == records.map(\.visit))
        #expect(told.map { $0.content["result"]?.string } == records.map(\.result))
        let reasons = told.map { ($0.content["reasons"]?.array ?? []).first?["code"]?.string?.string ?? "" }
        #expect(reasons == day.reasons)
        // No data of the credential leaves the appliance.
        for text in told.map(\.content.compactText) {
            #expect(!text.contains("Mary Smith") && !text.contains("1975-08-22"))
        }
    }
}

/// rootcanal, a virtual controller in C++ that fragments packets as real controllers do.
private enum Rootcanal {
    /// The program, where `Tests/Peers/setup` found one that runs.
    static let program = Workplace.environment("wallet", "rootcanal")

    /// Whether the user may create a network namespace: rootcanal listens on every address of the machine, so
    /// it gets a network of its own.
    static let isUsable: Bool = {
        guard let program, FileManager.default.fileExists(atPath: program) else { return false }
        guard let child = try? Child("unshare", ["--map-root-user", "--net", "true"], output: "/dev/null") else {
            return false
        }
        while child.poll() == nil { usleep(1000) }
        return child.poll() == .exit(0)
    }()
}
