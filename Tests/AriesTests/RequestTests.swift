import Aries
import DIDComm
import Encoding
import Testing

/// Requests that a controller starts, and requests that are attached to invitations.
struct RequestTests {
    private func message(_ type: Text, _ members: JSONObject = [:]) throws -> Message {
        var body: JSONObject = ["@type": .text("https://didcomm.org/\(type)"), "@id": "request"]
        for member in members.members { body[member.name] = member.value }
        return try Message(plaintext: JSON.object(body).compactBytes)
    }

    private let rules = RequestRules(answers: [.init(question: "Is the gate in service?", response: "Yes")])

    private func reply(_ type: Text, _ members: JSONObject = [:]) throws -> RequestRules.Reply {
        rules.reply(to: try message(type, members), id: "reply")
    }

    @Test func aKnownQuestionIsAnsweredByItsRule() throws {
        let question: JSONObject = [
            "question_text": "Is the gate in service?", "valid_responses": [["text": "Yes"], ["text": "No"]],
        ]
        guard case .message(let answer) = try reply("questionanswer/1.0/question", question) else {
            Issue.record("no answer")
            return
        }
        #expect(answer["@type"] == "https://didcomm.org/questionanswer/1.0/answer")
        #expect(answer["response"] == "Yes")
        #expect(answer["~thread"]?["thid"] == "request")
    }

    @Test(
        arguments: [
            ["question_text": "Who are you?"],
            ["question_text": "Is the gate in service?", "signature_required": true],
            ["question_text": "Is the gate in service?", "valid_responses": [["text": "Maybe"]]],
            [:],
        ] as [JSONObject])
    func anyOtherQuestionIsRefused(question: JSONObject) throws {
        guard case .refusal(let code, _, _) = try reply("questionanswer/1.0/question", question) else {
            Issue.record("not refused")
            return
        }
        #expect(code == "request-not-accepted")
    }

    @Test(
        arguments: [
            "present-proof/1.0/request-presentation", "present-proof/2.0/request-presentation",
            "issue-credential/1.0/offer-credential", "issue-credential/2.0/offer-credential",
            "out-of-band/1.1/invitation", "connections/1.0/invitation", "didexchange/1.1/request",
            "coordinate-mediation/1.0/mediate-request", "committedanswer/1.0/question",
        ] as [Text])
    func whatAVerifierDoesNotDoIsRefusedWithAReason(type: Text) throws {
        guard case .refusal(let code, let explanation, let name) = try reply(type) else {
            Issue.record("not refused")
            return
        }
        #expect(code == "request-not-accepted")
        #expect(!explanation.isEmpty)
        let hasReports = type.hasPrefix("present-proof") || type.hasPrefix("issue-credential")
        #expect((name.family == "notification") == !hasReports)
    }

    @Test func whatNobodyKnowsIsSaidSo() throws {
        guard case .refusal(let code, _, _) = try reply("tea/1.0/pour") else {
            Issue.record("not refused")
            return
        }
        #expect(code == "message-parse-failure")
    }

