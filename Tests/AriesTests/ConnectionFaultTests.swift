import Aries
import DIDComm
import Encoding
import Simulation
import Testing

/// Refused, altered and unexpected input never traps, never ends an attempt, and never goes unreported.
@Suite struct ConnectionFaultTests {
    @Test func everyAlteredHandshakeAnswerIsRefused() throws {
        // The inviter's answer, opened, altered and packed again by the invitation's own key: only the
        // signature check can detect the change.
        let inviter = try #require(KeyPair(seed: Secret([UInt8](repeating: 6, count: 32))))
        let fresh = try #require(KeyPair(seed: Secret([UInt8](repeating: 5, count: 32))))
        let did = DIDExchange.did(
            for: fresh.verkey, at: MailboxAddress(endpoint: "http://agent.test/", routingKeys: []))
        func attachment(_ signed: Text, by key: KeyPair) -> JSON {
            SignedAttachment.sign(Array(signed.utf8), mediaType: "text/string", id: "a", by: key)
        }
        let good = attachment(did, by: inviter)
        let other = DIDExchange.did(
            for: inviter.verkey, at: MailboxAddress(endpoint: "http://agent.test/", routingKeys: []))
        let answers: [(name: String, did: Text, attachment: JSON?, connects: Bool)] = [
            ("good", did, good, true), ("another DID", other, good, false),
            ("signed by a stranger", did, attachment(did, by: fresh), false),
            ("no attachment", did, nil, false),
            ("needs a ledger", "QTDjDPc1G2aLghkFjbxBZj", attachment("QTDjDPc1G2aLghkFjbxBZj", by: inviter), false),
        ]
        for answer in answers {
            var random = stream(4)
            var connection = try connection(to: inviter.verkey)
            let id = try request(of: &connection, inviter)
            var members: [JSONObject.Member] = [.init("did", .string(answer.did))]
            if let attachment = answer.attachment { members.append(.init("did_rotate~attach", attachment)) }
            let response = Message.make(
                MessageType(.didcomm, ProtocolName("didexchange", 1, 1), "response"), id: "r", thread: id, members)
            let body = Envelope.pack(response.compactBytes, to: [connection.verkey], from: inviter, random: &random)
            let actions = connection.handle(.answered(1, body: body.compactBytes), at: .zero)
            #expect((connection.peer != nil) == answer.connects, "\(answer.name)")
            let refused = actions.contains { if case .handshakeRefused = $0 { true } else { false } }
            #expect(refused != answer.connects, "\(answer.name)")
        }
    }

    @Test func anAnswerToAnotherRequestIsNotOurs() throws {
        let inviter = try #require(KeyPair(seed: Secret([UInt8](repeating: 6, count: 32))))
        var random = stream(4)
        var connection = try connection(to: inviter.verkey)
        _ = try request(of: &connection, inviter)
        let did = DIDExchange.did(
            for: inviter.verkey, at: MailboxAddress(endpoint: "http://agent.test/", routingKeys: []))
        let response = Message.make(
            MessageType(.didcomm, ProtocolName("didexchange", 1, 1), "response"), id: "r", thread: "other",
            [
                .init("did", .string(did)),
                .init(
                    "did_rotate~attach",
                    SignedAttachment.sign(Array(did.utf8), mediaType: "text/string", id: "a", by: inviter)),
            ])
        let body = Envelope.pack(response.compactBytes, to: [connection.verkey], from: inviter, random: &random)
        _ = connection.handle(.answered(1, body: body.compactBytes), at: .zero)
        #expect((connection.peer == nil) == true)
    }

    @Test func theInvitersRefusalLeadsToANewAttempt() throws {
        let inviter = try #require(KeyPair(seed: Secret([UInt8](repeating: 6, count: 32))))
        var random = stream(4)
        var connection = try connection(to: inviter.verkey)
        let (id, key) = (try request(of: &connection, inviter), connection.verkey)
        let problem = Notice.problem(.didcomm, id: "p", thread: id, code: "request_not_accepted", explanation: "no")
        let body = Envelope.pack(problem.compactBytes, to: [key], from: inviter, random: &random)
        let actions = connection.handle(.answered(1, body: body.compactBytes), at: .zero)
        let reasons = actions.compactMap { if case .handshakeRefused(let reason) = $0 { reason } else { nil } }
        #expect(reasons == ["request_not_accepted"])
        #expect((connection.verkey == key) == false)
        let due = connection.deadline
        #expect(due.map { $0 > .zero } == true)  // after a pause
    }

