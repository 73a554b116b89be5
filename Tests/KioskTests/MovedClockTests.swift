import Encoding
import Ledger
import Reasons
import Testing

@testable import Credentials
@testable import Kiosk

/// Clocks that are moved in service, and the passages that their dates may open (`docs/time.md`, "When the
/// clock is moved").
@Suite struct MovedClockTests {
    /// 2026-01-05T00:00:00Z, a Monday.
    private static let monday: Int64 = 1_767_571_200
    private static let (hour, day): (Int64, Int64) = (3600, 86_400)

    private enum Source { case nobody, battery, server }

    /// A gate whose clock the tests set, and whose passage is locked from 19:00 to 07:00 and free from 07:00
    /// to 09:00.
    private struct Box {
        private(set) var watch: ClockGuard
        private(set) var told: [String] = []
        private var elapsed: Int64 = 0
        /// The clock's date less the time since the start, in seconds.
        var offset: Int64
        var source: Source

        init(_ date: Int64, _ source: Source, newest: Int64? = nil, settle: Duration = ClockGuard.usualSettle) {
            (offset, self.source) = (date, source)
            watch = ClockGuard(
                newest: newest.map { Timestamp(seconds: $0) }, skew: .seconds(60), settle: settle, at: .zero)
            look()
        }

        private var now: Instant { Instant(nanoseconds: elapsed * 1_000_000_000) }
        /// The date that the clock shows.
        var shown: Int64 { offset + elapsed }

        mutating func look() {
            let reports = watch.handle(
                .init(
                    utc: Timestamp(seconds: shown), monotonic: now, isSynchronised: source == .server,
                    hardware: source == .battery ? .agrees : .absent))
            told += reports.map { ($0.isPresent ? "" : "over ") + $0.code.text }
        }

        /// Advances the time, with a reading every ten minutes and one at the end.
        mutating func pass(_ seconds: Int64) {
            let end = elapsed + seconds
            while elapsed < end {
                elapsed = min(end, elapsed + 600)
                look()
            }
        }

        mutating func step(_ seconds: Int64) {
            offset += seconds
            elapsed += 1
            look()
        }

        mutating func accept() {
            told += watch.accept(.init(utc: Timestamp(seconds: shown), at: now)).map {
                ($0.isPresent ? "" : "over ") + $0.code.text
            }
            look()
        }

        /// Restarts the program without restarting the machine.
        mutating func restart(newest: Int64? = nil) {
            watch = ClockGuard(
                newest: newest.map { Timestamp(seconds: $0) }, skew: .seconds(60), memory: watch.memory, at: now)
            look()
        }

        var isUnconfirmed: Bool { watch.time.alternative != nil }

        func mode(minimum: WallTime.Provenance = .rtc) -> DoorMode? {
            var schedule = DoorSchedule()
            schedule.entries = [
                .init(.locked, GateHours(days: Set(0...6), from: 19 * 60, to: 7 * 60)),
                .init(.free, GateHours(days: Set(0...6), from: 7 * 60, to: 9 * 60)),
            ]
            return schedule.mode(at: watch.time, minimum: minimum)
        }
    }

    private let unconfirmed = ReasonCode.clockUnconfirmed.text

    @Test("a time server that makes night into morning ends no lock-down and frees no passage, for six hours")
    func morningAtNight() {
        for source in [Source.battery, .server] {
            var box = Box(Self.monday + 20 * Self.hour, source)
            #expect(box.mode() == .locked)
            box.source = .server
            box.step(11 * Self.hour + 60)
            #expect(box.watch.time.provenance == .synchronised && box.mode() == .locked, "07:01, or 20:00")
            #expect(box.told.contains(unconfirmed))
            // The lock-down continues, because the old date is still in it. Without the confirmation after
            // six hours it would last until 07:00 by the old date and 18:00 by the new one, when neither is
            // locked.
            box.pass(6 * Self.hour - 700)
            #expect(box.mode() == .locked && box.isUnconfirmed)
            box.pass(700)
            #expect(!box.isUnconfirmed && box.told.last == "over " + unconfirmed)
            #expect(box.mode() == .normal, "13:01, which has held")
        }
    }

