import Aries
import Clocks
import Courier
import Encoding
import Foundation
import Kiosk
import Ledger
import LinuxIO
import Settings
import Store
import TestKit
import Testing

/// A new invitation takes over: the agent of the previous connection is notified once the new one has
/// confirmed, and nothing waits for that.
@Suite(.timeLimit(.minutes(10)), .tags(.realTime)) struct ReplacedTests {
    /// The service on its two databases.
    private final class Gate: Sendable {
        let store: Store
        let courier: CourierStore
        private let service: AgentService
        private let task: Task<Void, any Error>

        /// `farewell`: the time that an agent has to accept the notice that its connection ends.
        init(_ folder: URL, farewell: Duration = .seconds(60)) async throws {
            var configuration = try Configuration.ofAgent(in: folder)
            configuration.agent.reports.batchDelay = .milliseconds(20)
            var times = AgentTimes()
            (times.look, times.farewell) = (.milliseconds(100), farewell)
            let store = try await Store.open(configuration.ledger.path)
            let courier = try await CourierStore.opened(besides: store)
            let service = AgentService(
                configuration: configuration, store: store, openCourier: { () async throws(StoreError) in courier },
                log: try LogSink(.file("/dev/null")), times: times,
                clock: .system, spawner: .system, report: { _ in })
            (self.store, self.courier, self.service) = (store, courier, service)
            task = Task { try await service.run() }
        }

        func record() async throws {
            try await store.record(1)
            service.wake()
        }

        var present: Text? { get async { await store.deliveries[DeliveryCursor.primary]?.connection } }

        /// Waits until the destination, over a connection other than `before`, has every record.
        func delivered(notOver before: Text? = nil) async throws {
            try await wait("delivered") { [self] in
                guard let way = await present, way != before else { return false }
                return await store.isDelivered
            }
        }

        /// Waits until only the current connection is left.
        func forgotten() async throws {
            try await wait("forgotten") { [self] in
                let present = await present
                return try await courier.connections().map(\.id) == [present]
            }
        }

        func wait(_ what: String, until isDone: @Sendable () async throws -> Bool) async throws {
            try await eventually(what) { try await isDone() }
        }

        func stop() async {
            task.cancel()
            _ = await task.result
            await courier.close()
            await store.close()
        }
    }

    private func withFolder(_ body: (URL) async throws -> Void) async throws {
        try await Leftovers.ended { leftovers in try await body(try leftovers.folder("replaced")) }
    }

    private func invite(_ agent: SocketAgent, _ folder: URL) throws {
        try Data(agent.invitation.compactBytes).write(to: folder.appendingPathComponent("invitation"), options: .atomic)
    }

    /// The previous agent may have been a mailbox, too; that connection is ended with it.
    @Test(arguments: [false, true]) func theAgentOfTheOldConnectionIsNotified(hasMailbox: Bool) async throws {
        try await withFolder { folder in
            let (old, new) = (try SocketAgent(hasPickup: hasMailbox ? true : nil), try SocketAgent(hasPickup: nil))
            try invite(old, folder)
            let gate = try await Gate(folder)
            try await gate.record()
            try await gate.delivered()
            if hasMailbox {
                try await gate.wait("through the mailbox") {
                    let (stored, present) = (try await gate.courier.connections(), await gate.present)
                    return stored.count == 2 && stored.last?.id == present
                }
                try await gate.record()
                try await gate.delivered()
            }
            let before = await gate.present
            try invite(new, folder)
            try await gate.delivered(notOver: before)
            #expect(old.hangups == 0, "not before the new one has confirmed something")
            try await gate.record()
            try await gate.delivered()
            // Both connections to the old agent end: the one to the destination, and the one to its mailbox.
            try await gate.wait("told") { old.hangups == (hasMailbox ? 2 : 1) }
            try await gate.forgotten()
            try await gate.record()
            try await gate.delivered()
            #expect(new.hangups == 0)
            await gate.stop()
        }
    }

    /// Runs `body` with a gate that a second agent has just taken over from `old`, which accepts messages and
    /// answers none any more.
    private func withSilencedAgent(
        farewell: Duration = .seconds(60),
        _ body: (_ gate: Gate, _ folder: URL, _ old: SocketAgent, _ before: Text?) async throws -> Void
    ) async throws {
        try await withFolder { folder in
            let (old, new) = (try SocketAgent(hasPickup: nil), try SocketAgent(hasPickup: nil))
            try invite(old, folder)
            let gate = try await Gate(folder, farewell: farewell)
            try await gate.record()
            try await gate.delivered()
            let before = await gate.present
            old.fallSilent(.takes)
            try invite(new, folder)
            try await gate.record()
            try await gate.delivered(notOver: before)
            try await body(gate, folder, old, before)
        }
    }

    @Test(.tags(.exact)) func anOldAgentHasFiveSeconds() {
        #expect(AgentTimes().farewell == .seconds(5) && AgentTimes().look == .seconds(10))
    }

    /// An agent that accepts the farewell and never answers costs its full timeout, and nothing else waits
    /// for it.
    @Test func anOldAgentThatDoesNotAnswerHoldsNothingUp() async throws {
        // Repeated, at most twice, when the machine stalled so long that the two seconds were over.
        for trial in 1...3 {
            var isWaiting = false
            try await withSilencedAgent(farewell: .seconds(2)) { gate, _, old, before in
                try await gate.record()
                try await gate.delivered()
                isWaiting = try await gate.courier.connections().contains { $0.id == before && $0.isDeleting }
                let canary = Canary()
                defer { canary.end() }
                let began = ContinuousClock.now
                try await gate.forgotten()
                #expect(ContinuousClock.now - began < .seconds(12) + canary.sum)
                old.fallSilent(nil)
                await gate.stop()
            }
            guard isWaiting || trial == 3 else { continue }
            #expect(isWaiting, "reports go on while the old agent is told")
            return
        }
    }

    /// When the program ends before the old agent was notified, the next start notifies it.
    @Test func theNextStartNotifiesTheOldAgent() async throws {
        try await withSilencedAgent { gate, folder, old, _ in
            await gate.stop()
            old.fallSilent(nil)
            #expect(old.hangups == 0)
            let next = try await Gate(folder)
            try await next.forgotten()
            #expect(old.hangups == 1)
            await next.stop()
        }
    }

    /// An interrupted deletion without a notice continues without one.
    @Test func theNextStartContinuesWithoutANotice() async throws {
        try await withSilencedAgent { gate, folder, old, before in
            let before = try #require(before)
            #expect(try await gate.courier.beginDeletion(of: before, tellsPeer: false) == [before])
            await gate.stop()
            old.fallSilent(nil)
            let next = try await Gate(folder)
            try await next.forgotten()
            #expect(old.hangups == 0)
            await next.stop()
        }
    }
}
