import Encoding
import Reasons
import Testing

@testable import Kiosk

/// Tables of readings of the clocks, with the date that the guard believes and the faults that it reports for
/// each.
@Suite("The clock's guard")
struct ClockGuardTests {
    private typealias Provenance = WallTime.Provenance

    /// 2026-01-01T00:00:00Z, the date of the newest record in these tables.
    private static let newest: Int64 = 1_767_225_600
    private static let (day, year): (Int64, Int64) = (86_400, 365 * 86_400)

    /// The source of a reading: the machine's own clock, one set from a battery-backed clock, or one set by a
    /// time server.
    private enum Source { case nobody, battery, server }

    private struct Row {
        /// The seconds since the machine's start, and the clock's seconds after the newest record.
        let (at, clock): (Int64, Int64)
        let source: Source
        /// The believed date, in seconds after the newest record, and its provenance.
        let (date, provenance): (Int64, Provenance)
        var told: [String] = []

        init(
            _ at: Int64, _ clock: Int64, _ source: Source, _ date: Int64, _ provenance: Provenance,
            told: [String] = []
        ) {
            (self.at, self.clock, self.source) = (at, clock, source)
            (self.date, self.provenance, self.told) = (date, provenance, told)
        }
    }

    private func at(_ seconds: Int64) -> Instant { Instant(nanoseconds: seconds * 1_000_000_000) }

    private func words(_ reports: [HealthReport]) -> [String] {
        reports.map { ($0.isPresent ? "" : "over ") + $0.code.text }
    }

    @discardableResult
    private func play(
        _ rows: [Row], newest: Int64? = newest, on watch: ClockGuard? = nil,
        _ place: SourceLocation = #_sourceLocation
    ) -> ClockGuard {
        var watch =
            watch
            ?? ClockGuard(
                newest: newest.map { Timestamp(seconds: $0) }, skew: .seconds(60),
                made: Timestamp(seconds: Self.newest - 100 * Self.year), at: .zero)
        for (number, row) in rows.enumerated() {
            let told = watch.handle(
                .init(
                    utc: Timestamp(seconds: Self.newest + row.clock), monotonic: at(row.at),
                    isSynchronised: row.source == .server, hardware: row.source == .nobody ? .absent : .agrees))
            #expect(watch.time.utc.seconds - Self.newest == row.date, "row \(number)", sourceLocation: place)
            #expect(watch.time.provenance == row.provenance, "row \(number)", sourceLocation: place)
            #expect(words(told) == row.told, "row \(number)", sourceLocation: place)
        }
        return watch
    }

    private let stepped = ReasonCode.clockStepped.text
    private let contradicted = ReasonCode.clockContradicted.text
    private let unconfirmed = ReasonCode.clockUnconfirmed.text

    @Test("a clock that falls back in service is not followed, by whichever source short of a time server")
    func fallsBack() {
        let watch = play([
            Row(0, 100, .battery, 100, .rtc), Row(100, 200, .battery, 200, .rtc),
            Row(110, 150, .battery, 150, .rtc),  // within the skew
            Row(120, 0, .battery, 160, .saved, told: [stepped]),
            Row(3720, 3600, .battery, 3760, .saved),  // continued by the monotonic clock, an hour without a visit
            Row(3730, 3610 - 3 * Self.day, .battery, 3770, .saved, told: [stepped, contradicted]),
            Row(3740, 3840, .battery, 3840, .rtc, told: [stepped, "over " + contradicted]),
        ])
        #expect(watch.time.unsynchronised == nil)
        play([
            Row(0, 0, .server, 0, .synchronised), Row(10, 10 - Self.day / 2, .nobody, -50, .saved, told: [stepped]),
            // A time server may correct the date within a day. The guard believes it, but it is not confirmed
            // yet.
            Row(20, 20 - Self.day / 2, .server, 20 - Self.day / 2, .synchronised, told: [unconfirmed]),
            Row(80, 80 - Self.day / 2, .server, 80 - Self.day / 2, .synchronised, told: ["over " + stepped]),
            // A second such correction is refused: it differs by more than a day from the newest date that
            // was ever believed.
            Row(90, 90 - Self.day - 1, .server, 90 - Self.day / 2, .unset, told: [stepped, contradicted]),
        ])
    }

