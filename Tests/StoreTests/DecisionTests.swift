import Encoding
import Foundation
import GRDB
import Ledger
import TestKit
import Testing

@testable import Store

/// After the order to the gate, the decision of a visit is kept until the visit's outcome is recorded.
@Suite struct DecisionTests {
    /// The decision is durable before the outcome. Without a recorded outcome, the decision becomes the outcome.
    @Test func theDecisionIsTheOutcomeOfAnInterruptedVisit() async throws {
        let folder = try TestFolder("store")
        var store = try await Store.open(folder.database)
        let key = try await store.siteKey()
        for number in 1...4 { try await store.appendIntent(Samples.intent(number), stamp: Samples.stamp) }
        var long = Samples.decision(3)
        long.decided.outcome.credential?.types = (1...16).map { Text(String(repeating: "\($0)", count: 100)) }
        let decisions = [Samples.decision(1), Samples.decision(2), long].map { $0.named(under: key) }
        #expect(try await store.append([], [], decisions: decisions) == [:])
        #expect(await store.head.open.values.compactMap(\.decision?.slot).sorted() == [1, 2, 3])
        // The outcome of visit 2 is recorded. The next decision overwrites the decision of visit 2.
        try await store.appendOutcome(
            Samples.visit(2), of: Samples.intent(2), Samples.accepted, stamp: Samples.stamp)
        try await store.appendIntent(Samples.intent(5), stamp: Samples.stamp)
        #expect(try await store.append([], [], decisions: [Samples.decision(5).named(under: key)]) == [:])
        #expect(await store.head.open[Samples.intent(5)]?.decision?.slot == 2)
        // A decision whose intent is not open is not kept.
        #expect(try await store.append([], [], decisions: [Samples.decision(9).named(under: key)]) == [:])
        await store.close()
        store = try await Store.open(folder.database)
        #expect(try await store.verify().isIntact)
        let closed = try await store.recover(stamp: Samples.stamp, software: Samples.software)
        #expect(closed.map(\.visit) == [Samples.visit(1), Samples.visit(3), Samples.intent(4), Samples.visit(5)])
        #expect(closed.map(\.outcome.result) == [.accepted, .accepted, .interrupted, .accepted])
        for (record, decided) in zip([closed[0], closed[1]], [decisions[0], decisions[2]]) {
            #expect(record.outcome.gate == .pulsed(milliseconds: 200))
            #expect(record.outcome.reasons.map(\.code) == ["ok", "interrupted"])
            #expect(record.outcome.credential == decided.decided.outcome.credential)
        }
        #expect(closed[3].outcome.credential?.name == key.name(ofSignedContent: [UInt8](repeating: 5, count: 32)))
        let report = try await store.verify()
        #expect(report.isIntact && report.openIntents.isEmpty, "\(report.lines)")
        #expect(try await store.recover(stamp: Samples.stamp, software: Samples.software).isEmpty)
        await store.close()
        let queue = try DatabaseQueue(path: folder.database)
        let kept = try await queue.read { db in try Int.fetchOne(db, sql: "SELECT count(*) FROM decision") }
        #expect(kept == 0, "what the ledger forgets is not kept here")
    }

    /// An older state of the same ledger replaces the present state. A new ledger begins and records the decision of a
    /// visit whose end is missing in the older state.
    @Test func decisionsContinueInTheNextLedger() async throws {
        let folder = try TestFolder("store", inMemory: true)
        let source = WitnessSource(path: folder.path + "/w", keyPath: folder.path + "/k", code: "code")
        var store = try await Store.open(folder.database, witness: source)
        let key = try await store.siteKey()
        for number in 1...2 { try await store.appendIntent(Samples.intent(number), stamp: Samples.stamp) }
        #expect(try await store.append([], [], decisions: [Samples.decision(2).named(under: key)]) == [:])
        await store.close()
        let old = try Data(contentsOf: URL(fileURLWithPath: folder.database))
        store = try await Store.open(folder.database, witness: source)
        #expect(store.standing == .continued)
        try await store.appendOutcome(Samples.visit(3), Samples.accepted, stamp: Samples.stamp)
        await store.close()
        try old.write(to: URL(fileURLWithPath: folder.database))
        store = try await Store.open(folder.database, witness: source)
        guard case .rewritten = store.standing else { Issue.record("\(String(describing: store.standing))"); return }
        try await store.begin(stamp: Samples.stamp, software: Samples.software)
        #expect(await store.head.open[Samples.intent(2)]?.decision != nil)
        await store.close()
        // The decision also survives a restart before the recovery.
        store = try await Store.open(folder.database, witness: source)
        #expect(store.standing == .continued)
        let closed = try await store.recover(stamp: Samples.stamp, software: Samples.software)
        #expect(closed.map(\.visit) == [Samples.intent(1), Samples.visit(2)])
        #expect(closed.map(\.outcome.result) == [.interrupted, .accepted])
        #expect(closed.last?.outcome.credential?.name != nil && closed.last?.outcome.gate?.opened == true)
        let report = try await store.verify()
        #expect(report.isIntact && report.openIntents.isEmpty, "\(report.lines)")
        await store.close()
    }
}
