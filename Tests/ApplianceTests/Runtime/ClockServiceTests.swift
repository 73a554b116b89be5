import Clocks
import Credentials
import Encoding
import Foundation
import Kiosk
import Ledger
import LinuxIO
import Reasons
import Simulation
import Store
import Synchronization
import TestKit
import Testing
import Workbench

@testable import GateService

/// The clock in service: the state that is kept over a restart, and the way of an acceptance from the command
/// to the gate.
@Suite("The clock service")
struct ClockServiceTests {
    private let stepped = ReasonCode.clockStepped.text
    private let contradicted = ReasonCode.clockContradicted.text

    /// A clock whose readings a test sets.
    private final class Hands: Sendable {
        private let look: Mutex<ClockGuard.Reading>

        init(_ utc: Int64) {
            look = Mutex(
                .init(
                    utc: Timestamp(seconds: utc), monotonic: .zero, isSynchronised: false, hardware: .agrees))
        }

        func read() -> ClockGuard.Reading { look.withLock { $0 } }
        func set(_ utc: Int64, isSynchronised: Bool = false) {
            look.withLock { ($0.utc, $0.isSynchronised) = (Timestamp(seconds: utc), isSynchronised) }
        }
        func pass(_ seconds: Int64) {
            look.withLock { look in
                look.utc.seconds += seconds
                look.monotonic = look.monotonic.advanced(by: .seconds(seconds))
            }
        }
    }

    /// Returns the acceptance of an operator who saw that date, `seconds` after the start of the machine.
    private func word(_ date: Int64, after seconds: Int64 = 0, in boot: Text = "boot") -> ClockAcceptance.Confirmation {
        .init(
            .init(utc: Timestamp(seconds: date), at: Instant(nanoseconds: seconds * 1_000_000_000)),
            boots: ["kernel", boot])
    }

    private struct Service {
        let watch: ClockWatch
        let service: ClockService
        let log: LogSink
        let told: @Sendable () -> [String]
    }

    private func service(_ hands: Hands, _ store: Store, _ folder: TestFolder) async throws -> Service {
        let (told, log) = (Reports(), try LogSink(.file(folder.path + "/log")))
        let watch = ClockWatch(newest: await store.savedClock, skew: .seconds(60), look: { hands.read() })
        let service = ClockService(
            watch: watch, store: store, acceptance: ClockAcceptance(database: folder.database),
            boot: "boot", clock: .system, log: log, report: told.report)
        return Service(
            watch: watch, service: service, log: log,
            told: { told.all.map { ($0.isPresent ? "" : "over ") + $0.code.text } })
    }

    @Test("an acceptance heals a date of the far future, in the running service and for every start after")
    func acceptance() async throws {
        let (folder, today) = (try TestFolder("clock"), Int64(1_767_225_600))
        var store = try await Store.open(folder.database)
        try await store.saveClock(WallTime(utc: Timestamp(seconds: 4_000_000_000), provenance: .rtc))
        let hands = Hands(today)
        var parts = try await service(hands, store, folder)
        await parts.service.turn(at: .zero)
        #expect(parts.watch.now().provenance == .saved && parts.told() == [contradicted])

        let acceptance = ClockAcceptance(database: folder.database)
        try acceptance.leave(word(today))
        await parts.service.turn(at: .zero)
        #expect(parts.watch.now() == WallTime(utc: Timestamp(seconds: today), provenance: .rtc))
        #expect(parts.told() == [contradicted, "over " + contradicted])
        #expect(acceptance.pending() == nil, "taken over")
        #expect(await store.savedClock == Timestamp(seconds: today))
        await store.close()

        store = try await Store.open(folder.database)
        parts = try await service(hands, store, folder)
        await parts.service.turn(at: .zero)
        #expect(parts.watch.now().provenance == .rtc && parts.told().isEmpty)
        await store.close()
    }

