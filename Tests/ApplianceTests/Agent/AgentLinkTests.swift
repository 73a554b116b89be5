import Aries
import Clocks
import Courier
import DIDComm
import Encoding
import Foundation
import HTTPTransport
import Ledger
import LinuxIO
import Simulation
import Store
import TestKit
import Testing
import VirtualKit

/// The driver of one connection, with the documented times of the product, on virtual time.
@Suite struct AgentLinkTests {
    /// An agent and a gate's store in memory.
    private struct World: Sendable {
        let time: VirtualTime
        let agent: VirtualAgentExchange
        let memory = Memory()

        init(_ time: VirtualTime) throws {
            (self.time, agent) = (time, try VirtualAgentExchange(clock: time.clock))
        }

        /// The parts around a link to the agent, or to the other end of `exchange`.
        func parts(_ exchange: (any MessageExchange)? = nil) -> AgentLink.Dependencies {
            AgentLink.Dependencies(
                exchange: exchange ?? agent, store: memory, outbox: memory, clock: time.clock,
                observe: memory.observe)
        }

        /// Returns a link by the agent's invitation, or by that of another agent.
        func newLink(_ other: VirtualAgentExchange? = nil) async throws -> AgentLink {
            try AgentLinks.new(
                try Invitation(await (other ?? agent).invitation), AgentLinkTests.configuration, parts(other))
        }

        /// Returns a new link whose handshake is complete.
        func connectedLink(_ other: VirtualAgentExchange? = nil) async throws -> AgentLink {
            let link = try await newLink(other)
            try #require(try await link.connect(by: time.clock))
            return link
        }

        /// Records visits, and wakes the link.
        func record(_ count: Int, for link: AgentLink) async throws {
            try memory.queue(count)
            await link.wake()
        }

        /// Lets time pass: by default ten minutes, in which a link delivers everything.
        func pass(_ time: Duration = .seconds(600)) async throws { try await self.time.clock.sleep(for: time) }

        var hasStoreFailure: Bool { memory.notices.contains { if case .storeFailed = $0 { true } else { false } } }
        var isUnreachable: Bool { memory.notices.contains { if case .unreachable = $0 { true } else { false } } }
    }

    private static let configuration = AgentConnection.Configuration(label: "kiosk")

    private func play(_ body: @escaping @Sendable (World) async throws -> Void) throws {
        try VirtualTime.run { time in try await body(World(time)) }
    }

    @Test func connectsDeliversAndGoesOnAfterARestart() throws {
        try play { world in
            do {
                let link = try await world.connectedLink()
                async let _ = link.run()
                try await world.record(2, for: link)
                try await world.pass()
                #expect(world.memory.pending == 0)
            }
            // A new process: its whole state comes from the store.
            let (links, unreadable) = try await AgentLinks.stored(Self.configuration, world.parts())
            #expect(links.count == 1 && unreadable.isEmpty)
            let link = try #require(links.first)
            async let _ = link.run()
            try await world.record(1, for: link)
            try await world.pass()
            #expect(world.memory.pending == 0)
            #expect(await world.agent.received.map(\.id) == (0..<3).map(Memory.id))
            #expect(await world.agent.repetitions == 0)
            #expect(world.memory.notices.contains(.alive))
        }
    }

    @Test func aStoppedAgentAndLostAnswersCostOnlyDelay() throws {
        try play { world in
            let link = try await world.connectedLink()
            await world.agent.setUp(false)
            let before = await world.agent.posts
            async let _ = link.run()
            try await world.record(3, for: link)
            try await world.pass()
            #expect(await world.agent.posts >= before + 3)
            #expect(await world.agent.received.isEmpty && world.memory.pending == 3)
            await world.agent.loseAnswers(2)
            await world.agent.setUp(true)
            try await world.pass(.seconds(3600))
            #expect(world.memory.pending == 0)
            #expect(await world.agent.received.map(\.id) == (0..<3).map(Memory.id))
        }
    }

    @Test func aConfirmationThatCannotBeKeptIsNotAskedForAgain() throws {
        try play { world in
            let link = try await world.connectedLink()
            world.memory.setBroken(outbox: true)
            async let _ = link.run()
            try await world.record(1, for: link)
            try await world.pass(.seconds(60))
            #expect(world.hasStoreFailure && world.memory.pending == 1)
            world.memory.setBroken(outbox: false)
            try await world.pass()
            #expect(world.memory.pending == 0)
            #expect(await world.agent.received.count == 1)
            #expect(await world.agent.repetitions == 0)
        }
    }

    /// The growth of the ledger is reported once only, so a failed read of its end must be repeated.
    @Test func aFailedLookAtTheLedgersEndIsMadeAgain() throws {
        try play { world in
            let link = try await world.connectedLink()
            async let _ = link.run()
            try await world.pass()
            #expect(world.memory.present == link.id)
            world.memory.failLooks(1)
            try await world.record(1, for: link)
            try await world.pass()
            #expect(world.hasStoreFailure && world.memory.pending == 0)
        }
    }

