import Clocks
import Credentials
import Encoding
import Foundation
import GateService
import Glibc
import Kiosk
import Ledger
import LinuxIO
import Simulation
import Synchronization
import TestKit
import Testing
import Tuvali
import Workbench

/// A listener may stall at every point of a visit: the gate opens, and shuts in time.
///
/// The test uses the real gatekeeper, the real threads of relay and lamps on lines of the test, and the real
/// log.
@Suite(.timeLimit(.minutes(5)), .tags(.realTime)) struct StalledGatekeeperTests {
    /// Every point of a visit at which listeners are notified.
    static let points = [
        "radio.ready", "advertising", "phone.connected", "phone.identified", "transfer.started", "transfer.received",
        "verdict", "visit.ended", "gate",
    ]
    private let pulse = Duration.milliseconds(200)

    @Test(arguments: points) func aListenerThatNeverReturns(_ point: String) async throws {
        let stall = Stall(at: point)
        defer { stall.end() }
        try await visit(listeners: [stall])
        #expect(stall.hasStalled)
    }

    /// As with `gatehouse run | less`, or with a stopped journal: the pipe is full and not read.
    @Test(arguments: points) func aLogWithoutAReader(_ point: String) async throws {
        var ends: [Int32] = [0, 0]
        try #require(pipe(&ends) == 0)
        let (reader, writer) = (ends[0], ends[1])
        let log = try LogSink(.file("/proc/self/fd/\(writer)"))
        let filler = Stall(at: point, then: { Self.fill(writer) })
        try await visit(listeners: [filler, LogOutput(log)])
        #expect(filler.hasStalled)
        #expect(!log.flush(within: .milliseconds(10)) || point == "gate")
        // Now the pipe is read, and the log continues.
        close(writer)
        Thread.detachNewThread { Self.drain(reader) }
        #expect(log.flush(within: .seconds(60)))
    }

    private func visit(listeners: [any KioskListener]) async throws {
        let (relayLine, lampLines, watch) = (TestLines(), TestLines(), OpeningWatch())
        let panel = LinePanel(
            Dictionary(uniqueKeysWithValues: OutputRole.signals.map { ($0, $0.name) }),
            lamps: try LampLines(lampLines.bank(), names: OutputRole.signals.map(\.name)) { _ in },
            relay: try Relay(WatchedBank(relayLine.bank(), watch, clock: .system), line: "gate") { _ in }, watch: watch)
        let visitor = try await OneVisitor(panel, listeners: listeners, pulse: pulse)
        // Opened and shut; the pulse of the relay ends independently of the listeners.
        #expect(await visitor.seen.waits { $0.notes.count { $0 == "gate" } == 2 })
        // The outcome is recorded as soon as the relay's thread has released the line.
        try await visitor.isRecorded()
        let entries = visitor.ledger.entries
        #expect(entries.map(\.result) == [.accepted] && entries.first?.gate?.opened == true)
        #expect(lampLines.wasActive("green") && !lampLines.wasActive("red"))
        let asked = SystemClock.now()
        await visitor.end()
        // A stalled listener never returns, so any limit shows that the end does not wait for it.
        #expect(panel.end(within: .seconds(30)))
        #expect(asked.duration(to: SystemClock.now()) < .seconds(30))
        let spans = relayLine.spans("gate")
        #expect(spans.count == 1)
        for span in spans {
            #expect(span.length - span.owed <= pulse + .milliseconds(20), "\(span)")
            // The decision fixes the pulse's end, so a delay of its start by the machine shortens the pulse.
            #expect(span.length >= pulse / 2, "\(span)")
        }
        #expect(relayLine.active.isEmpty && lampLines.active.isEmpty)
    }

    private static func fill(_ descriptor: Int32) {
        _ = fcntl(descriptor, F_SETFL, O_NONBLOCK)
        let block = [UInt8](repeating: 0x0A, count: 4096)
        while write(descriptor, block, block.count) > 0 {}
        var byte: UInt8 = 0x0A
        while write(descriptor, &byte, 1) > 0 {}
    }

    private static func drain(_ descriptor: Int32) {
        var buffer = [UInt8](repeating: 0, count: 65_536)
        while read(descriptor, &buffer, buffer.count) > 0 {}
        close(descriptor)
    }
}

