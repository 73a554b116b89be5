import Aries
import DIDComm
import Encoding
import Simulation
import Testing

/// Connections that wait for something: for a mailbox, for an answer, or for an inviter that never answers.
@Suite struct PendingConnectionTests {
    private func invitation() throws -> Invitation {
        guard let agent = VirtualAgent(endpoint: "http://agent.test/", random: stream(1)) else {
            throw InvitationError.badKey
        }
        return try Invitation(agent.invitation)
    }

    /// Carries out events at one instant. Returns the actions other than posts, which get `reply`.
    private func feed(
        _ connection: inout AgentConnection, _ event: AgentConnection.Event, at now: Instant,
        reply: (AgentConnection.ExchangeID) -> AgentConnection.Event
    ) -> [AgentConnection.Action] {
        var (events, seen): ([AgentConnection.Event], [AgentConnection.Action]) = ([event], [])
        while !events.isEmpty {
            for action in connection.handle(events.removeFirst(), at: now) {
                if case .post(let id, _, _) = action { events.append(reply(id)) } else { seen.append(action) }
            }
        }
        return seen
    }

    /// A connection that was begun before the gate had a mailbox asks again, with another key, once it has one.
    @Test func aPendingConnectionAdoptsTheMailbox() throws {
        let invitation = try invitation()
        var connection = try AgentConnection(
            id: "c", invitation: invitation, configuration: .init(label: "k"), random: stream(2))
        _ = feed(&connection, .start, at: .zero) { .answered($0, body: []) }
        let (key, snapshot) = (connection.verkey, connection.snapshot)

        connection = try AgentConnection(
            restoring: snapshot, configuration: .init(label: "k"), random: stream(3))
        connection.useMailbox()
        let (fresh, reception) = (connection.verkey, connection.reception)
        #expect(fresh != key && reception == .mailbox)
        var stored: JSON?
        var asked: [Verkey] = []
        for action in connection.handle(.start, at: .zero) {
            switch action {
            case .persist(let snapshot): stored = snapshot
            case .needsAddress(let key):
                #expect(stored != nil, "the key is stored before the mailbox knows it")
                asked.append(key)
            default: Issue.record("\(action)")
            }
        }
        #expect(asked == [fresh] && stored?["mailbox"] == true)
        let address = MailboxAddress(endpoint: "http://mailbox.test/", routingKeys: [])
        let posts = connection.handle(.address(address, for: fresh), at: .zero).count {
            if case .post = $0 { true } else { false }
        }
        #expect(posts == 1)

        // A connection that is complete keeps the way that its peer knows.
        let harness = try Harness()
        harness.feed(.start)
        var complete = try AgentConnection(
            restoring: try #require(harness.stored), configuration: .init(label: "k"), random: stream(4))
        let before = complete.verkey
        complete.useMailbox()
        let (after, same) = (complete.verkey, complete.reception)
        #expect(after == before && same == .returnRoute)
    }

    /// The answer to the question about reuse is looked for in the mailbox at once, not with the regular fetch.
    @Test func theAnswerAboutReuseIsAwaited() throws {
        let harness = try Harness(reception: .mailbox)
        harness.feed(.start)
        harness.run(until: Instant.zero.advanced(by: .seconds(60)))
        harness.agent.acceptsReuse = nil
        harness.seen = []
        harness.feed(.reuse(try ReuseTests.invitation("second", of: harness)))
        harness.run(until: Instant.zero.advanced(by: .seconds(62)))
        #expect(harness.count { if case .alive = $0 { true } else { false } } == 1, "the ping is answered")
        #expect(harness.count { if case .fetch = $0 { true } else { false } } >= 1, "and yet it looks")
    }

    /// A handshake that is never answered ends after its rounds, also across restarts, and sends nothing more.
    @Test func anUnansweredHandshakeEnds() throws {
        let invitation = try invitation()
        var configuration = AgentConnection.Configuration(label: "k")
        (configuration.limits.rounds, configuration.limits.longestRetry) = (3, .seconds(1))
        var connection = try AgentConnection(
            id: "c", invitation: invitation, configuration: configuration, random: stream(2))
        var (now, ends, stored) = (Instant.zero, 0, connection.snapshot)
        var event = AgentConnection.Event.start
        for turn in 0..<64 {
            for action in feed(&connection, event, at: now, reply: { .answered($0, body: []) }) {
                if case .gaveUp = action { ends += 1 }
                if case .persist(let snapshot) = action { stored = snapshot }
            }
            guard let deadline = connection.deadline else { break }
            (now, event) = (deadline, .deadlineReached)
            guard turn == 8 else { continue }
            connection = try AgentConnection(
                restoring: stored, configuration: configuration, random: stream(5))
            event = .start
        }
        let (hasFailed, deadline) = (connection.hasFailed, connection.deadline)
        #expect(ends == 1 && hasFailed && deadline == nil && stored["phase"] == "failed")
        let restored = try AgentConnection(restoring: stored, configuration: configuration, random: stream(6))
        let isStillFailed = restored.hasFailed
        #expect(isStillFailed)
    }

    /// A question without a configured answer waits; the operator's answer goes into its thread, signed where the
    /// question wants that. A restart before it is sent loses nothing.
    @Test func theOperatorAnswersAQuestion() throws {
        let harness = try Harness()
        harness.feed(.start)
        harness.agent.send([
            "@type": "https://didcomm.org/committedanswer/1.0/question", "@id": "q", "question_text": "Open?",
            "valid_responses": [["text": "Yes", "nonce": "n"]],
        ])
        harness.feed(.ping)
        var question: Message?
        for case .handled(let message, let result) in harness.seen where message.id == "q" {
            #expect(result == .undecided)
            question = message
        }
        harness.agent.isUp = false
        harness.feed(.respond(try #require(question), name: "u", response: "Yes", at: Timestamp(seconds: 1)))
        try harness.restart()
        harness.agent.isUp = true
        harness.seen = []
        harness.run(until: harness.now.advanced(by: .seconds(60)))
        #expect(harness.seen.contains(.answer(to: "u", response: "Yes", .sent)))
        #expect(harness.stored?["owed"] == nil)
        let answer = try #require(harness.agent.others.last)
        #expect(
            answer["@type"] == "https://didcomm.org/committedanswer/1.0/answer" && answer["~thread"]?["thid"] == "q")
        #expect(answer["response.@sig"]?["sig_data"] == "bg==")
    }

    /// An answer is reported as refused if the peer's server refuses it, and as dropped if too many answers are unsent
    /// or the connection ends.
    @Test func anAnswerThatIsNotSentIsReported() throws {
        let harness = try Harness(reception: .mailbox)
        harness.feed(.start)
        harness.run(until: Instant.zero.advanced(by: .seconds(60)))
        let question = try Message(
            plaintext: Message.make(MessageType(.didcomm, Question.name, "question"), id: "q", []).compactBytes)
        func answer(_ name: Text) -> AgentConnection.Event {
            .respond(question, name: name, response: "Yes", at: Timestamp(seconds: 1))
        }
        func fates() -> [OwedAnswer.Fate] {
            harness.seen.compactMap { if case .answer(_, _, let fate) = $0 { fate } else { nil } }
        }
        harness.seen = []
        harness.replies = [.rejected]
        harness.feed(answer("a"))
        #expect(fates() == [.owed, .refused(status: 400)] && harness.stored?["owed"] == nil)

        harness.seen = []
        harness.agent.isUp = false
        for number in 0..<20 { harness.feed(answer("b\(number)")) }
        harness.feed(answer("b0"))
        #expect(fates() == [OwedAnswer.Fate](repeating: .owed, count: 16) + [.dropped, .dropped, .dropped, .dropped])
        #expect(harness.stored?["owed"]?.array?.count == 16)
        harness.seen = []
        harness.agent.send(["@type": "https://didcomm.org/did-rotate/1.0/hangup", "@id": "end"])
        harness.feed(.received(try #require(harness.agent.posts.last?.body)))
        #expect(fates() == [OwedAnswer.Fate](repeating: .dropped, count: 16) && harness.stored?["owed"] == nil)
    }
}
