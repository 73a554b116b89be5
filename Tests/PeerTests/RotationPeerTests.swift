import Aries
import Encoding
import Foundation
import Ledger
import Reasons
import Store
import TestKit
import Testing

/// Real agents that change their DID in an existing connection (did-rotate/1.0), and that hang up.
@Suite(.serialized, .tags(.realTime, .agents)) struct RotationPeerTests {
    /// The newer version, where it is installed.
    private static let newer = Workplace.environment("acapy-1.7.0", "") == nil ? [] : ["1.7.0"]
    /// The DID methods that contain the document and that agents can make: DIDs of other methods have no
    /// endpoint without a ledger.
    private static let methods = ["did:peer:2", "did:peer:4"]

    @Test(.timeLimit(.minutes(5)), arguments: newer)
    func theKioskFollowsAnAgentThatChangesItsDID(version: String) async throws {
        try await withAgent("rotated", version, options: CloudAgent.mediation) { scene in
            let (agent, file) = (scene.agent, try await scene.invite())
            var gate = try await scene.gate(file)
            let connection = try await agent.mailed(gate)
            var count = 0

            /// Expects that reports are sent and confirmed.
            func deliver() async throws {
                try await gate.record(10)
                count += 10
                #expect(try await agent.reports(count: count).count == count)
                try await gate.waitForAll()
                #expect(gate.faults.isEmpty)
            }

            try await deliver()
            for (number, method) in Self.methods.enumerated() {
                let before = try await agent.ownDID(connection)
                let began = ContinuousClock.now
                let did = try #require(try await agent.command("rotate \(connection) \(method)")["did"]?.string)
                #expect(did.hasPrefix(Text(method)) && did != before)
                try await gate.follow(did)
                // The acknowledgement has arrived: only then does the agent itself use the new DID.
                try await gate.wait("acknowledged", within: .seconds(60)) { try await agent.ownDID(connection) == did }
                print("mailbox: ACA-Py \(version): followed to a \(method) after \(ContinuousClock.now - began)")
                try await deliver()

                // The next start knows the new DID, and receives what the agent starts under the new key.
                await gate.stop()
                gate = try await scene.gate(file)
                #expect(try await gate.peer()?["did"]?.string == did)
                try await agent.command("message \(connection) hello")
                try await gate.wait("heard", within: .seconds(60)) { [gate] in
                    gate.said("bytes from the agent") == number + 1
                }
                try await deliver()
            }
            #expect(gate.said("has changed its DID") == Self.methods.count)

            try await agent.command("hangup \(connection)")
            try await gate.wait("told ended", within: .seconds(60)) { [gate] in gate.faults.contains(.agentEnded) }
            let confirmed = await gate.cursor().confirmed
            try await gate.record(5)
            try await Task.sleep(for: .seconds(2))
            #expect(await gate.cursor().confirmed == confirmed, "nothing is confirmed over what was ended")
        }
    }

    /// The older version announces a DID and cannot read any peer's acknowledgement (its table names a class
    /// that does not exist), so it never uses that DID and does not answer at it. The gate reports that, and
    /// a new invitation takes over.
    @Test(.timeLimit(.minutes(5)), .enabled(if: CloudAgent.plays("0.12.8"), "GATEHOUSE_PEERS=all plays 0.12.8"))
    func anAgentThatCannotReadTheAcknowledgementIsReportedSilent() async throws {
        try await withAgent("rotated", "0.12.8", options: CloudAgent.mediation) { scene in
            let pace = GatePace.usual { $0.reports.answer = .seconds(3) }
            let (place, agent, gate) = (scene.place, scene.agent, try await scene.gate(pace: pace))
            let connection = try await agent.mailed(gate)
            try await gate.record(10)
            #expect(try await agent.reports(count: 10).count == 10)
            try await gate.waitForAll()
            let before = try await agent.ownDID(connection)
            let did = try #require(try await agent.command("rotate \(connection) did:peer:2")["did"]?.string)
            try await gate.follow(did)
            try await gate.wait("acknowledged") {
                let log = try String(contentsOfFile: place.path("agent/log"), encoding: .utf8)
                return log.contains("Class 'Ack' not defined")
            }
            #expect(try await agent.ownDID(connection) == before)
            try await gate.record(10)
            try await gate.wait("told silent", within: .seconds(60)) { gate.faults.contains(.agentSilent) }
            #expect(await gate.cursor().confirmed == 20, "nothing of what went there")

            try await scene.invite()
            try await gate.waitForAll(within: .seconds(90))
            #expect(Set(try await agent.reports(count: 20, within: .seconds(60)).map(\.id)).count == 20)
            #expect(gate.faults.isEmpty)
        }
    }
}

extension DeliveryGate {
    /// Returns the peer of the primary destination's current connection, as it is stored.
    fileprivate func peer() async throws -> JSON? {
        let present = await cursor().connection
        let stored = try await courier.connections().first { $0.id == present }
        return try stored.map { try JSON.parse($0.snapshot) }?["peer"]
    }

    /// Waits until that peer has the DID `did`.
    fileprivate func follow(_ did: Text) async throws {
        try await wait("followed", within: .seconds(60)) { try await self.peer()?["did"]?.string == did }
    }
}

extension CloudAgent {
    /// Returns the agent's own DID in that connection.
    fileprivate func ownDID(_ connection: String) async throws -> Text? {
        let all = try await command("connections")["results"]?.array ?? []
        return all.first { $0["connection_id"]?.string?.string == connection }?["my_did"]?.string
    }
}
