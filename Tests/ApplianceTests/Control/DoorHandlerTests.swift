import Administration
import Clocks
import Encoding
import GateService
import Kiosk
import LinuxIO
import Synchronization
import TestKit
import Testing
import Tuvali

/// Orders to a gate whose radio thread may be stuck: a refused order is not carried out, and an accepted
/// order is not forgotten.
@Suite(.timeLimit(.minutes(2)), .tags(.realTime)) struct DoorHandlerTests {
    /// A radio thread with its kiosk, which a test can hold up.
    private final class Gate: Sendable {
        private struct State {
            var kiosk: Kiosk
            var isStuck = false
            var carriedOut = 0
        }

        private let state: Mutex<State>

        init() throws {
            var settings = KioskSettings(name: try .init("Desk"), softwareVersion: "test")
            settings.door.hasFreeOutput = true
            state = Mutex(State(kiosk: Kiosk(settings: settings, at: .zero)))
        }

        func hold(_ isStuck: Bool) { state.withLock { $0.isStuck = isStuck } }

        var carriedOut: Int { state.withLock { $0.carriedOut } }
        var status: KioskStatus { state.withLock { $0.kiosk.status(at: SystemClock.now()) } }

        func tell(_ pendingOrder: PendingDoorOrder) async {
            while !turn(pendingOrder) { try? await Task.sleep(for: .milliseconds(5)) }
        }

        /// Runs one turn of the thread, unless it is held up.
        private func turn(_ pendingOrder: PendingDoorOrder) -> Bool {
            state.withLock { state in
                guard !state.isStuck else { return false }
                pendingOrder.carryOut { _ = state.kiosk.handle(.door(.order($0)), at: SystemClock.now()) }
                state.carriedOut += 1
                return true
            }
        }
    }

    private let folder = OrderFolder()
    private let gate: Gate
    private let router: ControlRouter
    /// A handler that waits only briefly for a stuck thread.
    private let impatient: ControlRouter

    init() throws {
        let gate = try Gate()
        let wallTime: @Sendable () -> WallTime = {
            WallTime(utc: Timestamp(seconds: 1_767_225_600), provenance: .rtc)
        }
        let orders = try DoorOrders(folder.file, clock: .system, wallTime: wallTime, report: { _ in })
        #expect(orders.restored(at: .zero, minimum: .rtc) == .none)
        var settings = DoorSettings()
        settings.hasFreeOutput = true
        let log = try LogSink(.file(folder.path + "/log"))
        var (router, impatient) = (ControlRouter(), ControlRouter())
        DoorHandler(
            orders, settings: settings, tell: { await gate.tell($0) }, status: { gate.status },
            clock: .system, spawner: .system, wallTime: wallTime, log: log, within: .seconds(30)
        ).register(in: &router)
        DoorHandler(
            orders, settings: settings, tell: { await gate.tell($0) }, status: { gate.status },
            clock: .system, spawner: .system, wallTime: wallTime, log: log, within: .seconds(1)
        ).register(in: &impatient)
        (self.gate, self.router, self.impatient) = (gate, router, impatient)
    }

    private func ask(_ request: ControlRequest, isStuck: Bool = false) async throws -> JSON {
        let asked = isStuck ? impatient : router
        return try JSON.parse(await asked.answer(request.line([])))
    }

    @Test func anOrderIsInForceAndKept() async throws {
        #expect(try await ask(.doorLock)["answer"]?["mode"] == "locked")
        #expect(folder.file.read() == .lock)
        #expect(try await ask(.doorRelease)["answer"]?["mode"] == "normal")
        #expect(folder.file.read() == DoorOrderFile.Kept.none)
        #expect(try await ask(.doorFree)["answer"]?["mode"] == "free")
    }

    @Test(arguments: [ControlRequest.doorFree, .doorRelease])
    func whatWasRefusedDoesNotHappenLater(_ request: ControlRequest) async throws {
        if request == .doorRelease { _ = try await ask(.doorLock) }
        let (mode, kept, before) = (gate.status.door.mode, folder.file.read(), gate.carriedOut)
        gate.hold(true)
        let answer = try await ask(request, isStuck: true)
        #expect(answer["error"]?.string?.string.contains("not in force") == true && answer["remedy"] != nil)
        gate.hold(false)
        #expect(await becomesTrue { gate.carriedOut == before + 1 })
        #expect(gate.status.door.mode == mode && folder.file.read() == kept)
    }

    @Test func aLockDownIsKeptAndInForceAsSoonAsItCanBe() async throws {
        gate.hold(true)
        let answer = try await ask(.doorLock, isStuck: true)
        #expect(answer["error"]?.string?.string.contains("the order is stored") == true && answer["remedy"] != nil)
        #expect(folder.file.read() == .lock)
        gate.hold(false)
        #expect(await becomesTrue { gate.status.door.mode == .locked })
        #expect(try await ask(.doorRelease)["answer"]?["mode"] == "normal")
        #expect(folder.file.read() == DoorOrderFile.Kept.none)
    }

    @Test func aDiskThatTakesNothingIsTold() async throws {
        try folder.hide()
        let answer = try await ask(.doorLock, isStuck: true)
        #expect(answer["error"]?.string?.string.contains("a restart would lose it") == true)
        #expect(gate.status.door.mode == .locked)
    }

    @Test func ofOrdersAtTheSameTimeTheLastInForceIsKept() async throws {
        for _ in 0..<20 {
            try await withThrowingTaskGroup(of: Bool.self) { [self] group in
                for number in 0..<6 {
                    group.addTask { try await ask(number % 2 == 0 ? .doorLock : .doorRelease)["answer"] != nil }
                }
                for try await isDone in group { #expect(isDone) }
            }
            let kept: DoorOrderFile.Kept = gate.status.door.mode == .locked ? .lock : .none
            #expect(folder.file.read() == kept)
        }
    }
}
