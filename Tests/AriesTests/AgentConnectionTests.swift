import Aries
import DIDComm
import Encoding
import Simulation
import Testing

@Suite struct AgentConnectionTests {
    @Test func connectsPingsAndDelivers() throws {
        let harness = try Harness()
        harness.feed(.start)
        #expect(harness.connection.peer != nil)
        #expect(harness.agent.completeConnections == 1)
        #expect(harness.count { if case .connected = $0 { true } else { false } } == 1)
        #expect(harness.count { if case .alive = $0 { true } else { false } } == 1)

        harness.feed(.deliver(report(1)))
        #expect(harness.sent == ["report-1"])
        #expect(harness.agent.received.map(\.content) == ["{\"seq\":1}"])
        #expect(harness.connection.wantsMessage == true)
    }

    @Test func stateIsStoredBeforeItsPost() throws {
        let harness = try Harness()
        harness.feed(.start)
        let phases = harness.posts.map { $0.stored?["phase"]?.string }
        // request, complete, ping
        #expect(phases == ["handshaking", "connected", "connected"])
        #expect(harness.posts[1].stored?["confirmation"] != nil)
        #expect(harness.stored?["confirmation"] == nil)
    }

    @Test func aStoppedAgentCostsOnlyDelay() throws {
        let harness = try Harness()
        harness.feed(.start)
        harness.agent.isUp = false
        harness.feed(.deliver(report(1)))
        harness.run(until: Instant(nanoseconds: 3600_000_000_000))
        #expect(harness.agent.received.isEmpty && harness.sent.isEmpty)
        let gaps = zip(harness.posts.dropFirst(3), harness.posts.dropFirst(4)).map { $0.time.duration(to: $1.time) }
        for (number, gap) in gaps.enumerated() {
            let longest = min(Duration.seconds(1 << min(number, 20)), .seconds(900))
            #expect(gap <= longest && gap >= longest / 2 - .milliseconds(1), "gap \(number): \(gap)")
        }
        #expect(gaps.count >= 12)

        harness.agent.isUp = true
        harness.run(until: Instant(nanoseconds: 5000_000_000_000))
        #expect(harness.sent == ["report-1"])
        #expect(harness.agent.received.map(\.id) == ["report-1"] && harness.agent.repetitions == 0)
        let failures: [ExchangeFailure?] = harness.seen.compactMap {
            if case .reachability(let failure) = $0 { .some(failure) } else { nil }
        }
        #expect(failures == [nil, .unreachable, nil])
    }

    @Test func aLostAnswerRepeatsTheSameMessage() throws {
        let harness = try Harness()
        harness.feed(.start)
        harness.agent.answersToLose = 2
        harness.feed(.deliver(report(1)))
        harness.run(until: Instant(nanoseconds: 60_000_000_000))
        #expect(harness.sent == ["report-1"])
        #expect(harness.agent.received.count == 1 && harness.agent.repetitions == 2)
    }

    @Test func aLostHandshakeAnswerIsAskedForAgain() throws {
        let harness = try Harness()
        harness.agent.answersToLose = 2
        harness.feed(.start)
        #expect(harness.connection.peer == nil)
        let key = harness.connection.verkey
        harness.run(until: Instant(nanoseconds: 60_000_000_000))
        #expect(harness.connection.peer != nil)
        #expect(harness.connection.verkey == key)  // the request and the keys are the same
        #expect(harness.agent.completeConnections == 1)
    }

    @Test func anInviterWithoutAnswerGetsNewKeysLater() throws {
        let harness = try Harness()
        harness.replies = [.accepted([]), .accepted([])]
        harness.feed(.start)
        let key = harness.connection.verkey
        #expect(harness.connection.deadline == Instant(nanoseconds: 15_000_000_000))
        harness.run(until: Instant(nanoseconds: 120_000_000_000))
        #expect(harness.connection.peer != nil)
        #expect(harness.connection.verkey != key)
    }

    @Test func aRestartAtAnyPostGoesOn() throws {
        // The process dies right after it has decided the n-th post, before the answer arrives.
        for crash in 0..<4 {
            let harness = try Harness()
            harness.replies = []
            harness.feed(.start)
            let state = crash < harness.posts.count ? harness.posts[crash].stored : harness.stored
            harness.stored = state
            try harness.restart()
            harness.run(until: Instant(nanoseconds: 60_000_000_000))
            #expect(harness.connection.peer != nil, "after post \(crash)")
            harness.feed(.deliver(report(crash)))
            harness.run(until: Instant(nanoseconds: 120_000_000_000))
            #expect(harness.sent == [Text("report-\(crash)")], "after post \(crash)")
            #expect(harness.agent.received.count == 1)
        }
    }

