import Aries
import DIDComm
import Encoding
import Simulation
import Testing

/// A peer that changes its DID within a connection.
struct RotationTests {
    private func rotations(_ harness: Harness) -> [Peer] {
        harness.seen.compactMap { if case .rotated(let peer) = $0 { peer } else { nil } }
    }

    private func connected() throws -> Harness {
        let harness = try Harness()
        harness.feed(.start)
        harness.run(until: Instant.zero.advanced(by: .seconds(1)))
        return harness
    }

    /// The acknowledgement is sent to the old endpoint; everything after it uses the new key.
    @Test func theConnectionFollows() throws {
        let harness = try connected()
        harness.agent.rotate()
        harness.feed(.ping)
        harness.run(until: Instant.zero.advanced(by: .seconds(30)))
        let peer = try #require(rotations(harness).last)
        #expect(peer.service.endpoint == "http://agent.test/next")
        #expect(harness.agent.others.contains { $0["@type"] == "https://didcomm.org/did-rotate/1.0/ack" })
        harness.feed(.deliver(report(1)))
        harness.run(until: Instant.zero.advanced(by: .seconds(60)))
        #expect(harness.agent.received.map(\.id) == ["report-1"])
        #expect(harness.agent.received.first?.sender != nil)
    }

    /// The process dies after each state that it stores and each post, from the ping that fetches the
    /// announcement on: the rotation ends the same way. Only an announcement that was lost with the answer to
    /// that ping has to be sent again.
    @Test func aRestartGoesOnWithIt() throws {
        var (step, isWhole, unheard) = (0, false, [Int]())
        while !isWhole {
            step += 1
            let harness = try connected()
            harness.agent.rotate()
            harness.steps = step
            harness.feed(.ping)
            harness.run(until: Instant.zero.advanced(by: .seconds(60)))
            isWhole = harness.steps > 0
            if !isWhole { try harness.restart() }
            harness.steps = .max
            harness.feed(.ping)
            harness.run(until: Instant.zero.advanced(by: .seconds(90)))
            if harness.peer?.service.endpoint != "http://agent.test/next" {
                unheard.append(step)
                harness.agent.rotate()
                for _ in 0..<4 { harness.feed(.ping) }  // each ping fetches one of the waiting messages
                harness.run(until: Instant.zero.advanced(by: .seconds(105)))
            }
            #expect(harness.peer?.service.endpoint == "http://agent.test/next", "step \(step)")
            harness.feed(.deliver(report(1)))
            harness.run(until: Instant.zero.advanced(by: .seconds(120)))
            #expect(harness.agent.received.map(\.id) == ["report-1"], "step \(step)")
        }
        #expect(unheard == [1] && step > 4, "\(unheard) of \(step)")
    }

    /// A DID that a kiosk cannot resolve is refused with the protocol's own code, and the connection stays as
    /// it is.
    @Test(
        arguments: [
            ("did:sov:LUFtj2ZBgY4d3c3FvN5XnY", "e.did.method_unsupported"), ("did:peer:2", "e.did.unresolvable"),
            ("did:peer:4zQmNothing:zNothing", "e.did.unresolvable"),
        ] as [(Text, Text)])
    func anUnusableDIDIsRefused(did: Text, code: Text) throws {
        let harness = try connected()
        harness.agent.rotate(to: did)
        harness.feed(.ping)
        harness.run(until: Instant.zero.advanced(by: .seconds(30)))
        #expect(rotations(harness).isEmpty)
        let problem = harness.agent.others.first { $0["@type"] == "https://didcomm.org/did-rotate/1.0/problem-report" }
        #expect(problem?["description"]?["code"]?.string == code)
        harness.feed(.deliver(report(1)))
        harness.run(until: Instant.zero.advanced(by: .seconds(60)))
        #expect(harness.agent.received.count == 1)
    }

    /// Returns a DID of the agent with `keys` routing keys.
    private func did(_ harness: Harness, keys: Int) throws -> Text {
        let verkeys = try (0...UInt8(keys)).map { number in
            try #require(KeyPair(seed: Secret([UInt8](repeating: 100 + number, count: 32)))).verkey
        }
        let address = MailboxAddress(endpoint: "http://agent.test/next", routingKeys: Array(verkeys.dropFirst()))
        return DIDExchange.did(for: verkeys[0], at: address)
    }

