import Aries
import Clocks
import Encoding
import HTTPTransport
import Ledger
import Mailboxes
import Simulation
import Store
import Synchronization
import TestKit
import Testing
import VirtualKit

@testable import Courier

/// Connections and mailboxes in many orders of tasks and with many delays. In every order the gate delivers in the
/// end.
@Suite(.tags(.models)) struct AgentOrderTests {
    /// The mailbox is at the primary destination's own agent.
    @Test(arguments: [true, false]) func theOwnAgentKeepsTheMailbox(isSingleUse: Bool) throws {
        try inEveryOrder(200) { time, seed in
            let agent = try VirtualAgentExchange(hasPickup: true, clock: time.clock)
            if isSingleUse { await agent.withAgent { $0.isSingleUse = true } }
            return try await OrderedGate(agent, .auto, seed, time).run { gate in
                try await gate.connect(agent.invitation)
                try await gate.deliver(after: .seconds(10))
            }
        }
    }

    @Test(arguments: AgencyDialect.allCases) func anAgencyKeepsTheMailbox(_ dialect: AgencyDialect) throws {
        try inEveryOrder(40) { time, seed in
            let network = try AgencyNetwork(dialect)
            var settings = await agencySettings(dialect, network)
            settings.limits.poll = .seconds(1)
            return try await OrderedGate(network, .agency(settings), seed, time).run { gate in
                try await gate.connect(network.invitation)
                try await gate.deliver(after: .seconds(10))
            }
        }
    }

    /// The second agent's invitation arrives at any moment of the first agent's handshake and delivery.
    @Test func aNewInvitationReplacesTheConnection() throws {
        try inEveryOrder(200) { time, seed in
            let (old, new) = (
                try VirtualAgentExchange("http://old.test/", clock: time.clock),
                try VirtualAgentExchange("http://new.test/", clock: time.clock)
            )
            return try await OrderedGate(Exchanges([old, new]), .auto, seed, time).run { gate in
                async let _ = gate.connect(old.invitation)
                try gate.memory.queue(1)
                try await gate.pause(upTo: 300)
                try await gate.connect(new.invitation)
                try await gate.deliver(after: .seconds(10))
                let before = await new.received.count
                try await gate.deliver(after: .seconds(1))
                #expect(await new.received.count == before + 1, "seed \(seed): the new agent gets the next report")
            }
        }
    }

    /// A command deletes the connection at any moment of its handshake and delivery. Then the operator connects again.
    @Test(arguments: [true, false]) func aDeletedConnectionCanBeMadeAgain(hasMailbox: Bool) throws {
        try inEveryOrder(100) { time, seed in
            let agent = try VirtualAgentExchange(hasPickup: hasMailbox ? true : nil, clock: time.clock)
            return try await OrderedGate(agent, .auto, seed, time).run { gate in
                let first = time.spawner.start("the first connection of a test") {
                    try? await gate.connect(agent.invitation)
                }
                try await gate.pause(upTo: 300)
                let deleted = gate.memory.kept.map(\.id)
                for id in deleted { await gate.delete(id) }
                await first.value
                try await gate.connect(agent.invitation)
                try await gate.deliver(after: .seconds(10))
                let left = gate.memory.kept.map(\.id).filter { deleted.contains($0) }
                #expect(left.isEmpty, "seed \(seed): a deleted connection is stored again")
            }
        }
    }

    /// Runs `life` with the seeds from 1 to `count`. In the end no report is pending, and exactly one connection leads
    /// to the destination.
    private func inEveryOrder(
        _ count: UInt64, _ life: @escaping @Sendable (VirtualTime, UInt64) async throws -> OrderedGate
    ) throws {
        for seed in 1...count {
            let (pending, places) = try VirtualTime.run(seed: seed) { time in
                let gate = try await life(time, seed)
                return (gate.memory.pending, gate.memory.kept.map(\.destination))
            }
            #expect(pending == 0, "seed \(seed): \(places)")
            #expect(places.count { $0 == DeliveryCursor.primary } == 1, "seed \(seed): \(places)")
        }
    }
}