    @Test("a clock that is led back closes at once, and opens nothing that the old date would not open")
    func backward() {
        var box = Box(Self.monday + 10 * Self.hour, .server)
        #expect(box.mode() == .normal)
        box.step(-3 * Self.hour)
        #expect(box.mode() == .normal, "07:00 would be free, 10:00 is not")
        box.step(-Self.hour)
        #expect(box.mode() == .locked, "06:00 is locked: closing needs no good date")
        box.step(4 * Self.hour)
        #expect(box.mode() == .normal && !box.isUnconfirmed, "as it was before")
        #expect(box.told.filter { $0.hasSuffix(unconfirmed) } == [unconfirmed, "over " + unconfirmed])
    }

    @Test("each step begins the time anew, however small, and steps within the skew add up")
    func creeping() {
        var box = Box(Self.monday + 12 * Self.hour, .server)
        for _ in 0..<20 {
            box.step(59)
            box.pass(Self.hour)
        }
        #expect(box.isUnconfirmed, "20 minutes in 20 hours")
        var slow = Box(Self.monday, .server)
        // A deviation within the kernel's limit for the clock's rate does not count as a step.
        for _ in 0..<240 {
            slow.step(1)
            slow.pass(Self.hour)
        }
        #expect(!slow.isUnconfirmed)
        // The accumulated drift of a slow clock over months does not let a large step pass as confirmed at
        // once.
        slow.pass(90 * Self.day)
        slow.step(600)
        #expect(slow.isUnconfirmed)
    }

    @Test("forty steps of 23 hours lead no further than a day, and the true date counts afterwards")
    func fortySteps() {
        var box = Box(Self.monday + 12 * Self.hour, .server)
        var furthest: Int64 = 0
        for _ in 0..<40 {
            box.step(23 * Self.hour)
            box.pass(7 * Self.hour)
            let passed = box.watch.time.utc.seconds - Self.monday - 12 * Self.hour
            if box.watch.time.provenance >= .rtc { furthest = max(furthest, passed - Self.elapsed(box)) }
        }
        #expect(furthest <= Self.day + 60, "\(furthest)")
        let highest = box.watch.time.utc.seconds
        var next = Box(Self.monday + 12 * Self.hour + Self.elapsed(box), .server, newest: highest)
        #expect(next.watch.time.provenance == .synchronised, "and a restart does not refuse it")
        next.pass(60)
        #expect(!next.isUnconfirmed)
    }

    /// Returns how long a box has been on, in seconds.
    private static func elapsed(_ box: Box) -> Int64 { box.shown - box.offset }

    @Test("what an operator accepts is confirmed at once")
    func accepted() {
        var box = Box(Self.monday + 20 * Self.hour, .server)
        box.step(11 * Self.hour)
        #expect(box.isUnconfirmed)
        box.accept()
        #expect(!box.isUnconfirmed && box.mode() == .free && box.told.contains("over " + unconfirmed))
    }

    @Test("a box without a battery-backed clock follows its first time server at once")
    func withoutBattery() {
        var box = Box(Self.monday - 21 * Self.day, .nobody, newest: Self.monday - 21 * Self.day)
        #expect(box.watch.time.provenance == .saved)
        box.source = .server
        box.step(21 * Self.day)
        #expect(!box.isUnconfirmed && box.watch.time.provenance == .synchronised)
        // The first date of a time server opens a passage only if the schedule had it open throughout; see
        // PowerOffTests.
        #expect(box.watch.time.lastConfirmed != nil)
        box.step(11 * Self.hour)
        #expect(box.isUnconfirmed, "but not its second word")
    }

    @Test("where saved dates are good enough, the first one is confirmed, and a better source corrects it")
    func saved() {
        var box = Box(Self.monday + 20 * Self.hour, .nobody, newest: Self.monday + 20 * Self.hour)
        #expect(box.mode(minimum: .saved) == .locked)
        box.step(11 * Self.hour)
        #expect(box.mode(minimum: .saved) == .locked, "nobody who is known has moved it")
    }

