import Aries
import DIDComm
import Encoding
import Foundation
import HTTPTransport
import Ledger
import Simulation
import Store
import Testing

@testable import Appliance

/// One destination in the service: invitations come as files, connections come and go.
@Suite(.timeLimit(.minutes(2))) struct DestinationTests {
    private final class Notices: @unchecked Sendable {
        private let lock = NSLock()
        private var list: [DestinationNotice] = []
        var all: [DestinationNotice] { lock.withLock { list } }
        func add(_ notice: DestinationNotice) { lock.withLock { list.append(notice) } }
    }

    private final class Files: @unchecked Sendable {
        private let lock = NSLock()
        private var contents: [String: JSON] = [:]
        func write(_ path: String, _ invitation: JSON) throws {
            lock.withLock { contents[path] = invitation }
            try Data(invitation.compactBytes).write(to: URL(fileURLWithPath: path))
        }
        func read(_ path: String) throws(InvitationReader.Failure) -> Invitation {
            guard let json = lock.withLock({ contents[path] }) else { throw .file(path: path) }
            do { return try Invitation(json) } catch { throw .invitation(error) }
        }
    }

    private let folder = FileManager.default.temporaryDirectory.appendingPathComponent(
        "destination-\(UUID().uuidString)")
    private let files = Files()
    private let notices = Notices()
    private let memory = Memory()
    private var file: String { folder.appendingPathComponent("invitation").path }

    init() throws { try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true) }

    private func agent(_ endpoint: Text) throws -> VirtualAgentExchange {
        let random = RandomStream(seed: Secret((0..<32).map { _ in UInt8.random(in: 0...255) }))
        guard let random, let agent = VirtualAgent(endpoint: endpoint, random: random) else {
            throw CancellationError()
        }
        return VirtualAgentExchange(agent)
    }

    private func destination(_ exchange: any MessageExchange) -> Destination {
        var limits = AgentConnection.Limits()
        (limits.firstRetry, limits.longestRetry) = (.milliseconds(2), .milliseconds(10))
        return Destination(
            files: [file],
            Destination.Surroundings(
                invitation: { [files] (path) async throws(InvitationReader.Failure) in try files.read(path) },
                link: AgentLink.Surroundings(
                    exchange: exchange, store: memory, outbox: memory, reports: Memory.settings,
                    observe: { [memory] in memory.observe($0) }),
                settings: AgentConnection.Configuration(label: "kiosk", limits: limits), invitations: memory,
                notice: { [notices] in notices.add($0) }, pause: .milliseconds(5)))
    }

    private func wait(until isDone: @Sendable () async -> Bool) async throws {
        while !(await isDone()) { try await Task.sleep(for: .milliseconds(2)) }
    }

    @Test func anInvitationFileConnectsInTheRunningServiceAndASecondOneTakesOver() async throws {
        defer { try? FileManager.default.removeItem(at: folder) }
        let (first, second) = (try agent("http://first.test/"), try agent("http://second.test/"))
        let destination = destination(Exchanges([first, second]))
        let task = Task { await destination.run() }
        try memory.queue(2)
        try await wait { notices.all.contains { if case .invitationFailed = $0 { true } else { false } } }
        try files.write(file, await first.invitation)
        try await wait { memory.pending == 0 }
        #expect(await first.received.map(\.id) == (0..<2).map(Memory.id))

        // The agent is gone, and its operator sends a new invitation.
        await first.setUp(false)
        try memory.queue(2)
        await destination.wake()
        try files.write(file, await second.invitation)
        try await wait { memory.pending == 0 }
        #expect(await second.received.map(\.id) == (2..<4).map(Memory.id))
        #expect(memory.kept.count == 1 && memory.present == memory.kept.first?.id)
        task.cancel()
        await task.value

        // A restart with the old file in its place does not go back: its invitation is used.
        try files.write(file, await first.invitation)
        await first.setUp(true)
        let again = self.destination(Exchanges([first, second]))
        let running = Task { await again.run() }
        try memory.queue(1)
        try await wait { memory.pending == 0 }
        try await wait { notices.all.contains { if case .usedBefore = $0 { true } else { false } } }
        #expect(await second.received.last?.id == Memory.id(4))
        #expect(memory.kept.count == 1)
        running.cancel()
        await running.value
    }
}

extension DestinationTests {
    /// As `gatehouse agent connect` asks: beside the files, also with an invitation that was used before.
    @Test func anInvitationByCommandTakesOverAndASecondScanFindsTheFirst() async throws {
        defer { try? FileManager.default.removeItem(at: folder) }
        let (first, second) = (try agent("http://first.test/"), try agent("http://second.test/"))
        let destination = destination(Exchanges([first, second]))
        let task = Task { await destination.run() }
        try memory.queue(2)
        let invitation = try Invitation(await first.invitation)
        try await wait { await destination.isLoaded }
        async let one = destination.connect(invitation)
        async let other = destination.connect(invitation)
        let both = try await [one, other]
        #expect(Set(both.map(\.id)).count == 1 && both.count(where: \.isKnown) == 1, "\(both)")
        try await wait { memory.pending == 0 }
        let id = both[0].id
        #expect(await destination.link(id)?.notes.answered != nil)

        let (new, isKnown) = try await destination.connect(try Invitation(await second.invitation))
        #expect(!isKnown && new != id)
        try memory.queue(2)
        await destination.wake()
        try await wait { memory.pending == 0 }
        #expect(await second.received.map(\.id) == (2..<4).map(Memory.id) && memory.present == new)

        // What is removed sends and stores nothing any more; its invitation may be given again.
        await destination.remove(new)
        #expect(await destination.link(new) == nil)
        try memory.queue(1)
        await destination.wake()
        let (third, wasKnown) = try await destination.connect(try Invitation(await second.invitation))
        #expect(!wasKnown && third != new)
        try await wait { memory.pending == 0 }
        #expect(memory.present == third)
        task.cancel()
        await task.value
    }

    @Test func attemptsAreBounded() async throws {
        defer { try? FileManager.default.removeItem(at: folder) }
        let destination = destination(HangingExchange())
        let task = Task { await destination.run() }
        try await wait { await destination.isLoaded }
        for number in 0...Destination.linksLimit {
            var json = try #require(await agent("http://first.test/").invitation.object)
            json["@id"] = .text("invitation-\(number)")
            let invitation = try Invitation(.object(json))
            if number < Destination.linksLimit {
                _ = try await destination.connect(invitation)
            } else {
                await #expect(throws: Destination.TooManyConnections.self) { try await destination.connect(invitation) }
            }
        }
        task.cancel()
        await task.value
    }
}

/// Several agents, each behind its own address.
private struct Exchanges: MessageExchange {
    private let all: [VirtualAgentExchange]

    init(_ all: [VirtualAgentExchange]) { self.all = all }

    func post(_ body: [UInt8], to url: String) async throws(ExchangeError) -> [UInt8] {
        for exchange in all where await exchange.endpoint == Text(url) {
            return try await exchange.post(body, to: url)
        }
        throw .unreachable
    }
}
