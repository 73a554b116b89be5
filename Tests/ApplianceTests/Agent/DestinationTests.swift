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

@testable import Courier

/// One destination in the service: invitations arrive as files, connections are made and removed.
@Suite(.timeLimit(.minutes(10)), .tags(.realTime)) struct DestinationTests {
    private let folder = FileManager.default.temporaryDirectory.appendingPathComponent(
        "destination-\(UUID().uuidString)")
    private let files = InvitationFiles()
    private let notices = AgentNotices()
    private let memory = Memory()
    private var file: String { folder.appendingPathComponent("invitation").path }

    init() throws { try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true) }

    /// Runs `body`, then ends what it has started and removes the folder.
    private func ended(_ body: (Leftovers) async throws -> Void) async throws {
        try await Leftovers.ended { leftovers in
            leftovers.add { [folder] in try? FileManager.default.removeItem(at: folder) }
            try await body(leftovers)
        }
    }

    /// Starts a destination that runs until the task is cancelled, or the test ends.
    private func run(
        _ exchange: any MessageExchange, _ leftovers: Leftovers
    ) -> (destination: Destination, task: Task<Void, Never>) {
        let destination = Destination(
            files: [file],
            Destination.Dependencies(
                invitation: { [files] (path) async throws(InvitationReader.Failure) in try files.read(path) },
                link: AgentLink.Dependencies(
                    exchange: exchange, store: memory, outbox: memory, reports: Memory.settings,
                    clock: .system, observe: { [memory] in memory.observe($0) }),
                settings: .impatient, invitations: memory, notice: { [notices] in notices.add($0) },
                pause: .milliseconds(5)),
            random: freshStream())
        let task = Task { await destination.run() }
        leftovers.add {
            task.cancel()
            await task.value
        }
        return (destination, task)
    }

    private func wait(
        _ what: String, at place: SourceLocation = #_sourceLocation, until isDone: () async -> Bool
    ) async throws {
        try await eventually(
            what, at: place, telling: { "\(memory.notices.map(\.text)) \(notices.all)" }, isDone: isDone)
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
    func eachRowIsCarriedOut(isKnown: Bool, offer: (handshake: Bool, requests: Bool)) async throws {
        try await ended { leftovers in
            let agent = try VirtualAgentExchange("http://first.test/")
            _ = run(agent, leftovers)
            if isKnown {
                try files.write(file, await agent.invitation)
                try await wait("connected") { await agent.completeConnections == 1 && memory.present != nil }
            }
            let before = memory.present
            try files.write(
                file, await invitation("second", of: agent, handshake: offer.handshake, requests: offer.requests))
            switch (offer.handshake, offer.requests) {
            case (false, false):
                try await wait("told") {
                    notices.ofDestinations.contains {
                        if case .invitationFailed(_, let reason, _) = $0 { reason.contains("offers") } else { false }
                    }
                }
            case (false, true), (true, true):
                try await wait("answered") { await answers("second", at: agent) == Self.answered }
            case (true, false):
                try await wait("reused or connected") {
                    isKnown
                        ? await agent.others.contains { $0["@type"]?.string?.hasSuffix("handshake-reuse") == true }
                        : memory.present != nil
                }
            }
            // An existing connection that is reused stays, and no second one is made.
            if isKnown { #expect(memory.present == before && memory.kept.count == 1) }
            #expect(await agent.completeConnections == (isKnown || offer.handshake ? 1 : 0))
            if !isKnown, !offer.handshake {
                #expect(memory.present == nil && memory.kept.count == (offer.requests ? 1 : 0))
            }
            if !isKnown, !offer.handshake, offer.requests {
                // The connection that only answers is kept, and gets no report.
                #expect(memory.kept.map(\.destination) == [Store.requestsName(of: DeliveryCursor.primary)])
                try await wait("told") {
                    notices.ofDestinations.contains { if case .answeredOnce = $0 { true } else { false } }
                }
            }
        }
    }

    /// A read of the stored connections that fails half-way leaves no link that never runs.
    @Test func aFailedReadOfTheConnectionsIsMadeAgain() async throws {
        try await ended { leftovers in
            let agent = try VirtualAgentExchange("http://first.test/")
            try files.write(file, await agent.invitation)
            let first = run(agent, leftovers).task
            try await wait("connected") { await agent.completeConnections == 1 && memory.present != nil }
            first.cancel()
            await first.value
            memory.failLoad(after: 1)
            try memory.queue(1)
            _ = run(agent, leftovers)
            try await wait("delivered") { memory.pending == 0 }
            #expect(await agent.completeConnections == 1)
        }
    }

    @Test func anInvitationFileConnectsInTheRunningServiceAndASecondOneTakesOver() async throws {
        try await ended { leftovers in
            let (first, second) = (
                try VirtualAgentExchange("http://first.test/"), try VirtualAgentExchange("http://second.test/")
            )
            let (destination, task) = run(Exchanges([first, second]), leftovers)
            try memory.queue(2)
            try await wait("told") {
                notices.ofDestinations.contains { if case .invitationFailed = $0 { true } else { false } }
            }
            try files.write(file, await first.invitation)
            try await wait("delivered") { memory.pending == 0 }
            #expect(await first.received.map(\.id) == (0..<2).map(Memory.id))

            // The agent does not exist any more, and its operator sends a new invitation.
            await first.setUp(false)
            try memory.queue(2)
            await destination.wake()
            try files.write(file, await second.invitation)
            try await wait("delivered") { memory.pending == 0 }
            #expect(await second.received.map(\.id) == (2..<4).map(Memory.id))
            #expect(memory.kept.count == 1 && memory.present == memory.kept.first?.id)
            task.cancel()
            await task.value

            // A restart with the old file restored does not go back, because its invitation has been used.
            try files.write(file, await first.invitation)
            await first.setUp(true)
            let (restarted, _) = run(Exchanges([first, second]), leftovers)
            try memory.queue(1)
            await restarted.wake()
            try await wait("delivered") { memory.pending == 0 }
            try await wait("told") {
                notices.ofDestinations.contains { if case .usedBefore = $0 { true } else { false } }
            }
            #expect(await second.received.last?.id == Memory.id(4))
            #expect(memory.kept.count == 1)
        }
    }
}

extension DestinationTests {
    /// Requests as from `gatehouse agent connect`: in addition to the files, also with an invitation that was
    /// used before.
    @Test func anInvitationByCommandTakesOverAndASecondScanFindsTheFirst() async throws {
        try await ended { leftovers in
            let (first, second) = (
                try VirtualAgentExchange("http://first.test/"), try VirtualAgentExchange("http://second.test/")
            )
            let destination = run(Exchanges([first, second]), leftovers).destination
            try memory.queue(2)
            let invitation = try Invitation(await first.invitation)
            try await wait("loaded") { await destination.isLoaded }
            async let one = destination.connect(invitation)
            async let other = destination.connect(invitation)
            let both = try await [one, other]
            #expect(Set(both.map(\.id)).count == 1 && both.count { $0.way == .known } == 1, "\(both)")
            try await wait("delivered") { memory.pending == 0 }
            let id = try #require(both[0].id)
            #expect(await destination.link(id)?.notes.answered != nil)

            let made = try await destination.connect(try Invitation(await second.invitation))
            let new = try #require(made.id)
            #expect(made.way == .new && new != id)
            try await wait("taken over") { memory.present == new }
            try memory.queue(2)
            await destination.wake()
            try await wait("delivered") { memory.pending == 0 }
            #expect(await second.received.map(\.id) == (2..<4).map(Memory.id) && memory.present == new)

            // A removed connection sends and stores nothing any more; its invitation may be used again.
            await destination.remove(new)
            #expect(await destination.link(new) == nil)
            try memory.queue(1)
            await destination.wake()
            let third = try await destination.connect(try Invitation(await second.invitation))
            #expect(third.way == .new && third.id != new)
            try await wait("delivered") { memory.pending == 0 }
            #expect(memory.present == third.id)
        }
    }

    /// While the gate asks an inviter to reuse a connection, the operator replaces the invitation.
    @Test func anInvitationThatComesMeanwhileIsReadNext() async throws {
        try await ended { leftovers in
            let (first, third) = (
                try VirtualAgentExchange("http://first.test/"), try VirtualAgentExchange("http://third.test/")
            )
            _ = run(Exchanges([first, third]), leftovers)
            try files.write(file, await first.invitation)
            try await wait("connected") { await first.completeConnections == 1 && memory.present != nil }
            // The reuse message is sent, and the agent answers only after the third invitation exists.
            await first.hold()
            try files.write(file, await invitation("second", of: first))
            try await wait("asked") { await first.isHolding }
            try files.write(file, await third.invitation)
            await first.letGo()
            try await wait("connected") { await third.completeConnections == 1 }
        }
    }

    /// A connection on trial that was connected since the decision to give it up continues.
    @Test func aConnectedLinkIsNotStopped() async throws {
        let agent = try VirtualAgentExchange("http://first.test/")
        func link() async throws -> AgentLink {
            try AgentLinks.new(
                try Invitation(await agent.invitation), .impatient,
                AgentLink.Dependencies(exchange: agent, store: memory, clock: .system))
        }
        let (pending, connected) = (try await link(), try await link())
        #expect(await pending.stopUnlessConnected())
        #expect(await !pending.connect(within: .milliseconds(20)))
        try #require(await connected.connect(within: .seconds(60)))
        #expect(await !connected.stopUnlessConnected())
        #expect(await connected.isConnected)
    }

    @Test func attemptsAreBounded() async throws {
        try await ended { leftovers in
            let destination = run(HangingExchange(), leftovers).destination
            try await wait("loaded") { await destination.isLoaded }
            for number in 0...DestinationCore.routesLimit {
                var json = try #require(await VirtualAgentExchange("http://first.test/").invitation.object)
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
