import Encoding
import Reasons
import Testing

@testable import Credentials
@testable import Kiosk

/// The first date after a start of the machine, and the passages that it may open (`docs/time.md`, "After the
/// power was off").
@Suite struct PowerOffTests {
    /// 2026-01-05T00:00:00Z, a Monday.
    private static let monday: Int64 = 1_767_571_200
    private static let (hour, day): (Int64, Int64) = (3600, 86_400)
    private static let (skew, week): (Duration, Int64) = (.seconds(60), 7 * 86_400)

    private enum Source {
        case nobody, saved, battery, server, authenticated, both
        /// As ``server`` and ``saved``, but the battery-backed clock has no battery, or shows an hour
        /// earlier.
        case powerlessServer, powerless, differing

        var isServed: Bool { [.server, .authenticated, .both, .powerlessServer].contains(self) }
        var hardware: HardwareClock {
            switch self {
            case .nobody, .saved, .server, .authenticated: .absent
            case .battery, .both: .agrees
            case .powerlessServer, .powerless: .powerless(Timestamp(seconds: 0))
            case .differing: .differs(seconds: -3600)
            }
        }
    }

    /// A gate that was switched off, and whose passage is locked from 19:00 to 07:00 and free from 07:00 to
    /// 09:00.
    private struct Box {
        private(set) var watch: ClockGuard
        private(set) var told: [String] = []
        private var elapsed: Int64 = 60
        /// The clock's date less the time since the start, in seconds.
        private var offset: Int64
        var source: Source

        /// Makes a box that shows `date` a minute after its start; `confirmed` is the last date confirmed
        /// before.
        init(confirmed: Int64?, shows date: Int64, _ source: Source) {
            let before = confirmed.map { DatedInstant(utc: Timestamp(seconds: $0 - 500), at: Self.instant(100)) }
            let memory = before.flatMap {
                ClockMemory(at: Self.instant(600), confirmed: $0).afterRestart(at: Self.instant(60))
            }
            (watch, offset, self.source) = (Self.judge(memory, source, at: 60), date - 60, source)
            look()
        }

        private static func instant(_ seconds: Int64) -> Instant { Instant(nanoseconds: seconds * 1_000_000_000) }
        private static func judge(_ memory: ClockMemory?, _ source: Source, at now: Int64) -> ClockGuard {
            ClockGuard(
                newest: nil, skew: PowerOffTests.skew, memory: memory, isAuthenticated: source == .authenticated,
                at: instant(now))
        }

        var shown: Int64 { offset + elapsed }
        var time: WallTime { watch.time }

        mutating func look() {
            let reports = watch.handle(
                .init(
                    utc: Timestamp(seconds: shown), monotonic: Self.instant(elapsed), isSynchronised: source.isServed,
                    hardware: source.hardware, isSaved: [.saved, .powerless].contains(source)))
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

        mutating func show(_ date: Int64, _ source: Source) {
            (offset, self.source) = (date - elapsed, source)
            look()
        }

        mutating func accept() {
            _ = watch.accept(.init(utc: Timestamp(seconds: shown), at: Self.instant(elapsed)))
            look()
        }

        /// Restarts the program without restarting the machine.
        mutating func restart() {
            watch = Self.judge(watch.memory, source, at: elapsed)
            look()
        }

        /// Switches the machine off and on; it shows `date` a minute after its start.
        mutating func cut(shows date: Int64, _ source: Source) {
            watch = Self.judge(watch.memory?.afterRestart(at: Self.instant(60)), source, at: 60)
            (elapsed, offset, self.source) = (60, date - 60, source)
            look()
        }

        var mode: DoorMode? { mode(.rtc) }
        func mode(_ minimum: WallTime.Provenance) -> DoorMode? {
            var schedule = DoorSchedule()
            schedule.entries = [
                .init(.locked, GateHours(days: Set(0...6), from: 19 * 60, to: 7 * 60)),
                .init(.free, GateHours(days: Set(0...6), from: 7 * 60, to: 9 * 60)),
            ]
            return schedule.mode(at: time, minimum: minimum)
        }
    }

    private let unconfirmed = ReasonCode.clockUnconfirmed.text

    private static func at(_ hours: Int64, _ minutes: Int64 = 0) -> Int64 { monday + hours * hour + minutes * 60 }