    @Test("one glitch forward is not believed, and has no later effect")
    func glitch() {
        play([
            Row(0, 100, .battery, 100, .rtc), Row(10, Self.year, .battery, 110, .saved, told: [stepped]),
            Row(20, Self.year + 10, .battery, 120, .saved), Row(30, 130, .battery, 130, .rtc, told: [stepped]),
            Row(10_000, 10_100, .battery, 10_100, .rtc),  // no time server: an operator should check
        ])
    }

    @Test("a box that was off for weeks follows the time server at once, and is quiet after a minute")
    func synchronisedAfterWeeks() {
        let weeks = 21 * Self.day
        play([
            Row(0, -5 * Self.year, .nobody, -60, .saved), Row(10, 10 - 5 * Self.year, .nobody, -50, .saved),
            Row(20, weeks, .server, weeks, .synchronised, told: [stepped]),
            Row(79, weeks + 59, .server, weeks + 59, .synchronised),
            Row(80, weeks + 60, .server, weeks + 60, .synchronised, told: ["over " + stepped]),
            Row(90, weeks + 70, .battery, weeks + 70, .rtc),
        ])
        // A battery-backed clock may be weeks after the newest record's date; the guard believes it at the
        // start.
        play([Row(0, weeks, .battery, weeks, .rtc)])
    }

    @Test("a clock with a dead battery is reported, and the newest record's date continues")
    func deadBattery() {
        play([
            Row(0, -26 * Self.year, .battery, -60, .saved, told: [contradicted]),
            Row(1000, 1000 - 26 * Self.year, .battery, 940, .saved),
            Row(1010, 2000, .server, 2000, .synchronised, told: [stepped, "over " + contradicted]),
        ])
        // Without a battery-backed clock every start looks like this, and there is no fault.
        play([Row(0, -26 * Self.year, .nobody, -60, .saved)])
        play([Row(0, 0, .nobody, 0, .unset), Row(10, 10, .server, 10, .synchronised)], newest: nil)
        play([Row(0, 0, .battery, 0, .rtc)], newest: nil)
    }

    @Test("a leap of exactly the skew is none, one of a second more is")
    func exactly() {
        play([
            Row(0, 0, .battery, 0, .rtc), Row(10, 70, .battery, 70, .rtc), Row(20, 20, .battery, 20, .rtc),
            Row(30, 30, .battery, 30, .rtc),
        ])
        play([Row(0, 0, .battery, 0, .rtc), Row(10, 71, .battery, 10, .saved, told: [stepped])])
        play([Row(0, 0, .battery, 0, .rtc), Row(10, -51, .battery, -50, .saved, told: [stepped])])
        play([Row(0, 0, .battery, 0, .rtc), Row(10, -50, .battery, -50, .rtc)])
    }

    @Test("small steps back add up against the bound")
    func creepingBack() {
        play([
            Row(0, 0, .battery, 0, .rtc), Row(10, -30, .battery, -30, .rtc), Row(20, -70, .battery, -40, .saved),
            Row(30, -110, .battery, -30, .saved),
        ])
    }

