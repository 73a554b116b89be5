import Aries
import Clocks
import DIDComm
import Encoding
import HTTPTransport
import Mailboxes
import Simulation
import Store
import Synchronization
import TestKit
import Testing
import VirtualKit

@testable import Courier

/// The mailbox of the primary's own agent, in many orders of tasks and with many delays: whatever the order, the gate
/// delivers in the end.
@Suite(.tags(.models)) struct OwnMailboxOrderTests {
    /// A network whose posts and answers take time.
    private final class SlowNetwork: MessageExchange {
        private let agent: VirtualAgentExchange
        private let clock: Clock
        private let random: Mutex<SplitMix64>

        init(_ agent: VirtualAgentExchange, _ clock: Clock, seed: UInt64) {
            (self.agent, self.clock) = (agent, clock)
            random = Mutex(SplitMix64(seed: seed))
        }

        func post(_ body: [UInt8], to url: String) async throws(ExchangeError) -> [UInt8] {
            await delay()
            let answer = try await agent.post(body, to: url)
            await delay()
            return answer
        }

        func exchange(
            _ body: [UInt8]?, with url: String, as mediaType: String
        ) async throws(ExchangeError) -> MessageAnswer {
            guard let body else { throw .forbidden }
            return MessageAnswer(status: 200, body: try await post(body, to: url))
        }

        private func delay() async {
            let time = Duration.milliseconds(random.withLock { Int($0.next() % 8) })
            try? await clock.sleep(for: time)
        }
    }

    @Test(arguments: [true, false]) func theGateDeliversInTheEnd(isSingleUse: Bool) throws {
        for seed in 1...200 as ClosedRange<UInt64> {
            let (pending, places) = try VirtualTime.run(seed: seed) { time in
                try await Self.visit(isSingleUse: isSingleUse, seed: seed, time)
            }
            #expect(pending == 0, "seed \(seed): \(places)")
        }
    }

    /// Connects, records a report, and returns the number of undelivered reports and the destinations of all
    /// connections.
    private static func visit(
        isSingleUse: Bool, seed: UInt64, _ time: VirtualTime
    ) async throws -> (pending: Int, places: [Text]) {
        let (memory, clock) = (Memory(), time.clock)
        let agent = try VirtualAgentExchange(hasPickup: true, clock: clock)
        if isSingleUse { await agent.withAgent { $0.isSingleUse = true } }
        let network = SlowNetwork(agent, clock, seed: seed)
        let mailboxes = MailboxManager(
            .auto,
            MailboxManager.Dependencies(
                exchange: network, store: memory,
                settings: Mediator.Configuration(connection: .init(label: "kiosk"), allowsPlainHTTP: true),
                invitation: { _ in throw CancellationError() }, refused: Memory(), clock: clock,
                spawner: time.spawner, notice: { _ in }))
        var link = AgentLink.Dependencies(
            exchange: network, store: memory, outbox: memory, clock: clock, mailbox: mailboxes,
            asksForMailbox: { await mailboxes.permits($0) })
        link.allowsPlainHTTP = true
        let destination = Destination(
            files: [],
            Destination.Dependencies(
                invitation: { (_) async throws(InvitationReader.Failure) in throw .gone },
                link: link, settings: AgentConnection.Configuration(label: "kiosk"), invitations: memory,
                mailboxes: mailboxes, trial: .milliseconds(Int(seed % 50)), notice: { _ in },
                pause: .milliseconds(20)),
            random: freshStream())
        async let _ = mailboxes.run()
        async let _ = destination.run()
        try await clock.sleep(for: .seconds(1))
        _ = try await destination.connect(try Invitation(await agent.invitation))
        try await clock.sleep(for: .seconds(10))
        try memory.queue(1)
        await destination.wake()
        try await clock.sleep(for: .seconds(15))
        return (memory.pending, memory.kept.map(\.destination))
    }
}
