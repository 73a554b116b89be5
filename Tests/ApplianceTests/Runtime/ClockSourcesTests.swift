import Clocks
import Encoding
import Foundation
import Kiosk
import LinuxIO
import Synchronization
import TestKit
import Testing
import VirtualKit

@testable import GateService

/// The sources of the clock on a machine whose files are in a folder.
@Suite struct ClockSourcesTests {
    private let fixture: TrustFixture
    private static let made = Timestamp(seconds: 1_700_000_000)

    init() throws { fixture = try TrustFixture() }

    /// Returns the result of the first check.
    private func seen(by time: VirtualTime, made: Timestamp = made) -> ClockSources.Seen {
        ClockSources(root: fixture.path, made: made, clock: time.clock, perform: { $0() }).seen(at: time.now)
    }

    private func clock(_ seconds: String, isUsed: Bool = true) throws {
        try fixture.write("sys/class/rtc/rtc0/hctosys", isUsed ? "1\n" : "0\n")
        try fixture.write("sys/class/rtc/rtc0/since_epoch", seconds + "\n")
    }

    @Test func aMachineWithoutAnything() throws {
        try VirtualTime.run { time in
            #expect(seen(by: time) == .init(hardware: .absent, isSaved: false))
        }
    }

    @Test func aClockThatAgreesAndOthers() throws {
        try VirtualTime.run { time in
            let now = time.clock.utc().seconds
            try clock("\(now)", isUsed: false)
            #expect(seen(by: time).hardware == .absent)
            try clock("\(now)")
            #expect(seen(by: time).hardware == .agrees)
            try clock("\(time.now.nanoseconds / 1_000_000_000)")
            #expect(seen(by: time).hardware.trouble?.contains("no battery") == true)
            try clock("\(now - 1_000_000)")
            let late = seen(by: time).hardware.trouble
            #expect(late?.contains("behind the system's date") == true)
            for lie in ["", "soon", "99999999999999999999999999", String(repeating: "1", count: 100_000)] {
                try clock(lie)
                #expect(seen(by: time).hardware == .silent)
            }
        }
    }

    /// A clock on a hanging bus delays nothing, and does not count until it answers.
    @Test(.tags(.realTime)) func aClockThatHangs() throws {
        try clock("0")
        let path = fixture.path + "/sys/class/rtc/rtc0/since_epoch"
        unlink(path)
        mkfifo(path, 0o600)
        let start = SystemClock.now()
        let sources = ClockSources(root: fixture.path, made: Self.made, clock: .system)
        #expect(sources.seen(at: SystemClock.now()).hardware == .silent)
        #expect(start.duration(to: SystemClock.now()) < .seconds(30))
    }

    /// A clock that has agreed keeps that state when it stops, disappears or hangs, but its silence is
    /// reported. A bus that hangs during a look delays no other part.
    @Test func aClockThatStopsAnswering() throws {
        enum Manner { case answers, isSilent, isGone, hangs }
        try VirtualTime.run { time async throws in
            let manner = Mutex(Manner.answers)
            // What is asked in the middle of a check that hangs, and its answer.
            let asked = Mutex<ClockSources?>(nil)
            let answer = Mutex<ClockSources.Seen?>(nil)
            let sources = ClockSources(
                root: fixture.path, made: Self.made, clock: time.clock,
                clocks: {
                    let present = manner.withLock(\.self)
                    if present == .hangs {
                        let sources = asked.withLock(\.self)
                        answer.withLock { $0 = sources?.seen(at: time.now.advanced(by: .seconds(3))) }
                    }
                    if present == .isGone { return [] }
                    let seconds = present == .isSilent ? nil : time.clock.utc().seconds
                    return [BatteryClock(name: "rtc0", isUsed: true, seconds: seconds)]
                }, perform: { $0() })
            asked.withLock { $0 = sources }
            /// Returns the result of the next check.
            func look() async throws -> ClockSources.Seen {
                try await time.clock.sleep(for: .seconds(10))
                _ = sources.seen(at: time.now)
                return sources.seen(at: time.now)
            }
            let agreeing = ClockSources.Seen(hardware: .agrees, isSaved: false)
            let silent = ClockSources.Seen(hardware: .agrees, isSaved: false, isSilent: true)
            #expect(sources.seen(at: time.now) == agreeing)
            for silence in [Manner.isSilent, .isGone] {
                manner.withLock { $0 = silence }
                #expect(try await look() == silent, "\(silence)")
                manner.withLock { $0 = .answers }
                #expect(try await look() == agreeing, "\(silence)")
            }
            manner.withLock { $0 = .hangs }
            #expect(try await look() == agreeing)
            #expect(answer.withLock(\.self) == silent)
            asked.withLock { $0 = nil }
        }
    }

    @Test func theDateOfTheLastStop() throws {
        try VirtualTime.run { time in
            let now = time.clock.utc()
            func write(_ date: Timestamp) throws {
                let text = date.rfc3339.prefix(19).replacing("T", with: " ")
                try fixture.write("etc/fake-hwclock.data", text + "\n")
            }
            let uptime = Instant.zero.duration(to: time.now)
            try write(now.advanced(by: .zero - uptime))
            #expect(seen(by: time).isSaved)
            #expect(!seen(by: time, made: now).isSaved, "before the program was made")
            try write(now.advanced(by: .zero - uptime - .seconds(3600)))
            #expect(!seen(by: time).isSaved, "another program has set the date since")
        }
    }
}
