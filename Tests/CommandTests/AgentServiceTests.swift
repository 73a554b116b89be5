import Encoding
import Foundation
import TestKit
import Testing

/// `gatehouse agent` next to the running service, which none of the commands stops.
@Suite(.tags(.realTime)) struct AgentServiceTests {
    let folder: Scratch

    init() throws { folder = try Scratch() }

    /// Runs the service while `body` runs. The service has no radio, which these tests do not need.
    func serving(_ more: String = "", _ body: @escaping (String) async throws -> Void) async throws {
        try await serve(try configuration(more), body)
    }

    private func configuration(_ more: String = "") throws -> String {
        try folder.configuration(
            port: try closedPort(),
            more: "[agent]\nallowPlainHTTP = true\nretryFirst = \"200ms\"\n\(more)\n[log]\npath = \"log.jsonl\"\n")
    }

    /// Does the same with an existing configuration.
    private func serve(
        _ configuration: String, _ body: @escaping (String) async throws -> Void
    ) async throws {
        let ending = try await Program.run(
            "timeout", ["--signal=KILL", "110", Program.gatehouse, "run", "--config", configuration], in: folder
        ) { id in
            try await folder.waitForService(configuration)
            try await body(configuration)
            kill(id, SIGTERM)
        }
        #expect(ending.code == 0, "\(ending)")
    }

    func agent(_ words: String..., configuration: String) async throws -> Ending {
        try await folder.gatehouse(["agent"] + words + ["--config", configuration])
    }

    @Test(.timeLimit(.minutes(2)))
    func fromTheInvitationToTheEnd() async throws {
        let (first, second) = (try AgentOnLoopback("First agent"), try AgentOnLoopback("Second\u{1B}[31m agent"))
        try folder.write("first.json", first.invitation.compactText)
        try folder.write("second.json", second.invitation.compactText)
        try await serving { configuration in
            let none = try await agent("list", configuration: configuration)
            #expect(none.code == 0 && none.output.contains("no connection"), "\(none)")

            let made = try await agent("connect", "first.json", configuration: configuration)
            #expect(made.code == 0 && made.lines.last?.hasPrefix("connected to First agent as ") == true, "\(made)")
            let again = try await agent("connect", "first.json", configuration: configuration)
            #expect(again.code == 0 && again.output.hasPrefix("already connected: "), "\(again)")

            let show = try await agent("show", "primary", "--json", configuration: configuration)
            let card = try #require(show.json.first)
            #expect(card["state"]?.string == "connected" && card["present"] == true, "\(show)")
            #expect(card["label"]?.string == "First agent" && card["handshake"]?.string == "didexchange/1.1")
            #expect(card["invitation"] == first.invitation["@id"])
            #expect(card["waiting"]?.int == 0 && card["confirmed"]?.int == 0)
            #expect(card["pwDid"]?.string.map { (21...22).contains($0.utf8.count) } == true)
            #expect(card["theirDid"]?.string?.hasPrefix("did:peer:4") == true)
            #expect(card["made"]?.string != nil && card["answered"]?.string != nil && card["mailbox"] == .null)
            #expect(card["answeredSince"]?.string != nil)
            let id = try #require(card["id"]?.string?.string)
            let text = try await agent("show", id, configuration: configuration)
            #expect(
                text.output.contains("of which it is the current connection") && text.output.contains("s ago"),
                "\(text)")

            let ping = try await agent("ping", "primary", configuration: configuration)
            #expect(ping.code == 0 && ping.output.hasPrefix("First agent answered after "), "\(ping)")
            let pinged = try await agent("ping", id, "--json", configuration: configuration)
            #expect(pinged.json.first?["answered"] == true && pinged.json.first?["milliseconds"]?.int != nil)

            // A new invitation takes over in the running service.
            let over = try await agent("connect", "second.json", "--json", configuration: configuration)
            #expect(
                over.code == 0 && over.json.count == 1 && over.json.first?["state"]?.string == "connected", "\(over)")
            let list = try await agent("list", configuration: configuration)
            #expect(list.output.contains("Second?[31m agent"), "a label cannot steer the terminal: \(list)")
            let cards = try await agent("list", "--json", configuration: configuration).json
            #expect(cards.map { $0["state"]?.string } == ["replaced", "connected"], "\(cards)")

            let messages = try await agent("messages", "--pending", "--json", configuration: configuration)
            #expect(messages.code == 0 && messages.json == [[]], "\(messages)")
            // The agent keeps no messages for the gate, and says so in a problem report.
            try await eventually("the problem report is in the book") {
                try await agent("messages", "--connection", "primary", configuration: configuration).output
                    .contains("problem-report")
            }

            let gone = try await agent("delete", id, configuration: configuration)
            #expect(gone.code == 0, "\(gone)")
            #expect(gone.output == "deleted \(id); its agent was not notified: delete the connection there, too\n")
            let rest = try await agent("list", "--json", configuration: configuration).json
            #expect(rest.map { $0["label"]?.string } == ["Second\u{1B}[31m agent"])
            // With `--tell` the service notifies the agent, in the background.
            let marked = try await agent("delete", "primary", "--tell", "--json", configuration: configuration)
            #expect(marked.json.first?["state"]?.string == "deleting", "\(marked)")
            #expect(await becomesTrue { second.wasHungUp })
            #expect(second.wasHungUp && !first.wasHungUp)
            try await untilNothingIsLeft(configuration)
        }
        let log = try folder.read("log.jsonl")
        #expect(log.contains("\"event\":\"agent.deleted\"") && !log.contains("\"seed\""))
    }

    /// The first connection of an invitation may become the one to the mailbox, and the second one the one to
    /// the agent. The command prints the id of the second.
    @Test(.timeLimit(.minutes(2)), arguments: [false, true])
    func theIDOfTheConnectionToTheAgent(isJSON: Bool) async throws {
        let server = try AgentOnLoopback("Postal agent", keepsMessages: true)
        try folder.write("invitation.json", server.invitation.compactText)
        try await serving { configuration in
            let words = ["connect", "invitation.json"] + (isJSON ? ["--json"] : []) + ["--config", configuration]
            let made = try await folder.gatehouse(["agent"] + words)
            #expect(made.code == 0, "\(made)")
            let cards = try await agent("list", "--json", configuration: configuration).json
            #expect(cards.map { $0["destination"]?.string } == ["mailbox", "primary"], "\(cards)")
            let id = try #require(cards.last?["id"]?.string?.string)
            if isJSON {
                #expect(made.json.last?["id"]?.string?.string == id, "\(made)")
            } else {
                #expect(made.lines.last == "connected to Postal agent as \(id)", "\(made)")
            }
            #expect(try await agent("ping", id, configuration: configuration).code == 0)
        }
    }

    /// A gate without an agent reports it everywhere and waits for none. A gate that receives an invitation
    /// reports the agent at once.
    @Test(.timeLimit(.minutes(2)))
    func aGateWithoutAnAgent() async throws {
        let server = try AgentOnLoopback("Late agent")
        server.setUp(false)
        try folder.write("invitation.json", server.invitation.compactText)
        try await serving { configuration in
            func status() async throws -> JSON {
                try #require(try await folder.gatehouse("status", "--json", "--config", configuration).json.first)
            }
            #expect(try await status()["agent"] == [])
            let people = try await folder.gatehouse("status", "--config", configuration)
            #expect(people.lines.contains("agent    none"), "\(people)")
            func view(_ target: String) throws -> String {
                try UnixRequest.get(target, at: folder.path("observe.sock"))
            }
            #expect(await becomesTrue { (try? view("/")) != nil })
            #expect(try view("/status.json").contains("\"agent\":[]"))
            #expect(try !view("/metrics").contains("gatehouse_agent_"))
            let page = try view("/")
            #expect(page.contains("<dt>Cloud agent</dt><dd>none") && !page.contains("Reports queued"), "\(page)")
            let doctor = try await folder.gatehouse("doctor", "--json", "--config", configuration)
            let agents = (doctor.json.first?["findings"]?.array ?? []).filter { $0["check"] == "agent" }
            #expect(!agents.isEmpty && agents.allSatisfy { $0["code"]?.string == nil }, "\(doctor)")

            let invited = try await agent(
                "connect", "invitation.json", "--wait", "1", configuration: configuration)
            #expect(invited.code == 1, "\(invited)")
            let told = try await status()["agent"]?.array ?? []
            #expect(told.map { $0["name"] } == ["primary"] && told.first?["connected"] == false, "\(told)")
        }
    }

    /// A command that uses the database without a service, and waits for an agent, releases the database when
    /// a service starts: the gate does not wait for the command.
    @Test(.timeLimit(.minutes(2)))
    func aServiceThatIsStartedMeanwhileDoesNotWaitForACommand() async throws {
        let server = try AgentOnLoopback("Slow agent")
        try folder.write("invitation.json", server.invitation.compactText)
        server.setUp(false)
        let configuration = try configuration()
        let ended = try await Program.run(
            Program.gatehouse, ["agent", "connect", "invitation.json", "--wait", "600", "--config", configuration],
            in: folder
        ) { _ in
            #expect(await becomesTrue { server.posts != 0 })
            try await serve(configuration) { configuration in
                var list = try await agent("list", "--json", configuration: configuration)
                for _ in 0..<300 where list.code != 0 {
                    try await Task.sleep(for: .milliseconds(50))
                    list = try await agent("list", "--json", configuration: configuration)
                }
                // The service has the ledger, and continues the connection.
                #expect(list.json.map { $0["label"]?.string } == ["Slow agent"], "\(list)")
                server.setUp(true)
                let again = try await agent("connect", "invitation.json", configuration: configuration)
                #expect(again.code == 0, "\(again)")
            }
        }
        #expect(
            ended.code == 1 && ended.hasRemedy && ended.errors.contains("a service has started"), "\(ended)")
    }

    /// An agent claims at every start that it has more records of the ledger than exist. The log names the
    /// agent, and there is no other effect. A regression test: such a claim ended the program, and each start
    /// began a new ledger.
    @Test(.timeLimit(.minutes(2)))
    func anAgentThatClaimsMoreOfTheLedgerThanThereIs() async throws {
        let server = try AgentOnLoopback()
        server.keepMoreThanThereIs()
        try folder.write("invitation.json", server.invitation.compactText)
        let configuration = try folder.configuration(
            port: try closedPort(),
            more: """
                [agent]
                allowPlainHTTP = true
                invitations = ["invitation.json"]
                [log]
                path = "log.jsonl"
                """)
        for start in 1...2 {
            try folder.write("log.jsonl", "")
            let ending = try await folder.serve(configuration, log: "log.jsonl", until: ["fault.agent-claims"]) {
                [folder] in
                try await Task.sleep(for: .seconds(2))
                #expect(try !folder.read("log.jsonl").contains("\"event\":\"ended\""), "it stays")
            }
            #expect(ending.code == 0, "\(ending)")
            let log = try folder.read("log.jsonl")
            #expect(log.contains("primary: the agent claims to have position 1"), "the agent is named")
            for word in ["fault.ledger-behind", "fault.ledger-rewritten", "\"renewal\""] {
                #expect(!log.contains(word), "start \(start): \(word)")
            }
            let verify = try await folder.gatehouse("ledger", "verify", "--config", configuration)
            #expect(verify.code == 0, "\(verify)")
        }
        let files = try FileManager.default.contentsOfDirectory(atPath: folder.path("state"))
        #expect(!files.contains { $0.contains(".rewritten-") }, "\(files)")
    }

    /// A connection's fault ends when the connection is deleted.
    @Test(.timeLimit(.minutes(2)))
    func aConnectionThatTheAgentEnded() async throws {
        let server = try AgentOnLoopback()
        try folder.write("invitation.json", server.invitation.compactText)
        try await serving { configuration in
            #expect(try await agent("connect", "invitation.json", configuration: configuration).code == 0)
            server.hangUp()
            let since = ContinuousClock.now
            let ping = try await agent("ping", "primary", "--wait", "60", configuration: configuration)
            #expect(ContinuousClock.now - since < .seconds(50), "it waits for no answer that cannot come")
            // The hangup may have arrived with the ping, or just before it.
            let words = ping.code == 1 ? "ended the connection" : "cannot be pinged: it is ended"
            #expect(ping.code != 0 && ping.hasRemedy && ping.errors.contains(words), "\(ping)")
            let list = try await agent("list", configuration: configuration)
            #expect(list.output.contains("ended") && list.output.contains("→ ask the agent's operator"), "\(list)")
            try await wait(for: "fault.agent-ended", configuration)
            let again = try await agent("ping", "primary", configuration: configuration)
            #expect(again.code == 2 && again.hasRemedy && again.errors.contains("it is ended"), "\(again)")
            let deleted = try await agent("delete", "primary", configuration: configuration)
            #expect(deleted.code == 0 && deleted.output.contains("was not notified"), "\(deleted)")
            try await wait(for: "fault.agent-ended", isPresent: false, configuration)
        }
    }

    /// Waits until the status has that fault, or no longer has it: the status changes independently of a
    /// command's answer.
    private func wait(for fault: Text, isPresent: Bool = true, _ configuration: String) async throws {
        try await eventually("\(fault) is \(isPresent ? "present" : "over")") {
            let status = try await folder.gatehouse("status", "--json", "--config", configuration)
            let faults = status.json.first?["faults"]?.array ?? []
            return !status.json.isEmpty && faults.contains { $0["code"]?.string == fault } == isPresent
        }
    }

    /// Returns an invitation with a request, and with a handshake unless `handshake` is empty.
    static func invitation(
        to url: String, handshake: String = "didexchange/1.1", id: String = "r",
        key: String = "z6MkpTHR8VNsBxYAAWHut2Geadd9jSwuBV8xRoAnwWsdvktH"
    ) -> String {
        let protocols = handshake.isEmpty ? "" : "\"https://didcomm.org/\(handshake)\""
        return """
            {"@type": "https://didcomm.org/out-of-band/1.1/invitation", "@id": "\(id)", "handshake_protocols": [\(protocols)],
             "requests~attach": [{"data": {"json": {"@type": "https://didcomm.org/present-proof/2.0/request-presentation",
                                                    "@id": "q"}}}],
             "services": [{"recipientKeys": ["did:key:\(key)"],
                           "serviceEndpoint": "\(url)"}]}
            """
    }

    /// Without a service `--tell` marks the connection and sends nothing: the next start notifies the agent and deletes
    /// the keys.
    @Test(.timeLimit(.minutes(2)))
    func theNextStartNotifiesTheAgent() async throws {
        let server = try AgentOnLoopback()
        try folder.write("invitation.json", server.invitation.compactText)
        let configuration = try folder.configuration(more: "[agent]\nallowPlainHTTP = true\n")
        #expect(try await agent("connect", "invitation.json", configuration: configuration).code == 0)
        // The answer to this ping completes the handshake: the next post belongs to the deletion.
        #expect(try await agent("ping", "primary", configuration: configuration).code == 0)
        let posts = server.posts
        let deleted = try await agent("delete", "primary", "--tell", configuration: configuration)
        #expect(deleted.code == 0 && deleted.output.contains("is marked"), "\(deleted)")
        let marked = try await agent("list", "--json", configuration: configuration).json
        #expect(marked.map { $0["state"]?.string } == ["deleting"], "\(marked)")
        #expect(server.posts == posts)
        let shown = try await agent("show", "primary", configuration: configuration)
        #expect(shown.code == 2 && shown.errors.contains("primary has no connection"), "\(shown)")
        try await serving { try await untilNothingIsLeft($0) }
        #expect(server.wasHungUp)
    }

    /// Waits for marked connections, which are deleted in the background.
    private func untilNothingIsLeft(_ configuration: String) async throws {
        try await eventually("a connection that is marked is gone") {
            try await agent("list", "--json", configuration: configuration).output.isEmpty
        }
    }

    /// A regression test: an agent that answers each post with a message that asks for a response kept the
    /// command from ending.
    @Test(.timeLimit(.minutes(2)))
    func anAgentThatAlwaysHasSomethingToSay() async throws {
        let hostile = try AgentOnLoopback()
        try folder.write("hostile.json", hostile.invitation.compactText)
        hostile.wearDown()
        try await serving { configuration in
            let canary = Canary()
            defer { canary.end() }
            let began = ContinuousClock.now
            let ending = try await agent("connect", "hostile.json", "--wait", "8", configuration: configuration)
            #expect(ending.code == 0 || ending.hasRemedy, "\(ending)")
            // The limit is the sum of the command's own limit, one request, and the start of the program on a busy
            // machine.
            #expect(ContinuousClock.now - began < .seconds(20) + canary.sum)
            let ping = try await agent("ping", "primary", "--wait", "8", configuration: configuration)
            #expect(ping.code == 0 || ping.hasRemedy, "\(ping)")
            let (posts, since) = (hostile.posts, ContinuousClock.now)
            try await Task.sleep(for: .seconds(3))
            // The agent gets at most 40 answers in three seconds.
            let most: Double = 40 * ((ContinuousClock.now - since) / .seconds(3))
            #expect(Double(hostile.posts - posts) < most, "answers are given as often as may be")
            #expect(try await agent("delete", "primary", configuration: configuration).code == 0)
        }
    }

    /// Without a service, the same commands work on the database, and the service continues with their
    /// results.
    @Test(.timeLimit(.minutes(2)))
    func withoutAService() async throws {
        let server = try AgentOnLoopback("Far agent")
        let configuration = try folder.configuration(
            more: "[agent]\nallowPlainHTTP = true\nretryFirst = \"200ms\"\n")
        try folder.write("invitation.json", server.invitation.compactText)
        let made = try await agent("connect", "invitation.json", configuration: configuration)
        #expect(made.code == 0, "\(made)")
        #expect(
            try await agent("connect", "invitation.json", configuration: configuration).output
                .hasPrefix("already connected"))
        let card = try await agent("show", "primary", "--json", configuration: configuration).json.first
        #expect(card?["state"]?.string == "connected" && card?["answered"] == nil)
        #expect(
            try await agent("show", "primary", configuration: configuration).output.contains(
                "unknown: the service is not"))
        #expect(try await agent("ping", "primary", configuration: configuration).code == 0)
        #expect(try await agent("messages", "--json", configuration: configuration).output == "[]\n")
        server.setUp(false)
        let silent = try await agent("ping", "primary", "--wait", "1", configuration: configuration)
        #expect(silent.code == 1 && silent.hasRemedy && silent.errors.contains("not reachable"), "\(silent)")
        server.setUp(true)
        // A deletion without `--tell` sends nothing, so that an agent whose answers crash the program can be
        // deleted too.
        let posts = server.posts
        let gone = try await agent("delete", "primary", configuration: configuration)
        #expect(gone.code == 0 && gone.output.contains("its agent was not notified"), "\(gone)")
        #expect(server.posts == posts && !server.wasHungUp)
        #expect(try await agent("list", "--json", configuration: configuration).output.isEmpty)
    }
}
