import Credentials
import Encoding
import Foundation
import Ledger
import Store
import TestKit
import Testing

/// Real agents as their own mailboxes: what they start reaches the kiosk over plain HTTP.
@Suite(.serialized) struct MailboxPeerTests {
    private static let versions = ["0.12.8"] + (Workplace.environment("acapy-1.7.0", "") == nil ? [] : ["1.7.0"])
    private static let mediation = ["--open-mediation", "--enable-undelivered-queue"]

    @Test(.timeLimit(.minutes(5)), arguments: versions)
    func whatTheAgentStartsArrives(version: String) async throws {
        let place = try Workplace("mailbox-\(version)")
        let agent = try CloudAgent(version: version, place, options: Self.mediation)
        try await agent.command("start")
        let began = ContinuousClock.now
        var gate = try await DeliveryGate(place, try await agent.invitation(place))
        let connection = try await agent.mailed(gate, place)
        print("mailbox: ACA-Py \(version): through the mailbox after \(ContinuousClock.now - began)")
        try await gate.record(20)
        #expect(try await agent.reports(count: 20).count == 20)
        try await gate.wait("confirmed") { [gate] in await gate.cursor().confirmed == gate.end() }

        let sent = ContinuousClock.now
        for number in 0..<5 { try await agent.command("message \(connection) hello-\(number)") }
        try await agent.command("ping \(connection)")
        try await gate.wait("heard") { try place.log().count { $0.contains("bytes from the agent") } == 5 }
        print("mailbox: ACA-Py \(version): 5 messages heard after \(ContinuousClock.now - sent)")

        // While the kiosk is off they wait. What is on its way to it at that moment would be gone, as this mediator has no word for
        // "received".
        try await Task.sleep(for: .seconds(1))
        await gate.stop()
        for number in 0..<3 { try await agent.command("message \(connection) later-\(number)") }
        gate = try await DeliveryGate(place, place.path("invitation"))
        try await gate.wait("heard") { try place.log().count { $0.contains("bytes from the agent") } == 8 }
        #expect(gate.faults.isEmpty)

        let dropped = ContinuousClock.now
        try await agent.command("hangup \(connection)")
        try await gate.wait("told ended", within: .seconds(60)) { [gate] in gate.faults.contains(.agentEnded) }
        print("mailbox: ACA-Py \(version): the hangup was told after \(ContinuousClock.now - dropped)")
        await gate.stop()
        try await agent.stop()
        place.remove()
    }

    /// The controller confirms each report by a message of its own, as it would once it has stored it.
    @Test(.timeLimit(.minutes(5)), arguments: versions)
    func theControllerConfirms(version: String) async throws {
        let place = try Workplace("controller-\(version)")
        let agent = try CloudAgent(version: version, place, options: Self.mediation)
        try await agent.command("start")
        let gate = try await DeliveryGate(
            place, try await agent.invitation(place), more: "confirm = \"controller\"\nformat = \"basicmessage\"")
        let connection = try await agent.mailed(gate, place)
        let began = ContinuousClock.now
        try await gate.record(100)
        var told: Set<Text> = []
        while await gate.cursor().confirmed < gate.end(), ContinuousClock.now - began < .seconds(120) {
            let new = try agent.reports().compactMap(\.id).filter { !told.contains($0) }
            for chunk in stride(from: 0, to: new.count, by: 16).map({ Array(new[$0..<min($0 + 16, new.count)]) }) {
                let content: JSON = ["type": "verification-report/1.0/ack", "ids": .array(chunk.map(JSON.string))]
                try await agent.command("message \(connection) '\(content.compactText)'")
            }
            told.formUnion(new)
            try await Task.sleep(for: .milliseconds(200))
        }
        print(
            "mailbox: ACA-Py \(version): 100 reports confirmed by the controller after \(ContinuousClock.now - began)")
        #expect(await gate.cursor().confirmed == gate.end())
        #expect(try agent.reports().count == 100 && told.count == 100, "none lost, none under two ids")
        await gate.stop()
        try await agent.stop()
        place.remove()
    }

    /// Without the flag the agent keeps the question for its controller: reports go over the first connection, at once.
    @Test(.timeLimit(.minutes(3)), arguments: versions.suffix(1))
    func anAgentThatGrantsNoneGetsItsReportsAllTheSame(version: String) async throws {
        let place = try Workplace("denied-\(version)")
        let agent = try CloudAgent(version: version, place)
        try await agent.command("start")
        let gate = try await DeliveryGate(place, try await agent.invitation(place))
        try await gate.record(5)
        #expect(try await agent.reports(count: 5).count == 5)
        try await gate.wait("told", within: .seconds(60)) {
            try place.log().contains { $0.contains("keeps no messages") }
        }
        #expect(try await gate.store.connections().map(\.destination) == [DeliveryCursor.primary])
        #expect(gate.faults.isEmpty)
        await gate.stop()
        try await agent.stop()
        place.remove()
    }

    /// A single-use invitation is answered once: the first connection goes on as it was.
    @Test(.timeLimit(.minutes(4)), arguments: versions.suffix(1))
    func aSingleUseInvitationGoesOnWithoutAMailbox(version: String) async throws {
        let place = try Workplace("single-\(version)")
        let agent = try CloudAgent(version: version, place, options: Self.mediation)
        try await agent.command("start")
        let url = try await agent.command("invite single")["url"]?.string?.string ?? ""
        let gate = try await DeliveryGate(place, try place.write("invitation", url))
        try await gate.record(5)
        try await gate.wait("given up", within: .seconds(120)) {
            try place.log().contains { $0.contains("no answer through the mailbox") }
        }
        #expect(try await agent.reports(count: 5, within: .seconds(60)).count == 5)
        try await gate.wait("confirmed") { await gate.cursor().confirmed == gate.end() }
        await gate.stop()
        try await agent.stop()
        place.remove()
    }
}

extension Workplace {
    /// The lines of the gate's log.
    fileprivate func log() throws -> [String] {
        (try? String(contentsOfFile: path("log.jsonl"), encoding: .utf8))?.split(separator: "\n").map(String.init) ?? []
    }
}

extension CloudAgent {
    /// Waits until the gate is reached through the agent's mailbox; the agent's name for that connection.
    fileprivate func mailed(_ gate: DeliveryGate, _ place: Workplace) async throws -> String {
        try await gate.wait("through the mailbox", within: .seconds(60)) {
            let stored = try await gate.store.connections()
            let present = await gate.cursor().connection
            let way = stored.first { $0.id == present && $0.destination == DeliveryCursor.primary }
            let snapshot = try way.map { try JSON.parse($0.snapshot) }
            return snapshot?["mailbox"] == true && snapshot?["phase"] == "connected"
        }
        // The younger of the two.
        let connections = try await command("connections")["results"]?.array ?? []
        let live = connections.filter {
            ["active", "completed", "response"].contains($0["state"]?.string) && $0["invitation_mode"] != "multi"
        }.sorted { ($0["created_at"]?.string?.string ?? "") < ($1["created_at"]?.string?.string ?? "") }
        return try #require(live.last?["connection_id"]?.string?.string)
    }
}