    @Test func anUnstoredStateIsNeverSent() throws {
        let harness = try Harness()
        let actions = harness.connection.handle(.start, at: .zero)
        guard actions.count == 2, case .persist = actions[0], case .post(let id, _, _) = actions[1] else {
            Issue.record("persist and post expected")
            return
        }
        #expect(harness.connection.handle(.failed(id, .notStored), at: .zero).count { isPost($0) } == 0)
        let due = try #require(harness.deadline)
        let again = harness.connection.handle(.deadlineReached, at: due)
        guard again.count == 2, case .persist = again[0], isPost(again[1]) else {
            Issue.record("persist and post expected again")
            return
        }
    }

    private func isPost(_ action: AgentConnection.Action) -> Bool { if case .post = action { true } else { false } }

    @Test func aStrangersMessagesAreDropped() throws {
        let harness = try Harness()
        harness.feed(.start)
        var random = stream(9)
        let stranger = try #require(KeyPair(seed: Secret([UInt8](repeating: 8, count: 32))))
        let ping = TrustPing.ping(.didcomm, id: "p", responseRequested: true).compactBytes
        let ours = harness.connection.verkey
        let before = harness.posts.count
        harness.feed(.received(Envelope.pack(ping, to: [ours], from: stranger, random: &random).compactBytes))
        harness.feed(.received(Envelope.pack(ping, to: [ours], from: nil, random: &random).compactBytes))
        harness.feed(
            .received(Envelope.pack(ping, to: [stranger.verkey], from: stranger, random: &random).compactBytes))
        harness.feed(.received(ping))
        let reasons = harness.seen.compactMap { if case .discarded(let reason) = $0 { reason } else { nil } }
        #expect(reasons == [.wrongSender, .anonymous, .unreadable, .unreadable])
        #expect(harness.posts.count == before)
    }

    @Test func messagesOfTheAgentAreFetchedOneByOne() throws {
        let harness = try Harness()
        harness.feed(.start)
        for number in 0..<5 { harness.agent.send(content: Text("hello \(number)")) }
        harness.feed(.deliver(report(1)))
        let contents = harness.seen.compactMap { if case .message(_, let content) = $0 { content } else { nil } }
        #expect(contents == (0..<5).map { Text("hello \($0)") })
    }

    /// The connection's actual reception mode decides whether it fetches messages, not the requested one.
    @Test func withoutMailboxMessagesAreFetchedWhateverWasWishedFor() throws {
        let harness = try Harness(reception: .mailbox)
        harness.mailbox = .queue
        harness.feed(.start)
        for number in 0..<5 { harness.agent.send(content: Text("hello \(number)")) }
        harness.feed(.deliver(report(1)))
        let contents = harness.seen.compactMap { if case .message(_, let content) = $0 { content } else { nil } }
        #expect(contents == (0..<5).map { Text("hello \($0)") })
        #expect(!harness.seen.contains(.fetch))
    }

    /// An answer that a mailbox message requires outlives the release of that message: it is sent until the
    /// peer's server accepts or refuses it, and a restart does not send it again.
    @Test(arguments: [[VirtualAgent.Reply.unreachable, .lost], [.rejected]])
    func anAnswerIsSentUntilItIsThere(replies: [VirtualAgent.Reply]) throws {
        let harness = try Harness(reception: .mailbox)
        harness.feed(.start)
        harness.agent.send(TrustPing.ping(.didcomm, id: "p", responseRequested: true))
        let ping = try #require(harness.agent.posts.last)
        func answers() -> Int { harness.agent.others.count { $0["~thread"]?["thid"] == "p" } }
        harness.replies = replies
        harness.feed(.received(ping.body))
        harness.stored = harness.connection.snapshot
        #expect(answers() == 0)
        harness.run(until: Instant(nanoseconds: 60_000_000_000))
        let expected = replies == [.rejected] ? 0 : 1
        #expect(answers() == expected)
        try harness.restart()
        harness.run(until: Instant(nanoseconds: 120_000_000_000))
        #expect(answers() == expected)
    }