    @Test("a time server that contradicts the newest record by more than a day needs an operator's acceptance")
    func contradiction() {
        var watch = play([
            // The difference is exactly a day, but the date is before the last confirmed date.
            Row(0, -Self.day, .server, -Self.day, .synchronised, told: [unconfirmed])
        ])
        watch = play([
            Row(0, -Self.day - 1, .server, 0, .unset, told: [contradicted]),
            Row(10, -Self.day + 9, .battery, 10, .unset),  // not forgotten when the server is lost
            Row(20, -Self.day + 19, .server, 20, .unset),
        ])
        #expect(
            words(watch.accept(.init(utc: Timestamp(seconds: Self.newest - Self.day + 25), at: at(30)))) == [
                "over " + contradicted
            ]
        )
        play([Row(31, -Self.day + 30, .server, -Self.day + 30, .synchronised)], on: watch)
        play([Row(31, -Self.day + 30, .battery, -Self.day + 30, .rtc)], on: watch)
        play([Row(31, -2 * Self.day, .battery, -Self.day - 34, .saved, told: [contradicted])], on: watch)

        // A step forward by more than a day, when a time server had vouched for the previous date.
        watch = play([
            Row(0, 0, .server, 0, .synchronised),
            Row(10, 11 + Self.day, .server, 10, .unset, told: [stepped, contradicted]),
            Row(20, 20, .server, 20, .synchronised, told: [stepped, "over " + contradicted]),
        ])
    }

    @Test("a record of the far future locks an offline gate until an operator accepts the clock")
    func farFuture() {
        var watch = play([
            Row(0, -73 * Self.year, .battery, -60, .saved, told: [contradicted]),
            Row(10, 10 - 73 * Self.year, .battery, -50, .saved),
        ])
        _ = watch.accept(.init(utc: Timestamp(seconds: Self.newest + 15 - 73 * Self.year), at: at(16)))
        play(
            [
                Row(20, 20 - 73 * Self.year, .battery, 20 - 73 * Self.year, .rtc),
                Row(30, 30 - 73 * Self.year, .server, 30 - 73 * Self.year, .synchronised),
            ], on: watch)
    }

    @Test("a clock set by hand counts after it was accepted")
    func setByHand() {
        var watch = play([
            Row(0, 0, .battery, 0, .rtc), Row(10, 7210, .battery, 10, .saved, told: [stepped]),
        ])
        #expect(
            words(watch.accept(.init(utc: Timestamp(seconds: Self.newest + 7215), at: at(16)))) == ["over " + stepped])
        play([Row(20, 7220, .battery, 7220, .rtc)], on: watch)
    }

    @Test("without a battery-backed clock a date from a time server counts until the clock is changed")
    func vouchedWithoutBattery() {
        play([
            Row(0, -5 * Self.year, .nobody, -60, .saved),
            Row(10, 10, .server, 10, .synchronised, told: [stepped]), Row(20, 20, .nobody, 20, .rtc, told: []),
            Row(30 * Self.day, 30 * Self.day, .nobody, 30 * Self.day, .rtc),
            Row(30 * Self.day + 10, 30 * Self.day + 80, .nobody, 30 * Self.day + 10, .saved, told: [stepped]),
            Row(30 * Self.day + 20, 30 * Self.day + 20, .nobody, 30 * Self.day + 20, .rtc, told: [stepped]),
        ])
        // No source has vouched for the date since the start.
        play([Row(0, 0, .nobody, 0, .saved), Row(10, 10, .nobody, 10, .saved)])
        let watch = play([Row(0, 0, .server, 0, .synchronised), Row(60, 60, .nobody, 60, .rtc)])
        #expect(watch.time.unsynchronised == .seconds(60), "max-unsynced bounds it")
    }

    @Test("how long it runs without a time server is known")
    func unsynchronised() {
        let watch = play([
            Row(0, 0, .battery, 0, .rtc), Row(10, 10, .server, 10, .synchronised), Row(70, 70, .battery, 70, .rtc),
        ])
        #expect(watch.time.unsynchronised == .seconds(60))
    }

    @Test("steps are counted, and reported in words")
    func details() {
        var watch = ClockGuard(newest: nil, skew: .zero, at: .zero)
        func look(_ second: Int64, _ date: Int64) -> [HealthReport] {
            watch.handle(
                .init(
                    utc: Timestamp(seconds: date), monotonic: at(second), isSynchronised: false, hardware: .agrees)
            )
        }
        #expect(look(0, 1000).isEmpty && look(10, 1012).isEmpty, "a leap second is no step however small the skew")
        #expect(look(20, 1122) == [.present(.clockStepped, count: 1, detail: "100 s forward")])
        #expect(look(30, 1032) == [.present(.clockStepped, count: 2, detail: "100 s back")])
        #expect(look(40, .max / 4).first?.count == 3, "no date is too strange")
        #expect(look(50, .min / 4).first?.count == 4)
    }

    // MARK: - Battery-backed clocks and saved dates

    private static let made = Timestamp(seconds: newest - 30 * day)

    private func look(
        _ second: Int64, _ clock: Int64, _ hardware: HardwareClock, isSynchronised: Bool = false, isSaved: Bool = false
    ) -> ClockGuard.Reading {
        .init(
            utc: Timestamp(seconds: Self.newest + clock), monotonic: at(second), isSynchronised: isSynchronised,
            hardware: hardware, isSaved: isSaved)
    }

    private func newGuard(newest: Int64? = newest) -> ClockGuard {
        ClockGuard(newest: newest.map { Timestamp(seconds: $0) }, skew: .seconds(60), made: Self.made, at: .zero)
    }

    /// The Raspberry Pi 5's clock always answers: after a power cut it shows 1970, and a service then sets
    /// the system's date to the last one that it saved.
    @Test("a Raspberry Pi 5 without a battery has a saved date, not that of a clock")
    func noBattery() {
        let powerless = HardwareClock(
            showing: 40, at: Timestamp(seconds: Self.newest), uptime: .seconds(40), made: Self.made)
        for newest in [nil, Self.newest] {
            var watch = newGuard(newest: newest)
            #expect(words(watch.handle(look(40, 100, powerless, isSaved: true))).isEmpty)
            #expect(watch.time.provenance == .saved && watch.time.utc.seconds == Self.newest + 100)
            #expect(words(watch.handle(look(101, 161, powerless, isSaved: true))) == [ReasonCode.clockHardware.text])
            // A time server sets both clocks: the system's clock at once, the battery-backed one within 11
            // minutes.
            let week = 7 * Self.day
            let told = words(watch.handle(look(102, week, powerless, isSynchronised: true)))
            #expect(told == [stepped] + (newest == nil ? [] : [unconfirmed]))
            #expect(watch.time.provenance == .synchronised)
            #expect(
                words(watch.handle(look(700, week + 598, .agrees, isSynchronised: true)))
                    == ["over " + ReasonCode.clockHardware.text, "over " + stepped])
            _ = watch.handle(look(800, week + 698, .agrees))
            #expect(watch.time.provenance == .rtc)
        }
    }

    @Test("a clock that parts from the system's in service makes a saved date of it, until they agree")
    func parts() {
        var watch = newGuard()
        _ = watch.handle(look(0, 100, .agrees))
        #expect(watch.time.provenance == .rtc)
        #expect(words(watch.handle(look(10, 110, .differs(seconds: 300)))).isEmpty)
        #expect(watch.time.provenance == .saved && watch.time.utc.seconds == Self.newest + 110)
        #expect(words(watch.handle(look(70, 170, .differs(seconds: 301)))) == [ReasonCode.clockHardware.text])
        #expect(words(watch.handle(look(80, 180, .agrees))) == ["over " + ReasonCode.clockHardware.text])
        #expect(watch.time.provenance == .rtc)
        // An empty battery does not undo a date that a time server has set.
        _ = watch.handle(look(90, 190, .powerless(Timestamp(seconds: 0)), isSynchronised: true))
        _ = watch.handle(look(100, 200, .powerless(Timestamp(seconds: 0))))
        #expect(watch.time.provenance == .rtc)
        _ = watch.handle(look(110, 900, .powerless(Timestamp(seconds: 0))))
        #expect(watch.time.provenance == .saved, "moved since")
    }

    @Test("with a time server the kernel has a quarter of an hour to set the clock before a report")
    func setting() {
        var watch = newGuard()
        for second in stride(from: Int64(0), through: 890, by: 10) {
            #expect(words(watch.handle(look(second, second, .differs(seconds: 90), isSynchronised: true))).isEmpty)
        }
        #expect(
            words(watch.handle(look(900, 900, .differs(seconds: 90), isSynchronised: true)))
                == [ReasonCode.clockHardware.text])
    }

    @Test("a battery-backed clock that stops answering is reported, and the date keeps its trust")
    func fallsSilent() {
        func silent(_ second: Int64) -> ClockGuard.Reading {
            var look = look(second, second, .agrees)
            look.isSilent = true
            return look
        }
        var watch = newGuard()
        _ = watch.handle(look(0, 0, .agrees))
        for second in stride(from: Int64(10), to: 70, by: 10) { #expect(watch.handle(silent(second)).isEmpty) }
        #expect(watch.handle(silent(70)) == [.present(.clockHardware, detail: "its date cannot be read")])
        #expect(watch.time.provenance == .rtc && watch.handle(silent(80)).isEmpty)
        #expect(words(watch.handle(look(90, 90, .agrees))) == ["over " + ReasonCode.clockHardware.text])
    }

    @Test("a date before the program was made has no source, whichever clock shows it")
    func beforeMade() {
        let early = -31 * Self.day
        for (isSynchronised, hardware) in [
            (false, HardwareClock.agrees), (true, .absent), (true, .agrees), (false, .absent),
        ] {
            var watch = newGuard(newest: nil)
            _ = watch.handle(look(0, early, hardware, isSynchronised: isSynchronised, isSaved: true))
            #expect(watch.time.provenance == .unset)
        }
        // A ledger from before the last upgrade does not make such a date valid either.
        var watch = newGuard(newest: Self.newest - 60 * Self.day)
        _ = watch.handle(look(0, early, .agrees))
        #expect(watch.time.provenance == .saved && watch.time.utc == Self.made.advanced(by: .seconds(-60)))
        #expect(watch.accept(.init(utc: Timestamp(seconds: Self.newest + early), at: at(1))).isEmpty)
        _ = watch.handle(look(2, early + 2, .agrees))
        #expect(watch.time.provenance == .saved, "nobody can accept it either")
        _ = watch.accept(.init(utc: Timestamp(seconds: Self.newest), at: at(3)))
        _ = watch.handle(look(4, 1, .agrees))
        #expect(watch.time.provenance == .rtc)
    }

    @Test("on a new box the date of the last stop is a saved one, and any other without a source is none")
    func newBox() {
        for (isSaved, provenance) in [(true, Provenance.saved), (false, .unset)] {
            var watch = newGuard(newest: nil)
            _ = watch.handle(look(0, 0, .absent, isSaved: isSaved))
            #expect(watch.time.provenance == provenance)
        }
    }

    @Test("the two may be seconds apart, and what two bad crystals part in the time since")
    func differences() {
        let date = Timestamp(seconds: Self.newest)
        for (shown, uptime, isSo) in [
            (0, 0, true), (-5, 0, true), (5, 0, true), (6, 0, false), (-6, 10_000, true), (-7, 10_000, false),
            (500, 60 * Self.day, true), (600, 60 * Self.day, false), (.min + 10, 0, false),
        ] as [(Int64, Int64, Bool)] {
            let clock = HardwareClock(
                showing: shown == .min + 10 ? .max : Self.newest + shown, at: date, uptime: .seconds(uptime),
                made: Self.made)
            #expect((clock == .agrees) == isSo, "\(shown) \(uptime)")
            #expect((clock.trouble == nil) == isSo)
        }
        #expect(HardwareClock(showing: nil, at: date, uptime: .zero, made: Self.made) == .silent)
        #expect(
            HardwareClock(showing: .min, at: date, uptime: .zero, made: Self.made).trouble?.contains("no battery")
                == true)
    }
}
