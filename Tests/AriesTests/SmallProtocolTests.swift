import Aries
import DIDComm
import Encoding
import Simulation
import Testing

/// The reactions of a connected kiosk to messages of its agent.
@Suite struct SmallProtocolTests {
    private func connected() throws -> Harness {
        let harness = try Harness()
        harness.feed(.start)
        return harness
    }

    /// Returns the kiosk's messages after it fetched `messages`, without the handshake and silent pings.
    private func replies(to messages: [JSON]) throws -> [JSON] {
        let harness = try connected()
        let before = harness.agent.others.count
        for message in messages { harness.agent.send(message) }
        harness.feed(.ping)
        return Array(harness.agent.others.dropFirst(before))
    }

    private func message(_ path: String, _ members: JSONObject = [:], id: Text = "m-1") -> JSON {
        var object: JSONObject = ["@type": .text("https://didcomm.org/" + path), "@id": .string(id)]
        for member in members.members { object[member.name] = member.value }
        return .object(object)
    }

    @Test(arguments: [nil, true, false])
    func aPingIsAnsweredUnlessItSaysNo(wanted: Bool?) throws {
        let members: JSONObject = wanted.map { ["response_requested": .bool($0)] } ?? [:]
        let replies = try replies(to: [message("trust_ping/1.0/ping", members)])
        if wanted == false {
            #expect(replies.isEmpty)
        } else {
            #expect(replies.map { $0["@type"] } == ["https://didcomm.org/trust_ping/1.0/ping_response"])
            #expect(replies.first?["~thread"]?["thid"] == "m-1")
            #expect(replies.first?["~transport"]?["return_route"] == "all")
        }
    }

    @Test func thePrefixOfTheQuestionIsThatOfTheAnswer() throws {
        let ping: JSON = [
            "@type": "did:sov:BzCbsNYhMrjHiqZDTUASHg;spec/trust_ping/1.0/ping", "@id": "p", "~thread": ["thid": "t"],
        ]
        let replies = try replies(to: [ping])
        #expect(replies.first?["@type"] == "did:sov:BzCbsNYhMrjHiqZDTUASHg;spec/trust_ping/1.0/ping_response")
        #expect(replies.first?["~thread"]?["thid"] == "t")
    }

    /// The connection does not record a discarded message as seen: another part of the kiosk keeps it, and it
    /// is read again if that fails.
    @Test func discardedMessagesDoNotCountAsSeen() throws {
        let harness = try connected()
        let pong = message("trust_ping/1.0/ping_response", ["~thread": ["thid": "nobody's"]])
        let receipt = message("verification-report/1.0/receipt", ["position": -1], id: "m-2")
        for message in [pong, pong, receipt, receipt] { harness.agent.send(message) }
        for _ in 0..<5 { harness.feed(.ping) }  // each ping fetches one
        let reasons = harness.seen.compactMap { if case .discarded(let reason) = $0 { reason } else { nil } }
        #expect(reasons == [.unexpected, .unexpected, .malformed, .malformed])
    }

    @Test func aRepeatedMessageIsAnsweredOnce() throws {
        let ping = message("trust_ping/1.0/ping")
        #expect(try replies(to: [ping, ping, ping]).count == 1)
    }

    @Test func featuresAreDisclosed() throws {
        let old = try replies(to: [
            message("discover-features/1.0/query", ["query": "https://didcomm.org/basicmessage/*"])
        ])
        #expect(old.first?["protocols"]?.array?.compactMap { $0["pid"] } == ["https://didcomm.org/basicmessage/1.0"])
        let all = try replies(to: [message("discover-features/1.0/query", ["query": "*"])])
        #expect(all.first?["protocols"]?.array?.count == DiscoverFeatures.supported.count)
        let new = try replies(
            to: [
                message(
                    "discover-features/2.0/queries",
                    [
                        "queries": [
                            ["feature-type": "protocol", "match": "https://didcomm.org/trust_ping/1.0"],
                            ["feature-type": "goal-code", "match": "*"],
                        ]
                    ])
            ])
        #expect(new.first?["@type"] == "https://didcomm.org/discover-features/2.0/disclosures")
        #expect(new.first?["disclosures"]?.array?.compactMap { $0["id"] } == ["https://didcomm.org/trust_ping/1.0"])
    }

    @Test func anAskedForAckIsSent() throws {
        let text = message("basicmessage/1.0/message", ["content": "x", "~please_ack": ["on": ["RECEIPT"]]])
        let replies = try replies(to: [text])
        #expect(replies.first?["@type"] == "https://didcomm.org/notification/1.0/ack")
        #expect(replies.first?["~thread"]?["thid"] == "m-1")
        let later = message("basicmessage/1.0/message", ["content": "x", "~please_ack": ["on": ["OUTCOME"]]])
        #expect(try self.replies(to: [later]).isEmpty)
    }

    @Test func unknownMessagesGetOneProblemReportInAWhile() throws {
        let unknown = (0..<5).map { message("tea/1.0/pour", id: Text("u-\($0)")) }
        let replies = try replies(to: unknown)
        #expect(replies.count == 1)
        #expect(replies.first?["description"]?["code"] == "message-parse-failure")
        #expect(replies.first?["~thread"]?["thid"] == "u-0")
    }

    @Test(arguments: [
        "notification/1.0/problem-report", "report-problem/1.0/problem-report", "trust_ping/1.0/problem_report",
        "anything/9.9/problem-report",
    ])
    func problemReportsAreNeverAnswered(type: String) throws {
        let harness = try connected()
        let before = harness.agent.others.count
        harness.agent.send(message(type, ["description": ["code": "oops"]]))
        harness.feed(.ping)
        #expect(harness.agent.others.count == before)
        let codes = harness.seen.compactMap { if case .problem(let code, _) = $0 { code } else { nil } }
        #expect(codes == ["oops"])
    }

    /// A kiosk accepts only the answers of a mediator; a peer that requests mediation gets a refusal.
    @Test(arguments: [
        "coordinate-mediation/1.0/mediate-request", "coordinate-mediation/1.0/keylist-update",
        "messagepickup/2.0/status-request", "messagepickup/2.0/delivery-request",
    ])
    func aKioskIsNoMediator(type: String) throws {
        let reply = try replies(to: [message(type)]).first
        #expect(reply?["description"] == ["code": "request-not-accepted", "en": "a kiosk is not a mediator"])
        #expect(reply?["~thread"]?["thid"] == "m-1")
    }

    @Test func anotherMajorVersionIsAnotherProtocol() throws {
        let replies = try replies(to: [message("trust_ping/2.0/ping")])
        #expect(replies.first?["description"]?["code"] == "message-parse-failure")
        #expect(try self.replies(to: [message("trust_ping/1.7/ping")]).first?["~thread"]?["thid"] == "m-1")
    }

    @Test func aHangupEndsTheConnectionForGood() throws {
        let harness = try connected()
        harness.agent.send(message("did-rotate/1.0/hangup"))
        harness.feed(.ping)
        #expect(harness.connection.isEnded == true)
        let posts = harness.posts.count
        harness.feed(.deliver(report(1)))
        #expect(harness.posts.count == posts && harness.deadline == nil)
        try harness.restart()
        #expect(harness.connection.isEnded == true)
    }

    @Test func acknowledgementsNameTheReport() throws {
        let harness = try connected()
        harness.agent.send(message("notification/1.0/ack", ["status": "OK", "~thread": ["thid": "report-9"]]))
        harness.feed(.ping)
        let acknowledged = harness.seen.compactMap { if case .acknowledged(let ids) = $0 { ids } else { nil } }
        #expect(acknowledged == [["report-9"]])
    }
}