    /// Answering problem reports and acknowledgements could go on endlessly, so they get no answer.
    @Test(
        arguments: [
            "notification/1.0/problem-report", "connections/1.0/problem_report", "did-rotate/1.0/problem-report",
            "notification/1.0/ack", "did-rotate/1.0/ack",
        ] as [Text])
    func someThingsWantNoAnswer(type: Text) throws { #expect(try reply(type) == .nothing) }

    // MARK: - Attachments

    @Test func anAttachmentIsReadInEachForm() throws {
        let ping: JSON = ["@type": "https://didcomm.org/trust_ping/1.0/ping", "@id": "P", "comment": "\u{3FF}>?"]
        let bytes = ping.compactBytes
        for data in [
            ["json": ping], ["json": .text(ping.compactText)], ["base64": .text(Base64.encode(bytes))],
            ["base64": .text(Base64.encode(bytes, .standard))],
        ] as [JSON] {
            guard case .message(let message) = AttachedRequest(["@id": "a", "data": data]) else {
                Issue.record("not read: \(data.compactText)")
                continue
            }
            #expect(message.id == "P")
        }
    }

    @Test(
        arguments: [
            (["@id": "a"], "a"), (["@id": "a", "data": ["json": ["@id": "m"]]], "m"),
            (["data": ["base64": "e30="]], nil), ([], nil), (["@id": "a", "data": ["links": ["http://x"]]], "a"),
            (["@id": "a", "data": ["base64": .text(String(repeating: "A", count: 100_000))]], "a"),
        ] as [(JSON, Text?)])
    func anUnreadableAttachmentIsRefusedInItsThread(attachment: JSON, thread: Text?) {
        guard case .unreadable(let found) = AttachedRequest(attachment) else {
            Issue.record("read")
            return
        }
        #expect(found == thread)
    }

    // MARK: - Without a lasting connection

    private func oneTime(_ requests: [JSON], handshakes: Bool = false) throws -> (Invitation, KeyPair) {
        let keys = try #require(KeyPair(seed: Secret([UInt8](repeating: 9, count: 32))))
        return (
            try Invitation([
                "@type": "https://didcomm.org/out-of-band/1.1/invitation", "@id": "once",
                "requests~attach": .array(requests),
                "services": [
                    [
                        "id": "#inline", "type": "did-communication", "recipientKeys": [.string(keys.verkey.didKey)],
                        "serviceEndpoint": "http://agent.test/",
                    ]
                ],
            ]), keys
        )
    }

    private let ping: JSON = [
        "@id": "a", "data": ["json": ["@type": "https://didcomm.org/trust_ping/1.0/ping", "@id": "P"]],
    ]

    /// Each request gets one reply, in order, at the service of the invitation and in the thread of the
    /// request.
    @Test func eachRequestGetsOneReply() throws {
        let proof: JSON = [
            "@id": "b",
            "data": ["json": ["@type": "https://didcomm.org/present-proof/2.0/request-presentation", "@id": "Q"]],
        ]
        let (invitation, keys) = try oneTime([ping, proof])
        #expect(InvitationPlan(invitation, connectionExists: false) == .oneTime)
        var reply = try OneTimeReply(to: invitation, rules: rules, random: stream(4))
        var (events, threads, end): ([OneTimeReply.Event], [Text?], (Int, Int)?) = ([.start], [], nil)
        while !events.isEmpty {
            for action in reply.handle(events.removeFirst(), at: .zero) {
                switch action {
                case .post(let url, let body):
                    #expect(url == "http://agent.test/")
                    let content = try Envelope.unpack(body, with: [keys])
                    #expect(content.sender != nil)
                    let thread = try JSON.parse(content.plaintext)["~thread"]
                    threads.append(thread?["thid"]?.string)
                    #expect(thread?["pthid"] == "once")
                    events.append(.answered)
                case .finished(let replies, let refusals, let failure):
                    #expect(failure == nil)
                    end = (replies, refusals)
                }
            }
        }
        #expect(threads == ["P", "Q"])
        #expect(end?.0 == 2)
        #expect(end?.1 == 1)
    }

    /// An unreachable inviter is tried three times, one that refuses is tried once.
    @Test(arguments: [(ExchangeFailure.unreachable, 3), (.uncertain, 3), (.refused(status: 400), 1)])
    func aFailureEndsIt(failure: ExchangeFailure, attempts: Int) throws {
        var reply = try OneTimeReply(to: try oneTime([ping]).0, rules: rules, random: stream(4))
        var (now, posts, isFinished) = (Instant.zero, 0, false)
        var event = OneTimeReply.Event.start
        for _ in 0..<16 where !isFinished {
            let actions = reply.handle(event, at: now)
            event = .deadlineReached
            for action in actions {
                switch action {
                case .post:
                    posts += 1
                    event = .failed(failure)
                case .finished(_, _, let last):
                    #expect(last == failure)
                    isFinished = true
                }
            }
            if actions.isEmpty { now = reply.deadline ?? now }
        }
        #expect(isFinished)
        #expect(posts == attempts)
        let deadline = reply.deadline
        #expect(deadline == nil)
    }
}
