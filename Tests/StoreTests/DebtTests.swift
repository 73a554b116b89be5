import Encoding
import Foundation
import Ledger
import TestKit
import Testing

@testable import Store

/// Debts: unconfirmed entries of earlier ledgers, in the database and in the files next to it.
@Suite struct DebtTests {
    private func asides(_ folder: TestFolder) throws -> [String] {
        StoreFile.numbered(folder.database, PastLedgers.word)
    }

    /// Starts a new ledger in place of the present ledger, as after a contradiction by a head that this gate signed.
    private func beginAnew(_ witnessed: WitnessedLedger) async throws -> Store {
        var store = try await witnessed.open()
        #expect(await store.contradict("a head that was signed here"))
        await store.close()
        store = try await witnessed.open()
        #expect(store.hasBegunNewLedger)
        try await store.begin(stamp: Samples.stamp, software: Samples.software)
        try await store.recover(stamp: Samples.stamp, software: Samples.software)
        return store
    }

    /// Each destination has its own debts. The debts are sealed and survive restarts and further ledgers. Only
    /// confirmations reduce them.
    @Test func eachDestinationHasItsOwnDebt() async throws {
        let witnessed = try await WitnessedLedger(StoreOptions())
        var store = try await witnessed.open()
        try await store.confirm(upTo: 20)
        await store.close()
        store = try await beginAnew(witnessed)
        let (untold, lost) = (await store.head.dropped, await store.lostReports)
        #expect(untold == 0 && lost == 0, "nothing is lost")
        func debt(_ destination: Text) async -> PastDebt? {
            await store.debts.first { $0.destination == destination && $0.ledger == witnessed.ledger }
        }
        #expect(await debt(DeliveryCursor.primary)?.confirmed == 20)
        let copy = try #require(await debt("copy"))
        #expect(copy.end.count == witnessed.count && copy.confirmed == 5)
        let reader = try #require(try await PastLedgers(path: witnessed.folder.database).reader(of: copy))
        #expect(try await reader.entries(after: 0, limit: 1000).count == witnessed.count)
        #expect(try await reader.outcomes(after: 5, through: witnessed.count) == copy.reports)

        try await store.confirm("copy", past: witnessed.ledger, upTo: 10, reports: 4, lost: 0, over: "stranger")
        #expect(await debt("copy") == copy)
        try await store.confirm("copy", past: witnessed.ledger, upTo: 10, reports: 4, lost: 0, over: "other")
        try await store.confirm("copy", past: witnessed.ledger, upTo: 6, reports: 4, lost: 0, over: "other")
        var paid = copy
        paid.confirm(upTo: 10, reports: 4)
        #expect(await debt("copy") == paid && paid.entries == witnessed.count - 10)
        let second = await store.head.ledger
        await store.close()

        store = try await beginAnew(witnessed)
        #expect(await debt("copy") == paid, "an older debt is inherited")
        #expect(await store.debts.filter { $0.destination == "copy" }.map(\.ledger) == [witnessed.ledger, second])
        try await store.confirm(
            "copy", past: witnessed.ledger, upTo: witnessed.count, reports: paid.reports, lost: 0, over: "other")
        #expect(await debt("copy") == nil)
        #expect(try await store.verify().isIntact)
        await store.close()
        try witnessed.folder.edit("UPDATE debt SET confirmed = confirmed + 1 WHERE destination = 'primary'")
        store = try await witnessed.open()
        guard case .rewritten = store.standing else { Issue.record("not sealed"); return }
        #expect(await store.debts.isEmpty, "it is not authentic")
        let (dropped, reports) = (await store.head.dropped, await store.lostReports)
        #expect(reports > 0 && dropped >= reports, "and that is counted")
        await store.close()
    }

