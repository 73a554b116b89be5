import Encoding
import Foundation
import TestKit
import Testing

/// `gatehouse agent`: connections for which no agent answers.
@Suite struct AgentCommandTests {
    private let folder: Scratch
    private let configuration: String

    init() throws {
        folder = try Scratch()
        configuration = try folder.configuration(more: "[agent]\nallowPlainHTTP = true\nretryFirst = \"200ms\"\n")
    }

    @Test func nothingStoredYet() async throws {
        try await folder.makeLedger(configuration)
        let people = try await folder.gatehouse("agent", "list", "--config", configuration)
        #expect(people.code == 0)
        #expect(people.output.contains("no connection"))
        let machine = try await folder.gatehouse("agent", "list", "--json", "--config", configuration)
        #expect(machine.code == 0)
        #expect(machine.output.isEmpty)
    }

    /// Without the service's key, a command that only reads must not report the ledger as changed.
    @Test func withoutTheKeyOfTheWitness() async throws {
        try await folder.makeLedger(configuration)
        let (files, state) = (FileManager.default, folder.path("state"))
        let key = try #require(try files.contentsOfDirectory(atPath: state).first { $0.hasSuffix(".witness-key") })
        try files.moveItem(atPath: state + "/" + key, toPath: state + "/away")
        let before = try files.contentsOfDirectory(atPath: state).sorted()
        let refused = try await folder.gatehouse("agent", "list", "--config", configuration)
        #expect(refused.code == 2 && refused.hasRemedy && refused.errors.contains("start the service"), "\(refused)")
        #expect(refused.errors.contains("\(key) cannot be used: it does not exist"), "\(refused)")
        #expect(try files.contentsOfDirectory(atPath: state).sorted() == before)
        try files.moveItem(atPath: state + "/away", toPath: state + "/" + key)
        #expect(try await folder.gatehouse("agent", "list", "--config", configuration).code == 0)
    }

    /// A command that only reads names the damaged database of connections, and leaves it to the service to put it
    /// aside. Commands about the ledger do not need it.
    @Test func aDamagedDatabaseOfConnections() async throws {
        try await folder.makeLedger(configuration)
        let path = folder.path("state/gatehouse.db.courier")
        let damaged = Data(repeating: 0x55, count: 8192)
        try damaged.write(to: URL(fileURLWithPath: path))
        let refused = try await folder.gatehouse("agent", "list", "--config", configuration)
        #expect(refused.code == 2 && refused.hasRemedy && refused.errors.contains("gatehouse.db.courier"), "\(refused)")
        #expect(try Data(contentsOf: URL(fileURLWithPath: path)) == damaged)
        #expect(!FileManager.default.fileExists(atPath: path + ".damaged-1"))
        for words in [["ledger", "list"], ["ledger", "verify"]] {
            let ending = try await folder.gatehouse(words + ["--config", configuration])
            #expect(ending.code == 0, "\(ending)")
        }
    }

    @Test(arguments: [
        "garbage", "nowhere.json", "{\"a\": 1}", "https://agent.example/?oob=%%%", "ftp://agent.example/x", "",
        "gate.toml",
    ]) func invalidInvitations(_ text: String) async throws {
        let ending = try await folder.gatehouse("agent", "connect", "--config", configuration, text)
        #expect(ending.code == 2, "\(ending)")
        #expect(ending.hasRemedy, "\(ending)")
        #expect(!ending.errors.contains("InvitationError"), "words, not the names of types: \(ending)")
    }

    @Test(.tags(.realTime)) func anAgentThatDoesNotAnswer() async throws {
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
        #expect(
            ending.hasRemedy && ending.errors.contains("not connected: the agent is not reachable: no connection"),
            "\(ending)")
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

    @Test(.tags(.realTime)) func aLinkThatLeadsNowhere() async throws {
        let ending = try await folder.gatehouse(
            "agent", "connect", "--config", configuration, "http://127.0.0.1:\(try closedPort())/invite")
        #expect(ending.code == 2)
        #expect(ending.hasRemedy && ending.errors.contains("cannot be fetched"), "\(ending)")
    }

