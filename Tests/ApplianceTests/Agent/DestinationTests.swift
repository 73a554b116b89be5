import Aries
import Clocks
import DIDComm
import Encoding
import Foundation
import HTTPTransport
import Ledger
import Observation
import Simulation
import Store
import TestKit
import Testing
import VirtualKit

@testable import Courier

/// One destination in the service: invitations arrive as files, connections are made and removed. The times are the
/// documented ones, on virtual time.
@Suite struct DestinationTests {
    /// The file for an invitation, and a store in memory.
    private final class World: Sendable {
        let time: VirtualTime
        let memory = Memory()
        let notices = AgentNotices()
        private let files = InvitationFiles()
        private let folder = FileManager.default.temporaryDirectory.appendingPathComponent(
            "destination-\(UUID().uuidString)")
        private var file: String { folder.appendingPathComponent("invitation").path }

        init(_ time: VirtualTime) throws {
            self.time = time
            try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        }

        deinit { try? FileManager.default.removeItem(at: folder) }

        func write(_ invitation: JSON) throws { try files.write(file, invitation) }

        func agent(_ endpoint: Text) throws -> VirtualAgentExchange {
            try VirtualAgentExchange(endpoint, clock: time.clock)
        }

        func destination(_ exchange: any MessageExchange) -> Destination {
            Destination(
                files: [file],
                Destination.Dependencies(
                    invitation: { [files] (path) async throws(InvitationReader.Failure) in try files.read(path) },
                    link: AgentLink.Dependencies(
                        exchange: exchange, store: memory, outbox: memory, clock: time.clock,
                        observe: { [memory] in memory.observe($0) }),
                    settings: AgentConnection.Configuration(label: "kiosk"), invitations: memory,
                    notice: { [notices] in notices.add($0) }),
                random: freshStream())
        }

        /// Lets two minutes pass: the file is looked at, and all that follows is done.
        func pass() async throws { try await time.clock.sleep(for: .seconds(120)) }

        func isNoticed(_ matches: (DestinationNotice) -> Bool) -> Bool {
            notices.ofDestinations.contains(where: matches)
        }
    }

    private func play(_ body: @escaping @Sendable (World) async throws -> Void) throws {
        try VirtualTime.run { time in try await body(World(time)) }
    }

    // MARK: - The offer of an invitation, and whether its inviter is known

    /// Returns another invitation of `agent`: with or without a handshake, and with an attached ping and
    /// proof request or without.
    private func invitation(
        _ id: Text, of agent: VirtualAgentExchange, handshake: Bool = true, requests: Bool = false
    ) async -> JSON {
        var json = await agent.invitation.object ?? JSONObject()
        json["@id"] = .string(id)
        if !handshake { json["handshake_protocols"] = [] }
        if requests {
            let proof: JSON = ["@type": "https://didcomm.org/present-proof/2.0/request-presentation", "@id": "Q"]
            json["requests~attach"] = [
                ["@id": "a", "data": ["json": ["@type": "https://didcomm.org/trust_ping/1.0/ping", "@id": "P"]]],
                ["@id": "b", "data": ["base64": .text(Base64.encode(proof.compactBytes))]],
            ]
        }
        return .object(json)
    }

    /// Returns the messages that answered the requests of the invitation with that id, by the request's id.
    private func answers(_ id: Text, at agent: VirtualAgentExchange) async -> [Text: JSON] {
        await agent.others.reduce(into: [:]) { found, message in
            guard message["~thread"]?["pthid"]?.string == id, let thread = message["~thread"]?["thid"]?.string,
                message["@type"]?.string?.hasSuffix("handshake-reuse") != true,
                message["@type"]?.string?.hasSuffix("complete") != true
            else { return }
            found[thread] = message["@type"] ?? .null
        }
    }

    private static let answered: [Text: JSON] = [
        "P": "https://didcomm.org/trust_ping/1.0/ping_response",
        "Q": "https://didcomm.org/notification/1.0/problem-report",
    ]

