import Courier
import Encoding
import Foundation
import Ledger
import Reasons
import Store
import TestKit
import Testing

/// The eight cases of an invitation of a real agent, by what it offers and whether its inviter is known; the
/// service carries them out.
@Suite(.serialized, .tags(.realTime, .agents)) struct MatrixTests {
    /// A gate, its agent and the file between them.
    private struct Rows {
        let scene: AgentScene
        let gate: DeliveryGate
        private var agent: CloudAgent { scene.agent }

        /// Returns the text of the refusal that the agent's controller received for the request of that
        /// thread.
        private func refusal(of thread: Text) -> Text? {
            agent.journal.lines.last {
                $0["webhook"] == "problem_report" && $0["body"]?["~thread"]?["thid"]?.string == thread
            }?["body"]?["description"]?["code"]?.string
        }

        /// The number of times that the agent received a request to reuse an existing connection.
        private var reuses: Int { agent.journal.lines.count { $0["webhook"] == "connection_reuse" } }

        /// Waits until the agent has reported `count` reuses.
        func expectReuses(_ count: Int) async throws {
            try await gate.wait("reused \(count) times") { reuses >= count }
            #expect(reuses == count)
        }

        /// Puts an invitation with these words into the file and waits until the gate has carried it out.
        /// Returns the thread of its request.
        @discardableResult
        func carryOut(_ words: String) async throws -> Text? {
            let made = try await agent.invitation(words)
            try scene.place.write("invitation", made.url)
            let id = try #require(made.json["@id"]?.string)
            let accepted = StoredInvitations(gate.courier, DeliveryCursor.primary)
            try await gate.wait("carried out: \(words)", within: .seconds(60)) {
                try await accepted.accepted().contains(id)
            }
            return made.thread
        }

        /// Does the same with an invitation whose request is refused.
        func refuse(_ words: String) async throws {
            let thread = try #require(try await carryOut(words))
            try await gate.wait("refused: \(words)") { refusal(of: thread) != nil }
            #expect(refusal(of: thread) == "request-not-accepted", "\(words)")
        }

        /// Expects that an empty invitation, with the DID that all invitations of the agent share, is
        /// reported as unusable.
        func refuseEmpty() async throws {
            let before = gate.said(MatrixTests.nothingOffered)
            try await MatrixTests.writeEmpty(scene)
            try await gate.wait("told", within: .seconds(60)) { gate.said(MatrixTests.nothingOffered) > before }
        }

        /// The number of the agent's connections.
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
            // Neither handshake nor request, inviter unknown: reported as unusable.
            try await Self.writeEmpty(scene)
            let gate = try await scene.gate(scene.place.path("invitation"))
            // The fault is raised as soon as there is no agent; the reason is logged after it.
            try await gate.wait("told", within: .seconds(60)) {
                gate.faults.contains(.agentUnconnected) && gate.said(Self.nothingOffered) > 0
            }
            let rows = Rows(scene: scene, gate: gate)

            // A request without handshake: one reply, over a connection that is kept and carries nothing else.
            try await rows.refuse("bare ask")
            #expect(try await rows.active == 0)
            let kept = try await gate.courier.connections().map(\.destination)
            #expect(kept == [CourierStore.requestsName(of: DeliveryCursor.primary)])

            // Handshake and request: a connection, over which the request is refused.
            try await rows.refuse("did ask")
            try await gate.wait("connected") { await gate.cursor().connection != nil }
            let first = await gate.cursor().connection
            #expect(try await rows.active == 1)
            try await rows.expectReuses(0)

            // The same inviter again, handshake only: the existing connection is reused.
            try await rows.carryOut("did single")
            try await rows.expectReuses(1)
            try await gate.record(1)
            _ = try await scene.agent.reports(count: 1)
            #expect(await gate.cursor().connection == first)
            #expect(try await rows.active == 1)

            // The same inviter, handshake and request: reused, then refused over it; without handshake,
            // refused over it.
            try await rows.refuse("did ask")
            try await rows.expectReuses(2)
            try await rows.refuse("did bare ask")
            try await rows.expectReuses(2)
            #expect(await gate.cursor().connection == first)
            #expect(try await rows.active == 1)

            // Neither, inviter known: also reported as unusable, and the connection stays.
            try await rows.refuseEmpty()
            #expect(await gate.cursor().connection == first)
            #expect(gate.faults.isEmpty)

            // An unknown inviter, handshake only: a new connection takes over.
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
