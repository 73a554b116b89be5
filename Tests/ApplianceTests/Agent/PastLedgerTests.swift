import Aries
import Encoding
import Foundation
import Ledger
import Reasons
import Simulation
import Store
import TestKit
import Testing

@testable import Courier

/// The delivery of the rest of a ledger after another ledger has replaced it.
@Suite(.timeLimit(.minutes(5)), .tags(.models)) struct PastLedgerTests {
    /// The primary agent has all but two visits of the old ledger; the copy agent, which was unreachable, has
    /// three of thirteen.
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
        #expect(store.hasBegunNewLedger)
        try await BackupBox.record(4, store)
        return (store, old)
    }

    /// Each agent gets the rest of the old ledger from its file and then the new ledger: nothing is lost, and
    /// nothing arrives twice.
    @Test(arguments: [true, false]) func theRemainingEntriesAreReadFromTheFile(keepsLedgers: Bool) async throws {
        let box = try await ClaimingBox(keepsLedgers: keepsLedgers)
        var (store, old) = try await beginAnew(box)
        #expect(await store.debts.map(\.reports).sorted() == [2, 10])
        try await box.deliver(store, to: box.primary)
        // A restart in between makes no difference.
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

    /// The program ends after each post to the copy agent, whose answer is lost, and starts again: confirmed
    /// entries stay confirmed, and none is left out.
    @Test func theRemainingEntriesSurviveEveryEnd() async throws {
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

    /// The process is killed at each write on the way from the old ledger to the new one.
    @Test func theProcessMayEndAtAnyWrite() async throws {
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

    /// The damage that prevents delivery of the old ledger.
    enum Loss: CaseIterable { case removed, altered, cut }

    /// The file is missing or does not match its seal: none of it is delivered. The entries that the primary
    /// agent lacks are counted, once, and reported to both agents; the entries that the copy agent lacks do
    /// not add to that count.
    @Test(arguments: Loss.allCases) func entriesMissingInTheFileAreCounted(_ loss: Loss) async throws {
        let box = try await ClaimingBox()
        let (store, old) = try await beginAnew(box)
        let file = box.box.path("state/gatehouse.db.rewritten-1")
        switch loss {
        case .removed: try FileManager.default.removeItem(atPath: file)
        case .altered:
            var bytes = try Data(contentsOf: URL(fileURLWithPath: file))
            // The change is in an intent, which is short enough to be contiguous in the file.
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
        #expect(left.isEmpty && lost == 2)
        try await BackupBox.record(1, store)
        for peer in [box.primary, box.copy] {
            try await box.deliver(store, to: peer)
            let since = try await ClaimingBox.outcomes(peer, await store.head.ledger)
            #expect(since.reduce(0) { $0 + $1.dropped } == 2, "\(peer.name)")
        }
        #expect(try await ClaimingBox.outcomes(box.copy, old).count == 3)
        await store.close()
    }

    /// The file cannot be read: each attempt is reported, and after the last one the new ledger is delivered.
    /// Each destination loses only its own part.
    @Test func anUnreadableFileDelaysNothingForEver() async throws {
        let box = try await ClaimingBox()
        let (store, old) = try await beginAnew(box)
        let file = box.box.path("state/gatehouse.db.rewritten-1")
        // With a folder in the place of SQLite's log, even root cannot read the file.
        let obstacle = file + "-wal"
        try? FileManager.default.removeItem(atPath: obstacle)
        try FileManager.default.createDirectory(atPath: obstacle, withIntermediateDirectories: false)
        let notices = try await box.run(store, to: box.primary, patience: 3) {
            await store.owed(to: box.primary.name) == 0
        }
        let unread = notices.count { if case .pastUnread = $0 { true } else { false } }
        let givenUp = notices.compactMap { if case .pastGivenUp(let reports, _) = $0 { reports } else { nil } }
        #expect(unread == 2 && givenUp == [2])
        #expect(await store.debts.map(\.destination) == ["copy"], "the copy has its own")
        #expect(await store.lostReports == 2)
        try FileManager.default.removeItem(atPath: obstacle)
        await box.copy.exchange.setUp(true)
        try await box.deliver(store, to: box.copy)
        #expect(try await ClaimingBox.outcomes(box.copy, old).count == 13)
        for peer in [box.primary, box.copy] {
            let since = try await ClaimingBox.outcomes(peer, await store.head.ledger)
            #expect(since.count == 5, "\(peer.name)")
        }
        await store.close()
    }

    /// A keeper that always answers that another connection writes the old ledger gets the new one. The loss
    /// of a copy does not count for the primary agent.
    @Test(arguments: [true, false]) func aLedgerThatStaysForeignDelaysNothing(isCopy: Bool) async throws {
        let box = try await ClaimingBox()
        let (store, old) = try await beginAnew(box)
        await box.copy.exchange.setUp(true)
        let peer = isCopy ? box.copy : box.primary
        await peer.exchange.withAgent { $0.keeper?.foreign = [old] }
        let notices = try await box.run(store, to: peer, patience: 3) { await store.owed(to: peer.name) == 0 }
        #expect(notices.contains(.held(.foreign)), "it is reported meanwhile")
        let givenUp = notices.compactMap { if case .pastGivenUp(let reports, _) = $0 { reports } else { nil } }
        #expect(givenUp == [isCopy ? 10 : 2])
        let (lost, dropped) = (await store.lostReports, await store.head.dropped)
        #expect(lost == (isCopy ? 0 : 2) && dropped == lost)
        #expect(try await ClaimingBox.outcomes(peer, old).count == (isCopy ? 3 : 11))
        #expect(try await ClaimingBox.outcomes(peer, await store.head.ledger).count == 5)
        #expect(await store.debts.map(\.destination) == [isCopy ? DeliveryCursor.primary : "copy"])
        await store.close()
    }

    /// A delivery of the old ledger that is under way when that ledger is given up reads nothing of the new
    /// one.
    @Test func noEntryGoesOutUnderAnotherLedgersID() async throws {
        let box = try await ClaimingBox()
        let (store, old) = try await beginAnew(box)
        let courier = try await box.box.courier(store)
        let outbox = StoredOutbox(store, courier, box.primary.name)
        let connection = try #require(await store.deliveries[box.primary.name]?.connection)
        let state = try #require(try await outbox.takeOver(by: connection))
        #expect(state.isPast && state.end.ledger == old)
        func read(_ ledger: Text) async throws -> Int? {
            try await outbox.entries(
                of: ledger, after: 0, limit: 100, bytes: 1 << 20, reports: false, over: connection)?
                .count
        }
        #expect(try await read(old) == state.end.position)
        try await store.giveUp(box.primary.name, past: old)
        let new = await store.head.ledger
        #expect(try await read(old) == 0)
        #expect(try await outbox.hash(of: old, at: 3) == nil)
        #expect(try await read(new) == store.head.point.count)
        let hash = try await outbox.hash(of: new, at: 3)
        #expect(hash != nil)
        await courier.close()
        await store.close()
    }

    /// The faults of a destination: one while reads are repeated, and one for the loss, which stays.
    @Test func repeatedReadsAndLossesAreFaults() {
        var faults = AgentFaults()
        #expect(faults.take(.pastUnread("the disk fails"), of: "copy").added == .reportsRefused)
        #expect(faults.take(.pastGivenUp(reports: 3, "the disk fails"), of: "copy").added == .reportsDropped)
        _ = faults.take(.tookOver(position: 0), of: "copy")
        _ = faults.removed("copy", isEmpty: true, isServed: false)
        #expect(faults.of("copy") == [.reportsDropped])
        #expect(faults.of("primary").isEmpty)
    }
}
