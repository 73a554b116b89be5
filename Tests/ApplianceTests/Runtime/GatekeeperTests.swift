import Clocks
import Encoding
import GateService
import Glibc
import Kiosk
import Ledger
import LinuxIO
import Reasons
import Simulation
import Synchronization
import TestKit
import Testing
import Tuvali
import Workbench

@testable import Credentials

/// The driver on its real threads, with a virtual radio at the other end of a real socket.
@Suite(.timeLimit(.minutes(5)), .tags(.realTime)) struct GatekeeperTests {
    @Test func twoVisitorsAreLetInAndStoppingReleasesEverything() async throws {
        let ends = try socketPair()
        let (ledger, seen) = (ListLedger(), PanelRecorder())
        let radio = try LiveRadio(
            VirtualRadio(visits: [.quick(1), .quick(2)]), descriptor: ends.radio, speed: 8, onFinish: {})
        seen.onInvitation = { uri in Task { await radio.showInvitation(uri) } }
        let gatekeeper = try gatekeeper([ends.host], ledger, seen)
        let service = Task { await gatekeeper.run() }
        await radio.start()
        #expect(await seen.waits { $0.notes.count { $0 == "visit.ended" } == 2 && $0.gate.last == false })
        await gatekeeper.stop()
        await service.value

        #expect(ledger.entries.map(\.intents) == [1, 1])
        #expect(ledger.entries.map(\.result) == [.accepted, .accepted])
        #expect(await seen.waits { $0.notes.last == "stopped" && $0.invitation == nil })
        #expect(ledger.settled == [.ordered, .used, .ordered, .used], "who was let in is remembered")
        let state = seen.state
        #expect(state.gate == [true, false, true, false])  // each visitor has a separate pulse
        #expect(state.signal == .dark && state.invitation == nil)
        #expect(state.notes.last == "stopped")
        #expect(state.notes.count { $0 == "verdict" } == 2)
        await gatekeeper.breathe()  // no caller that still asks waits forever
        await radio.stop()
    }

    /// Verifications that never end occupy every thread for verifications. Their visits fail, and the next visit is
    /// verified. The same holds if the phones have left.
    @Test(arguments: [false, true]) func verificationsThatNeverEndDelayNoOtherVisit(_ leave: Bool) async throws {
        let ends = try socketPair()
        let (ledger, seen) = (ListLedger(), PanelRecorder())
        let hanging = max(2, sysconf(Int32(_SC_NPROCESSORS_ONLN)))
        var visits = (1...UInt64(hanging)).map { Simulation.Visit.quick($0, leave ? .leaves(.delivered) : nil) }
        var last = Simulation.Visit.quick(UInt64(hanging + 1))
        // The simulation runs at eight times the speed, so the last phone arrives two seconds later, after the limit of
        // the other verifications.
        if leave { last.arrival = .afterPrevious(.seconds(16)) }
        visits.append(last)
        let radio = try LiveRadio(VirtualRadio(visits: visits), descriptor: ends.radio, speed: 8, onFinish: {})
        seen.onInvitation = { uri in Task { await radio.showInvitation(uri) } }
        let hang = Mutex((count: 0, isOver: false))
        defer { hang.withLock { $0.isOver = true } }
        let judge: @Sendable (VisitID, [UInt8], WallTime) -> Verdict = { _, _, _ in
            let hangs = hang.withLock { state in
                state.count += 1
                return state.count <= hanging
            }
            while hangs, !hang.withLock({ $0.isOver }) { usleep(1000) }
            return .made(.ok)
        }
        let gatekeeper = try gatekeeper(
            [ends.host], ledger, seen, configure: { $0.verificationLimit = .seconds(1) }, verify: judge)
        let service = Task { await gatekeeper.run() }
        await radio.start()
        #expect(await seen.waits { $0.notes.count { $0 == "visit.ended" } == hanging + 1 && $0.gate.last == false })
        #expect(gatekeeper.verifications.abandoned == hanging)
        #expect(await gatekeeper.verifications.answer { true })
        #expect(seen.state.gate == [true, false])
        await gatekeeper.stop()
        await service.value
        #expect(ledger.entries.count { $0.result == .accepted } == 1 && ledger.entries.count == hanging + 1)
        await radio.stop()
    }

    /// The turn that opens the gate takes long before its order reaches the relay. The pulse keeps its length.
    @Test func aSlowTurnMakesNoPulseShorter() async throws {
        let ends = try socketPair()
        let (ledger, seen) = (ListLedger(), PanelRecorder())
        let radio = try LiveRadio(VirtualRadio(visits: [.quick(1)]), descriptor: ends.radio, speed: 8, onFinish: {})
        seen.onInvitation = { uri in Task { await radio.showInvitation(uri) } }
        let turn = Mutex(Instant.zero)
        let gatekeeper = try gatekeeper(
            [ends.host], ledger, seen,
            observe: { _, actions, _, now in
                guard case .gate(.open)? = actions.first else { return }
                turn.withLock { $0 = now }
                usleep(60_000)
            })
        let service = Task { await gatekeeper.run() }
        await radio.start()
        #expect(await seen.waits { $0.gate == [true, false] })
        await gatekeeper.stop()
        await service.value
        await radio.stop()
        let orders = seen.state.orders
        let given = try #require(orders.first?.at)
        let late = turn.withLock { $0.duration(to: given) }
        #expect(late >= .milliseconds(60))
        // The machine may stop the thread for more than a second, which is another case.
        guard late < .seconds(1) else { return }
        let end = given.advanced(by: .milliseconds(200))
        #expect(orders.first?.command == .open(until: end) && orders[1].at >= end)
        #expect(ledger.entries.first?.gate?.pulseMilliseconds == 200)
    }

    @Test func stoppingWhileTheGateIsOpenShutsIt() async throws {
        let ends = try socketPair()
        let (ledger, seen) = (ListLedger(), PanelRecorder())
        let radio = try LiveRadio(VirtualRadio(visits: [.quick(1)]), descriptor: ends.radio, speed: 8, onFinish: {})
        seen.onInvitation = { uri in Task { await radio.showInvitation(uri) } }
        let gatekeeper = try gatekeeper([ends.host], ledger, seen) { $0.gatePulse = .seconds(5) }
        let service = Task { await gatekeeper.run() }
        await radio.start()
        #expect(await seen.waits { $0.gate.first == true })
        await gatekeeper.stop()
        await service.value
        #expect(seen.state.gate == [true, false] && seen.state.signal == .dark)
        await radio.stop()
    }

    /// The thread is held up repeatedly, and the phone's packets arrive in bursts.
    @Test func anIntentIsHandedOverBeforeItsOutcome() async throws {
        let ends = try socketPair()
        let (ledger, seen) = (ListLedger(), PanelRecorder())
        let radio = try LiveRadio(
            VirtualRadio(visits: [.quick(1, .leaves(.chunk(1)))]), descriptor: ends.radio, speed: 8, onFinish: {}
        )
        seen.onInvitation = { uri in Task { await radio.showInvitation(uri) } }
        seen.onSignal = { usleep(300_000) }
        let gatekeeper = try gatekeeper([ends.host], ledger, seen)
        let service = Task { await gatekeeper.run() }
        await radio.start()
        #expect(await seen.waits { $0.notes.contains("visit.ended") })
        await gatekeeper.stop()
        await service.value
        await radio.stop()
        #expect(ledger.calls == ["intent", "outcome"])
        #expect(ledger.settled == [.released], "who was not let in may come again at once")
    }

    @Test func aRadioThatGoesAwayIsOpenedAnew() async throws {
        let (first, second) = (try socketPair(), try socketPair())
        let (ledger, seen) = (ListLedger(), PanelRecorder())
        let radio = try LiveRadio(VirtualRadio(visits: [.quick(1)]), descriptor: second.radio, speed: 8, onFinish: {})
        seen.onInvitation = { uri in Task { await radio.showInvitation(uri) } }
        let gatekeeper = try gatekeeper([first.host, second.host], ledger, seen)
        let service = Task { await gatekeeper.run() }
        close(first.radio)
        await radio.start()
        #expect(await seen.waits { $0.notes.contains("visit.ended") && $0.gate.last == false })
        await gatekeeper.breathe()
        #expect(seen.state.notes.first == "radio.failed")
        #expect(seen.state.notes.count { $0 == "radio.failed" } == 1)
        #expect(seen.state.reasons.first == "\(TransportError.gone); \(TransportError.gone.remedy)")
        #expect(seen.state.patterns.contains(.fault))
        #expect(ledger.entries.map(\.result) == [.accepted])
        await gatekeeper.stop()
        await service.value
        await radio.stop()
    }

    /// The night begins between two looks at the schedule.
    @Test func noVisitorIsAdmittedInLockedHours() async throws {
        let ends = try socketPair()
        let (ledger, seen) = (ListLedger(), PanelRecorder())
        let radio = try LiveRadio(VirtualRadio(visits: [.quick(1)]), descriptor: ends.radio, speed: 8, onFinish: {})
        seen.onInvitation = { uri in Task { await radio.showInvitation(uri) } }
        let date = Clock("2026-11-23T12:00:00Z", .unset)
        let gatekeeper = try gatekeeper([ends.host], ledger, seen, schedule: Self.night, date: date)
        let service = Task { await gatekeeper.run() }
        #expect(await seen.waits { $0.notes.contains("door.mode") })
        #expect(await gatekeeper.status().door.mode == .locked, "nobody knows that it is noon")
        date.set("2026-11-23T12:00:00Z", .rtc)
        await gatekeeper.hear(date.time, at: SystemClock.now())
        #expect(await gatekeeper.status().door.mode == .normal)
        date.set("2026-11-23T23:00:00Z", .rtc)
        await radio.start()
        #expect(await seen.waits { $0.notes.contains("visit.ended") })
        #expect(await gatekeeper.status().door.cause == .schedule)
        await gatekeeper.stop()
        await service.value
        await radio.stop()
        #expect(ledger.entries.map(\.result) == [.rejected] && ledger.settled == [.released])
        #expect(!seen.state.gate.contains(true))
    }

    @Test func withoutAnAdapterItKeepsTryingAndStops() async throws {
        let seen = PanelRecorder()
        let gatekeeper = try gatekeeper([], ListLedger(), seen) {
            $0.radioBackoff = .milliseconds(5)...(.milliseconds(20))
            $0.radioReminder = .zero
        }
        let service = Task { await gatekeeper.run() }
        #expect(await seen.waits { $0.notes.count { $0 == "radio.failed" } > 3 })
        await gatekeeper.stop()
        await service.value
        #expect(seen.state.reasons.allSatisfy { $0.contains(TransportError.gone.remedy) })
        #expect(seen.state.signal == .dark)
    }

    @Test func stoppedBeforeItRanItReturnsAtOnce() async throws {
        let gatekeeper = try gatekeeper([], ListLedger(), PanelRecorder())
        await gatekeeper.stop()
        await gatekeeper.run()
    }

    // MARK: - Environment

    private static let night: DoorSchedule = {
        var schedule = DoorSchedule()
        schedule.entries = [.init(.locked, GateHours(days: Set(0...6), from: 1320, to: 300))]
        return schedule
    }()

    /// A date that a test can change.
    private final class Clock: Sendable {
        private let now: Mutex<WallTime>
        var time: WallTime { now.withLock { $0 } }

        init(_ date: String, _ worth: WallTime.Provenance) { now = Mutex(Self.time(date, worth)) }
        func set(_ date: String, _ worth: WallTime.Provenance) { now.withLock { $0 = Self.time(date, worth) } }

        private static func time(_ date: String, _ worth: WallTime.Provenance) -> WallTime {
            WallTime(utc: Timestamp(rfc3339: date) ?? Timestamp(seconds: 0), provenance: worth)
        }
    }

    private func gatekeeper(
        _ descriptors: [Int32], _ ledger: ListLedger, _ seen: PanelRecorder, schedule: DoorSchedule = DoorSchedule(),
        date: Clock = Clock("2026-01-01T00:00:00Z", .rtc),
        configure: (inout KioskSettings) -> Void = { _ in },
        verify: @escaping @Sendable (VisitID, [UInt8], WallTime) -> Verdict = { _, _, _ in .made(.ok) },
        observe: @escaping Gatekeeper.TurnObserver = { _, _, _, _ in }
    ) throws -> Gatekeeper {
        var settings = KioskSettings(name: try Identifier("Gatekeeper"), softwareVersion: "test")
        // Long limits for everything that waits for a task: the machine may be busy with other tests.
        (settings.intentLimit, settings.verificationLimit) = (.seconds(200), .seconds(200))
        (settings.tuvali.verdictLimit, settings.keyRotation) = (.seconds(300), .seconds(300))
        configure(&settings)
        let transports = Transports(descriptors)
        let rules = KioskWatch(settings) { Issue.record("\($0)") }
        return try Gatekeeper(
            settings: settings,
            dependencies: Gatekeeper.Dependencies(
                clock: .system, spawner: .system,
                openTransport: { () throws(TransportError) in try transports.next() }, ledger: ledger,
                verify: verify, settle: { _, use in ledger.settle(use) },
                wallTime: { date.time }, schedule: schedule, panel: seen,
                listeners: try Listeners([seen], clock: .system),
                observe: { event, actions, deadline, now in
                    rules.turn(event, actions, deadline: deadline, at: now)
                    observe(event, actions, deadline, now)
                }))
    }
}