    @Test func applicationAcknowledgementsArePassedOn() throws {
        let harness = try Harness()
        harness.feed(.start)
        harness.agent.acknowledgesReports = true
        harness.feed(.deliver(report(4)))
        let acknowledged = harness.seen.compactMap { if case .acknowledged(let ids) = $0 { ids } else { nil } }
        #expect(acknowledged == [["report-4"]])
    }

    @Test func heartbeatsAreSentForEver() throws {
        let harness = try Harness()
        harness.feed(.start)
        harness.run(until: Instant(nanoseconds: 3600_000_000_000))
        #expect(harness.agent.pings == 5)
        #expect(harness.pings.sent.count == 5 && harness.pings.answered == harness.pings.sent)
    }

    /// The key of a message that was seen is handed to the caller for storage and passed in again at the next
    /// start.
    @Test func keysOfSeenMessagesAreHandedOutForStorage() throws {
        let harness = try Harness()
        harness.feed(.start)
        _ = harness.connection.takeSeen()
        let hello = BasicMessage.message(.didcomm, id: "hello", content: "hello", sentTime: "")
        for _ in 0..<2 { harness.agent.send(hello) }
        let stored = harness.stored
        harness.feed(.ping)
        #expect(harness.stored == stored, "a peer's talk costs no write")
        let seen = harness.connection.takeSeen()
        let rest = harness.connection.takeSeen()
        #expect(!seen.isEmpty && rest.isEmpty)
        try harness.restart(seen: seen)
        harness.agent.send(hello)
        harness.feed(.ping)
        let texts = harness.seen.filter { if case .message = $0 { true } else { false } }
        #expect(texts.count == 1)
    }

    /// A server that refuses a message refuses only that message; later messages are sent.
    @Test func aRefusedMessageIsHandedBack() throws {
        let harness = try Harness()
        harness.feed(.start)
        harness.replies = [.rejected]
        harness.feed(.deliver(report(1)))
        #expect(harness.refused == ["report-1"] && harness.connection.wantsMessage == true)
        harness.run(until: Instant(nanoseconds: 60_000_000_000))
        harness.feed(.deliver(report(2)))
        #expect(harness.sent == ["report-2"])
    }

    /// Only some HTTP statuses concern the message itself. With any other status the same message is sent
    /// again, until the server recovers.
    @Test(arguments: [400, 413, 415, 422, 431, 301, 302, 401, 402, 403, 404, 405, 407, 410, 421, 451])
    func onlySomeStatusesRefuseAMessage(status: Int) throws {
        let harness = try Harness()
        harness.feed(.start)
        harness.status = status
        harness.replies = [.rejected, .rejected]
        harness.feed(.deliver(report(1)))
        harness.run(until: Instant(nanoseconds: 60_000_000_000))
        let isOfMessage = [400, 413, 415, 422, 431].contains(status)
        #expect(harness.refused == (isOfMessage ? ["report-1"] : []))
        #expect(harness.agent.received.map(\.id) == (isOfMessage ? [] : ["report-1"]))
        #expect(harness.seen.contains(.reachability(.refused(status: status))))
    }

    /// A delivery on which the peer's server fails leaves the next turn to a waiting answer.
    @Test func aFailingDeliveryHoldsUpNoAnswer() throws {
        let harness = try Harness()
        harness.feed(.start)
        (harness.status, harness.replies) = (500, [.rejected])
        harness.feed(.deliver(report(1)))
        harness.feed(.tell(code: "fault.somewhere", explanation: "primary: it is silent"))
        harness.maxPosts = harness.posts.count + 1
        harness.run(until: Instant(nanoseconds: 60_000_000_000))
        #expect(harness.agent.others.last?["description"]?["code"] == "fault.somewhere" && harness.sent.isEmpty)
        harness.maxPosts = .max
        harness.run(until: Instant(nanoseconds: 600_000_000_000))
        #expect(harness.sent == ["report-1"])
    }

    /// A fault elsewhere is reported to the agent as a problem report.
    @Test func aProblemIsReported() throws {
        let harness = try Harness()
        harness.feed(.start)
        harness.feed(.tell(code: "fault.somewhere", explanation: "primary: it is silent"))
        #expect(harness.agent.others.last?["description"]?["code"] == "fault.somewhere")
    }