    @Test("a restart takes over the date that was confirmed, and not the one that was in doubt")
    func confirmed() async throws {
        let (folder, evening) = (try TestFolder("clock"), Int64(1_767_225_600))
        let store = try await Store.open(folder.database)
        let hands = Hands(evening)
        let parts = try await service(hands, store, folder)
        await parts.service.turn(at: .zero)
        hands.pass(10)
        hands.set(evening + 40_000, isSynchronised: true)
        await parts.service.turn(at: .zero)
        #expect(parts.watch.now().alternative == Timestamp(seconds: evening + 10))
        #expect(parts.told() == [stepped, ReasonCode.clockUnconfirmed.text])
        let kept = StoredDate.read(
            try await store.setting(StoredDate.setting), boots: ["boot"], at: hands.read().monotonic)
        #expect(kept?.confirmed == DatedInstant(utc: Timestamp(seconds: evening), at: .zero))
        let next = ClockWatch(newest: await store.savedClock, skew: .seconds(60), memory: kept) { hands.read() }
        #expect(next.now().alternative == Timestamp(seconds: evening + 10))
        await store.close()
    }

    @Test("an acceptance that was left while the service was off counts from its first record on")
    func offline() async throws {
        let (folder, today) = (try TestFolder("clock"), Int64(1_767_225_600))
        let store = try await Store.open(folder.database)
        try await store.saveClock(WallTime(utc: Timestamp(seconds: 4_000_000_000), provenance: .rtc))
        let hands = Hands(today)
        hands.set(today, isSynchronised: true)
        let parts = try await service(hands, store, folder)
        #expect(parts.watch.now().provenance == .unset, "a time server alone does not overrule the ledger")
        hands.pass(3600)
        try ClockAcceptance(database: folder.database).leave(word(today))
        await parts.service.turn(at: .zero)
        #expect(parts.watch.now().provenance == .synchronised)
        await store.close()
    }

    @Test("an acceptance confirms the date that was seen with the time since, and no other")
    func otherDate() async throws {
        let (today, hour, day) = (Int64(1_767_225_600), Int64(3600), Int64(86_400))
        // The accepted date; the time since, and the boot of the machine; the difference of the clock from
        // that date now.
        for (what, word, passed, step, refusal) in [
            ("at once", word(today), 0, 0, nil), ("the next day", word(today), day, 0, nil),
            ("within the skew", word(today), hour, 60, nil), ("and back", word(today), hour, -60, nil),
            ("the clock was set", word(today), hour, 64, .otherDate),
            ("a time server says the next morning", word(today), hour, 11 * hour, .otherDate),
            ("and back", word(today), hour, -62, .otherDate),
            ("too long ago", word(today), day + 1, 0, .tooOld),
            ("before the machine was started", word(today, in: "other"), hour, 0, .otherStart),
            ("later in another start", word(today, after: 2 * hour), hour, 0, .otherStart),
        ] as [(String, ClockAcceptance.Confirmation, Int64, Int64, ClockAcceptance.Refusal?)] {
            let folder = try TestFolder("clock")
            let store = try await Store.open(folder.database)
            try await store.saveClock(WallTime(utc: Timestamp(seconds: 4_000_000_000), provenance: .rtc))
            let hands = Hands(today)
            let parts = try await service(hands, store, folder)
            let acceptance = ClockAcceptance(database: folder.database)
            try acceptance.leave(word)
            hands.pass(passed)
            hands.set(today + passed + step, isSynchronised: true)
            await parts.service.turn(at: .zero)
            #expect(parts.watch.now().provenance == (refusal == nil ? .synchronised : .unset), "\(what)")
            #expect(acceptance.pending() == nil, "dropped or taken over: \(what)")
            #expect(parts.log.flush(within: .seconds(60)))
            let log = try String(contentsOfFile: folder.path + "/log", encoding: .utf8)
            #expect(log.contains(refusal == nil ? "date.accepted" : "date.refused"), "\(what): \(log)")
            #expect(log.contains(refusal?.rawValue ?? "date.accepted"), "\(what): \(log)")
            await store.close()
        }
    }