    /// The peer accepts the request but sends no answer. At the deadline the connection reports this and
    /// changes its key.
    @Test func anUnansweredRequestIsReported() throws {
        let inviter = try #require(KeyPair(seed: Secret([UInt8](repeating: 6, count: 32))))
        var connection = try connection(to: inviter.verkey)
        let key = connection.verkey
        _ = try request(of: &connection, inviter)
        var actions = connection.handle(.answered(1, body: []), at: .zero)
        func told(_ actions: [AgentConnection.Action]) -> Int { actions.count { $0 == .unanswered } }
        let deadline = connection.deadline
        let due = try #require(deadline)
        let early = connection.handle(.deadlineReached, at: .zero)
        #expect(told(actions) == 0 && early.isEmpty)
        actions = connection.handle(.deadlineReached, at: due)
        let renewed = connection.verkey
        #expect(told(actions) == 1 && renewed != key)
    }

    @Test func mutatedMessagesOfThePeerNeverTrap() throws {
        let inviter = try #require(KeyPair(seed: Secret([UInt8](repeating: 6, count: 32))))
        let peer = try #require(KeyPair(seed: Secret([UInt8](repeating: 5, count: 32))))
        var random = stream(4)
        var connection = try connection(to: inviter.verkey)
        let did = DIDExchange.did(for: peer.verkey, at: MailboxAddress(endpoint: "http://agent.test/", routingKeys: []))
        let response = Message.make(
            MessageType(.didcomm, ProtocolName("didexchange", 1, 1), "response"), id: "r",
            thread: try request(of: &connection, inviter),
            [
                .init("did", .string(did)),
                .init(
                    "did_rotate~attach",
                    SignedAttachment.sign(Array(did.utf8), mediaType: "text/string", id: "a", by: inviter)),
            ])
        func pack(_ plaintext: [UInt8], _ sender: KeyPair, _ key: Verkey) -> [UInt8] {
            Envelope.pack(plaintext, to: [key], from: sender, random: &random).compactBytes
        }
        var (posts, now) = (0, Instant.zero)
        /// Answers every post with an empty body, so that the queue of answers runs empty.
        func feed(_ event: AgentConnection.Event) {
            now = now.advanced(by: .seconds(1))  // answers are rationed
            var events = [event]
            while !events.isEmpty {
                for action in connection.handle(events.removeFirst(), at: now) {
                    guard case .post(let id, _, _) = action else { continue }
                    posts += 1
                    events.append(.answered(id, body: []))
                }
            }
        }
        feed(.answered(1, body: pack(response.compactBytes, inviter, connection.verkey)))
        #expect((connection.peer?.verkey == peer.verkey) == true)

        // The mutation happens inside the envelope: it reaches all code that reads an authenticated peer's
        // messages.
        let templates: [JSON] = [
            TrustPing.ping(.didcomm, id: "p", responseRequested: true),
            BasicMessage.message(
                .didcomm, id: "b", content: #"{"type":"verification-report/1.0/ack","ids":[1,"x"]}"#, sentTime: ""),
            [
                "@type": "https://didcomm.org/discover-features/2.0/queries", "@id": "q",
                "queries": [["feature-type": "protocol", "match": "*"]],
            ],
            Notice.problem(.legacy, id: "n", thread: "t", code: "c", explanation: "e"),
        ]
        var generator = Generator(state: 7)
        for round in 0..<1500 {
            var message = try #require(templates[round % templates.count].object)
            message["@id"] = .text("id-\(round)")  // otherwise most would be dropped as repetitions
            var bytes = JSON.object(message).compactBytes
            for _ in 0..<(generator.next() % 4) { generator.mutate(&bytes) }
            feed(.received(pack(bytes, peer, connection.verkey)))
        }
        #expect(posts > 100)
        feed(.deliver(report(1)))
        #expect((connection.wantsMessage) == true)  // delivered, so the next message has room
    }

    @Test func mutatedEnvelopesAreDropped() throws {
        let harness = try Harness()
        harness.feed(.start)
        var generator = Generator(state: 9)
        let envelope = try #require(harness.stored).compactBytes
        for _ in 0..<1000 {
            var bytes = envelope
            generator.mutate(&bytes)
            harness.feed(.received(bytes))
        }
        harness.feed(.deliver(report(1)))
        #expect(harness.sent == ["report-1"])
    }

    @Test func mutatedDIDsInvitationsAndResponsesNeverTrap() throws {
        let key = try #require(KeyPair(seed: Secret([UInt8](repeating: 3, count: 32))))
        let did = Array(
            DIDExchange.did(for: key.verkey, at: MailboxAddress(endpoint: "http://agent.test/", routingKeys: [])).utf8)
        let peer2 = Array("did:peer:2.V\(key.verkey.multibase).SeyJ0IjoiZG0iLCJzIjp7InVyaSI6Imh0dHA6Ly9hIn19".utf8)
        var generator = Generator(state: 11)
        for round in 0..<500 {
            var bytes = round.isMultiple(of: 2) ? did : peer2
            let place = Int(generator.next() % UInt64(bytes.count))
            if generator.next().isMultiple(of: 2) {
                bytes[place] = UInt8(33 + generator.next() % 94)
            } else {
                bytes.removeLast(bytes.count - place)
            }
            let text = Text(String(decoding: bytes, as: UTF8.self))
            _ = try? PeerDID.resolve(text)
            _ = Verkey(text)
            _ = try? InvitationText.read(bytes)
            let response: JSON = [
                "did": .string(text),
                "did_rotate~attach": SignedAttachment.sign(bytes, mediaType: "text/string", id: "a", by: key),
            ]
            if let peer = try? DIDExchange.verify(response: response, invitationKey: key.verkey) {
                #expect(peer.did == text && peer.verkey != nil)
            }
        }
    }

    @Test func spoiltSnapshotsAreRefused() throws {
        let harness = try Harness()
        harness.feed(.start)
        let whole = try #require(harness.stored)
        for name in ["version", "id", "invitation", "seed", "phase", "thread", "handshake", "peer"] as [Text] {
            var object = try #require(whole.object)
            object[name] = nil
            #expect(throws: SnapshotError.self, "\(name)") { try restore(.object(object)) }
            object[name] = "?"
            if name != "id", name != "thread" {
                #expect(throws: SnapshotError.self, "\(name)") { try restore(.object(object)) }
            }
        }
        try restore(whole)
    }

    private func restore(_ snapshot: JSON) throws {
        _ = try AgentConnection(restoring: snapshot, configuration: .init(label: "k"), random: stream(1)).id
    }

    private func connection(to key: Verkey) throws -> AgentConnection {
        let invitation: JSON = [
            "@type": "https://didcomm.org/out-of-band/1.1/invitation", "@id": "i",
            "handshake_protocols": ["https://didcomm.org/didexchange/1.1"],
            "services": [
                [
                    "id": "#inline", "type": "did-communication", "recipientKeys": [.string(key.didKey)],
                    "serviceEndpoint": "http://agent.test/",
                ]
            ],
        ]
        return try AgentConnection(
            id: "c", invitation: try Invitation(invitation), configuration: .init(label: "k"), random: stream(2))
    }

    /// Starts `connection` and returns the id of the request that it posts.
    private func request(of connection: inout AgentConnection, _ inviter: KeyPair) throws -> Text {
        for action in connection.handle(.start, at: .zero) {
            if case .post(_, _, let body) = action {
                return try Message(plaintext: try Envelope.unpack(body, with: [inviter]).plaintext).id
            }
        }
        throw Envelope.Failure.malformed
    }
}

/// A small generator for repeatable mutations (SplitMix64).
private struct Generator {
    var state: UInt64
    mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        var mixed = state
        mixed = (mixed ^ mixed >> 30) &* 0xBF58_476D_1CE4_E5B9
        mixed = (mixed ^ mixed >> 27) &* 0x94D0_49BB_1331_11EB
        return mixed ^ mixed >> 31
    }

    /// Changes, removes, truncates or repeats bytes at one place.
    mutating func mutate(_ bytes: inout [UInt8]) {
        guard !bytes.isEmpty else { return }
        let place = Int(next() % UInt64(bytes.count))
        switch next() % 8 {
        case 0...3: bytes[place] = UInt8(truncatingIfNeeded: next())
        case 4...5: bytes.remove(at: place)
        case 6: bytes.removeLast(bytes.count - place)
        default: bytes.insert(contentsOf: bytes[..<min(place, 40)], at: place)
        }
    }
}
