import Aries
import Clocks
import DIDComm
import Encoding
import Foundation
import HTTPTransport
import Ledger
import Simulation
import Store
import TestKit
import Testing

@testable import Courier

/// The process is killed at every single write of a destination: connecting, taking over, batches, receipts.
/// The final state is the same each time.
@Suite(.timeLimit(.minutes(10)), .tags(.models)) struct KillTests {
    /// One gate over several runs of its process: its database and files, and the agents that outlive the
    /// runs.
    private actor Box {
        let first: VirtualAgentExchange
        let second: VirtualAgentExchange
        private(set) var store: Store
        private(set) var courier: CourierStore
        private let folder: URL
        private let files = InvitationFiles()
        private var life: Life
        private var destination: Destination
        private var task: Task<Void, Never>?
        private var file: String { folder.appendingPathComponent("invitation").path }

        init(_ life: Life, in folder: URL) async throws {
            (self.life, self.folder) = (life, folder)
            (first, second) = (
                try VirtualAgentExchange("http://first.test/"), try VirtualAgentExchange("http://second.test/")
            )
            await second.keepLedgers()
            store = try await Store.opened(in: folder)
            courier = try await CourierStore.opened(besides: store)
            destination = Self.destination(
                life, store, courier, file: folder.appendingPathComponent("invitation").path, files,
                Exchanges([first, second]))
            task = Task { [destination] in await destination.run() }
        }

        private static func destination(
            _ life: Life, _ store: Store, _ courier: CourierStore, file: String, _ files: InvitationFiles,
            _ exchange: any MessageExchange
        ) -> Destination {
            var reports = Memory.settings
            reports.batchDelay = .milliseconds(5)
            let mortal = Mortal(life, store, courier)
            return Destination(
                files: [file],
                Destination.Dependencies(
                    invitation: { (path) async throws(InvitationReader.Failure) in try files.read(path) },
                    link: AgentLink.Dependencies(
                        exchange: MortalExchange(life: life, exchange: exchange), store: mortal, outbox: mortal,
                        reports: reports, clock: .system),
                    settings: .impatient, invitations: mortal, notice: { _ in }, pause: .milliseconds(5)),
                random: freshStream())
        }

        /// Starts the process again; this run does not die.
        private func restart() async throws {
            await stop()
            life = Life(dyingAt: 0, behind: false)
            store = try await Store.open(folder.appendingPathComponent("ledger.db").path)
            courier = try await CourierStore.opened(besides: store)
            destination = Self.destination(life, store, courier, file: file, files, Exchanges([first, second]))
            task = Task { [destination] in await destination.run() }
        }

        func record(_ count: Int) async throws {
            try await store.record(count)
            await destination.wake()
        }

        /// Waits until `isThere`, and starts the process again when it dies.
        private func reach(_ what: String, at place: SourceLocation, isThere: () async throws -> Bool) async throws {
            try await eventually(what, at: place) {
                if life.isDead { try await restart() }
                return try await isThere()
            }
        }

        /// Writes an invitation and waits until its agent has every record.
        func deliver(
            to agent: VirtualAgentExchange, takingOverFrom before: Text?, at place: SourceLocation = #_sourceLocation
        ) async throws {
            try files.write(file, await agent.invitation)
            try await reach("delivered", at: place) {
                guard let present = await connection, present != before else { return false }
                return await store.isDelivered
            }
        }

        /// Waits until the other connection is marked, so that its agent can be notified, and only the
        /// current one is active.
        func markOther(at place: SourceLocation = #_sourceLocation) async throws {
            try await reach("marked", at: place) {
                let (connections, present) = (try await courier.connections(), await connection)
                let live = connections.filter { !$0.isDeleting }.map(\.id)
                return connections.count == 2 && live == [present].compactMap(\.self)
            }
        }

        var connection: Text? { get async { await store.deliveries[DeliveryCursor.primary]?.connection } }

        /// Ends the process; a repeated call has no effect.
        func stop() async {
            guard let task else { return }
            self.task = nil
            task.cancel()
            await task.value
            await courier.close()
            await store.close()
        }
    }

    /// Plays two visits with one agent, then a second invitation to another agent that keeps the ledger.
    /// Returns the number of writes, and whether the process died.
    private func live(dyingAt last: Int, behind: Bool) async throws -> (writes: Int, died: Bool) {
        let place: Comment = "killed \(behind ? "behind" : "before") write \(last)"
        let life = Life(dyingAt: last, behind: behind)
        try await Leftovers.ended { leftovers in
            let box = try await Box(life, in: try leftovers.folder("kill"))
            leftovers.add { await box.stop() }
            try await box.record(2)
            try await box.deliver(to: box.first, takingOverFrom: nil)
            let before = await box.connection
            try await box.record(2)
            try await box.deliver(to: box.second, takingOverFrom: before)
            try await box.record(2)
            try await box.deliver(to: box.second, takingOverFrom: before)
            try await box.markOther()

            // Every record has arrived, and a repeated report has the same id.
            let ledger = await box.store.head.ledger
            let reports = try await box.store.entries(after: 0, limit: 100).filter {
                Report.json(of: $0, in: ledger) != nil
            }
            let old = try await box.first.received.map {
                try #require(JSON.parse($0.content.string)["position"]?.int, place)
            }
            #expect(Set(old).count == old.count, place)
            let kept = await box.second.keeper?.ledgers[ledger] ?? [:]
            #expect(reports.count == 6 && Set(old).union(kept.keys).isSuperset(of: reports.map(\.position)), place)
            #expect(try await box.store.verify().isIntact, place)
        }
        return (life.writes, life.isDead)
    }

    @Test func theProcessMayEndAtAnyWrite() async throws {
        let lives = try await Life.eachDeath { last, behind in try await live(dyingAt: last, behind: behind) }
        print("agent: killed at each of \(lives) writes, before and behind it")
        #expect(lives >= 10)
    }
}
