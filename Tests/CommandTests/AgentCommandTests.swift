import Encoding
import Foundation
import Testing

/// `gatehouse agent`: connections without an agent that answers.
@Suite struct AgentCommandTests {
    private let folder: Scratch
    private let configuration: String

    init() throws {
        folder = try Scratch()
        configuration = try folder.configuration(more: "[agent]\nallowPlainHTTP = true\nretryFirst = \"200ms\"\n")
    }

    @Test func nothingStoredYet() async throws {
        let people = try await folder.gatehouse("agent", "list", "--config", configuration)
        #expect(people.code == 0)
        #expect(people.output.contains("no connection"))
        let machine = try await folder.gatehouse("agent", "list", "--json", "--config", configuration)
        #expect(machine.code == 0)
        #expect(machine.output.isEmpty)
    }

    @Test(arguments: [
        "garbage", "nowhere.json", "{\"a\": 1}", "https://agent.example/?oob=%%%", "ftp://agent.example/x", "",
        "gate.toml",
    ]) func whatIsNoInvitation(_ text: String) async throws {
        let ending = try await folder.gatehouse("agent", "connect", "--config", configuration, text)
        #expect(ending.code == 2, "\(ending)")
        #expect(ending.hasRemedy, "\(ending)")
        #expect(!ending.errors.contains("InvitationError"), "words, not the names of types: \(ending)")
    }

    @Test func anAgentThatDoesNotAnswer() async throws {
        let port = try closedPort()
        try folder.write(
            "invitation.json",
            """
            {"@type": "https://didcomm.org/out-of-band/1.1/invitation", "@id": "11111111-1111-4111-8111-111111111111",
             "label": "Gate\\u001b[31m agent", "handshake_protocols": ["https://didcomm.org/didexchange/1.1"],
             "services": [{"id": "#inline", "type": "did-communication",
                           "recipientKeys": ["did:key:z6MkpTHR8VNsBxYAAWHut2Geadd9jSwuBV8xRoAnwWsdvktH"],
                           "serviceEndpoint": "http://127.0.0.1:\(port)"}]}
            """)
        let start = ContinuousClock.now
        let ending = try await folder.gatehouse(
            "agent", "connect", "--config", configuration, "--wait", "2", "invitation.json")
        #expect(ending.code == 1, "\(ending)")
        #expect(ending.hasRemedy && ending.errors.contains("not connected: no connection"), "\(ending)")
        #expect(ContinuousClock.now - start >= .seconds(2), "it waits as long as it was told to")
        #expect(ending.output.contains("not reachable"), "and says meanwhile what is wrong")

        let list = try await folder.gatehouse("agent", "list", "--json", "--config", configuration)
        #expect(list.json.count == 1)
        #expect(list.json.first?["id"]?.string != nil)
        #expect(list.json.first?["label"] == "Gate\u{1B}[31m agent")
        let people = try await folder.gatehouse("agent", "list", "--config", configuration)
        #expect(people.output.contains("Gate?[31m agent"), "a label cannot steer the terminal")

        let again = try await folder.gatehouse(
            "agent", "connect", "--config", configuration, "--wait", "1", "invitation.json")
        #expect(again.code == 1)
        let still = try await folder.gatehouse("agent", "list", "--json", "--config", configuration)
        #expect(still.json.count == 1, "the same invitation is the same connection")
    }

    @Test func aLinkThatLeadsNowhere() async throws {
        let ending = try await folder.gatehouse(
            "agent", "connect", "--config", configuration, "http://127.0.0.1:\(try closedPort())/invite")
        #expect(ending.code == 2)
        #expect(ending.hasRemedy && ending.errors.contains("cannot be fetched"), "\(ending)")
    }

    @Test func wrongUsage() async throws {
        for arguments in [["connect"], ["connect", "--wait", "0", "x"], ["connect", "--wait", "long", "x"], ["lisp"]] {
            let ending = try await folder.gatehouse(["agent"] + arguments + ["--config", configuration])
            #expect(ending.code == 2, "\(arguments): \(ending)")
        }
    }
}
