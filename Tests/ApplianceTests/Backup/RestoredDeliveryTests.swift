import Aries
import Backup
import Clocks
import Courier
import Encoding
import Foundation
import Ledger
import Simulation
import Store
import TestKit
import Testing

/// The records that an agent gets from a restored gate: nothing twice, and no position and no number a second
/// time.
@Suite(.timeLimit(.minutes(5)), .tags(.models)) struct RestoredDeliveryTests {
    private let passphrase = Array("five words are quite good".utf8)

    /// Delivers everything over the one connection.
    private func deliver(_ box: BackupBox, _ store: Store, _ exchange: VirtualAgentExchange) async throws {
        var reports = ReportSettings(batchDelay: .milliseconds(50))
        reports.limits.pingAfter = .milliseconds(50)
        let courier = try await box.courier(store)
        let dependencies = AgentLink.Dependencies(
            exchange: exchange, store: courier, outbox: StoredOutbox(store, courier, DeliveryCursor.primary),
            reports: reports, clock: .system, observe: { _ in })
        var link = try await AgentLinks.stored(.impatient, dependencies).links.first
        if link == nil {
            let new = try AgentLinks.new(try Invitation(await exchange.invitation), .impatient, dependencies)
            try await new.keep()
            link = new
        }
        let running = try #require(link)
        await running.wake()
        let task = Task { await running.run() }
        defer { task.cancel() }
        try await eventually("delivered", within: .seconds(60)) { await store.isDelivered }
        task.cancel()
        _ = await task.value
        await courier.close()
    }

    @Test(arguments: [true, false]) func anAgentGetsNothingTwice(keepsLedgers: Bool) async throws {
        let box = try BackupBox()
        let exchange = try VirtualAgentExchange()
        if keepsLedgers { await exchange.keepLedgers() }
        var store = try await box.open()
        try await store.cursor(of: DeliveryCursor.primary)
        try await BackupBox.record(10, store)
        try await deliver(box, store, exchange)
        // These two visits are in the backup and not delivered yet; by the time of the restore, the agent has
        // them and more.
        try await BackupBox.record(2, store)
        let open = Text(UUID().uuidString.lowercased())
        try await store.appendIntent(open, stamp: BackupBox.stamp)
        _ = try await box.making.make(box.path("usb/b"), passphrase: passphrase)
        try await store.appendOutcome(
            open, Outcome(.accepted, gate: .shut, software: BackupBox.software), stamp: BackupBox.stamp)
        try await BackupBox.record(20, store)
        try await deliver(box, store, exchange)
        let (ledger, count) = (await store.head.ledger, await store.head.point.count)
        await store.close()

        _ = try await box.restoring.restore(box.path("usb/b"), .with(passphrase, replaces: true))
        store = try await box.open()
        guard case .restored = store.standing else {
            Issue.record("\(String(describing: store.standing))")
            return
        }
        try await BackupBox.record(15, store)
        try await deliver(box, store, exchange)
        let new = await store.head.ledger
        let newCount = await store.head.point.count
        await store.close()
        #expect(new != ledger)

        // In order: visits delivered before the backup; further visits in the backup; the visit that is open in the
        // backup; the visits after the backup; the first record of the new ledger; its visits.
        let told = [10, 2, 1, 20, 1, 15].reduce(0, +)
        var outcomes: [OutcomeRecord] = []
        if keepsLedgers {
            let keeper = try #require(await exchange.keeper)
            #expect(Set(keeper.ledgers.keys) == [ledger, new] && keeper.repetitions == 0)
            #expect(keeper.ledgers[ledger]?.count == count && keeper.ledgers[new]?.count == newCount)
            for entry in keeper.ledgers.values.flatMap(\.values) {
                if case .outcome(let record) = try LedgerRecord(bytes: entry.body) { outcomes.append(record) }
            }
            #expect(Set(outcomes.map(\.visit)).count == outcomes.count, "a visit was told twice")
            #expect(Set(outcomes.map(\.seq)).count == outcomes.count, "a number was used twice")
            #expect(outcomes.count == told)
            let first = try #require(outcomes.first { $0.outcome.predecessor != nil })
            #expect(first.outcome.predecessor?.ledger == ledger && first.dropped == 3)
        } else {
            let received = await exchange.received
            #expect(received.count == told)
            let reports = received.compactMap { try? JSON.parse(Array($0.content.utf8)) }
            #expect(Set(reports.compactMap { $0["seq"]?.int }).count == reports.count)
        }
    }
}
