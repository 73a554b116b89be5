import Encoding
import Foundation
import TestKit
import Testing

// What `gatehouse agent` refuses, and what becomes of an invitation that leads to no lasting connection.
extension AgentServiceTests {
    @Test(.timeLimit(.minutes(2)))
    func refusalsHaveARemedy() async throws {
        try await serving("[[agent.copy]]\nname = \"backup\"\ninvitations = [\"none.json\"]") { configuration in
            let invitation = try AgentOnLoopback().invitation.compactText
            for (words, text) in [
                (["show", "nobody"], "there is no connection or destination nobody"),
                (["show", "primary"], "primary has no connection"),
                (["ping", "backup"], "backup has no connection"), (["delete", "x"], "there is no connection"),
                (["messages", "--connection", "y"], "there is no connection"),
                (["connect", invitation, "--to", "nowhere"], "there is no destination nowhere"),
                (["show", String(repeating: "n", count: 300)], "is not a text of 1 to 256 bytes"),
                (["connect", "{}"], "no usable invitation"),
                (["connect", Self.invitation(to: "ws://127.0.0.1:1")], "the invitation cannot be used"),
            ] {
                let ending = try await folder.gatehouse(["agent"] + words + ["--config", configuration])
                #expect(ending.code == 2 && ending.hasRemedy && ending.errors.contains(text), "\(words): \(ending)")
            }
            // The number of connection attempts that never complete is limited.
            let port = try closedPort()
            // Each is of another inviter: a further one of the same inviter would replace the first.
            @Sendable func attempt() async throws -> Ending {
                let one = try AgentOnLoopback().invitation.compactText
                    .replacing(/127\.0\.0\.1:[0-9]+/, with: "127.0.0.1:\(port)")
                return try await agent("connect", one, "--wait", "1", configuration: configuration)
            }
            // Four such commands may wait at the same time.
            for _ in 0..<2 {
                try await withThrowingTaskGroup(of: Ending.self) { group in
                    for _ in 0..<4 { group.addTask { try await attempt() } }
                    for try await ending in group { #expect(ending.hasRemedy && ending.code == 1, "\(ending)") }
                }
            }
            let ninth = try await attempt()
            #expect(ninth.hasRemedy && ninth.code == 2, "\(ninth)")
            #expect(ninth.errors.contains("there are already 8 connections"), "\(ninth)")
        }
    }

    /// A pending connection is replaced by the next invitation of its inviter. The command that waits for it says so.
    @Test(.timeLimit(.minutes(2)))
    func aPendingConnectionIsReplaced() async throws {
        let server = try AgentOnLoopback("Asleep")
        server.setUp(false)
        let first = server.invitation.compactText
        let second = first.replacingOccurrences(of: "\"@id\":\"", with: "\"@id\":\"newer-")
        try await serving { configuration in
            async let waiting = agent("connect", first, "--wait", "90", configuration: configuration)
            try await eventually("it is pending") {
                try await agent("list", "--json", configuration: configuration).json.count == 1
            }
            let newer = try await agent("connect", second, "--wait", "1", configuration: configuration)
            #expect(newer.code == 1 && newer.hasRemedy, "\(newer)")
            let older = try await waiting
            #expect(
                older.code == 1 && older.errors.contains("a newer invitation of the same inviter has replaced it"),
                "\(older)")
            #expect(try await agent("list", "--json", configuration: configuration).json.count == 1)
        }
    }

    /// An invitation without a connection is answered, and the command reports the result.
    @Test(.timeLimit(.minutes(2)))
    func anInvitationToAnswerOnce() async throws {
        let server = try LoopbackServer { _ in .init(202) }
        let configuration = try folder.configuration(more: "[agent]\nallowPlainHTTP = true\n")
        let invitation = Self.invitation(to: server.url, handshake: "")
        let answered = try await agent("connect", invitation, configuration: configuration)
        #expect(answered.code == 0 && answered.output.contains("its request was answered"), "\(answered)")
        #expect(server.requests == 1)
        // The connection is kept: the same invitation given again finds it.
        let machine = try await agent("connect", invitation, "--json", configuration: configuration)
        #expect(machine.code == 0 && machine.json.first?["way"]?.string == "known", "\(machine)")
        #expect(machine.json.first?["destination"]?.string == "primary/requests" && server.requests == 1, "\(machine)")
        // Another inviter, that cannot be reached.
        let closed = Self.invitation(
            to: "http://127.0.0.1:\(try closedPort())", handshake: "", id: "s",
            key: "z6MkrJVnaZkeFzdQyMZu1cgjg7k1pZZ6pvBQ7XJPt4swbTQ2")
        let failed = try await agent("connect", closed, "--wait", "5", configuration: configuration)
        #expect(failed.code == 1 && failed.hasRemedy && failed.errors.contains("was not accepted"), "\(failed)")
    }
}