    /// A message grows by a third with each routing key.
    @Test func aRouteThatIsTooLongIsRefused() throws {
        let harness = try connected()
        harness.agent.rotate(to: try did(harness, keys: 22))
        harness.feed(.ping)
        harness.run(until: Instant.zero.advanced(by: .seconds(30)))
        #expect(rotations(harness).isEmpty && harness.peer?.service.routingKeys.isEmpty == true)
        let problem = harness.agent.others.first { $0["@type"] == "https://didcomm.org/did-rotate/1.0/problem-report" }
        #expect(problem?["description"]?["code"] == "e.did.doc_unsupported")
    }

    /// A message that routing makes too large for any server is handed back to be made smaller, and the other
    /// messages are sent.
    @Test func messagesTooLargeForTheirRouteAreHandedBack() throws {
        let harness = try connected()
        harness.agent.rotate(to: try did(harness, keys: 8))
        harness.feed(.ping)
        harness.run(until: Instant.zero.advanced(by: .seconds(30)))
        #expect(harness.peer?.service.routingKeys.count == 8)
        func message(_ id: Text, _ bytes: Int) -> OutboundMessage {
            OutboundMessage.basicMessage(
                id: id, content: Text(String(repeating: "x", count: bytes)), time: "2026-01-02T03:04:05.678Z")
        }
        harness.feed(.deliver(message("large", 256 << 10)))
        #expect(harness.refused == ["large"] && harness.connection.wantsMessage)
        harness.replies = [.accepted([]), .accepted([])]
        harness.feed(.deliver(message("small", 64 << 10)))
        harness.run(until: Instant.zero.advanced(by: .seconds(60)))
        #expect(harness.sent.contains("small"))
        #expect((64 << 10...2 << 20).contains(harness.longestPost))
    }

    /// An earlier version may have stored a peer with too many routing keys.
    @Test func aStoredPeerWithTooManyKeysIsNotUsed() throws {
        let harness = try connected()
        let stored = try #require(harness.stored?.object)
        let keys = JSON.array((0..<9).map { _ in stored["peer"]?["recipientKeys"]?.array?.first ?? .null })
        var (peer, next) = (try #require(stored["peer"]?.object), stored)
        peer["routingKeys"] = keys
        // If the rotation is not complete, the previous endpoint stays in use.
        next["next"] = ["peer": .object(peer), "thread": "t"]
        harness.stored = .object(next)
        try harness.restart()
        harness.run(until: Instant.zero.advanced(by: .seconds(30)))
        #expect(harness.peer?.service.endpoint == "http://agent.test/" && rotations(harness).isEmpty)
        next = stored
        next["peer"] = .object(peer)
        harness.stored = .object(next)
        #expect(throws: SnapshotError.malformed) { try harness.restart() }
    }

    /// An agent that rotates in every answer does not keep the kiosk busy and does not delay deliveries.
    @Test func onePeerThatRotatesForEverIsAnsweredAtItsPace() throws {
        let harness = try connected()
        harness.agent.rotatesForEver = true
        harness.maxPosts = harness.posts.count + 1000
        let began = harness.now
        harness.feed(.ping)
        harness.feed(.deliver(report(1)))
        harness.run(until: began.advanced(by: .seconds(60)))
        let acks = harness.agent.others.count { $0["@type"] == "https://didcomm.org/did-rotate/1.0/ack" }
        #expect((10...16 + 60 + 1).contains(acks), "\(harness.posts.count) posts")
        #expect(harness.agent.received.map(\.id) == ["report-1"])
    }

    /// The announcement of the present DID is acknowledged, and nothing is stored.
    @Test func aRotationToThePresentDIDIsOnlyAcknowledged() throws {
        let harness = try connected()
        let stored = harness.stored
        harness.agent.rotate(to: try #require(harness.peer?.did))
        harness.feed(.ping)
        harness.run(until: Instant.zero.advanced(by: .seconds(30)))
        #expect(harness.agent.others.contains { $0["@type"] == "https://didcomm.org/did-rotate/1.0/ack" })
        #expect(harness.stored == stored && rotations(harness).isEmpty)
    }

    /// An old endpoint that no longer exists does not prevent the change to the new one.
    @Test func anUnreachableOldEndpointIsAbandoned() throws {
        let harness = try connected()
        harness.agent.rotate()
        harness.feed(.ping)  // fetches the announcement
        harness.replies = Array(repeating: .unreachable, count: 4)
        harness.run(until: Instant.zero.advanced(by: .seconds(60)))
        #expect(rotations(harness).count == 1)
    }
}
