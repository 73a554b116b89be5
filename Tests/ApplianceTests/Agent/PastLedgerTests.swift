import Aries
import Encoding
import Foundation
import Ledger
import Simulation
import Store
import TestKit
import Testing

@testable import Appliance

/// What destinations are owed of a ledger when another one takes its place.
@Suite(.timeLimit(.minutes(5)), .tags(.models)) struct PastLedgerTests {
    /// The primary agent has all but two visits of the old ledger, the copy, which was not there, three of thirteen.
    private func beginAnew(_ box: ClaimingBox) async throws -> (store: Store, old: Text) {
        var store = try await box.open()
        try await BackupBox.record(3, store)
        for peer in [box.primary, box.copy] { try await box.deliver(store, to: peer) }
        await box.copy.exchange.setUp(false)
        try await BackupBox.record(8, store)
        try await box.deliver(store, to: box.primary)
        try await BackupBox.record(2, store)
        let old = await store.head.ledger
        _ = await store.contradict("a head that was signed here")
        await store.close()
        store = try await box.open()
        #expect(store.hasBegunAnew)
        try await BackupBox.record(4, store)
        return (store, old)
    }

    /// Each gets the rest of the old ledger from its file and then the new one: nothing is lost, and nothing comes
    /// twice.
    @Test(arguments: [true, false]) func theRestComesOutOfTheFile(keepsLedgers: Bool) async throws {
        let box = try await ClaimingBox(keepsLedgers: keepsLedgers)
        var (store, old) = try await beginAnew(box)
        #expect(await store.debts.map(\.reports).sorted() == [2, 10])
        try await box.deliver(store, to: box.primary)
        // A restart in between changes nothing of it.
        await store.close()
        store = try await box.open()
        #expect(await store.debts.map(\.destination) == ["copy"])
        await box.copy.exchange.setUp(true)
        try await box.deliver(store, to: box.copy)
        let (left, lost) = (await store.debts, await store.lostReports)
        #expect(left.isEmpty && lost == 0)
        let new = await store.head.ledger
        for peer in [box.primary, box.copy] {
            if keepsLedgers {
                let (before, since) = (
                    try await ClaimingBox.outcomes(peer, old), try await ClaimingBox.outcomes(peer, new)
                )
                #expect(before.count == 13 && since.count == 5, "\(peer.name)")
                #expect((before + since).allSatisfy { $0.dropped == 0 })
                #expect(await peer.exchange.keeper?.repetitions == 0)
            } else {
                let ids = await peer.exchange.received.map(\.id)
                #expect(ids.count == 18 && Set(ids).count == 18, "\(peer.name)")
            }
        }
        #expect(try await store.verify().isIntact)
        await store.close()
    }

    /// The program ends after each post to the copy, whose answer is lost, and starts again: what was confirmed stays
    /// so, and nothing is left out.
    @Test func theRestSurvivesEveryEnd() async throws {
        let box = try await ClaimingBox()
        var (store, old) = try await beginAnew(box)
        await box.copy.exchange.setUp(true)
        var (ends, confirmed) = (0, 6)
        while await !store.debts.filter({ $0.destination == "copy" }).isEmpty, ends < 50 {
            let goal = await box.copy.exchange.posts + 1 + ends % 3
            if ends.isMultiple(of: 2) { await box.copy.exchange.loseAnswers(1) }
            _ = try await box.run(store, to: box.copy, batch: 4) { await box.copy.exchange.posts >= goal }
            await store.close()
            store = try await box.open()
            let now = await store.debts.first { $0.destination == "copy" }?.confirmed ?? 26
            #expect(now >= confirmed)
            (ends, confirmed) = (ends + 1, now)
        }
        #expect(ends > 2)
        for peer in [box.primary, box.copy] { try await box.deliver(store, to: peer) }
        for peer in [box.primary, box.copy] {
            let before = try await ClaimingBox.outcomes(peer, old)
            let since = try await ClaimingBox.outcomes(peer, await store.head.ledger)
            #expect(before.count == 13 && since.count == 5 && (before + since).allSatisfy { $0.dropped == 0 })
        }
        await store.close()
    }

    /// The process is killed at each thing that is stored on the way from the old ledger into the new one.
    @Test func anyWriteMayBeTheLast() async throws {
        let lives = try await Life.eachDeath { last, behind in
            let life = Life(dyingAt: last, behind: behind)
            let box = try await ClaimingBox()
            var (store, old) = try await beginAnew(box)
            let primary = box.primary
            let begun = store
            _ = try await box.run(store, to: primary, batch: 2, life: life) {
                let isAll = await begun.owed(to: primary.name) == 0
                return life.isDead || isAll
            }
            if life.isDead {
                await store.close()
                store = try await box.open()
                try await box.deliver(store, to: primary)
            }
            let before = try await ClaimingBox.outcomes(primary, old)
            let since = try await ClaimingBox.outcomes(primary, await store.head.ledger)
            #expect(before.count == 13 && since.count == 5 && (before + since).allSatisfy { $0.dropped == 0 })
            #expect(await store.debts.map(\.destination) == ["copy"])
            #expect(try await store.verify().isIntact)
            await store.close()
            return (life.writes, life.isDead)
        }
        #expect(lives >= 4)
    }

    /// What keeps the old ledger from being delivered.
    enum Loss: CaseIterable { case removed, altered, cut }

    /// The file is gone or is not what was sealed: none of it is delivered, and what is lost is counted, once, and told
    /// to both.
    @Test(arguments: Loss.allCases) func whatTheFileHasNotAnyMoreIsCounted(_ loss: Loss) async throws {
        let box = try await ClaimingBox()
        let (store, old) = try await beginAnew(box)
        let file = box.box.path("state/gatehouse.db.rewritten-1")
        switch loss {
        case .removed: try FileManager.default.removeItem(atPath: file)
        case .altered:
            var bytes = try Data(contentsOf: URL(fileURLWithPath: file))
            // In an intent, which is short enough to lie in one piece.
            let (from, to) = (Data(#""boot":"b""#.utf8), Data(#""boot":"c""#.utf8))
            while let place = bytes.range(of: from) { bytes.replaceSubrange(place, with: to) }
            try bytes.write(to: URL(fileURLWithPath: file))
        case .cut:
            try Data(try Data(contentsOf: URL(fileURLWithPath: file)).prefix(4096)).write(
                to: URL(fileURLWithPath: file))
        }
        await box.copy.exchange.setUp(true)
        for peer in [box.primary, box.copy] { try await box.deliver(store, to: peer) }
        let (left, lost) = (await store.debts, await store.lostReports)
        #expect(left.isEmpty && lost == 10)
        try await BackupBox.record(1, store)
        for peer in [box.primary, box.copy] {
            try await box.deliver(store, to: peer)
            let since = try await ClaimingBox.outcomes(peer, await store.head.ledger)
            #expect(since.reduce(0) { $0 + $1.dropped } == 10, "\(peer.name)")
        }
        #expect(try await ClaimingBox.outcomes(box.copy, old).count == 3)
        await store.close()
    }
}