    /// The eight cases: the offer, and whether the inviter is known.
    @Test(arguments: [true, false], [(true, true), (true, false), (false, true), (false, false)])
    func eachRowIsCarriedOut(isKnown: Bool, offer: (handshake: Bool, requests: Bool)) throws {
        try play { world in
            let (agent, memory) = (try world.agent("http://first.test/"), world.memory)
            let destination = world.destination(agent)
            async let _ = destination.run()
            if isKnown {
                try world.write(await agent.invitation)
                try await world.pass()
                #expect(await agent.completeConnections == 1 && memory.present != nil)
            }
            let before = memory.present
            try world.write(
                await invitation("second", of: agent, handshake: offer.handshake, requests: offer.requests))
            try await world.pass()
            switch (offer.handshake, offer.requests) {
            case (false, false):
                #expect(
                    world.isNoticed {
                        if case .invitationFailed(_, let reason, _) = $0 { reason.contains("offers") } else { false }
                    })
            case (false, true), (true, true):
                #expect(await answers("second", at: agent) == Self.answered)
            case (true, false) where isKnown:
                #expect(await agent.others.contains { $0["@type"]?.string?.hasSuffix("handshake-reuse") == true })
            case (true, false):
                #expect(memory.present != nil)
            }
            // An existing connection that is reused stays, and no second one is made.
            if isKnown { #expect(memory.present == before && memory.kept.count == 1) }
            #expect(await agent.completeConnections == (isKnown || offer.handshake ? 1 : 0))
            if !isKnown, !offer.handshake {
                #expect(memory.present == nil && memory.kept.count == (offer.requests ? 1 : 0))
            }
            if !isKnown, !offer.handshake, offer.requests {
                // The connection that only answers is kept, and gets no report.
                #expect(memory.kept.map(\.destination) == [CourierStore.requestsName(of: DeliveryCursor.primary)])
                #expect(world.isNoticed { if case .answeredOnce = $0 { true } else { false } })
            }
        }
    }

    /// A read of the stored connections that fails half-way leaves no link that never runs.
    @Test func aFailedReadOfTheConnectionsIsMadeAgain() throws {
        try play { world in
            let agent = try world.agent("http://first.test/")
            try world.write(await agent.invitation)
            do {
                let destination = world.destination(agent)
                async let _ = destination.run()
                try await world.pass()
                #expect(await agent.completeConnections == 1 && world.memory.present != nil)
            }
            world.memory.failLoad(after: 1)
            try world.memory.queue(1)
            let destination = world.destination(agent)
            async let _ = destination.run()
            try await world.pass()
            #expect(world.memory.pending == 0)
            #expect(await agent.completeConnections == 1)
        }
    }

    @Test func anInvitationFileConnectsInTheRunningServiceAndASecondOneTakesOver() throws {
        try play { world in
            let memory = world.memory
            let (first, second) = (try world.agent("http://first.test/"), try world.agent("http://second.test/"))
            do {
                let destination = world.destination(Exchanges([first, second]))
                async let _ = destination.run()
                try memory.queue(2)
                try await world.pass()
                #expect(world.isNoticed { if case .invitationFailed = $0 { true } else { false } })
                try world.write(await first.invitation)
                try await world.pass()
                #expect(memory.pending == 0)
                #expect(await first.received.map(\.id) == (0..<2).map(Memory.id))

                // The agent does not exist any more, and its operator sends a new invitation.
                await first.setUp(false)
                try memory.queue(2)
                await destination.wake()
                try world.write(await second.invitation)
                try await world.pass()
                #expect(memory.pending == 0)
                #expect(await second.received.map(\.id) == (2..<4).map(Memory.id))
                #expect(memory.kept.count == 1 && memory.present == memory.kept.first?.id)
            }
            // A restart with the old file restored does not go back, because its invitation has been used.
            try world.write(await first.invitation)
            await first.setUp(true)
            try memory.queue(1)
            let destination = world.destination(Exchanges([first, second]))
            async let _ = destination.run()
            try await world.pass()
            #expect(memory.pending == 0)
            #expect(world.isNoticed { if case .usedBefore = $0 { true } else { false } })
            #expect(await second.received.last?.id == Memory.id(4))
            #expect(memory.kept.count == 1)
        }
    }
}