    @Test func anAbsentAgentIsReported() throws {
        try play { world in
            await world.agent.setUp(false)
            let link = try await world.newLink()
            #expect(try await !link.connect(by: world.time.clock))
            #expect(world.memory.notices.contains(.unreachable(.unreachable)))
        }
    }

    @Test func cancellingEndsASleepAndAnExchange() throws {
        try play { world in
            let sleeping = try await world.connectedLink()
            let stuck = try AgentLinks.new(
                try Invitation(await world.agent.invitation), Self.configuration, world.parts(HangingExchange()))
            for link in [sleeping, stuck] {
                let task = world.time.spawner.start("a link") { _ = await link.run() }
                try await world.pass(.seconds(1))
                let before = world.time.now
                task.cancel()
                await task.value
                #expect(world.time.now == before)
            }
        }
    }

    /// The agent has lost the connection: a second one continues at the cursor, the first one ends by itself
    /// and is deleted.
    @Test func aSecondConnectionTakesTheDestinationOver() throws {
        try play { world in
            let (first, memory) = (world.agent, world.memory)
            let old = try await world.connectedLink()
            let running = world.time.spawner.start("the old link") { _ = await old.run() }
            try await world.record(3, for: old)
            try await world.pass()
            #expect(memory.pending == 0)
            await first.setUp(false)
            try await world.record(2, for: old)
            try await world.pass()
            #expect(world.isUnreachable && memory.pending == 2)

            let second = try VirtualAgentExchange(clock: world.time.clock)
            let new = try await world.connectedLink(second)
            async let _ = new.run()
            try await world.record(1, for: new)
            try await world.pass()
            #expect(memory.pending == 0)
            #expect(await second.received.map(\.id) == (3..<6).map(Memory.id))
            #expect(memory.present == new.id && memory.kept.map(\.id) == [new.id])
            await first.setUp(true)
            await old.retryNow()
            await running.value
            #expect(memory.notices.contains(.retired))
            try await world.record(1, for: new)
            try await world.pass()
            #expect(memory.pending == 0)
            #expect(await first.received.allSatisfy { [0, 1, 2, 3].map(Memory.id).contains($0.id) })
        }
    }

    /// A mailbox that keeps the ids of the connections that leave it.
    private actor LeftMailbox: MailboxAccess {
        private(set) var left: [Text] = []
        func open(_ receiver: any MailReceiver, key: KeyPair) {}
        func connected(_ connection: Text) {}
        func fetch() {}
        func applied(_ uids: [Text]) {}
        func leave(_ connection: Text) { left.append(connection) }
        func close(_ connection: Text) {}
    }

    /// A link that is cut off releases no message at its mailbox: the messages are not durable, and come again.
    @Test func onlyALinkThatHasEndedLeavesItsMailbox() throws {
        try play { world in
            let mailbox = LeftMailbox()
            var parts = world.parts()
            parts.mailbox = mailbox
            let link = try AgentLinks.new(
                try Invitation(await world.agent.invitation), AgentLinkTests.configuration, parts)
            try #require(try await link.connect(by: world.time.clock))
            #expect(await mailbox.left.isEmpty)
            await link.stop()
            await link.run()
            #expect(await mailbox.left == [link.id])
        }
    }

    @Test func spoiltConnectionsAreNamed() throws {
        try play { world in
            try await world.memory.keepConnection("bad", to: DeliveryCursor.primary, Array("{}".utf8), handled: [])
            let found = try await AgentLinks.stored(Self.configuration, world.parts())
            #expect(found.links.isEmpty && found.unreadable == ["bad"])
        }
    }
}

/// The text, link or file in which an operator passes an invitation.
@Suite struct InvitationReaderTests {
    @Test func invitationsAreReadFromTextAndFiles() async throws {
        let exchange = try VirtualAgentExchange()
        let (url, json) = (await exchange.invitationURL.string, await exchange.invitation)
        let file = FileManager.default.temporaryDirectory.appendingPathComponent("invitation-\(UUID().uuidString)")
        try Data(json.compactBytes).write(to: file)
        defer { try? FileManager.default.removeItem(at: file) }
        try await HTTPExchange.withExchange { http in
            for argument in [url, json.compactText, file.path] {
                let invitation = try await InvitationReader.read(argument, by: http)
                #expect(invitation.json == json)
            }
            await #expect(throws: InvitationReader.Failure.file(path: "/nonexistent", .absent)) {
                try await InvitationReader.read("/nonexistent", by: http)
            }
            await #expect(throws: InvitationReader.Failure.link(.forbidden)) {
                try await InvitationReader.read("http://127.0.0.1:1/x", by: http)
            }
            await #expect(throws: InvitationReader.Failure.invitation(.unsupportedScheme)) {
                try await InvitationReader.read("file:///etc/passwd", by: http)
            }
        }
    }
}