    /// A debt that is given up belongs to one destination. A loss of the primary destination is counted once. A loss of
    /// a copy agent is not counted.
    @Test func abandonedDebtsAreCountedOnce() async throws {
        let witnessed = try await WitnessedLedger(StoreOptions())
        var store = try await witnessed.open()
        try await store.confirm(upTo: 20)
        await store.close()
        store = try await beginAnew(witnessed)
        func reports(_ destination: Text) async -> Int? {
            await store.debts.first { $0.destination == destination }?.reports
        }
        let (most, copy) = (try #require(await reports(DeliveryCursor.primary)), try #require(await reports("copy")))
        #expect(copy > most)
        #expect(try await store.giveUp("copy", past: witnessed.ledger) == copy)
        let (untold, none) = (await store.head.dropped, await store.lostReports)
        #expect(untold == 0 && none == 0, "it is not lost to the primary")
        #expect(await reports(DeliveryCursor.primary) == most)
        #expect(try await store.giveUp(DeliveryCursor.primary, past: witnessed.ledger) == most)
        #expect(try await store.giveUp(DeliveryCursor.primary, past: witnessed.ledger) == 0)
        #expect(await store.debts.isEmpty)
        let (dropped, lost) = (await store.head.dropped, await store.lostReports)
        #expect(dropped == most && lost == most)
        try await store.appendOutcome(Samples.visit(60), Samples.accepted, stamp: Samples.stamp)
        #expect(try await store.waiting().map(\.record.dropped).reduce(0, +) == most)
        await store.close()
    }

    /// A copy agent has a debt of the first ledger, and its connection was deleted in the second ledger. The copy agent
    /// gets a debt of the second ledger, too.
    @Test func anAgentWithADebtButNoConnectionGetsDebtsOfTheNextLedger() async throws {
        let witnessed = try await WitnessedLedger(StoreOptions())
        var store = try await beginAnew(witnessed)
        try await store.letGo(of: "other")
        try await store.appendOutcome(Samples.visit(60), Samples.accepted, stamp: Samples.stamp)
        let (second, count) = (await store.head.ledger, await store.head.point.count)
        await store.close()
        store = try await beginAnew(witnessed)
        let debts = await store.debts.filter { $0.destination == "copy" }
        #expect(debts.map(\.ledger) == [witnessed.ledger, second])
        #expect(debts.last?.entries == count)
        await store.close()
    }

    /// A folder that cannot be listed does not prove that the file is missing, so no debt is given up.
    @Test func aFolderThatCannotBeListedGivesNothingUp() async throws {
        let witnessed = try await WitnessedLedger(StoreOptions())
        let store = try await beginAnew(witnessed)
        let debt = try #require(await store.debts.first)
        let past = PastLedgers(path: "/dev/null/gatehouse.db")
        await #expect(throws: StoreError.self) { try await past.reader(of: debt) }
        #expect(await past.failed(debt) == 1)
        #expect(await past.failed(debt) == 2)
        await store.close()
    }

    /// Replaced database files are kept under increasing numbers. The oldest files are removed, and the store names the
    /// removed files.
    @Test func theNumberOfKeptFilesIsBounded() async throws {
        let witnessed = try await WitnessedLedger(StoreOptions())
        var (removed, givenUp): ([String], [PastDebt]) = ([], [])
        for number in 1...PastDebt.ledgers + 2 {
            let store = try await beginAnew(witnessed)
            removed += store.removed
            givenUp += store.givenUp
            let names = try asides(witnessed.folder)
            #expect(names.last == "\(witnessed.folder.database).rewritten-\(number)")
            #expect(names.count == min(number, PastDebt.ledgers))
            // When the file of a ledger is removed, the debts of that ledger are given up and counted.
            #expect(Set(await store.debts.map(\.ledger)).count <= PastDebt.ledgers)
            await store.close()
        }
        #expect(givenUp.allSatisfy { $0.destination == "copy" || $0.destination == DeliveryCursor.primary })
        #expect(givenUp.count == 4, "what is given up is named")
        #expect(removed == (1...2).map { "\(witnessed.folder.database).rewritten-\($0)" })
        #expect(removed.allSatisfy { !FileManager.default.fileExists(atPath: $0) })
    }

    /// A start is interrupted after the old database got its second name and before the new ledger exists. The next
    /// start does not keep the old file twice.
    @Test func aStartThatWasCutOffPutsNothingAsideTwice() async throws {
        let witnessed = try await WitnessedLedger(StoreOptions())
        let store = try await witnessed.open()
        #expect(await store.contradict("a head that was signed here"))
        await store.close()
        _ = try StoreFile.link(witnessed.folder.database, as: PastLedgers.word)
        let next = try await witnessed.open()
        #expect(next.hasBegunNewLedger)
        #expect(try asides(witnessed.folder).count == 1)
        #expect(await next.debts.count == 2)
        await next.close()
    }

    /// A different file under the name of the ledger is not mistaken for the ledger. The right file next to it is
    /// found.
    @Test func onlyTheLedgerThatWasSealedIsDelivered() async throws {
        let witnessed = try await WitnessedLedger(StoreOptions())
        let store = try await beginAnew(witnessed)
        let database = witnessed.folder.database
        let forged = try TestFolder("store", inMemory: true)
        try FileManager.default.copyItem(atPath: database + ".rewritten-1", toPath: forged.database)
        // The chain is recomputed after the change, so only the end of the chain reveals the change.
        let entries = try await LedgerReader(path: forged.database).entries(after: 7, limit: 1000)
        var hash = entries[0].hash
        var edits = ""
        for entry in entries.dropFirst() {
            let body = entry.position == 9 ? Array("{}".utf8) : entry.body
            hash = hash.next(position: entry.position, body: body)
            edits +=
                "UPDATE entry SET body = x'\(Hex.encode(body))', hash = x'\(hash.hex)' "
                + "WHERE position = \(entry.position);"
        }
        try forged.edit(edits + "UPDATE chain SET hash = x'\(hash.hex)'")
        try FileManager.default.copyItem(atPath: forged.database, toPath: database + ".rewritten-2")
        try Data("no database".utf8).write(to: URL(fileURLWithPath: database + ".rewritten-3"))
        let debt = try #require(await store.debts.first { $0.destination == "copy" })
        #expect(try await PastLedgers(path: database).reader(of: debt) != nil)
        try FileManager.default.removeItem(atPath: database + ".rewritten-1")
        #expect(try await PastLedgers(path: database).reader(of: debt) == nil)
        await store.close()
    }

    /// A database of the previous schema version has no debts. It is migrated, and the ledger continues.
    @Test func aDatabaseOfTheVersionBeforeGoesOn() async throws {
        let witnessed = try await WitnessedLedger(StoreOptions())
        try witnessed.folder.edit(
            "DROP TABLE debt; DELETE FROM grdb_migrations WHERE identifier = '10 debts of ledgers before'")
        #expect(try await LedgerReader(path: witnessed.folder.database).verify().isIntact)
        var store = try await witnessed.open()
        #expect(store.standing == .continued)
        #expect(await store.debts.isEmpty)
        await store.close()
        store = try await beginAnew(witnessed)
        #expect(await store.debts.count == 2)
        await store.close()
    }
}