    @Test("a restart of the program confirms no date that was in doubt")
    func restart() {
        var box = Box(Self.monday + 20 * Self.hour, .server)
        box.step(11 * Self.hour + 60)
        box.restart(newest: box.shown)
        #expect(box.isUnconfirmed && box.mode() == .locked)
        // A date that was only saved does not count as confirmed either.
        var other = Box(Self.monday, .nobody, newest: Self.monday)
        #expect(other.watch.memory?.confirmed == nil)
        other.restart(newest: Self.monday)
        other.source = .server
        other.step(Self.hour)
        #expect(!other.isUnconfirmed)
    }

    @Test("no restart gives a time server another day, forward or back")
    func restartsAreNoSteps() {
        for step in [23 * Self.hour, -23 * Self.hour] {
            var box = Box(Self.monday, .server)
            var furthest: Int64 = 0
            for _ in 0..<5 {
                box.step(step)
                box.pass(7 * Self.hour)
                box.restart(newest: box.watch.time.utc.seconds)
                let passed = box.watch.time.utc.seconds - Self.monday - Self.elapsed(box)
                if box.watch.time.provenance >= .rtc { furthest = max(furthest, abs(passed)) }
            }
            #expect(furthest > 22 * Self.hour && furthest <= Self.day + 60, "\(furthest)")
        }
    }

    @Test("a wrong date from a time server has no effect after the clock returns")
    func oneWrongDate() {
        var box = Box(Self.monday, .battery, newest: Self.monday)
        box.source = .server
        box.step(2 * Self.day)
        #expect(box.isUnconfirmed)
        box.step(-2 * Self.day)
        #expect(!box.isUnconfirmed && box.watch.time.provenance == .synchronised)
        box.step(2 * Self.day)
        #expect(box.watch.time.provenance == .unset, "the true one is the first that it vouched for")
    }

    @Test("daylight saving moves no date")
    func daylightSaving() {
        // 2026-03-29T00:00:00Z, an hour before Berlin's clocks go from 02:00 to 03:00.
        var box = Box(1_774_742_400, .server)
        box.pass(3 * Self.hour)
        #expect(!box.isUnconfirmed && box.told.isEmpty)
    }

    @Test("of two possible dates the one counts at which the schedule opens less, whichever is the clock's")
    func lessOfTheTwo() {
        var schedule = DoorSchedule()
        schedule.entries = [
            .init(.locked, GateHours(days: [0], from: 0, to: 60)),
            .init(.free, GateHours(days: [0], from: 120, to: 180)),
        ]
        let dates: [(DoorMode, Int64)] = [(.locked, 0), (.normal, 3600), (.free, 7200)]
        for (index, one) in dates.enumerated() {
            for (second, other) in dates.enumerated() {
                let time = WallTime(
                    utc: Timestamp(seconds: Self.monday + one.1), provenance: .rtc,
                    alternative: Timestamp(seconds: Self.monday + other.1))
                #expect(schedule.mode(at: time, minimum: .rtc) == dates[min(index, second)].0)
            }
        }
    }

    @Test("after a restart who was here is remembered by the earlier date")
    func replay() throws {
        let name = try #require(ReplayName([UInt8](repeating: 7, count: ReplayName.byteCount)))
        let seen = Timestamp(seconds: Self.monday)
        for (late, other, isKnown) in [(Int64(3000), Int64(30), true), (30, 3000, true), (3000, 2000, false)] {
            var memory = ReplayMemory(window: .seconds(60))
            let time = WallTime(
                utc: seen.advanced(by: .seconds(late)), provenance: .synchronised,
                alternative: seen.advanced(by: .seconds(other)))
            memory.recall([(name, seen)], at: time, now: Instant(nanoseconds: 100_000_000_000))
            #expect(memory.knows(name, besides: VisitID("a"), at: Instant(nanoseconds: 101_000_000_000)) == isKnown)
        }
    }
}
