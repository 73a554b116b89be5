import Aries
import Clocks
import Courier
import CrashKit
import DIDComm
import Encoding
import Foundation
import Ledger
import Simulation
import Store
import Synchronization
import TestKit
import Testing

/// Delivery from the real ledger on its disk over the real link to an agent, on a clock that jumps from
/// deadline to deadline.
@Suite(.timeLimit(.minutes(10)), .tags(.models)) struct StoredDeliveryTests {
    /// A clock that jumps to the next deadline that a task waits for, and reports each jump.
    private final class LeapingClock: Sendable {
        private let time = Mutex(Instant.zero)
        private let leapt = Mutex<(@Sendable (Instant) async -> Void)?>(nil)

        var now: Instant { time.withLock { $0 } }
        var date: Timestamp {
            Timestamp(seconds: 1_767_225_600).advanced(by: Instant.zero.duration(to: now))
        }
        func onLeap(_ work: (@Sendable (Instant) async -> Void)?) { leapt.withLock { $0 = work } }

        var clock: Clock {
            Clock(
                now: { self.now }, utc: { self.date },
                sleep: { until throws(CancellationError) in
                    let now = self.time.withLock { time in
                        time = max(time, until)
                        return time
                    }
                    await self.leapt.withLock { $0 }?(now)
                    await Task.yield()
                })
        }
    }

    /// The parts of a gate that deliver records, and its agent.
    private final class Box: Sendable {
        let disk: CrashDisk
        let store: Store
        let courier: CourierStore
        let exchange: VirtualAgentExchange
        let link: AgentLink
        let clock = LeapingClock()
        let notices = AgentNotices()
        private let recorded = Atomic<Int>(0)

        init(keepsLedgers: Bool, _ options: StoreOptions = StoreOptions()) async throws {
            disk = try CrashDisk()
            store = try await Store.open(disk.database, options: options)
            courier = try await CourierStore.opened(besides: store)
            exchange = try VirtualAgentExchange(seed: Secret((0..<32).map { UInt8($0) }), clock: clock.clock)
            if keepsLedgers { await exchange.keepLedgers() }
            var limits = AgentConnection.Limits()
            limits.longestRetry = .seconds(3600)
            link = try AgentLinks.new(
                try Invitation(await exchange.invitation),
                AgentConnection.Configuration(label: "kiosk", limits: limits),
                AgentLink.Dependencies(
                    exchange: exchange, store: courier, outbox: StoredOutbox(store, courier, DeliveryCursor.primary),
                    clock: clock.clock, observe: { [notices] in notices.add($0) }))
            try await link.keep()
        }

        /// Records visits, `count` in one commit, at the current time.
        func record(_ count: Int) async throws {
            let stamp = RecordStamp(
                kiosk: "gate-1", boot: StoredGate.stamp.boot, time: WallTime(utc: clock.date, provenance: .rtc),
                monotonic: clock.now)
            let first = recorded.add(count, ordering: .relaxed).oldValue
            let visits = (first..<first + count).map(Self.visit)
            let outcome = Outcome(.accepted, gate: .pulsed(milliseconds: 200), software: StoredGate.software)
            let refused = try await store.append(
                visits.map { UnwrittenIntent(intent: $0, stamp: stamp) },
                visits.map { UnwrittenOutcome(visit: $0, outcome: outcome, stamp: stamp) })
            #expect(refused.isEmpty)
        }

        static func visit(_ number: Int) -> Text {
            let digits = String(number)
            return Text("00000000-0000-4000-8000-" + String(repeating: "0", count: 12 - digits.count) + digits)
        }

        var confirmed: Int { get async { await store.deliveries[DeliveryCursor.primary]?.confirmed ?? 0 } }

        /// Runs until `isDone`. The link is always ended: on this clock, a link that continues never rests.
        func run(at place: SourceLocation = #_sourceLocation, until isDone: () async -> Bool) async throws {
            await link.wake()
            try await Leftovers.ended { leftovers in
                let task = Task { await link.run() }
                leftovers.add {
                    task.cancel()
                    _ = await task.value
                }
                try await eventually(
                    "done", within: .seconds(240), at: place,
                    telling: { "\(await confirmed) confirmed, \(notices.all.suffix(2000))" }, isDone: isDone)
            }
        }

        /// Runs `body` with a box.
        static func with(
            keepsLedgers: Bool, _ options: StoreOptions = StoreOptions(), _ body: (Box) async throws -> Void
        ) async throws {
            try await Leftovers.ended { leftovers in
                let box = try await Box(keepsLedgers: keepsLedgers, options)
                leftovers.add {
                    await box.courier.close()
                    await box.store.close()
                }
                try await body(box)
            }
        }

        func isAllConfirmed() async -> Bool { await confirmed == store.head.point.count }
    }

    /// Thirty days without a network, 200 visits a day: afterwards every record arrives, once and in order.
    @Test(arguments: [true, false]) func aMonthOfflineArrivesInOrder(keepsLedgers: Bool) async throws {
        let (days, visits) = (30, 6000)
        try await Box.with(keepsLedgers: keepsLedgers) { box in
            try await box.record(1)
            try await box.run { await box.isAllConfirmed() }
            await box.exchange.setUp(false)
            let end = box.clock.now.advanced(by: .seconds(days * 86_400))
            let began = box.clock.now
            let recorded = Mutex(1)
            box.clock.onLeap { now in
                let share = min(1, began.duration(to: now) / began.duration(to: end))
                let due = recorded.withLock { recorded in
                    let goal = Int(Double(visits) * share)
                    defer { recorded = max(recorded, goal) }
                    return max(0, goal - recorded)
                }
                if due > 0 { try? await box.record(due) }
                if now >= end { await box.exchange.setUp(true) }
                await box.link.wake()
            }
            try await box.run {
                let isAll = await box.isAllConfirmed()
                return isAll && box.clock.now >= end
            }
            // The closure holds the box, which holds the clock.
            box.clock.onLeap(nil)
            #expect(await box.store.head.point.count == 2 * visits)
            let taken = began.duration(to: box.clock.now) - .seconds(days * 86_400)
            print(
                "delivery: \(days) days offline, \(keepsLedgers ? "records" : "singles"): all there \(taken) after the network"
            )
            if keepsLedgers {
                let kept = try #require(await box.exchange.keeper)
                let ledger = await box.store.head.ledger
                #expect(kept.ledgers[ledger]?.keys.sorted() == Array(1...2 * visits) && kept.repetitions == 0)
                let entries = try await box.store.entries(after: 0, limit: 2 * visits)
                #expect(entries.allSatisfy { kept.ledgers[ledger]?[$0.position]?.body == $0.body })
            } else {
                #expect(await box.exchange.received.map(\.id) == (0..<visits).map(Box.visit))
            }
            #expect(await box.store.lostReports == 0)
        }
    }

    /// Records that a full ledger gave up while the agent was unreachable are counted exactly at the agent.
    @Test func abandonedEntriesAreCountedAtTheAgent() async throws {
        var options = StoreOptions()
        (options.retention.entries, options.retention.hardEntries, options.evictionBatch) = (200, 300, 8)
        try await Box.with(keepsLedgers: true, options) { box in
            try await box.record(3)
            try await box.run { await box.isAllConfirmed() }
            await box.exchange.setUp(false)
            for _ in 0..<50 { try await box.record(10) }
            #expect(await box.store.lostReports > 300)
            await box.exchange.setUp(true)
            try await box.record(1)
            try await box.run { await box.isAllConfirmed() }
            let kept = try #require(await box.exchange.keeper?.ledgers[box.store.head.ledger])
            let outcomes = kept.values.compactMap { entry -> OutcomeRecord? in
                guard case .outcome(let record)? = try? LedgerRecord(bytes: entry.body) else { return nil }
                return record
            }
            let untold = await box.store.head.dropped
            #expect(outcomes.count + outcomes.reduce(0) { $0 + $1.dropped } + untold == 504)
            #expect(untold == 0 && outcomes.count < 200)
            let hole = try #require((1...1008).first { kept[$0] == nil })
            #expect(hole == 7 && kept[1008] != nil)
            #expect(box.notices.ofLinks.contains { $0.text.contains("at positions 7 to ") }, "and the log says so")
        }
    }

    /// Records that the agent repeatedly refuses are counted in the records that it accepts.
    @Test func refusedEntriesAreCountedAtTheAgent() async throws {
        try await Box.with(keepsLedgers: true) { box in
            try await box.record(1)
            try await box.run { await box.isAllConfirmed() }
            await box.exchange.withAgent { $0.keeper?.refusals = [6, 15] }
            try await box.record(9)
            try await box.run { await box.isAllConfirmed() }
            #expect(box.notices.ofLinks.count { if case .setAside = $0 { true } else { false } } == 2)
            try await box.record(1)
            try await box.run { await box.isAllConfirmed() }
            let kept = try #require(await box.exchange.keeper?.ledgers[box.store.head.ledger])
            #expect(kept.keys.sorted() == (1...22).filter { $0 != 6 && $0 != 15 })
            let dropped = kept.values.reduce(0) { sum, entry in
                guard case .outcome(let record)? = try? LedgerRecord(bytes: entry.body) else { return sum }
                return sum + record.dropped
            }
            // The first refused entry is an intent, which is not a report.
            #expect(dropped == 1)
        }
    }

    /// Bytes written for a delivered report: many at once, and one after another.
    @Test(arguments: [true, false]) func aDeliveredReportCostsTwoKiB(keepsLedgers: Bool) async throws {
        try await Box.with(keepsLedgers: keepsLedgers) { box in
            try await box.record(1)
            try await box.run { await box.isAllConfirmed() }
            func cost(_ count: Int) async throws -> Int {
                for _ in 0..<max(1, count / 50) { try await box.record(min(count, 50)) }
                let before = box.disk.bytes
                try await box.run { await box.isAllConfirmed() }
                return Int(box.disk.bytes - before)
            }
            try await box.store.copyLog()
            let many = try await cost(1000) / 1000
            var alone = 0
            for _ in 0..<50 { alone += try await cost(1) }
            let form = keepsLedgers ? "records" : "singles"
            print("delivery: \(form): \(many) bytes written a report of 1,000, \(alone / 50) for one alone")
            #expect(many <= 2048 && alone / 50 <= 2048)
        }
    }
}
