import Administration
import Clocks
import Encoding
import Kiosk
import LinuxIO
import Synchronization
import Testing
import Tuvali
import VirtualKit

@testable import GateService

/// Orders to a gate whose radio thread may be stuck: a refused order is not carried out, and an accepted
/// order is not forgotten.
@Suite struct DoorHandlerTests {
    /// A radio thread with its kiosk, which a test can hold up.
    private final class Gate: Sendable {
        private struct State {
            var kiosk: Kiosk
            var isStuck = false
            var carriedOut = 0
        }

        private let clock: Clock
        private let state: Mutex<State>

        init(_ clock: Clock) throws {
            var settings = KioskSettings(name: try .init("Desk"), softwareVersion: "test")
            settings.door.hasFreeOutput = true
            self.clock = clock
            state = Mutex(State(kiosk: Kiosk(settings: settings, at: clock.now())))
        }

        func hold(_ isStuck: Bool) { state.withLock { $0.isStuck = isStuck } }

        var carriedOut: Int { state.withLock { $0.carriedOut } }
        var status: KioskStatus { state.withLock { $0.kiosk.status(at: clock.now()) } }

        func tell(_ pendingOrder: PendingDoorOrder) async {
            while !turn(pendingOrder) {
                guard (try? await clock.sleep(for: .milliseconds(5))) != nil else { return }
            }
        }

        /// Runs one turn of the thread, unless it is held up.
        private func turn(_ pendingOrder: PendingDoorOrder) -> Bool {
            state.withLock { state in
                guard !state.isStuck else { return false }
                pendingOrder.carryOut { _ = state.kiosk.handle(.door(.order($0)), at: clock.now()) }
                state.carriedOut += 1
                return true
            }
        }
    }

    /// A gate with its handler, on the clock of a run. Its disk answers at once.
    private final class Desk: Sendable {
        let folder = OrderFolder()
        let gate: Gate
        private let clock: Clock
        private let router: ControlRouter

        init(_ time: VirtualTime) throws {
            let gate = try Gate(time.clock)
            let wallTime: @Sendable () -> WallTime = { WallTime(utc: time.clock.utc(), provenance: .rtc) }
            let orders = DoorOrders(folder.file, clock: time.clock, wallTime: wallTime, report: { _ in }) { $0() }
            #expect(orders.restored(at: time.now, minimum: .rtc) == .none)
            var settings = DoorSettings()
            settings.hasFreeOutput = true
            var router = ControlRouter()
            DoorHandler(
                orders, settings: settings, tell: { await gate.tell($0) }, status: { gate.status },
                clock: time.clock, spawner: time.spawner, wallTime: wallTime,
                log: try LogSink(.file(folder.path + "/log"))
            ).register(in: &router)
            (self.gate, self.router, clock) = (gate, router, time.clock)
        }

        func ask(_ request: ControlRequest) async throws -> JSON {
            try JSON.parse(await router.answer(request.line([])))
        }

        /// Lets the radio's thread go on, and waits until it has nothing left to do.
        func goOn() async throws {
            gate.hold(false)
            try await clock.sleep(for: .seconds(1))
        }
    }

    private func play(seed: UInt64 = 1, _ body: @escaping @Sendable (Desk) async throws -> Void) throws {
        try VirtualTime.run(seed: seed) { time in try await body(Desk(time)) }
    }

    @Test func anOrderIsInForceAndKept() throws {
        try play { desk async throws in
            #expect(try await desk.ask(.doorLock)["answer"]?["mode"] == "locked")
            #expect(desk.folder.file.read() == .lock)
            #expect(try await desk.ask(.doorRelease)["answer"]?["mode"] == "normal")
            #expect(desk.folder.file.read() == DoorOrderFile.Kept.none)
            #expect(try await desk.ask(.doorFree)["answer"]?["mode"] == "free")
        }
    }

    @Test(arguments: [ControlRequest.doorFree, .doorRelease])
    func aRefusedOrderIsNotCarriedOutLater(_ request: ControlRequest) throws {
        try play { desk in
            if request == .doorRelease { _ = try await desk.ask(.doorLock) }
            let gate = desk.gate
            let (mode, kept, before) = (gate.status.door.mode, desk.folder.file.read(), gate.carriedOut)
            gate.hold(true)
            let answer = try await desk.ask(request)
            #expect(answer["error"]?.string?.string.contains("not in force") == true && answer["remedy"] != nil)
            try await desk.goOn()
            #expect(gate.carriedOut == before + 1)
            #expect(gate.status.door.mode == mode && desk.folder.file.read() == kept)
        }
    }

    @Test func aLockDownIsKeptAndInForceAsSoonAsItCanBe() throws {
        try play { desk in
            desk.gate.hold(true)
            let answer = try await desk.ask(.doorLock)
            #expect(answer["error"]?.string?.string.contains("the order is stored") == true && answer["remedy"] != nil)
            #expect(desk.folder.file.read() == .lock)
            try await desk.goOn()
            #expect(desk.gate.status.door.mode == .locked)
            #expect(try await desk.ask(.doorRelease)["answer"]?["mode"] == "normal")
            #expect(desk.folder.file.read() == DoorOrderFile.Kept.none)
        }
    }

    @Test func aDiskThatStoresNothingIsReported() throws {
        try play { desk in
            try desk.folder.hide()
            let answer = try await desk.ask(.doorLock)
            #expect(answer["error"]?.string?.string.contains("a restart would lose it") == true)
            #expect(desk.gate.status.door.mode == .locked)
        }
    }

    @Test(arguments: 1...20 as ClosedRange<UInt64>) func ofOrdersAtTheSameTimeTheLastInForceIsKept(seed: UInt64) throws
    {
        try play(seed: seed) { desk in
            try await withThrowingTaskGroup(of: Bool.self) { group in
                for number in 0..<6 {
                    group.addTask { try await desk.ask(number % 2 == 0 ? .doorLock : .doorRelease)["answer"] != nil }
                }
                for try await isDone in group { #expect(isDone) }
            }
            let kept: DoorOrderFile.Kept = desk.gate.status.door.mode == .locked ? .lock : .none
            #expect(desk.folder.file.read() == kept)
        }
    }
}
