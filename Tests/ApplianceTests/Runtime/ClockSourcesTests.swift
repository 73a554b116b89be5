import Clocks
import Encoding
import Foundation
import Kiosk
import LinuxIO
import Synchronization
import TestKit
import Testing

@testable import GateService

/// The sources of the clock on a machine whose files are in a folder.
@Suite(.tags(.realTime)) struct ClockSourcesTests {
    private let fixture: TrustFixture
    private static let made = Timestamp(seconds: 1_700_000_000)

    init() throws { fixture = try TrustFixture() }

    private func seen(made: Timestamp = made) -> ClockSources.Seen {
        ClockSources(root: fixture.path, made: made, clock: .system).seen(at: SystemClock.now())
    }

    private func clock(_ seconds: String, isUsed: Bool = true) throws {
        try fixture.write("sys/class/rtc/rtc0/hctosys", isUsed ? "1\n" : "0\n")
        try fixture.write("sys/class/rtc/rtc0/since_epoch", seconds + "\n")
    }

    @Test func aMachineWithoutAnything() {
        #expect(seen() == .init(hardware: .absent, isSaved: false))
    }

    @Test func aClockThatAgreesAndOthers() async throws {
        func sees(_ isSo: (HardwareClock) -> Bool) async throws {
            _ = try await look(ClockSources(root: fixture.path, made: Self.made, clock: .system)) { isSo($0.hardware) }
        }
        let now = SystemClock.utc().seconds
        try clock("\(now)", isUsed: false)
        #expect(seen().hardware == .absent)
        try clock("\(now)")
        try await sees { $0 == .agrees }
        try clock("\(SystemClock.now().nanoseconds / 1_000_000_000)")
        try await sees { $0.trouble?.contains("no battery") == true }
        try clock("\(now - 1_000_000)")
        try await sees { $0.trouble?.contains("behind the system's date") == true }
        for lie in ["", "soon", "99999999999999999999999999", String(repeating: "1", count: 100_000)] {
            try clock(lie)
            try await sees { $0 == .silent }
        }
    }

    /// A clock on a hanging bus delays nothing, and does not count until it answers.
    @Test func aClockThatHangs() throws {
        try clock("0")
        let path = fixture.path + "/sys/class/rtc/rtc0/since_epoch"
        unlink(path)
        mkfifo(path, 0o600)
        let start = SystemClock.now()
        #expect(seen().hardware == .silent)
        #expect(start.duration(to: SystemClock.now()) < .seconds(30))
    }

    /// Looks repeatedly, with a simulated pause in between, until `isSo` is true of the result.
    private func look(_ sources: ClockSources, until isSo: (ClockSources.Seen) -> Bool) async throws
        -> ClockSources.Seen
    {
        var (now, seen) = (SystemClock.now(), ClockSources.Seen(hardware: .absent, isSaved: false))
        try await eventually("seen", within: .seconds(30), telling: { "\(seen)" }) {
            now = now.advanced(by: .seconds(11))
            seen = sources.seen(at: now)
            return isSo(seen)
        }
        return seen
    }

    /// A clock that has agreed keeps that state when it stops, disappears or hangs, but its silence is
    /// reported. A bus that hangs during a look delays no other part.
    @Test func aClockThatStopsAnswering() async throws {
        enum Manner { case tells, isSilent, isGone, hangs }
        let manner = Mutex(Manner.tells)
        let sources = ClockSources(root: fixture.path, made: Self.made, clock: .system) {
            while manner.withLock({ $0 == .hangs }) { usleep(1000) }
            if manner.withLock({ $0 == .isGone }) { return [] }
            let isTold = manner.withLock { $0 == .tells }
            return [BatteryClock(name: "rtc0", isUsed: true, seconds: isTold ? SystemClock.utc().seconds : nil)]
        }
        #expect(try await look(sources) { $0.hardware == .agrees && !$0.isSilent }.isSaved == false)
        for silence in [Manner.isSilent, .isGone, .hangs] {
            manner.withLock { $0 = silence }
            #expect(try await look(sources) { $0.isSilent }.hardware == .agrees, "\(silence)")
            manner.withLock { $0 = .tells }
            #expect(try await look(sources) { !$0.isSilent }.hardware == .agrees, "\(silence)")
        }
    }

    @Test func theDateOfTheLastStop() async throws {
        let now = SystemClock.utc()
        func write(_ date: Timestamp) throws {
            let text = date.rfc3339.prefix(19).replacing("T", with: " ")
            try fixture.write("etc/fake-hwclock.data", text + "\n")
        }
        let uptime = Instant.zero.duration(to: SystemClock.now())
        try write(now.advanced(by: .zero - uptime))
        _ = try await look(ClockSources(root: fixture.path, made: Self.made, clock: .system)) { $0.isSaved }
        #expect(!seen(made: now).isSaved, "before the program was made")
        try write(now.advanced(by: .zero - uptime - .seconds(3600)))
        #expect(!seen().isSaved, "somebody has set the date since")
    }
}