/// A listener that stalls at a given note.
private final class Stall: KioskListener {
    private let point: String
    private let then: (@Sendable () -> Void)?
    private let state = Mutex((hasStalled: false, isOver: false))

    /// `then` is run in place of stalling.
    init(at point: String, then: (@Sendable () -> Void)? = nil) { (self.point, self.then) = (point, then) }

    var hasStalled: Bool { state.withLock { $0.hasStalled } }

    func end() { state.withLock { $0.isOver = true } }

    func note(_ note: KioskNote, of visit: VisitID?, at now: Instant) {
        guard note.name == point else { return }
        state.withLock { $0.hasStalled = true }
        if let then { return then() }
        while !state.withLock({ $0.isOver }) { usleep(10_000) }
    }
}

/// Lines that record when they were active.
final class TestLines: Sendable {
    private struct State {
        var active: Set<String> = []
        var (isBroken, obeys) = (false, false)
        var (hangs, isHanging) = (false, false)
        var changes: [(at: Instant, owed: Duration, active: Set<String>)] = []
    }

    private final class Bank: LineBank {
        let lines: TestLines
        init(_ lines: TestLines) { self.lines = lines }

        func set(active names: Set<String>) throws(GPIOError) {
            while !names.isEmpty, lines.hang() { usleep(1000) }
            // The time is read first, because the other steps take time.
            let (now, owed) = (SystemClock.now(), Self.owed())
            let fails = lines.state.withLock { state in
                let fails = state.isBroken && !names.isEmpty
                if !fails || state.obeys {
                    state.active = names
                    state.changes.append((now, owed, names))
                }
                return fails
            }
            if fails { throw .failed(SystemError("setting lines", code: EIO)) }
        }

        /// Returns how long this thread has been ready to run since its start without a free processor.
        private static func owed() -> Duration {
            let fields = FileBytes.line("/proc/thread-self/schedstat")?.split(separator: " ") ?? []
            return .nanoseconds(fields.count > 1 ? Int64(fields[1]) ?? 0 : 0)
        }

        func active() throws(GPIOError) -> Set<String> { lines.active }
        func close() { lines.state.withLock { $0.active = [] } }
    }

    private let state = Mutex(State())

    func bank() -> sending any LineBank { Bank(self) }

    /// Makes each call that energises a line fail from now on; `obeys`: although the line follows the call.
    func breaks(obeys: Bool = false) { state.withLock { ($0.isBroken, $0.obeys) = (true, obeys) } }

    /// Makes calls that energise a line hang from now on, or releases them.
    func hangs(_ hangs: Bool) { state.withLock { $0.hangs = hangs } }

    /// Whether such a call has begun and has not returned.
    var isHanging: Bool { state.withLock { $0.isHanging } }

    private func hang() -> Bool {
        state.withLock { state in
            state.isHanging = state.hangs
            return state.hangs
        }
    }

    var active: Set<String> { state.withLock { $0.active } }

    func wasActive(_ name: String) -> Bool { state.withLock { $0.changes.contains { $0.active.contains(name) } } }

    /// Returns how long the line was active each time, and how long its thread waited meanwhile for a
    /// processor.
    func spans(_ name: String) -> [(length: Duration, owed: Duration)] {
        state.withLock { state in
            var since: (at: Instant, owed: Duration)?
            var spans: [(length: Duration, owed: Duration)] = []
            for change in state.changes {
                if change.active.contains(name) {
                    since = since ?? (at: change.at, owed: change.owed)
                } else if let began = since.take() {
                    spans.append((began.at.duration(to: change.at), change.owed - began.owed))
                }
            }
            return spans
        }
    }
}