    @Test("what was confirmed last is kept every hour and at the end, for the next start of the machine")
    func lastConfirmed() async throws {
        let (folder, evening) = (try TestFolder("clock"), Int64(1_767_225_600))
        let store = try await Store.open(folder.database)
        let hands = Hands(evening)
        let parts = try await service(hands, store, folder)
        func next() async throws -> Int64? {
            let kept = StoredDate.read(try await store.setting(StoredDate.setting), boots: ["next"], at: .zero)
            return kept?.earlier.map { $0.utc.seconds - evening }
        }
        await parts.service.turn(at: .zero)
        #expect(try await next() == 0)
        hands.pass(3599)
        await parts.service.turn(at: .zero)
        #expect(try await next() == 0, "not at each look")
        hands.pass(1)
        await parts.service.turn(at: .zero)
        #expect(try await next() == 3600)
        hands.pass(10)
        _ = parts.watch.now()
        await parts.service.finish()
        #expect(try await next() == 3610)
        await store.close()
    }

    @Test("an acceptance counts though the disk refuses it, and lies there until the disk takes it")
    func refused() async throws {
        let (folder, today) = (try TestFolder("clock"), Int64(1_767_225_600))
        let store = try await Store.open(folder.database)
        let hands = Hands(today)
        let parts = try await service(hands, store, folder)
        await store.close()
        hands.set(today - 86_400)
        #expect(parts.watch.now().provenance == .rtc, "a new box")
        hands.set(today)
        try ClockAcceptance(database: folder.database).leave(word(today))
        await parts.service.turn(at: .zero)
        await parts.service.turn(at: .zero)
        #expect(ClockAcceptance(database: folder.database).pending() == word(today))
        #expect(parts.watch.now().provenance == .rtc)
        #expect(parts.log.flush(within: .seconds(60)))
        let log = try String(contentsOfFile: folder.path + "/log", encoding: .utf8)
        #expect(log.split(separator: "\n").count { $0.contains("date.accepted") } == 1, "told once: \(log)")
        // The accepted date has a name of its own, because "time" is the time of the line.
        #expect(log.contains("\"accepted\":\"2026-01-01T00:00:00.000Z\""), "which date: \(log)")
    }

    @Test("the lower bound is stored every hour without visits, but never with an untrusted date")
    func keeping() async throws {
        let (folder, today) = (try TestFolder("clock"), Int64(1_767_225_600))
        let store = try await Store.open(folder.database)
        let hands = Hands(today)
        let parts = try await service(hands, store, folder)
        let start = SystemClock.now()
        hands.pass(3000)
        await parts.service.turn(at: start.advanced(by: .seconds(3000)))
        #expect(await store.savedClock == nil)
        hands.pass(1000)
        await parts.service.turn(at: start.advanced(by: .seconds(4000)))
        #expect(await store.savedClock == Timestamp(seconds: today + 4000))
        hands.set(today + 40_000_000)
        await parts.service.turn(at: start.advanced(by: .seconds(9000)))
        #expect(await store.savedClock == Timestamp(seconds: today + 4000))
        #expect(parts.told() == [stepped])
        await store.close()
    }

    @Test("a credential that has expired does not pass because the clock falls back in service")
    func expired() throws {
        var policy = VerificationPolicy()
        policy.minimumClock = .saved
        let (verifier, patient) = (
            Verifier(trust: try TrustStore(Samples.trust)),
            Verifier(trust: try TrustStore(Samples.trust), policy: policy)
        )
        let date = WallTime(utc: Timestamp(seconds: 1_780_304_400), provenance: .given)  // 2026-06-01
        let verdict = verifier.verify(Samples.credential, at: date)
        let end = try #require(verdict.credential.validUntil)
        #expect(verdict.isAccepted)
        let hands = Hands(end.seconds + 3600)
        let watch = ClockWatch(newest: nil, skew: .seconds(60), look: { hands.read() })
        #expect(verifier.verify(Samples.credential, at: watch.now()).code == .validityExpired)
        hands.pass(10)
        hands.set(date.utc.seconds)
        #expect(verifier.verify(Samples.credential, at: watch.now()).code == .clockUntrusted)
        #expect(patient.verify(Samples.credential, at: watch.now()).code == .validityExpired)
    }

