import Appliance
import Aries
import DIDComm
import Encoding
import Foundation
import HTTPTransport
import Ledger
import Simulation
import Store
import Synchronization
import Testing

@testable import Appliance

/// The process is killed at every single thing that a destination stores: connecting, taking over, batches, receipts. It ends the
/// same each time.
@Suite(.timeLimit(.minutes(5))) struct KillTests {
    /// One box over several lives: its database and files, and the agents that outlive them.
    private final class Box {
        let folder = FileManager.default.temporaryDirectory.appendingPathComponent("kill-\(UUID().uuidString)")
        let files = InvitationFiles()
        let first: VirtualAgentExchange
        let second: VirtualAgentExchange
        private(set) var store: Store
        private(set) var life: Life
        private var destination: Destination
        private var task: Task<Void, Never>

        private static let stamp = RecordStamp(
            kiosk: "k", boot: "b", time: WallTime(utc: Timestamp(seconds: 1), provenance: .rtc), monotonic: .zero)
        private static let software = Outcome.Software(name: "s", version: "1")
        private var file: String { folder.appendingPathComponent("invitation").path }

        init(_ life: Life) async throws {
            try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
            (first, second) = (try Self.agent("http://first.test/", 1), try Self.agent("http://second.test/", 2))
            await second.keepLedgers()
            store = try await Store.open(folder.appendingPathComponent("ledger.db").path)
            try await store.begin(stamp: Self.stamp, software: Self.software)
            try await store.destination(DeliveryCursor.primary)
            self.life = life
            (destination, task) = Self.begin(life, store, folder, files, Exchanges([first, second]))
        }

        private static func agent(_ endpoint: Text, _ seed: UInt8) throws -> VirtualAgentExchange {
            guard let random = RandomStream(seed: Secret([UInt8](repeating: seed, count: 32))),
                let agent = VirtualAgent(endpoint: endpoint, random: random)
            else { throw CancellationError() }
            return VirtualAgentExchange(agent)
        }

        private static func begin(
            _ life: Life, _ store: Store, _ folder: URL, _ files: InvitationFiles, _ exchange: any MessageExchange
        ) -> (Destination, Task<Void, Never>) {
            var limits = AgentConnection.Limits()
            (limits.firstRetry, limits.longestRetry) = (.milliseconds(2), .milliseconds(10))
            var reports = Memory.settings
            reports.batchDelay = .milliseconds(5)
            let mortal = Mortal(life, store)
            let destination = Destination(
                files: [folder.appendingPathComponent("invitation").path],
                Destination.Surroundings(
                    invitation: { (path) async throws(InvitationReader.Failure) in try files.read(path) },
                    link: AgentLink.Surroundings(
                        exchange: MortalExchange(life: life, exchange: exchange), store: mortal, outbox: mortal,
                        reports: reports),
                    settings: AgentConnection.Configuration(label: "kiosk", limits: limits), invitations: mortal,
                    notice: { _ in }, pause: .milliseconds(5)))
            return (destination, Task { await destination.run() })
        }

        /// The process starts once more, and lives.
        private func restart() async throws {
            await stop()
            life = Life(dyingAt: 0, behind: false)
            store = try await Store.open(folder.appendingPathComponent("ledger.db").path)
            (destination, task) = Self.begin(life, store, folder, files, Exchanges([first, second]))
        }

        func record(_ count: Int) async throws {
            let outcome = Outcome(.accepted, gate: .pulsed(milliseconds: 200), software: Self.software)
            for _ in 0..<count {
                let visit = Text(UUID().uuidString.lowercased())
                try await store.appendIntent(visit, stamp: Self.stamp)
                try await store.appendOutcome(visit, outcome, stamp: Self.stamp)
            }
            await destination.wake()
        }

        /// Writes an invitation and waits until its agent has everything; a process that dies meanwhile starts again.
        func deliver(to agent: VirtualAgentExchange, takingOverFrom before: Text?) async throws {
            try files.write(file, await agent.invitation)
            while true {
                if life.isDead { try await restart() }
                let cursor = await store.deliveries[DeliveryCursor.primary]
                let end = await store.head.point.count
                if let cursor, let present = cursor.connection, present != before, cursor.confirmed == end { return }
                try await Task.sleep(for: .milliseconds(2))
            }
        }

        var connection: Text? { get async { await store.deliveries[DeliveryCursor.primary]?.connection } }

        func stop() async {
            task.cancel()
            await task.value
            await store.close()
        }

        func remove() async {
            await stop()
            try? FileManager.default.removeItem(at: folder)
        }
    }

    /// From two visits and one agent, by a second invitation, to another agent that keeps the ledger. Returns the writes.
    private func live(dyingAt last: Int, behind: Bool) async throws -> Int {
        let box = try await Box(Life(dyingAt: last, behind: behind))
        let place: Comment = "killed \(behind ? "behind" : "before") write \(last)"
        try await box.record(2)
        try await box.deliver(to: box.first, takingOverFrom: nil)
        let before = await box.connection
        try await box.record(2)
        try await box.deliver(to: box.second, takingOverFrom: before)
        try await box.record(2)
        try await box.deliver(to: box.second, takingOverFrom: before)
        let writes = box.life.writes

        // Everything is there, whatever goes twice goes under one id, and there is one connection.
        let ledger = await box.store.head.ledger
        let reports = try await box.store.entries(after: 0, limit: 100).filter {
            Report.json(of: $0, in: ledger) != nil
        }
        let received = await box.first.received
        #expect(Set(received.map(\.id)).count == received.count, place)
        let kept = await box.second.keeper?.ledgers[ledger] ?? [:]
        let old = received.compactMap { try? JSON.parse($0.content.string)["position"]?.int }
        #expect(reports.count == 6 && Set(old).union(kept.keys).isSuperset(of: reports.map(\.position)), place)
        #expect(try await box.store.verify().isIntact, place)
        var connections = try await box.store.connections().map(\.id)
        for _ in 0..<500 where connections.count > 1 {
            try await Task.sleep(for: .milliseconds(2))
            connections = try await box.store.connections().map(\.id)
        }
        #expect(connections == [await box.connection].compactMap(\.self), place)
        await box.remove()
        return writes
    }

    @Test func anyWriteMayBeTheLast() async throws {
        let writes = try await live(dyingAt: 0, behind: false)
        print("agent: killed at each of \(writes) writes, before and behind it")
        #expect(writes >= 10)
        for last in 1...writes {
            for behind in [false, true] { _ = try await live(dyingAt: last, behind: behind) }
        }
    }
}