extension DestinationTests {
    /// Requests as from `gatehouse agent connect`: in addition to the files, also with an invitation that was
    /// used before.
    @Test func anInvitationByCommandTakesOverAndASecondScanFindsTheFirst() throws {
        try play { world in
            let memory = world.memory
            let (first, second) = (try world.agent("http://first.test/"), try world.agent("http://second.test/"))
            let destination = world.destination(Exchanges([first, second]))
            async let _ = destination.run()
            try memory.queue(2)
            let invitation = try Invitation(await first.invitation)
            try await world.pass()
            #expect(await destination.isLoaded)
            async let one = destination.connect(invitation)
            async let other = destination.connect(invitation)
            let both = try await [one, other]
            #expect(Set(both.map(\.id)).count == 1 && both.count { $0.way == .known } == 1, "\(both)")
            try await world.pass()
            #expect(memory.pending == 0)
            let id = try #require(both[0].id)
            #expect(await destination.link(id)?.notes.answered != nil)

            let made = try await destination.connect(try Invitation(await second.invitation))
            let new = try #require(made.id)
            #expect(made.way == .new && new != id)
            try await world.pass()
            #expect(memory.present == new)
            try memory.queue(2)
            await destination.wake()
            try await world.pass()
            #expect(memory.pending == 0)
            #expect(await second.received.map(\.id) == (2..<4).map(Memory.id) && memory.present == new)

            // A removed connection sends and stores nothing any more; its invitation may be used again.
            await destination.remove(new)
            #expect(await destination.link(new) == nil)
            try memory.queue(1)
            await destination.wake()
            let third = try await destination.connect(try Invitation(await second.invitation))
            #expect(third.way == .new && third.id != new)
            try await world.pass()
            #expect(memory.pending == 0)
            #expect(memory.present == third.id)
        }
    }

    /// While the gate asks an inviter to reuse a connection, the operator replaces the invitation.
    @Test func anInvitationThatComesMeanwhileIsReadNext() throws {
        try play { world in
            let (first, third) = (try world.agent("http://first.test/"), try world.agent("http://third.test/"))
            let destination = world.destination(Exchanges([first, third]))
            async let _ = destination.run()
            try world.write(await first.invitation)
            try await world.pass()
            #expect(await first.completeConnections == 1 && world.memory.present != nil)
            // The reuse message is sent, and the agent answers only after the third invitation exists.
            await first.hold()
            try world.write(await invitation("second", of: first))
            try await world.time.clock.sleep(for: .seconds(11))
            #expect(await first.isHolding)
            try world.write(await third.invitation)
            await first.letGo()
            try await world.pass()
            #expect(await third.completeConnections == 1)
        }
    }

    /// A connection on trial that was connected since the decision to give it up continues.
    @Test func aConnectedLinkIsNotStopped() throws {
        try play { world in
            let agent = try world.agent("http://first.test/")
            func link() async throws -> AgentLink {
                try AgentLinks.new(
                    try Invitation(await agent.invitation), AgentConnection.Configuration(label: "kiosk"),
                    AgentLink.Dependencies(exchange: agent, store: world.memory, clock: world.time.clock))
            }
            let (pending, connected) = (try await link(), try await link())
            #expect(await pending.stopUnlessConnected())
            #expect(try await !pending.connect(by: world.time.clock))
            try #require(try await connected.connect(by: world.time.clock))
            #expect(await !connected.stopUnlessConnected())
            #expect(await connected.isConnected)
        }
    }

    @Test func attemptsAreBounded() throws {
        try play { world in
            let destination = world.destination(HangingExchange())
            async let _ = destination.run()
            try await world.pass()
            #expect(await destination.isLoaded)
            for number in 0...DestinationCore.routesLimit {
                var json = try #require(await world.agent("http://first.test/").invitation.object)
                json["@id"] = .text("invitation-\(number)")
                let invitation = try Invitation(.object(json))
                if number < DestinationCore.routesLimit {
                    _ = try await destination.connect(invitation)
                } else {
                    await #expect(throws: ConnectFailure.tooMany) {
                        try await destination.connect(invitation)
                    }
                }
            }
        }
    }
}