    /// The answers of servers at the address of an invitation link, as seen in the field.
    @Test(
        .tags(.realTime),
        arguments: [
            ("/away", "cannot be fetched: the link does not exist", "ask for a new one"),
            ("/large", "cannot be fetched", "larger than 64 KiB"),
            ("/page", "leads to a web page at 127.0.0.1", "sign in"),
            ("/login", "leads to a web page at 127.0.0.1", "sign in"),
            ("/closed", "127.0.0.1 requires a sign-in", "sign in"),
            ("/teapot", "cannot be fetched", "status 418"), ("/round", "cannot be fetched", "in circles"),
            ("/nowhere", "cannot be fetched", "status 302"),
            ("/elsewhere", "no usable invitation", "http, https or didcomm"),
            ("/text", "no usable invitation", "whole URL"),
        ]) func aLinkThatLeadsToSomethingElse(_ path: String, _ words: String, _ remedy: String) async throws
    {
        let server = try LoopbackServer { Self.site($0.target, found: "") }
        let ending = try await folder.gatehouse("agent", "connect", "--config", configuration, server.url + path)
        #expect(ending.code == 2 && ending.hasRemedy, "\(ending)")
        #expect(ending.errors.contains(words) && ending.errors.contains(remedy), "\(ending)")
    }

    /// The target of a redirect may be relative, in every form.
    @Test(
        .tags(.realTime),
        arguments: ["/invite/absolute", "/invite/folder/relative", "/invite/folder/up", "/invite/query"])
    func redirectsAreFollowed(_ path: String) async throws {
        let agent = try AgentOnLoopback()
        let server = try LoopbackServer { Self.site($0.target, found: agent.invitation.compactText) }
        let ending = try await folder.gatehouse("agent", "connect", "--config", configuration, server.url + path)
        #expect(ending.code == 0, "\(ending)")
    }

    private static func site(_ target: String, found: String) -> LoopbackServer.Answer {
        func redirect(_ location: String) -> LoopbackServer.Answer { .init(302, [("location", location)]) }
        let page = LoopbackServer.Answer(200, [("content-type", "text/html; charset=utf-8")], Array("<html>".utf8))
        switch target {
        case "/away": return .init(404, [("content-type", "text/html")], Array("<html>".utf8))
        case "/large": return .init(200, [], [UInt8](repeating: 0x20, count: 65 * 1024))
        case "/page": return .init(200, [], Array("\n <!DOCTYPE html>".utf8))
        case "/login": return redirect("/sso?next=%2Flogin")
        case "/sso?next=%2Flogin": return page
        case "/closed": return .init(401)
        case "/teapot": return .init(418)
        case "/round": return redirect("/round")
        case "/nowhere": return .init(302)
        case "/elsewhere": return redirect("file:///etc/passwd")
        case "/text": return .init(200, [("content-type", "text/plain")], Array("soon".utf8))
        case "/invite/absolute": return redirect("/found")
        case "/invite/folder/relative": return redirect("../../found")
        case "/invite/folder/up": return redirect("./here")
        case "/invite/folder/here", "/invite/query?found": return redirect("/found")
        case "/invite/query": return redirect("?found")
        case "/found": return .init(200, [("content-type", "application/json")], Array(found.utf8))
        default: return .init(500)
        }
    }

    @Test func wrongUsage() async throws {
        let mistakes = [
            ["connect"], ["connect", "--wait", "0", "x"], ["connect", "--wait", "long", "x"], ["lisp"], ["show"],
            ["ping"],
            ["ping", "--wait", "0", "primary"], ["delete"], ["messages", "x"],
        ]
        for arguments in mistakes {
            let ending = try await folder.gatehouse(["agent"] + arguments + ["--config", configuration])
            #expect(ending.code == 2, "\(arguments): \(ending)")
        }
    }
}