    /// The protocols that a peer discloses and its answer about the ledger are passed on.
    @Test func disclosuresAndAnswersArePassedOn() throws {
        let harness = try Harness()
        harness.feed(.start)
        harness.agent.send(
            [
                "@type": "https://didcomm.org/discover-features/1.0/disclose", "@id": "d",
                "protocols": [
                    ["pid": "did:sov:BzCbsNYhMrjHiqZDTUASHg;spec/verification-report/1.0"], ["pid": "odd"], [:],
                ],
            ])
        let point = ReportPoint(ledger: "l", position: 7, hash: [UInt8](repeating: 1, count: 32))
        harness.agent.send(VerificationReport.message(.receipt(point), .didcomm, id: "r", thread: "t"))
        harness.agent.send([
            "@type": "https://didcomm.org/verification-report/1.0/receipt", "@id": "bad", "position": -1,
        ])
        harness.feed(.ping)
        var (protocols, answers): ([ProtocolName], [VerificationReport.Answer]) = ([], [])
        for action in harness.seen {
            if case .disclosed(let names) = action { protocols += names }
            if case .answered(let answer) = action { answers.append(answer) }
        }
        #expect(protocols == [VerificationReport.name] && answers == [.receipt(point)])
        #expect(harness.count { $0 == .discarded(.malformed) } == 1)
    }

    /// The connection of a mailbox leaves no question without a reply: neither one without a rule, nor one whose answer
    /// would have to be signed.
    @Test(arguments: [false, true], ["open?", "other?"] as [Text])
    func aMailboxRefusesUnknownRequests(wantsSignature: Bool, text: Text) throws {
        let rules = RequestRules(answers: [.init(question: "open?", response: "yes")])
        let harness = try Harness(reception: .leadsToMailbox, rules: rules)
        harness.feed(.start)
        harness.agent.send([
            "@type": "https://didcomm.org/questionanswer/1.0/question", "@id": "q", "question_text": .string(text),
            "nonce": "n", "signature_required": .bool(wantsSignature),
            "valid_responses": [["text": "yes"], ["text": "no"]],
        ])
        // The owner of such a connection fetches the messages itself.
        harness.feed(.ping)
        harness.run(until: harness.now.advanced(by: .seconds(10)))
        let replies = harness.agent.others.filter { $0["~thread"]?["thid"] == "q" }
        #expect(replies.count == 1)
        let isAnswered = text == "open?" && !wantsSignature
        #expect((replies.first?["response"] == "yes") == isAnswered)
        #expect((replies.first?["@type"]?.string?.hasSuffix("problem-report") == true) == !isAnswered)
        let results = harness.seen.compactMap { if case .handled(_, let result) = $0 { result } else { nil } }
        #expect(results == [isAnswered ? .answered : .refused(code: "request-not-accepted")])
    }

    /// An agent that answers each post with a question of its own gets a few answers at once, then one a
    /// second; reports are sent first.
    @Test(arguments: ["ping", "queries", "please_ack"])
    func aPeerThatAlwaysAsksDoesNotHoldUpReports(_ kind: String) throws {
        let harness = try Harness()
        harness.feed(.start)
        func question(_ number: Int) -> JSON {
            switch kind {
            case "ping": return TrustPing.ping(.didcomm, id: Text("q-\(number)"), responseRequested: true)
            case "queries":
                return [
                    "@type": "https://didcomm.org/discover-features/2.0/queries", "@id": .text("q-\(number)"),
                    "queries": [["feature-type": "protocol", "match": "*"]],
                ]
            default:
                var message =
                    BasicMessage.message(.didcomm, id: Text("q-\(number)"), content: "x", sentTime: "").object ?? [:]
                message["~please_ack"] = ["on": ["RECEIPT"]]
                return .object(message)
            }
        }
        for number in 0..<500 { harness.agent.send(question(number)) }
        let before = harness.posts.count
        harness.feed(.deliver(report(0)))
        #expect(harness.posts.count - before <= 1 + 16 + 1, "a burst, not for ever")
        for number in 1..<40 {
            let posts = harness.posts.count
            harness.feed(.deliver(report(number)))
            #expect(harness.sent.last == Text("report-\(number)") && harness.posts.count - posts <= 2)
        }
        let (posts, now) = (harness.posts.count, harness.now)
        harness.run(until: now.advanced(by: .seconds(100)))
        #expect((90...120).contains(harness.posts.count - posts))
    }
}
