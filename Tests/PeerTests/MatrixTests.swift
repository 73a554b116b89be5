import Appliance
import Credentials
import Encoding
import Foundation
import Ledger
import Store
import TestKit
import Testing

/// What an invitation of a real agent offers, and whether its inviter is known: the eight rows, carried out by the service.
@Suite(.serialized, .tags(.realTime, .agents)) struct MatrixTests {
    /// A gate, its agent and the file between them.
    private struct Rows {
        let scene: AgentScene
        let gate: DeliveryGate
        private var agent: CloudAgent { scene.agent }

        /// What the agent's controller was told of the request of that thread.
        private func refusal(of thread: Text) -> Text? {
            agent.journal.lines.last {
                $0["webhook"] == "problem_report" && $0["body"]?["~thread"]?["thid"]?.string == thread
            }?["body"]?["description"]?["code"]?.string
        }

        /// How often somebody asked the agent to go on over a connection that there is.
        private var reuses: Int { agent.journal.lines.count { $0["webhook"] == "connection_reuse" } }

        /// So often, as soon as the agent has told of it.
        func expectReuses(_ count: Int) async throws {
            try await gate.wait("reused \(count) times") { reuses >= count }
            #expect(reuses == count)
        }

        /// An invitation of those words lies in the file until the gate has carried it out; the thread of its request.
        @discardableResult
        func carryOut(_ words: String) async throws -> Text? {
            let made = try await agent.invitation(words)
            try scene.place.write("invitation", made.url)
            let id = try #require(made.json["@id"]?.string)
            let accepted = StoredInvitations(gate.store, DeliveryCursor.primary)
            try await gate.wait("carried out: \(words)", within: .seconds(60)) {
                try await accepted.accepted().contains(id)
            }
            return made.thread
        }

        /// The same for one whose request is refused.
        func refuse(_ words: String) async throws {
            let thread = try #require(try await carryOut(words))
            try await gate.wait("refused: \(words)") { refusal(of: thread) != nil }
            #expect(refusal(of: thread) == "request-not-accepted", "\(words)")
        }

        /// One with nothing in it, by the DID that all of the agent's share, is said to be unusable.
        func refuseEmpty() async throws {
            let before = gate.said(MatrixTests.nothingOffered)
            try await MatrixTests.writeEmpty(scene)
            try await gate.wait("told", within: .seconds(60)) { gate.said(MatrixTests.nothingOffered) > before }
        }

        /// How many connections the agent has.
        var active: Int { get async throws { try await agent.connections().count } }
    }

    private static let nothingOffered = "offers neither a handshake nor a request"

    private static func writeEmpty(_ scene: AgentScene) async throws {
        var invitation = try #require(try await scene.agent.invitation("did").json.object)
        (invitation["handshake_protocols"], invitation["requests~attach"]) = ([], [])
        try scene.place.write("invitation", JSON.object(invitation).compactText)
    }

    @Test(.timeLimit(.minutes(5)), arguments: CloudAgent.versions)
    func eachRowAgainstARealAgent(version: String) async throws {
        try await withAgent("matrix", version) { scene in
            // Neither handshake nor request, and nobody known: it is said to be unusable.
            try await Self.writeEmpty(scene)
            let gate = try await scene.gate(scene.place.path("invitation"))
            // The fault is there from the first word that there is no agent; which one it is comes behind it.
            try await gate.wait("told", within: .seconds(60)) {
                gate.faults.contains(.agentUnconnected) && gate.said(Self.nothingOffered) > 0
            }
            let rows = Rows(scene: scene, gate: gate)

            // A request without handshake: one reply, no connection.
            try await rows.refuse("bare ask")
            #expect(try await rows.active == 0)
            #expect(try await gate.store.connections().isEmpty)

            // Handshake and request: a connection, and the request refused over it.
            try await rows.refuse("did ask")
            try await gate.wait("connected") { await gate.cursor().connection != nil }
            let first = await gate.cursor().connection
            #expect(try await rows.active == 1)
            try await rows.expectReuses(0)

            // The same inviter again, for a connection only: the one that exists will do.
            try await rows.carryOut("did single")
            try await rows.expectReuses(1)
            try await gate.record(1)
            _ = try await scene.agent.reports(count: 1)
            #expect(await gate.cursor().connection == first)
            #expect(try await rows.active == 1)

            // With a request: reused, then refused over it; and without handshake refused over it.
            try await rows.refuse("did ask")
            try await rows.expectReuses(2)
            try await rows.refuse("did bare ask")
            try await rows.expectReuses(2)
            #expect(await gate.cursor().connection == first)
            #expect(try await rows.active == 1)

            // Neither, from one that is known: said to be unusable too, and the connection stays.
            try await rows.refuseEmpty()
            #expect(await gate.cursor().connection == first)
            #expect(gate.faults.isEmpty)

            // An inviter that is not known, for a connection only: a new one takes over.
            try await rows.carryOut("")
            try await gate.wait("taken over", within: .seconds(40)) {
                let present = await gate.cursor().connection
                return present != nil && present != first
            }
            try await gate.record(1)
            #expect(try await scene.agent.reports(count: 2).count == 2)
            try await rows.expectReuses(2)
        }
    }
}