/// A destination and its mailboxes in virtual time, on a network whose posts and answers take time.
private struct OrderedGate: Sendable {
    let memory = Memory()
    private let mailboxes: MailboxManager
    private let destination: Destination
    private let network: SlowNetwork
    private let clock: Clock

    init(
        _ peers: any MessageExchange, _ choice: MailboxManager.Choice, _ seed: UInt64, _ time: VirtualTime
    ) {
        let (network, memory) = (SlowNetwork(peers, time.clock, seed: seed), memory)
        let mailboxes = MailboxManager(
            choice,
            MailboxManager.Dependencies(
                exchange: network, store: memory,
                settings: Mediator.Configuration(connection: .init(label: "kiosk"), allowsPlainHTTP: true),
                invitation: { _ in throw CancellationError() }, refused: Memory(), clock: time.clock,
                spawner: time.spawner, notice: { _ in }))
        var link = AgentLink.Dependencies(
            exchange: network, store: memory, outbox: memory, clock: time.clock, mailbox: mailboxes,
            asksForMailbox: { invitation in
                guard case .auto = mailboxes.choice else { return false }
                return await mailboxes.permits(invitation)
            })
        link.allowsPlainHTTP = true
        destination = Destination(
            files: [],
            Destination.Dependencies(
                invitation: { (_) async throws(InvitationReader.Failure) in throw .gone },
                link: link, settings: AgentConnection.Configuration(label: "kiosk"), invitations: memory,
                mailboxes: mailboxes, trial: .milliseconds(Int(seed % 50)), notice: { _ in },
                pause: .milliseconds(20)),
            random: freshStream())
        (self.mailboxes, self.network, clock) = (mailboxes, network, time.clock)
    }

    /// Runs the gate while `body` runs. Returns the gate.
    func run(_ body: (OrderedGate) async throws -> Void) async throws -> OrderedGate {
        async let _ = mailboxes.run()
        async let _ = destination.run()
        try await clock.sleep(for: .seconds(1))
        try await body(self)
        return self
    }

    /// Connects like an operator, who repeats the command while the service is not ready, at most ten times.
    func connect(_ invitation: JSON) async throws {
        for attempt in 1...10 {
            do {
                _ = try await destination.connect(try Invitation(invitation))
                return
            } catch let failure as ConnectFailure where failure == .notReady && attempt < 10 {
                try await clock.sleep(for: .milliseconds(100))
            }
        }
    }

    /// Waits for a random time of less than `milliseconds`.
    func pause(upTo milliseconds: Int) async throws { try await network.pause(upTo: milliseconds) }

    /// Records a report after `pause`, and gives the gate 15 s to deliver it.
    func deliver(after pause: Duration) async throws {
        try await clock.sleep(for: pause)
        try memory.queue(1)
        await destination.wake()
        try await clock.sleep(for: .seconds(15))
    }

    /// Deletes a connection, as the command does that does not notify the agent.
    func delete(_ id: Text) async {
        await mailboxes.remove(id)
        await destination.remove(id)
        await mailboxes.close(id)
        try? await memory.forgetConnection(id)
    }
}

/// A network whose posts and answers take a random time.
private final class SlowNetwork: MessageExchange {
    private let peers: any MessageExchange
    private let clock: Clock
    private let random: Mutex<SplitMix64>

    init(_ peers: any MessageExchange, _ clock: Clock, seed: UInt64) {
        (self.peers, self.clock) = (peers, clock)
        random = Mutex(SplitMix64(seed: seed))
    }

    func post(_ body: [UInt8], to url: String) async throws(ExchangeError) -> [UInt8] {
        await delay()
        let answer = try await peers.post(body, to: url)
        await delay()
        return answer
    }

    func exchange(
        _ body: [UInt8]?, with url: String, as mediaType: String
    ) async throws(ExchangeError) -> MessageAnswer {
        await delay()
        let answer = try await peers.exchange(body, with: url, as: mediaType)
        await delay()
        return answer
    }

    /// Waits for a random time of less than `milliseconds`.
    func pause(upTo milliseconds: Int) async throws {
        try await clock.sleep(for: .milliseconds(random.withLock { Int($0.next() % UInt64(milliseconds)) }))
    }

    private func delay() async { try? await pause(upTo: 8) }
}
