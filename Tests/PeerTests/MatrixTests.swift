import Credentials
import Encoding
import Foundation
import Ledger
import Store
import Testing

/// What an invitation of a real agent offers, and whether its inviter is known: the eight rows, carried out by the service.
@Suite(.serialized) struct MatrixTests {
    private static let versions = ["0.12.8"] + (Workplace.environment("acapy-1.7.0", "") == nil ? [] : ["1.7.0"])

    /// What the agent's controller was told of the request of that thread.
    private func refusal(of thread: Text, at agent: CloudAgent) -> Text? {
        agent.journal.lines.last {
            $0["webhook"] == "problem_report" && $0["body"]?["~thread"]?["thid"]?.string == thread
        }?["body"]?["description"]?["code"]?.string
    }

    private func active(_ agent: CloudAgent) async throws -> [Text] {
        (try await agent.command("connections")["results"]?.array ?? [])
            .filter { ["active", "completed", "response"].contains($0["state"]?.string) }
            .compactMap { $0["connection_id"]?.string }
    }

    @Test(.timeLimit(.minutes(5)), arguments: versions) func eachRowAgainstARealAgent(version: String) async throws {
        let place = try Workplace("matrix-\(version)")
        let agent = try CloudAgent(version: version, place)
        try await agent.command("start")
        let file = place.path("invitation")

        func invite(_ words: String) async throws -> Text? {
            let reply = try await agent.command("invite \(words)")
            _ = try place.write("invitation", reply["url"]?.string?.string ?? "")
            return reply["thread"]?.string
        }
        func refused(_ thread: Text?, _ gate: DeliveryGate) async throws {
            let thread = try #require(thread)
            try await gate.wait("refused", within: .seconds(40)) { refusal(of: thread, at: agent) != nil }
            #expect(refusal(of: thread, at: agent) == "request-not-accepted")
        }

        // Neither handshake nor request, and nobody known: it is said to be unusable.
        let bare = Data(
            Base64.encode(
                Array(
                    """
                    {"@type":"https://didcomm.org/out-of-band/1.1/invitation","@id":"bare","label":"x","services":[]}
                    """.utf8), .url
            ).utf8)
        _ = try place.write("invitation", "http://127.0.0.1:9/?oob=" + String(decoding: bare, as: UTF8.self))
        let gate = try await DeliveryGate(place, file)
        try await gate.wait("told") { gate.faults.contains(.agentUnconnected) }

        // A request without handshake: one reply, no connection.
        try await refused(try await invite("bare ask"), gate)
        #expect(try await active(agent).isEmpty)
        #expect(try await gate.store.connections().isEmpty)

        // Handshake and request: a connection, and the request refused over it.
        try await refused(try await invite("did ask"), gate)
        try await gate.wait("connected") { await gate.cursor().connection != nil }
        let first = await gate.cursor().connection
        #expect(try await active(agent).count == 1)

        // The same inviter again, for a connection only: the one that exists will do.
        _ = try await invite("did single")
        try await gate.record(1)
        _ = try await agent.reports(count: 1)
        try await Task.sleep(for: .seconds(3))
        #expect(await gate.cursor().connection == first)
        #expect(try await active(agent).count == 1)

        // With a request: reused, then refused over it; and without handshake refused over it.
        try await refused(try await invite("did ask"), gate)
        try await refused(try await invite("did bare ask"), gate)
        #expect(await gate.cursor().connection == first)
        #expect(try await active(agent).count == 1)

        // Neither, from one that is known: as before, and the connection stays.
        _ = try place.write("invitation", "http://127.0.0.1:9/?oob=" + String(decoding: bare, as: UTF8.self))
        try await Task.sleep(for: .seconds(1))
        #expect(await gate.cursor().connection == first)

        // An inviter that is not known, for a connection only: a new one takes over.
        _ = try await invite("")
        try await gate.wait("taken over", within: .seconds(40)) {
            let present = await gate.cursor().connection
            return present != nil && present != first
        }
        try await gate.record(1)
        #expect(try await agent.reports(count: 2).count == 2)
        await gate.stop()
        try await agent.stop()
        place.remove()
    }
}
