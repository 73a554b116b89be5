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

    /// The acknowledgement goes to the old place; everything after it under the new key.
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

    /// The process dies behind each thing that it stores or posts, from the ping that brings the announcement on: the rotation
    /// ends the same. Only an announcement that died with the answer to that ping has to come again.
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
                for _ in 0..<4 { harness.feed(.ping) }  // each brings one of the messages that wait there
                harness.run(until: Instant.zero.advanced(by: .seconds(105)))
            }
            #expect(harness.peer?.service.endpoint == "http://agent.test/next", "step \(step)")
            harness.feed(.deliver(report(1)))
            harness.run(until: Instant.zero.advanced(by: .seconds(120)))
            #expect(harness.agent.received.map(\.id) == ["report-1"], "step \(step)")
        }
        #expect(unheard == [1] && step > 4, "\(unheard) of \(step)")
    }

    /// What a kiosk cannot resolve is refused by the protocol's own code, and the connection stays.
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

    /// An old place that is gone already does not keep the kiosk from the new one.
    @Test func anOldPlaceThatIsGoneIsLeft() throws {
        let harness = try connected()
        harness.agent.rotate()
        harness.feed(.ping)  // brings the announcement
        harness.replies = Array(repeating: .unreachable, count: 4)
        harness.run(until: Instant.zero.advanced(by: .seconds(60)))
        #expect(rotations(harness).count == 1)
    }
}
