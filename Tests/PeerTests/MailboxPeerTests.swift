import Aries
import Courier
import Encoding
import Foundation
import Ledger
import Reasons
import Store
import TestKit
import Testing

/// Real agents as their own mailboxes: messages that the agents start reach the kiosk over plain HTTP.
@Suite(.serialized, .tags(.realTime, .agents)) struct MailboxPeerTests {
    @Test(.timeLimit(.minutes(5)), arguments: CloudAgent.versions)
    func aMessageStartedByTheAgentArrives(version: String) async throws {
        try await withAgent("mailbox", version, options: CloudAgent.mediation) { scene in
            let (place, agent) = (scene.place, scene.agent)
            let began = ContinuousClock.now
            var gate = try await scene.gate()
            let connection = try await agent.mailed(gate)
            print("mailbox: ACA-Py \(version): through the mailbox after \(ContinuousClock.now - began)")
            try await gate.record(20)
            #expect(try await agent.reports(count: 20).count == 20)
            try await gate.waitForAll()

            let sent = ContinuousClock.now
            for number in 0..<5 { try await agent.command("message \(connection) hello-\(number)") }
            try await agent.command("ping \(connection)")
            try await gate.wait("heard") { [gate] in gate.said("bytes from the agent") == 5 }
            print("mailbox: ACA-Py \(version): 5 messages heard after \(ContinuousClock.now - sent)")

            // While the kiosk is off, the messages wait. A message that is being sent at the moment of the
            // stop would be lost, because this mediator knows no acknowledgement.
            try await Task.sleep(for: .seconds(1))
            await gate.stop()
            // The same holds for the mediator's answer to the last request of the gate.
            try await Task.sleep(for: .seconds(1))
            for number in 0..<3 { try await agent.command("message \(connection) later-\(number)") }
            gate = try await scene.gate(place.path("invitation"))
            try await gate.wait("heard") { [gate] in gate.said("bytes from the agent") == 8 }
            #expect(gate.faults.isEmpty)

            let dropped = ContinuousClock.now
            try await agent.command("hangup \(connection)")
            try await gate.wait("told ended", within: .seconds(60)) { [gate] in gate.faults.contains(.agentEnded) }
            print("mailbox: ACA-Py \(version): the hangup was told after \(ContinuousClock.now - dropped)")
        }
    }

    /// The controller confirms each report by a message of its own, as a controller does once it has stored
    /// the report. The agent is killed meanwhile and loses its memory: reports on their way to the
    /// controller, and confirmations on their way from it. There are more reports than may await such a
    /// confirmation at once (``ReportSettings/Limits/unacknowledgedSingles``).
    @Test(.timeLimit(.minutes(5)), arguments: CloudAgent.versions)
    func theControllerConfirms(version: String) async throws {
        let count = !PeerRun.isThorough ? 300 : version == CloudAgent.newest ? 1000 : 100
        try await withAgent("controller", version, options: CloudAgent.mediation) { scene in
            let agent = scene.agent
            let gate = try await scene.gate(
                more: "confirm = \"controller\"\nformat = \"basicmessage\"",
                pace: .usual { $0.reports.controllerAnswer = .seconds(10) })
            let connection = try await agent.mailed(gate)
            let began = ContinuousClock.now
            try await gate.record(count)
            var (told, heard, isKilled): (Set<Text>, Int, Bool) = ([], 0, false)
            while await gate.cursor().confirmed < gate.end(), ContinuousClock.now - began < .seconds(240) {
                // A repeated report is unconfirmed as far as the gate knows: the controller confirms it
                // again.
                let all = agent.journal.lines.filter { $0["webhook"]?.string == "basicmessages" }
                    .compactMap { $0["body"]?["message_id"]?.string }
                // Before the kill, about half of the reports are confirmed, however many have arrived.
                let last = isKilled ? all.count : min(all.count, heard + count / 4)
                let new = all[heard..<last]
                heard = last
                if !isKilled, told.count > count / 3 {
                    isKilled = true
                    try await agent.command("kill")
                    try await agent.command("start")
                }
                for chunk in stride(from: 0, to: new.count, by: 16).map({ new.dropFirst($0).prefix(16) }) {
                    let content: JSON = ["type": "verification-report/1.0/ack", "ids": .array(chunk.map(JSON.string))]
                    try await agent.command("message \(connection) '\(content.compactText)'")
                }
                told.formUnion(new)
                try await Task.sleep(for: .milliseconds(200))
            }
            print(
                "mailbox: ACA-Py \(version): \(count) reports confirmed by the controller after "
                    + "\(ContinuousClock.now - began), \(heard - told.count) came again")
            #expect(isKilled)
            #expect(await gate.cursor().confirmed == gate.end())
            #expect(try told.count == count && agent.reports().count == count, "none lost, none under two ids")
        }
    }

    /// Without the flag, the agent keeps the mediation request for its controller: reports are sent over the
    /// first connection, at once.
    @Test(.timeLimit(.minutes(3)), arguments: [CloudAgent.newest])
    func anAgentThatGrantsNoneGetsItsReportsAllTheSame(version: String) async throws {
        try await withAgent("denied", version) { scene in
            let agent = scene.agent
            let gate = try await scene.gate(pace: .usual { $0.times.grant = .seconds(5) })
            try await gate.record(5)
            #expect(try await agent.reports(count: 5).count == 5)
            try await gate.wait("told", within: .seconds(60)) { gate.said("grants no mailbox") > 0 }
            #expect(try await gate.courier.connections().map(\.destination) == [DeliveryCursor.primary])
            #expect(gate.faults.isEmpty)
        }
    }

    /// A single-use invitation is answered once: the first connection continues unchanged.
    @Test(.timeLimit(.minutes(4)), arguments: [CloudAgent.newest])
    func aSingleUseInvitationGoesOnWithoutAMailbox(version: String) async throws {
        try await withAgent("single", version, options: CloudAgent.mediation) { scene in
            let agent = scene.agent
            let gate = try await scene.gate(
                try await scene.invite("single"), pace: .usual { $0.times.trial = .seconds(10) })
            try await gate.record(5)
            try await gate.wait("given up", within: .seconds(120)) { gate.said("no answer through the mailbox") > 0 }
            #expect(try await agent.reports(count: 5, within: .seconds(60)).count == 5)
            try await gate.waitForAll()
        }
    }
}
