import Aries
import DIDComm
import Encoding
import Simulation
import Testing

/// Reusing a connection for another invitation of the same inviter.
struct ReuseTests {
    /// Returns another out-of-band invitation of `agent`, with `requests` attached.
    static func invitation(
        _ id: Text, of agent: Harness, minor: Int = 1, requests: [JSON] = []
    ) throws -> Invitation {
        var json = agent.agent.invitation.object ?? JSONObject()
        json["@id"] = .string(id)
        json["@type"] = .text("https://didcomm.org/out-of-band/1.\(minor)/invitation")
        if !requests.isEmpty { json["requests~attach"] = .array(requests) }
        return try Invitation(.object(json))
    }

    private func reused(_ harness: Harness) -> [Text] {
        harness.seen.compactMap { if case .reused(let id) = $0 { id } else { nil } }
    }

    private func failed(_ harness: Harness) -> [Text] {
        harness.seen.compactMap { if case .reuseFailed(let id) = $0 { id } else { nil } }
    }

    @Test(arguments: [0, 1]) func theMessageIsOfTheInvitationsMinorVersion(minor: Int) throws {
        let harness = try Harness()
        harness.feed(.start)
        harness.feed(.reuse(try Self.invitation("second", of: harness, minor: minor)))
        harness.run(until: Instant.zero.advanced(by: .seconds(1)))
        let message = try #require(
            harness.agent.others.first { $0["@type"]?.string?.hasSuffix("handshake-reuse") == true })
        #expect(message["@type"] == .text("https://didcomm.org/out-of-band/1.\(minor)/handshake-reuse"))
        #expect(message["~thread"]?["pthid"] == "second")
        #expect(message["~thread"]?["thid"] == message["@id"])
    }

    /// Over return-route alone the acceptance cannot arrive: the answer to a ping that follows the reuse
    /// request is sufficient.
    @Test func withoutMailboxAnAnsweredPingIsEnough() throws {
        let harness = try Harness()
        harness.feed(.start)
        harness.feed(.reuse(try Self.invitation("second", of: harness)))
        harness.run(until: Instant.zero.advanced(by: .seconds(1)))
        #expect(reused(harness) == ["second"])
        #expect(failed(harness).isEmpty)
    }

    /// An agent that has deleted the connection accepts everything with 200 and answers nothing.
    @Test(arguments: [AgentConnection.Reception.returnRoute, .mailbox])
    func anAgentThatAnswersNothingIsAskedThreeTimes(reception: AgentConnection.Reception) throws {
        let harness = try Harness(reception: reception)
        harness.feed(.start)
        harness.replies = Array(repeating: .accepted([]), count: 64)
        harness.feed(.reuse(try Self.invitation("second", of: harness)))
        harness.run(until: Instant.zero.advanced(by: .seconds(44)))
        #expect(failed(harness).isEmpty)
        harness.run(until: Instant.zero.advanced(by: .seconds(46)))
        #expect(failed(harness) == ["second"])
        #expect(reused(harness).isEmpty)
        let posts = harness.posts.count
        harness.run(until: Instant.zero.advanced(by: .seconds(300)))
        #expect(harness.posts.count < posts + 3, "nobody is asked any more")
    }

    /// With a mailbox, an answered ping does not confirm the reuse request.
    @Test func withMailboxTheAcceptanceCounts() throws {
        for accepts in [true, false] {
            let harness = try Harness(reception: .mailbox)
            harness.feed(.start)
            harness.agent.acceptsReuse = accepts ? true : nil
            harness.feed(.reuse(try Self.invitation("second", of: harness)))
            harness.run(until: Instant.zero.advanced(by: .seconds(120)))
            #expect(reused(harness) == (accepts ? ["second"] : []))
            #expect(failed(harness) == (accepts ? [] : ["second"]))
        }
    }

    /// A refusal is not taken for an acceptance, although the agent answers the ping that follows the reuse
    /// request.
    @Test(arguments: [AgentConnection.Reception.returnRoute, .mailbox])
    func aRefusalEndsTheQuestion(reception: AgentConnection.Reception) throws {
        let harness = try Harness(reception: reception)
        harness.mailbox = .queue
        harness.feed(.start)
        harness.agent.answersToLose = 1  // the reuse request arrives, and the ping waits
        harness.feed(.reuse(try Self.invitation("second", of: harness)))
        let question = try #require(harness.agent.others.last?["@id"]?.string)
        harness.agent.send(
            Notice.problem(.didcomm, id: "n", thread: question, code: "reuse-not-accepted", explanation: "no"))
        harness.run(until: Instant.zero.advanced(by: .seconds(10)))
        #expect(failed(harness) == ["second"] && reused(harness).isEmpty)
        #expect(harness.count { if case .problem = $0 { true } else { false } } == 1)
    }

    /// An acceptance counts only for the invitation that was asked about and, if it names a thread, in the
    /// kiosk's thread.
    @Test func anAcceptanceOfSomethingElseIsNone() throws {
        let asked = HandshakeReuse(try Self.invitation("second", of: try Harness()), id: "R")
        func accepted(_ thread: JSON?) throws -> Bool {
            var body: JSONObject = [
                "@type": "https://didcomm.org/out-of-band/1.1/handshake-reuse-accepted", "@id": "x",
            ]
            if let thread { body["~thread"] = thread }
            return asked.isAccepted(by: try Message(plaintext: JSON.object(body).compactBytes))
        }
        #expect(try accepted(["thid": "R", "pthid": "second"]))
        #expect(try accepted(["pthid": "second"]))
        #expect(try !accepted(["thid": "R", "pthid": "first"]))
        #expect(try !accepted(["thid": "other", "pthid": "second"]))
        #expect(try !accepted(["thid": "R"]))
        #expect(try !accepted(nil))
    }

    /// Waiting deliveries do not delay the reuse request, and they continue after it.
    @Test func reportsContinueAfterTheQuestion() throws {
        let harness = try Harness()
        harness.feed(.start)
        harness.feed(.reuse(try Self.invitation("second", of: harness)))
        for number in 0..<3 {
            harness.feed(.deliver(report(number)))
            harness.run(until: harness.now.advanced(by: .seconds(1)))
        }
        #expect(reused(harness) == ["second"])
        #expect(harness.agent.received.count == 3)
    }

    /// The requests of the second invitation are answered on the existing connection, each in its thread.
    @Test func itsRequestsAreAnsweredOnTheConnection() throws {
        let harness = try Harness()
        harness.feed(.start)
        let ping: JSON = ["@type": "https://didcomm.org/trust_ping/1.0/ping", "@id": "P"]
        let proof: JSON = ["@type": "https://didcomm.org/present-proof/2.0/request-presentation", "@id": "Q"]
        harness.feed(
            .reuse(
                try Self.invitation(
                    "second", of: harness,
                    requests: [
                        ["@id": "a", "data": ["json": ping]],
                        ["@id": "b", "data": ["base64": .text(Base64.encode(proof.compactBytes))]],
                        ["@id": "c", "data": ["base64": "%%%"]],
                    ])))
        harness.run(until: Instant.zero.advanced(by: .seconds(30)))
        func answer(_ thread: Text) -> JSON? {
            harness.agent.others.first {
                $0["~thread"]?["thid"]?.string == thread && $0["@type"]?.string?.hasSuffix("handshake-reuse") != true
            }
        }
        for thread in ["P", "Q", "c"] as [Text] { #expect(answer(thread)?["~thread"]?["pthid"] == "second") }
        #expect(answer("P")?["@type"] == "https://didcomm.org/trust_ping/1.0/ping_response")
        #expect(answer("Q")?["description"]?["code"] == "request-not-accepted")
        #expect(answer("c")?["description"]?["code"] == "message-parse-failure")
    }

    @Test func aHangupEndsTheQuestionToo() throws {
        let harness = try Harness()
        harness.feed(.start)
        harness.agent.send(["@type": "https://didcomm.org/did-rotate/1.0/hangup", "@id": "h"])
        harness.feed(.reuse(try Self.invitation("second", of: harness)))
        harness.run(until: Instant.zero.advanced(by: .seconds(20)))
        #expect(failed(harness) == ["second"])
        #expect(harness.deadline == nil)
    }
}
