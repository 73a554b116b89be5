import Appliance
import Aries
import DIDComm
import Encoding
import Foundation
import HTTPTransport
import Ledger
import Simulation
import Store
import Testing

// Times are never measured here: what would take for ever runs into the suite's limit.
@Suite(.timeLimit(.minutes(2))) struct AgentLinkTests {
    /// Retries so quickly that a test need not wait.
    private static var configuration: AgentConnection.Configuration {
        var limits = AgentConnection.Limits()
        (limits.firstRetry, limits.longestRetry) = (.milliseconds(2), .milliseconds(10))
        return AgentConnection.Configuration(label: "kiosk", limits: limits)
    }

    private func agent() throws -> VirtualAgentExchange {
        let random = RandomStream(seed: Secret((0..<32).map { _ in UInt8.random(in: 0...255) }))
        guard let random, let agent = VirtualAgent(endpoint: "http://agent.test/", random: random) else {
            throw CancellationError()
        }
        return VirtualAgentExchange(agent)
    }

    private func around(_ exchange: any MessageExchange, _ memory: Memory) -> AgentLink.Surroundings {
        AgentLink.Surroundings(
            exchange: exchange, store: memory, outbox: memory, reports: Memory.settings, observe: memory.observe)
    }

    private func newLink(_ exchange: VirtualAgentExchange, _ memory: Memory) async throws -> AgentLink {
        let invitation = try Invitation(await exchange.invitation)
        let found = try AgentLinks.link(
            for: invitation, existing: [], Self.configuration, around(exchange, memory))
        guard case .new(let link) = found else { throw CancellationError() }
        return link
    }

    /// Waits until `isDone`.
    private func wait(until isDone: @Sendable () async -> Bool) async throws {
        while !(await isDone()) { try await Task.sleep(for: .milliseconds(2)) }
    }

    /// Runs `link` until `isDone`, then cancels it and waits for its end.
    private func run(_ link: AgentLink, until isDone: @Sendable () async -> Bool) async throws {
        let task = Task { await link.run() }
        try await wait(until: isDone)
        task.cancel()
        await task.value
    }

    @Test func connectsDeliversAndGoesOnAfterARestart() async throws {
        let (exchange, memory) = (try agent(), Memory())
        let link = try await newLink(exchange, memory)
        guard case .connected = await link.connect(within: .seconds(600)) else {
            Issue.record("not connected")
            return
        }
        try memory.queue(2)
        try await run(link) { memory.pending == 0 }

        // A new process: everything comes from the store.
        let (links, unreadable) = try await AgentLinks.stored(Self.configuration, around(exchange, memory))
        #expect(links.count == 1 && unreadable.isEmpty)
        try memory.queue(1)
        try await run(try #require(links.first)) { memory.pending == 0 }
        #expect(await exchange.received.map(\.id) == (0..<3).map(Memory.id))
        #expect(await exchange.repetitions == 0)
        #expect(memory.notices.contains { if case .alive = $0 { true } else { false } })
    }

    @Test func reportsQueuedWhileItSleepsAreSentAtOnce() async throws {
        let (exchange, memory) = (try agent(), Memory())
        let link = try await newLink(exchange, memory)
        _ = await link.connect(within: .seconds(600))
        let task = Task { await link.run() }
        try await Task.sleep(for: .milliseconds(50))
        try memory.queue(1)
        await link.wake()
        try await wait { memory.pending == 0 }
        task.cancel()
        await task.value
    }

    @Test func aStoppedAgentAndLostAnswersCostOnlyDelay() async throws {
        let (exchange, memory) = (try agent(), Memory())
        let link = try await newLink(exchange, memory)
        _ = await link.connect(within: .seconds(600))
        await exchange.setUp(false)
        try memory.queue(3)
        let task = Task { await link.run() }
        let before = await exchange.posts
        try await wait { await exchange.posts >= before + 3 }  // tried and failed
        #expect(await exchange.received.isEmpty && memory.pending == 3)
        await exchange.loseAnswers(2)
        await exchange.setUp(true)
        try await wait { memory.pending == 0 }
        task.cancel()
        await task.value
        #expect(await exchange.received.map(\.id) == (0..<3).map(Memory.id))
    }

    @Test func nothingIsSentWhileTheStoreIsBroken() async throws {
        let (exchange, memory) = (try agent(), Memory())
        memory.setBroken(true)
        let link = try await newLink(exchange, memory)
        #expect(await link.connect(within: .milliseconds(80)) != .cancelled)
        #expect(await exchange.posts == 0)
        #expect(memory.notices.contains { if case .storeFailed = $0 { true } else { false } })
        memory.setBroken(false)
        guard case .connected = await link.connect(within: .seconds(600)) else {
            Issue.record("not connected")
            return
        }
    }

    @Test func aConfirmationThatCannotBeKeptIsNotAskedForAgain() async throws {
        let (exchange, memory) = (try agent(), Memory())
        let link = try await newLink(exchange, memory)
        _ = await link.connect(within: .seconds(600))
        try memory.queue(1)
        memory.setBroken(outbox: true)
        let task = Task { await link.run() }
        try await wait { memory.notices.contains { if case .storeFailed = $0 { true } else { false } } }
        memory.setBroken(outbox: false)
        await link.retryNow()
        try await wait { memory.pending == 0 }
        task.cancel()
        await task.value
        #expect(await exchange.received.count == 1)
        #expect(await exchange.repetitions == 0)
    }

    @Test func anAbsentAgentIsToldWithinTheLimit() async throws {
        let (exchange, memory) = (try agent(), Memory())
        await exchange.setUp(false)
        let link = try await newLink(exchange, memory)
        #expect(await link.connect(within: .milliseconds(100)) == .noAnswer(.unreachable))
    }

    @Test func cancellingEndsASleepAndAnExchange() async throws {
        let (exchange, memory) = (try agent(), Memory())
        let link = try await newLink(exchange, memory)
        _ = await link.connect(within: .seconds(600))
        let hanging = AgentLink.Surroundings(exchange: HangingExchange(), store: memory)
        let stuck = try #require(try await AgentLinks.stored(Self.configuration, hanging).links.first)
        for link in [link, stuck] {
            let task = Task { await link.run() }
            try await Task.sleep(for: .milliseconds(30))
            task.cancel()
            await task.value
        }
    }

    @Test func anInvitationLeadsToOneConnection() async throws {
        let (exchange, memory) = (try agent(), Memory())
        let link = try await newLink(exchange, memory)
        _ = await link.connect(within: .seconds(600))
        let links = try await AgentLinks.stored(Self.configuration, around(exchange, memory)).links
        let invitation = try Invitation(await exchange.invitation)
        guard
            case .existing(let known) = try AgentLinks.link(
                for: invitation, existing: links, Self.configuration, around(exchange, memory))
        else {
            Issue.record("a second connection")
            return
        }
        #expect(known.id == link.id)
    }

    /// The agent has lost the connection: a second one goes on at the cursor, the first ends by itself and is forgotten.
    @Test func aSecondConnectionTakesTheDestinationOver() async throws {
        let (first, memory) = (try agent(), Memory())
        let old = try await newLink(first, memory)
        _ = await old.connect(within: .seconds(600))
        try memory.queue(3)
        let running = Task { await old.run() }
        try await wait { memory.pending == 0 }
        await first.setUp(false)
        try memory.queue(2)
        await old.wake()
        try await wait { memory.notices.contains { if case .unreachable = $0 { true } else { false } } }

        let second = try agent()
        let new = try await newLink(second, memory)
        _ = await new.connect(within: .seconds(600))
        try memory.queue(1)
        let task = Task { await new.run() }
        try await wait { memory.pending == 0 }
        #expect(await second.received.map(\.id) == (3..<6).map(Memory.id))
        #expect(memory.present == new.id && memory.kept.map(\.id) == [new.id])
        await first.setUp(true)
        await old.retryNow()
        await running.value
        #expect(memory.notices.contains { if case .retired = $0 { true } else { false } })
        try memory.queue(1)
        await new.wake()
        try await wait { memory.pending == 0 }
        #expect(await first.received.allSatisfy { [0, 1, 2, 3].map(Memory.id).contains($0.id) })
        task.cancel()
        await task.value
    }

    @Test func spoiltConnectionsAreNamed() async throws {
        let memory = Memory()
        try await memory.keepConnection("bad", to: DeliveryCursor.primary, Array("{}".utf8), handled: [])
        let found = try await AgentLinks.stored(Self.configuration, around(try agent(), memory))
        #expect(found.links.isEmpty && found.unreadable == ["bad"])
    }

    @Test func invitationsAreReadFromTextAndFiles() async throws {
        let exchange = try agent()
        let (url, json) = (await exchange.invitationURL.string, await exchange.invitation)
        let file = FileManager.default.temporaryDirectory.appendingPathComponent("invitation-\(UUID().uuidString)")
        try Data(json.compactBytes).write(to: file)
        defer { try? FileManager.default.removeItem(at: file) }
        try await HTTPExchange.withExchange { http in
            for argument in [url, json.compactText, file.path] {
                let invitation = try await InvitationReader.read(argument, by: http)
                #expect(invitation.json == json)
            }
            await #expect(throws: InvitationReader.Failure.file(path: "/nonexistent")) {
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