    @Test("a file that is no acceptance is removed, and one report says so")
    func unreadable() async throws {
        for text in ["", "2026-01-01T00:00:00.000Z\n", String(repeating: "2", count: 5000)] {
            let folder = try TestFolder("clock")
            let store = try await Store.open(folder.database)
            let parts = try await service(Hands(1_767_225_600), store, folder)
            let acceptance = ClockAcceptance(database: folder.database)
            await parts.service.turn(at: .zero)
            #expect(!acceptance.isUnreadable)
            try Data(text.utf8).write(to: URL(fileURLWithPath: acceptance.path))
            #expect(acceptance.isUnreadable)
            for _ in 1...2 { await parts.service.turn(at: .zero) }
            #expect(!FileManager.default.fileExists(atPath: acceptance.path))
            #expect(parts.log.flush(within: .seconds(60)))
            let log = try String(contentsOfFile: folder.path + "/log", encoding: .utf8)
            #expect(log.split(separator: "\n").count { $0.contains("date.refused") } == 1, "\(log)")
            #expect(log.contains(ClockAcceptance.Refusal.unreadable.rawValue), "\(log)")
            await store.close()
        }
    }

    @Test("a text that is not an acceptance is refused")
    func nonsense() throws {
        let folder = try TestFolder("clock")
        let acceptance = ClockAcceptance(database: folder.database)
        #expect(acceptance.pending() == nil)
        for text in [
            "", "\n", "yesterday", "2026-01-01", "2026-01-01T00:00:00Z", "2026-01-01T00:00:00Z -1 boot",
            "2026-01-01T00:00:00Z x boot", " 1 boot", String(repeating: "2", count: 5000),
        ] {
            try Data(text.utf8).write(to: URL(fileURLWithPath: acceptance.path))
            #expect(acceptance.pending() == nil, "\(text.prefix(20))")
        }
        // An acceptance of version 0.1.0, which has no time, is as invalid as an acceptance without a boot id.
        try Data("2026-01-01T00:00:00Z 1\n".utf8).write(to: URL(fileURLWithPath: acceptance.path))
        let look = ClockGuard.Reading(
            utc: Timestamp(seconds: 1_767_225_600), monotonic: Instant(nanoseconds: 1), isSynchronised: true,
            hardware: .agrees)
        #expect(acceptance.pending()?.refusal(in: ["boot"], at: look, skew: .seconds(60)) == .otherStart)
    }

    @Test("names of who was let in reach the disk before the service ends")
    func replays() async throws {
        let folder = try TestFolder("clock")
        let store = try await Store.open(folder.database)
        let keeper = LedgerKeeper(
            store: store, siteKey: try await store.siteKey(), clock: .system, spawner: .system,
            stamp: { StoredGate.stamp }, onChange: { _ in })
        for number in 1...3 as ClosedRange<UInt8> {
            let outcome = Outcome(.accepted, gate: .pulsed(milliseconds: 200), software: StoredGate.software)
            keeper.recordDecision(
                VisitRecord(VisitID("visit-\(number)"), using: nil, outcome),
                names: [try #require(.init([UInt8](repeating: number, count: 16)))])
        }
        keeper.finish()
        await keeper.run()
        #expect(try await store.replays().map(\.name.bytes[0]) == [1, 2, 3])
        await store.close()
    }
}

extension TestFolder {
    /// The path of the database.
    fileprivate var database: String { path("gatehouse.db") }
}
