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

// These tests measure no times: an endless wait exceeds the suite's limit.
@Suite(.timeLimit(.minutes(10)), .tags(.realTime)) struct AgentLinkTests {
    private func around(_ exchange: any MessageExchange, _ memory: Memory) -> AgentLink.Dependencies {
        var dependencies = AgentLink.Dependencies(
            exchange: exchange, store: memory, outbox: memory, reports: Memory.settings, clock: .system,
            observe: memory.observe)
        #expect(dependencies.outboxRetry == .seconds(5))
        dependencies.outboxRetry = .milliseconds(100)
        return dependencies
    }

    private func newLink(_ exchange: VirtualAgentExchange, _ memory: Memory) async throws -> AgentLink {
        let invitation = try Invitation(await exchange.invitation)
        return try AgentLinks.new(invitation, AgentConnection.Configuration.impatient, around(exchange, memory))
    }

    /// Runs `link` until `isDone`, then cancels it and waits for its end.
    private func run(_ link: AgentLink, until isDone: @Sendable () async -> Bool) async throws {
        let task = Task { await link.run() }
        try await eventually("done", isDone: isDone)
        task.cancel()
        _ = await task.value
    }

    @Test func connectsDeliversAndGoesOnAfterARestart() async throws {
        let (exchange, memory) = (try VirtualAgentExchange(), Memory())
        let link = try await newLink(exchange, memory)
        try #require(await link.connect(within: .seconds(60)))
        try memory.queue(2)
        await link.wake()
        try await run(link) { memory.pending == 0 }

        // A new process: its whole state comes from the store.
        let (links, unreadable) = try await AgentLinks.stored(
            AgentConnection.Configuration.impatient, around(exchange, memory))
        #expect(links.count == 1 && unreadable.isEmpty)
        try memory.queue(1)
        try await run(try #require(links.first)) { memory.pending == 0 }
        #expect(await exchange.received.map(\.id) == (0..<3).map(Memory.id))
        #expect(await exchange.repetitions == 0)
        #expect(memory.notices.contains(.alive))
    }

    @Test func reportsQueuedWhileItSleepsAreSentAtOnce() async throws {
        let (exchange, memory) = (try VirtualAgentExchange(), Memory())
        let link = try await newLink(exchange, memory)
        try #require(await link.connect(within: .seconds(60)))
        let task = Task { await link.run() }
        try await Task.sleep(for: .milliseconds(50))
        try memory.queue(1)
        await link.wake()
        try await eventually("delivered") { memory.pending == 0 }
        task.cancel()
        _ = await task.value
    }

    @Test func aStoppedAgentAndLostAnswersCostOnlyDelay() async throws {
        let (exchange, memory) = (try VirtualAgentExchange(), Memory())
        let link = try await newLink(exchange, memory)
        try #require(await link.connect(within: .seconds(60)))
        await exchange.setUp(false)
        try memory.queue(3)
        await link.wake()
        let task = Task { await link.run() }
        let before = await exchange.posts
        try await eventually("tried") { await exchange.posts >= before + 3 }
        #expect(await exchange.received.isEmpty && memory.pending == 3)
        await exchange.loseAnswers(2)
        await exchange.setUp(true)
        try await eventually("delivered") { memory.pending == 0 }
        task.cancel()
        _ = await task.value
        #expect(await exchange.received.map(\.id) == (0..<3).map(Memory.id))
    }

    @Test func nothingIsSentWhileTheStoreIsBroken() async throws {
        let (exchange, memory) = (try VirtualAgentExchange(), Memory())
        memory.setBroken(true)
        let link = try await newLink(exchange, memory)
        #expect(await !link.connect(within: .milliseconds(80)))
        // The previous run may have been too short for an attempt.
        try await run(link) { memory.notices.contains { if case .storeFailed = $0 { true } else { false } } }
        #expect(await exchange.posts == 0)
        #expect(await !link.isConnected)
        memory.setBroken(false)
        try #require(await link.connect(within: .seconds(60)))
    }

    @Test func aConfirmationThatCannotBeKeptIsNotAskedForAgain() async throws {
        let (exchange, memory) = (try VirtualAgentExchange(), Memory())
        let link = try await newLink(exchange, memory)
        try #require(await link.connect(within: .seconds(60)))
        try memory.queue(1)
        await link.wake()
        memory.setBroken(outbox: true)
        let task = Task { await link.run() }
        try await eventually("told") { memory.notices.contains { if case .storeFailed = $0 { true } else { false } } }
        memory.setBroken(outbox: false)
        await link.retryNow()
        try await eventually("delivered") { memory.pending == 0 }
        task.cancel()
        _ = await task.value
        #expect(await exchange.received.count == 1)
        #expect(await exchange.repetitions == 0)
    }

    /// The growth of the ledger is reported once only, so a failed read of its end must be repeated.
    @Test func aFailedReadOfTheLedgersEndIsRepeated() async throws {
        let (exchange, memory) = (try VirtualAgentExchange(), Memory())
        let link = try await newLink(exchange, memory)
        try #require(await link.connect(within: .seconds(60)))
        let task = Task { await link.run() }
        try await eventually("ready") { memory.present != nil }
        memory.failLooks(1)
        try memory.queue(1)
        await link.wake()
        try await eventually("told") { memory.notices.contains { if case .storeFailed = $0 { true } else { false } } }
        try await eventually("delivered") { memory.pending == 0 }
        task.cancel()
        _ = await task.value
    }

    @Test func anAbsentAgentIsReportedInTime() async throws {
        let (exchange, memory) = (try VirtualAgentExchange(), Memory())
        await exchange.setUp(false)
        let link = try await newLink(exchange, memory)
        #expect(await !link.connect(within: .milliseconds(100)))
        // The previous run may have been too short for an attempt.
        try await run(link) { memory.notices.contains(.unreachable(.unreachable)) }
        #expect(await !link.isConnected)
    }

    @Test func cancellingEndsASleepAndAnExchange() async throws {
        let (exchange, memory) = (try VirtualAgentExchange(), Memory())
        let link = try await newLink(exchange, memory)
        try #require(await link.connect(within: .seconds(60)))
        let hanging = AgentLink.Dependencies(exchange: HangingExchange(), store: memory, clock: .system)
        let stuck = try #require(
            try await AgentLinks.stored(AgentConnection.Configuration.impatient, hanging).links.first)
        for link in [link, stuck] {
            let task = Task { await link.run() }
            try await Task.sleep(for: .milliseconds(30))
            task.cancel()
            _ = await task.value
        }
    }

    /// The agent has lost the connection: a second one continues at the cursor, the first one ends by itself
    /// and is deleted.
    @Test func aSecondConnectionTakesTheDestinationOver() async throws {
        let (first, memory) = (try VirtualAgentExchange(), Memory())
        let old = try await newLink(first, memory)
        try #require(await old.connect(within: .seconds(60)))
        try memory.queue(3)
        await old.wake()
        let running = Task { await old.run() }
        try await eventually("delivered") { memory.pending == 0 }
        await first.setUp(false)
        try memory.queue(2)
        await old.wake()
        try await eventually("told") { memory.notices.contains { if case .unreachable = $0 { true } else { false } } }

        let second = try VirtualAgentExchange()
        let new = try await newLink(second, memory)
        try #require(await new.connect(within: .seconds(60)))
        try memory.queue(1)
        await new.wake()
        let task = Task { await new.run() }
        try await eventually("delivered") { memory.pending == 0 }
        #expect(await second.received.map(\.id) == (3..<6).map(Memory.id))
        #expect(memory.present == new.id && memory.kept.map(\.id) == [new.id])
        await first.setUp(true)
        await old.retryNow()
        _ = await running.value
        #expect(memory.notices.contains(.retired))
        try memory.queue(1)
        await new.wake()
        try await eventually("delivered") { memory.pending == 0 }
        #expect(await first.received.allSatisfy { [0, 1, 2, 3].map(Memory.id).contains($0.id) })
        task.cancel()
        _ = await task.value
    }

    /// A mailbox whose connections leave it.
    private actor LeftMailbox: MailboxAccess {
        private(set) var left: [Text] = []
        func open(_ receiver: any MailReceiver, key: KeyPair) {}
        func fetch() {}
        func applied(_ uids: [Text]) {}
        func leave(_ connection: Text) { left.append(connection) }
        func close(_ connection: Text) {}
    }

    /// A link that is cut off releases nothing at its mailbox: what it was handed is not durable, and comes again.
    @Test func onlyALinkThatHasEndedLeavesItsMailbox() async throws {
        let (exchange, memory, mailbox) = (try VirtualAgentExchange(), Memory(), LeftMailbox())
        var dependencies = around(exchange, memory)
        dependencies.mailbox = mailbox
        let invitation = try Invitation(await exchange.invitation)
        let link = try AgentLinks.new(invitation, AgentConnection.Configuration.impatient, dependencies)
        try #require(await link.connect(within: .seconds(60)))
        #expect(await mailbox.left.isEmpty)
        await link.stop()
        await link.run()
        #expect(await mailbox.left == [link.id])
    }

    @Test func spoiltConnectionsAreNamed() async throws {
        let memory = Memory()
        try await memory.keepConnection("bad", to: DeliveryCursor.primary, Array("{}".utf8), handled: [])
        let found = try await AgentLinks.stored(
            AgentConnection.Configuration.impatient, around(try VirtualAgentExchange(), memory))
        #expect(found.links.isEmpty && found.unreadable == ["bad"])
    }

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