    @Test(
        "the first date after the power was off ends no lock-down and frees no passage unless a second source confirms it"
    )
    func table() {
        let evening = Self.at(18)
        let morning = Self.at(32)
        for (confirmed, shown, source, mode, isConfirmed) in [
            (evening, morning, .server, .locked, false),
            (evening, morning, .battery, .free, true),
            (evening, morning, .both, .free, true),
            (evening, morning, .authenticated, .free, true),
            // From 12:00 to 12:30: the gate was not locked at any date in between.
            (Self.at(12), Self.at(12, 30), .server, .normal, false),
            // Within the skew the gap does not count.
            (Self.at(8), Self.at(8, 1), .server, .free, true),
            // Passage is free only if it was free all the time.
            (Self.at(7, 5), Self.at(8), .server, .free, false), (Self.at(6, 58), Self.at(8), .server, .locked, false),
            (Self.at(8), Self.at(10), .server, .normal, false),
            // Closing needs no confirmed date.
            (Self.at(12), Self.at(20), .server, .locked, false),
            // The gap is longer than a week, so every hour of the week lies in it.
            (Self.at(12), Self.at(12) + 30 * Self.day, .server, .locked, false),
        ] as [(Int64, Int64, Source, DoorMode, Bool)] {
            let box = Box(confirmed: confirmed, shows: shown, source)
            #expect(box.mode == mode, "\(confirmed - Self.monday) \(shown - Self.monday) \(source)")
            #expect((box.time.lastConfirmed == nil) == isConfirmed && box.told == (isConfirmed ? [] : [unconfirmed]))
            // Credentials without hours are judged by the date that is shown.
            #expect(box.time.possible == [Timestamp(seconds: shown)])
            #expect(isConfirmed || box.time.earliest == Timestamp(seconds: confirmed + 60))
        }
    }

    @Test("it is confirmed once it has held for six hours, each further step begins them anew")
    func settles() {
        var box = Box(confirmed: Self.at(18), shows: Self.at(32), .server)
        box.pass(2 * Self.hour)
        #expect(box.mode == .locked)
        box.show(box.shown + 300, .server)
        box.pass(6 * Self.hour - 600)
        #expect(box.mode == .locked && box.time.lastConfirmed != nil)
        box.pass(600)
        #expect(box.mode == .normal && box.time.lastConfirmed == nil && box.told.last == "over " + unconfirmed)
    }

    @Test("an operator's acceptance confirms it at once")
    func accepted() {
        var box = Box(confirmed: Self.at(18), shows: Self.at(32), .server)
        box.accept()
        #expect(box.mode == .free && box.time.lastConfirmed == nil)
    }

    @Test("a date before the last confirmed one opens by both only, from any source")
    func back() {
        for source in [Source.server, .authenticated, .both] {
            var box = Box(confirmed: Self.at(20), shows: Self.at(12), source)
            #expect(box.time.possible == [Timestamp(seconds: Self.at(12)), Timestamp(seconds: Self.at(20, 1))])
            #expect(box.mode == .locked && box.told == [unconfirmed])
            box.pass(6 * Self.hour)
            #expect(box.time.possible.count == 1 && box.mode == .normal)
        }
    }

    @Test("no number of power cuts and restarts of the program makes a date a confirmed one")
    func again() {
        var box = Box(confirmed: Self.at(23), shows: Self.at(32), .server)
        for turn in 1...5 as ClosedRange<Int64> {
            box.pass(Self.hour)
            box.restart()
            #expect(box.mode == .locked, "\(turn)")
            box.cut(shows: Self.at(32) + turn * Self.hour + 120, .server)
            #expect(box.mode == .locked && box.time.lastConfirmed != nil, "\(turn)")
        }
        // The time for which the box was on has certainly passed.
        let last = box.time.lastConfirmed?.seconds ?? 0
        #expect((Self.at(28)...Self.at(28, 10)).contains(last), "\(last - Self.monday)")
    }

    @Test("a battery-backed clock that a time server may have set says nothing")
    func setByServer() {
        var box = Box(confirmed: Self.at(23), shows: Self.at(32), .server)
        box.source = .both
        box.pass(600)
        #expect(box.mode == .locked, "the kernel sets it within 11 minutes")
        box.restart()
        #expect(box.mode == .locked)
        box.source = .battery
        box.pass(600)
        #expect(box.mode == .locked)
        // The battery-backed clock continues while the machine is off, from the unconfirmed date.
        for turn in 1...3 as ClosedRange<Int64> {
            box.cut(shows: box.shown + 60, .battery)
            #expect(box.mode == .locked && box.time.lastConfirmed != nil, "\(turn)")
            box.pass(Self.hour)
        }
        box.pass(5 * Self.hour)
        #expect(box.time.lastConfirmed == nil, "held for six hours")
    }

