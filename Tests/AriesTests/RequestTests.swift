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
            ["question_text": "Is the gate in service?", "valid_responses": [["text": "Maybe"]]],
        ] as [JSONObject], ["questionanswer", "committedanswer"] as [Text])
    func anyOtherQuestionWaitsForTheOperator(question: JSONObject, family: Text) throws {
        #expect(try reply("\(family)/1.0/question", question) == .undecided)
    }

    @Test func aQuestionWithoutTextIsRefused() throws {
        guard case .refusal(let code, _, _) = try reply("questionanswer/1.0/question") else {
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
    func requestsToOtherRolesAreRefusedWithAReason(type: Text) throws {
        guard case .refusal(let code, let explanation, let name) = try reply(type) else {
            Issue.record("not refused")
            return
        }
        #expect(code == "request-not-accepted")
        #expect(!explanation.isEmpty)
        let hasReports = type.hasPrefix("present-proof") || type.hasPrefix("issue-credential")
        #expect((name.family == "notification") == !hasReports)
    }

    @Test func anUnknownRequestGetsAProblemReport() throws {
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
    func someMessagesGetNoAnswer(type: Text) throws { #expect(try reply(type) == .nothing) }

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

    // MARK: - Questions

    private let signer = KeyPair(seed: Secret([UInt8](repeating: 7, count: 32)))

    /// The form that VCX signs: over the encoded nonce of the chosen answer.
    @Test(arguments: ["nonce", "response_code"] as [Text]) func aCommittedAnswerIsSignedOverItsNonce(name: Text) throws
    {
        let signer = try #require(signer)
        let entry: JSON = .object(["text": "Yes", name: "n-1"])
        let question = try message(
            "committedanswer/1.0/question",
            ["question_text": "Is the gate in service?", "valid_responses": [entry, ["text": "No"]]])
        #expect(rules.reply(to: question, id: "reply") == .signed(response: "Yes"))
        #expect(Question.permits("Yes", to: question) && !Question.permits("No", to: question))
        let answer = Question.answer(
            to: question, id: "a", response: "Yes", signedBy: signer, at: Timestamp(seconds: 1_767_225_600))
        #expect(answer["@type"] == "https://didcomm.org/committedanswer/1.0/answer")
        #expect(answer["~thread"]?["thid"] == "request")
        let signature = answer["response.@sig"]
        #expect(signature?["sig_data"] == "bi0x" && signature?["timestamp"] == "2026-01-01T00:00:00.000Z")
        let bytes = try #require(signature?["signature"]?.string.flatMap { Base64.decodeAny($0.string) })
        #expect(signer.verkey.verifies(bytes, over: Array("bi0x".utf8)))
    }

    /// RFC 0113: the signature is over the hash of question, answer and nonce.
    @Test func aSignedAnswerNamesItsSigner() throws {
        let signer = try #require(signer)
        let question = try message(
            "questionanswer/1.0/question",
            ["question_text": "Is the gate in service?", "nonce": "n", "signature_required": true])
        #expect(rules.reply(to: question, id: "reply") == .signed(response: "Yes"))
        let answer = Question.answer(
            to: question, id: "a", response: "Yes", signedBy: signer, at: Timestamp(seconds: 1))
        #expect(answer["response"] == "Yes")
        let signature = answer["response~sig"]
        #expect(signature?["signers"]?.array == [.string(signer.verkey.base58)])
        let data = try #require(signature?["sig_data"]?.string.flatMap { Base64.decodeAny($0.string) })
        let bytes = try #require(signature?["signature"]?.string.flatMap { Base64.decodeAny($0.string) })
        #expect(data.count == 32 && signer.verkey.verifies(bytes, over: data))
    }

    // MARK: - Without a lasting connection

    private func oneTime(_ requests: [JSON]) throws -> (Invitation, KeyPair) {
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

    private func connection(_ invitation: Invitation) throws -> AgentConnection {
        try AgentConnection(
            id: "c", invitation: invitation, reception: .mailbox, configuration: .init(label: "k", rules: rules),
            random: stream(4))
    }

    /// Each request gets one reply, in order, at the service of the invitation and in the thread of the
    /// request. The connection is complete from the start, and its unsent replies survive a restart.
    @Test func eachRequestGetsOneReply() throws {
        let proof: JSON = [
            "@id": "b",
            "data": ["json": ["@type": "https://didcomm.org/present-proof/2.0/request-presentation", "@id": "Q"]],
        ]
        let (invitation, keys) = try oneTime([ping, proof])
        #expect(InvitationPlan(invitation, connectionExists: false) == .oneTime)
        var connection = try connection(invitation)
        let (isOpen, isOneTime, owed) = (connection.isComplete, connection.isOneTime, connection.unsent)
        let reception = connection.reception
        #expect(isOpen && isOneTime && owed == 2 && reception == .returnRoute)
        let kept = connection.snapshot
        connection = try AgentConnection(
            restoring: try JSON.parse(kept.compactText), configuration: .init(label: "k"), random: stream(5))
        var (events, threads): ([AgentConnection.Event], [Text?]) = ([.start], [])
        while !events.isEmpty {
            for action in connection.handle(events.removeFirst(), at: .zero) {
                guard case .post(let id, let url, let body) = action else { continue }
                #expect(url == "http://agent.test/")
                let content = try Envelope.unpack(body, with: [keys])
                #expect(content.sender != nil)
                let thread = try JSON.parse(content.plaintext)["~thread"]
                threads.append(thread?["thid"]?.string)
                #expect(thread?["pthid"] == "once")
                events.append(.answered(id, body: []))
            }
        }
        #expect(threads == ["P", "Q"])
        let (isComplete, unsent, deadline) = (connection.isComplete, connection.unsent, connection.deadline)
        #expect(isComplete && unsent == 0 && deadline == nil, "it sends nothing else, and no ping")
    }

    /// An inviter that is never reached is given up after a few hours; one that refuses the message, at once.
    @Test(arguments: [(ExchangeFailure.unreachable, 16), (.uncertain, 16), (.refused(status: 400), 1)])
    func aFailureEndsIt(failure: ExchangeFailure, attempts: Int) throws {
        var connection = try connection(try oneTime([ping]).0)
        var (now, posts, event) = (Instant.zero, 0, AgentConnection.Event?.some(.start))
        while let next = event, posts < 64 {
            event = nil
            for action in connection.handle(next, at: now) {
                guard case .post(let id, _, _) = action else { continue }
                posts += 1
                event = .failed(id, failure)
            }
            guard event == nil, let deadline = connection.deadline else { continue }
            (now, event) = (max(now, deadline), .deadlineReached)
        }
        let (unsent, hasFailed) = (connection.unsent, connection.hasFailed)
        #expect(posts == attempts && unsent == 0 && hasFailed == (attempts > 1))
        #expect(now <= Instant.zero.advanced(by: .seconds(4 * 3600)))
    }
}
