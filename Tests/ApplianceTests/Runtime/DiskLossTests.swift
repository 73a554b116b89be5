import Clocks
import CrashKit
import CrashVFS
import Credentials
import Encoding
import Foundation
import Kiosk
import Ledger
import Reasons
import Simulation
import Store
import Synchronization
import TestKit
import Testing

@testable import Backup
@testable import Commissioning
@testable import Courier
@testable import GateService
@testable import TrustFiles

/// Faults of the disk, ends of the service, and the records afterwards: no opening of the gate is without its
/// record, and every visit is in the ledger or counted as lost.
@Suite(.timeLimit(.minutes(3)), .tags(.realTime)) struct DiskLossTests {
    enum Fault: String, CaseIterable, Sendable {
        case full, broken, readOnly, slow, gone

        /// Whether the disk still takes records.
        var writes: Bool { self == .slow }
    }

    enum End: String, CaseIterable, Sendable {
        case stop, kill, powerCut
    }

    private struct Service {
        let disk: CrashDisk
        let store: Store
        let keeper: LedgerKeeper
        let written = StoredGate.Counter()
        let reports = Reports()
        let writing: Task<Void, Never>

        init(
            _ disk: CrashDisk, reserve path: String?, limits: KeeperQueue.Limits = KeeperQueue.Limits(),
            reserveSync: @escaping @Sendable (Int32) -> Int32 = { fdatasync($0) }
        ) async throws {
            self.disk = disk
            store = try await Store.open(disk.database)
            let reserve = try path.map { try Reserve(path: $0, bytes: 256 * 1024, sync: reserveSync) }
            if let reserve { _ = await reserve.restore(into: store) }
            try await store.recover(stamp: StoredGate.stamp, software: StoredGate.software)
            var limits = limits
            limits.retryAfter = .milliseconds(20)
            let keeper = LedgerKeeper(
                store: store, reserve: reserve, siteKey: try await store.siteKey(), limits: limits,
                clock: .system, spawner: .system, stamp: { StoredGate.stamp }, report: { [reports] in reports.add($0) },
                onChange: { [written] in written.add($0) })
            self.keeper = keeper
            writing = Task { await keeper.run() }
        }

        func end() async {
            keeper.finish()
            await writing.value
            await store.close()
        }

        func begin(_ fault: Fault) throws {
            switch fault {
            case .full: disk.fail(CRASH_FAULT_FULL)
            case .broken: disk.fail(CRASH_FAULT_IO)
            case .readOnly: disk.fail(CRASH_FAULT_READONLY)
            case .slow: disk.slow(.milliseconds(100))
            case .gone: try FileManager.default.removeItem(atPath: disk.database)
            }
        }

        /// Waits until that many outcomes are in the ledger or in the reserve.
        func holds(_ outcomes: Int) async -> Bool {
            await becomesTrue { keeper.shortfall.reserved + written.count >= outcomes }
        }
    }

    private static func path() -> String {
        MemoryFolder.place("reserve").path
    }

    @Test(arguments: Fault.allCases.flatMap { fault in End.allCases.map { (fault, $0) } }, [true, false])
    func everyVisitIsOnRecord(_ what: (fault: Fault, end: End), opens: Bool) async throws {
        let path = Self.path()
        defer { try? FileManager.default.removeItem(atPath: path) }
        let service = try await Service(try CrashDisk(), reserve: path)
        var gate = try StoredGate(
            keeper: service.keeper, written: service.written, disk: service.disk,
            visits: [.made(), .made(), .made(.iPhone), .made(.android13)], seed: 5
        ) { $0.whenLedgerFails = opens ? .open : .refuse }
        gate.pace = .free
        gate.verdicts = [.ok, .ok, .ok, .proofInvalid]
        #expect(await gate.run(visits: 1))
        #expect(await service.written.reaches(1))
        try service.begin(what.fault)
        #expect(await gate.run(visits: 4))
        #expect(gate.gateOpenings == (opens || what.fault.writes ? 3 : 1))
        #expect(await service.holds(4), "each outcome is on some disk")
        if !what.fault.writes {
            #expect(service.reports.last(.ledgerUnwritten)?.count == 3)
            #expect((service.reports.last(.ledgerReplaced)?.isPresent == true) == (what.fault == .gone))
        }
        // The service ends, the disk is repaired or the file restored, and the service starts again.
        if what.end == .stop {
            service.keeper.finish()
            await service.writing.value
            #expect(
                service.keeper.shortfall.reserved == (what.fault.writes ? 0 : 3) && service.keeper.shortfall.lost == 0)
        }
        let after = try service.disk.cut(
            before: .max, what.end == .powerCut ? CRASH_KEEP_NONE : CRASH_KEEP_ALL, seed: 1)
        // A killed process cannot write: what is left of it in this test writes to a disk that is not used
        // any more.
        let copy = path + ".copy"
        defer { try? FileManager.default.removeItem(atPath: copy) }
        try FileManager.default.copyItem(atPath: path, toPath: copy)
        let next = try await Service(after, reserve: copy)
        await next.end()
        #expect(next.keeper.shortfall == .none)
        try await Self.compare(after, gate)
        await service.end()
    }

    private static func compare(_ disk: CrashDisk, _ gate: StoredGate) async throws {
        let store = try await Store.open(disk.database)
        var found: [Text: Outcome] = [:]
        for entry in try await store.entries(after: 0, limit: 100) {
            guard case .outcome(let record) = try LedgerRecord(bytes: entry.body) else { continue }
            #expect(found.updateValue(record.outcome, forKey: record.visit) == nil, "recorded twice")
        }
        #expect(Set(found.keys) == Set(gate.outcomes.map(\.visit)))
        for (visit, outcome) in gate.outcomes {
            #expect(found[visit]?.result == outcome.result && found[visit]?.gate == outcome.gate)
        }
        for case .opened(let visit)? in gate.moments.map(\.fact) {
            #expect(found[visit]?.gate?.opened == true, "the gate opened without a record")
        }
        let report = try await store.verify()
        #expect(report.isIntact && report.openIntents.isEmpty)
        await store.close()
    }

    /// Without a reserve, visits that the disk refuses until the end are lost; each is counted and reported.
    @Test(arguments: [Fault.full, .broken, .readOnly, .gone]) func lossesAreCountedToTheVisit(_ fault: Fault)
        async throws
    {
        let service = try await Service(try CrashDisk(), reserve: nil)
        try service.begin(fault)
        for number in 1...40 {
            service.keeper.recordOutcome(
                VisitRecord(
                    VisitID("visit-\(number)"), using: nil,
                    Outcome(.accepted, gate: .shut, software: StoredGate.software)))
        }
        await service.end()
        #expect(service.keeper.shortfall.lost == 40 && service.keeper.shortfall.reserved == 0)
        #expect(service.reports.last(.ledgerLost)?.count == 40)
    }

    /// The disk works again while the service runs: the reserve is moved into the ledger in its order, and
    /// the fault is over.
    @Test func theReserveGoesIntoTheLedgerWhenTheDiskWorksAgain() async throws {
        let path = Self.path()
        defer { try? FileManager.default.removeItem(atPath: path) }
        let service = try await Service(try CrashDisk(), reserve: path)
        try service.begin(.full)
        for number in 1...100 {
            service.keeper.recordOutcome(
                VisitRecord(
                    VisitID("visit-\(number)"), using: nil,
                    Outcome(.accepted, gate: .shut, software: StoredGate.software), signedDigests: [[UInt8(number)]]))
        }
        #expect(await service.holds(100))
        #expect(service.reports.last(.ledgerUnwritten)?.count == 100)
        service.disk.heal()
        #expect(await service.written.reaches(100))
        await service.keeper.breathe()
        #expect(service.reports.last(.ledgerUnwritten)?.isPresent == false && service.keeper.shortfall == .none)
        #expect(service.reports.last(.ledgerLost) == nil)
        let visits = try await service.store.visits(last: 200).reversed().map { $0.record?.visit.string }
        #expect(visits == (1...100).map { "visit-\($0)" })
        await service.end()
    }

    /// A disk that hangs without failing: it is reported, intents are answered, and the waiting records are
    /// counted as such.
    @Test func aDiskThatHangsIsReportedAndDelaysNoVisit() async throws {
        var limits = KeeperQueue.Limits()
        limits.stallAfter = .milliseconds(300)
        let service = try await Service(try CrashDisk(), reserve: nil, limits: limits)
        let hang = Duration.seconds(2)
        service.disk.slow(hang)
        let slowed = ContinuousClock.now
        service.keeper.recordOutcome(
            VisitRecord(
                VisitID("visit-1"), using: nil,
                Outcome(.accepted, gate: .shut, software: StoredGate.software)))
        #expect(await becomesTrue { service.reports.last(.ledgerUnwritten)?.isPresent == true })
        #expect(ContinuousClock.now - slowed < hang, "told while it hangs")
        #expect(service.reports.last(.ledgerUnwritten)?.detail?.contains("has not responded") == true)
        let shortfall = service.keeper.shortfall
        #expect(shortfall.inMemory == 1 && shortfall.reserved == 0 && shortfall.lost == 0)
        let failure = await withCheckedContinuation { answer in
            service.keeper.recordIntent(IntentID("visit-2")) { answer.resume(returning: $0) }
        }
        #expect(failure != nil && service.written.count == 0, "while it hangs")
        await service.keeper.breathe()
        #expect(service.written.count == 0, "the keeper turns all the same")
        service.disk.slow(.zero)
        #expect(await service.written.reaches(1))
        await service.keeper.breathe()
        #expect(service.reports.last(.ledgerUnwritten)?.isPresent == false && service.keeper.shortfall == .none)
        await service.end()
    }

    /// A reserve's disk that hangs while it is held, for eight seconds at most.
    private final class HangingSync: Sendable {
        private let state = Mutex((isHeld: false, waiting: 0, ended: 0))
        /// Whether a sync waits for the disk.
        var hangs: Bool { state.withLock { $0.waiting > 0 } }
        /// The number of syncs that have ended since the disk was held.
        var ended: Int { state.withLock { $0.ended } }

        func hold() { state.withLock { $0 = (true, $0.waiting, 0) } }
        func letGo() { state.withLock { $0.isHeld = false } }

        @Sendable func sync(_ descriptor: Int32) -> Int32 {
            state.withLock { $0.waiting += 1 }
            let end = ContinuousClock.now + .seconds(8)
            while state.withLock({ $0.isHeld }), ContinuousClock.now < end { usleep(1000) }
            state.withLock { ($0.waiting, $0.ended) = ($0.waiting - 1, $0.ended + 1) }
            return fdatasync(descriptor)
        }
    }

    /// Expects that, before the reserve's disk answers, the keeper reports the hanging disk, completes its
    /// turns and answers intents.
    private static func isReportedAndDelaysNoVisit(_ service: Service, _ disk: HangingSync) async throws {
        func isTold() -> Bool {
            service.reports.last(.ledgerUnwritten)?.detail?.contains("has not responded") == true
        }
        var isKnown = false
        while !isKnown, disk.ended == 0 {
            // The hang is read before the turn, so that the report is about this disk, and not about an
            // earlier slow step.
            let hangs = disk.hangs
            await service.keeper.breathe()
            isKnown = hangs && isTold()
            if !isKnown { try await Task.sleep(for: .milliseconds(5)) }
        }
        #expect(isKnown)
        let failure = await withCheckedContinuation { answer in
            service.keeper.recordIntent(IntentID("comer")) { answer.resume(returning: $0) }
        }
        #expect(failure != nil && disk.ended == 0, "while it hangs")
    }

    private static func begun(stalling disk: HangingSync, reserve path: String) async throws -> Service {
        var limits = KeeperQueue.Limits()
        limits.stallAfter = .milliseconds(300)
        return try await Service(try CrashDisk(), reserve: path, limits: limits, reserveSync: disk.sync)
    }

    private static func record(_ visits: [Text], in service: Service) {
        for visit in visits {
            service.keeper.recordOutcome(
                VisitRecord(
                    VisitID(visit.string), using: nil,
                    Outcome(.accepted, gate: .shut, software: StoredGate.software)))
        }
    }

    private static func visits(_ store: Store) async throws -> [Text?] {
        try await store.visits(last: 10).reversed().map { $0.record?.visit }
    }

    /// The database refuses and the reserve's disk hangs: that is reported, and costs neither turns of the
    /// keeper nor a record.
    @Test(arguments: [false, true]) func aReserveThatHangsDelaysNoVisit(endsMeanwhile: Bool) async throws {
        let (path, disk) = (Self.path(), HangingSync())
        defer { try? FileManager.default.removeItem(atPath: path) }
        let service = try await Self.begun(stalling: disk, reserve: path)
        try service.begin(.full)
        disk.hold()
        Self.record(["visit-1"], in: service)
        try await Self.isReportedAndDelaysNoVisit(service, disk)
        Self.record(["visit-2"], in: service)
        let shortfall = service.keeper.shortfall
        #expect(shortfall.inMemory == 2 && shortfall.reserved == 0 && shortfall.lost == 0)
        if endsMeanwhile { service.keeper.finish() }
        disk.letGo()
        if endsMeanwhile {
            await service.writing.value
            #expect(service.keeper.shortfall.reserved == 2 && service.keeper.shortfall.lost == 0)
        } else {
            #expect(await service.holds(2))
            service.disk.heal()
            #expect(await service.written.reaches(2))
            await service.keeper.breathe()
            #expect(service.reports.last(.ledgerUnwritten)?.isPresent == false && service.keeper.shortfall == .none)
            #expect(try await Self.visits(service.store) == ["visit-1", "visit-2"])
        }
        await service.end()
    }

    /// The same while the reserve is moved into a database that works again.
    @Test func aReserveThatHangsWhileEmptiedDelaysNoVisit() async throws {
        let (path, disk) = (Self.path(), HangingSync())
        defer { try? FileManager.default.removeItem(atPath: path) }
        let service = try await Self.begun(stalling: disk, reserve: path)
        try service.begin(.full)
        Self.record(["visit-1"], in: service)
        #expect(await service.holds(1))
        disk.hold()
        service.disk.heal()
        try await Self.isReportedAndDelaysNoVisit(service, disk)
        Self.record(["visit-2"], in: service)
        service.keeper.finish()
        disk.letGo()
        await service.writing.value
        #expect(service.keeper.shortfall == .none)
        #expect(try await Self.visits(service.store) == ["visit-1", "visit-2"])
        await service.end()
    }

    /// Phones that send nothing useful arrive at the same time as honest visitors. There are more of these
    /// phones than the card can record, and some have an intent of their own. An honest visitor waits only for
    /// the current sync and for the sync of his intent. The storm stays below the limit of the memory, so that
    /// none of its records is lost either, however slow the machine is.
    @Test(arguments: [Duration.milliseconds(100), .milliseconds(300)])
    func anHonestIntentIsDurableWithinTwoSyncs(sync: Duration) async throws {
        let service = try await Service(try CrashDisk(), reserve: nil)
        service.disk.slow(sync)
        let junk = Outcome(
            .failed, reasons: [Outcome.Reason("transfer.silence")], gate: .shut, software: StoredGate.software)
        let room = KeeperQueue.Limits().ordinary - 100
        let storm = Task {
            for number in 0..<100_000 where !Task.isCancelled {
                while service.keeper.shortfall.inMemory > room, !Task.isCancelled {
                    try? await Task.sleep(for: .milliseconds(5))
                }
                let visit = VisitID("storm-\(number)")
                if number.isMultiple(of: 3) { service.keeper.recordIntent(IntentID(visit.text)) { _ in } }
                service.keeper.recordOutcome(VisitRecord(visit, using: nil, junk))
                service.keeper.recordOutcome(
                    VisitRecord(
                        VisitID("turned-away-\(number)"), using: nil,
                        Outcome(.rejected, gate: .shut, software: StoredGate.software)))
                try? await Task.sleep(for: .milliseconds(5))
            }
        }
        try await Task.sleep(for: sync * 2)
        let (disk, keeper) = (service.disk, service.keeper)
        var (most, trials) = (0, 0)
        for number in 1...60 where trials < 8 {
            let before = disk.syncs
            var isPrompt = false
            let (failure, after) = await withCheckedContinuation {
                (continuation: CheckedContinuation<(LedgerFailure?, UInt64), Never>) in
                // Counted at the answer, before the keeper's next sync can begin.
                keeper.recordIntent(IntentID("honest-\(number)")) { continuation.resume(returning: ($0, disk.syncs)) }
                isPrompt = disk.syncs == before
            }
            #expect(failure == nil)
            // A sync that ended before the intent was handed over does not count as waiting: try the next
            // one.
            guard isPrompt else { continue }
            trials += 1
            most = max(most, Int(after - before))
        }
        #expect(trials == 8)
        storm.cancel()
        await storm.value
        print("keeper: \(sync) a sync, an honest intent beside a storm took at most \(most) syncs")
        #expect(most <= 2)
        service.disk.slow(.zero)
        await service.end()
        #expect(service.keeper.shortfall == .none)
    }
}