    @Test("a false server that moves the clock in service and cuts the power opens nothing by the battery-backed clock")
    func movedAndCut() {
        for lookBefore in [true, false] {
            var box = Box(confirmed: Self.at(18), shows: Self.at(20), .battery)
            #expect(box.time.lastConfirmed == nil)
            box.pass(600)
            // The kernel sets the battery-backed clock before the system's clock is reported as synchronised.
            box.show(Self.at(31), lookBefore ? .battery : .both)
            box.pass(60)
            #expect(box.mode != .free)
            box.cut(shows: Self.at(31, 5), .battery)
            #expect(box.mode == .locked && box.time.lastConfirmed != nil, "\(lookBefore)")
            // The saved date may also come from the server.
            box.cut(shows: Self.at(31, 10), .saved)
            #expect(box.mode(.saved) == .locked, "\(lookBefore)")
        }
        // The same before any date is confirmed.
        var box = Box(confirmed: Self.at(18), shows: Self.at(18, 5), .saved)
        box.show(Self.at(31), .nobody)
        box.cut(shows: Self.at(31, 5), .battery)
        #expect(box.mode == .locked)
    }

    @Test("a battery-backed clock that showed another date proves none once it shows the system's")
    func off() {
        for (first, next) in [
            (Source.powerless, Source.both), (.powerlessServer, .both), (.differing, .both), (.differing, .battery),
        ] {
            var box = Box(confirmed: Self.at(18), shows: Self.at(18, 1), first)
            box.show(Self.at(32), next)
            #expect(box.mode != .free, "\(first) \(next)")
            box.pass(60)
            box.restart()
            #expect(box.mode != .free, "\(first) \(next)")
            box.cut(shows: box.shown + 60, .battery)
            #expect(box.mode == .locked, "\(first) \(next)")
        }
        // Without a battery and a time server, a saved date opens the passages that the operator allows for
        // saved dates.
        var box = Box(confirmed: Self.at(6), shows: Self.at(8), .powerless)
        #expect(box.mode(.saved) == .free)
        box.restart()
        #expect(box.mode(.saved) == .free)
        box.cut(shows: Self.at(8, 10), .powerless)
        #expect(box.mode(.saved) == .free)
    }

    @Test("a gate with a good battery-backed clock opens its hours at once, each day")
    func honest() {
        var box = Box(confirmed: Self.at(18), shows: Self.at(31), .battery)
        for day in 1...5 as ClosedRange<Int64> {
            #expect(box.mode == .free && box.time.lastConfirmed == nil, "\(day)")
            // A time server corrects some seconds, and on one day each of the clocks is an hour off for a
            // while.
            box.show(box.shown + 20, .both)
            if day == 3 {
                box.show(box.shown + Self.hour, .both)
                box.show(box.shown - Self.hour, .differing)
                box.show(box.shown, .both)
            }
            box.pass(4 * Self.hour)
            box.restart()
            #expect(box.time.possible.count == 1 && box.time.lastConfirmed == nil, "\(day)")
            box.cut(shows: Self.at(31) + day * Self.day, day.isMultiple(of: 2) ? .both : .battery)
        }
    }

    @Test("a date that was confirmed sets the battery-backed clock right, and it counts again")
    func setRight() {
        var box = Box(confirmed: Self.at(18), shows: Self.at(18, 1), .differing)
        box.show(Self.at(32), .both)
        box.pass(6 * Self.hour)
        #expect(box.time.lastConfirmed == nil)
        box.cut(shows: Self.at(55), .battery)
        #expect(box.mode == .free, "after six hours")
        box.show(Self.at(60), .both)
        #expect(box.time.possible.count == 2)
        box.accept()
        box.pass(60)
        box.cut(shows: Self.at(79), .battery)
        #expect(box.mode == .free, "after the word of an operator")
    }

    @Test("a saved date confirms nothing, and a time server after it is asked all the same")
    func saved() {
        var box = Box(confirmed: Self.at(18), shows: Self.at(18, 40), .saved)
        #expect(box.time.provenance == .saved && box.time.lastConfirmed == nil && box.mode == nil)
        box.pass(7 * Self.hour)
        box.show(Self.at(32), .server)
        #expect(box.mode == .locked && box.time.lastConfirmed != nil)
        // After the server has moved the date, it is no longer a saved date of the gate.
        box.show(Self.at(31), .saved)
        #expect(box.time.provenance < .rtc && box.time.lastConfirmed != nil)
    }

    @Test("the first date that a new box sees is confirmed, and without a kept one the newest record's counts")
    func newBox() {
        #expect(Box(confirmed: nil, shows: Self.at(8), .server).mode == .free)
        var watch = ClockGuard(newest: Timestamp(seconds: Self.at(18)), skew: Self.skew, at: .zero)
        let look = ClockGuard.Reading(
            utc: Timestamp(seconds: Self.at(32)), monotonic: .zero, isSynchronised: true, hardware: .absent)
        _ = watch.handle(look)
        #expect(watch.time.lastConfirmed == Timestamp(seconds: Self.at(18)))
    }
}
