import Encoding
import Reasons
import Testing

@testable import Kiosk

/// Warnings before trust material and other items expire, in virtual time.
@Suite struct ExpiryCalendarTests {
    private static let day: Int64 = 86_400
    private static let end = Timestamp(seconds: 1_800_000_000)

    private func bundle(_ number: Int = 1, life: Int64? = 365, end: Timestamp = end, isRenewed: Bool = false) -> Expiry
    {
        Expiry(
            .bundle, Text("bundle \(number)"), begin: life.map { end.advanced(by: .seconds(-$0 * Self.day)) }, end: end,
            isRenewed: isRenewed)
    }

    /// Returns the time that many days and seconds before the end of ``bundle(_:life:end:isRenewed:)``.
    private func before(_ days: Int64, _ seconds: Int64 = 0) -> Timestamp {
        Self.end.advanced(by: .seconds(-days * Self.day - seconds))
    }

    /// Returns the calendar's reactions: `14` is the report of that step; `+code` means that the fault is in
    /// force, `-code` that it is over.
    private func look(_ calendar: inout ExpiryCalendar, _ expiries: [Expiry], _ date: Timestamp?) -> [String] {
        calendar.look(expiries, at: date).map { action in
            switch action {
            case .tell(let warning): "\(warning.step.rawValue)"
            case .report(let report): (report.isPresent ? "+" : "-") + report.code.text
            }
        }
    }

    private let soon = ReasonCode.expiresSoon.text
    private let over = ReasonCode.expired.text

    @Test func eachStepIsReportedOnce() {
        var calendar = ExpiryCalendar()
        var told: [String] = []
        // A look every minute for sixteen days.
        for minute in stride(from: Int64(16 * 1440), through: -10, by: -1) {
            told += look(&calendar, [bundle()], before(0, minute * 60))
        }
        #expect(told == ["14", "+" + soon, "3", "+" + soon, "1", "+" + soon, "0", "-" + soon, "+" + over])
    }

    @Test func theWordsSayWhatAndWhenAndStayTheSame() {
        var calendar = ExpiryCalendar()
        let actions = calendar.look([bundle()], at: before(2))
        #expect(
            calendar.warnings.map(\.words) == ["the trust bundle 1 ends on 2027-01-15 08:00 UTC, in less than 3 days"])
        #expect(actions.contains(.report(.present(.expiresSoon, count: 1, detail: calendar.warnings[0].words))))
        #expect(calendar.look([bundle()], at: before(1, 10)).isEmpty)
        _ = calendar.look([bundle()], at: Self.end)
        #expect(calendar.warnings.map(\.words) == ["the trust bundle 1 ended on 2027-01-15 08:00 UTC"])
    }

    @Test func aClockThatSwingsAroundAStepReportsItOnce() {
        var calendar = ExpiryCalendar()
        var told: [String] = []
        for turn in 0..<200 { told += look(&calendar, [bundle()], before(3, turn.isMultiple(of: 2) ? 1200 : -1200)) }
        #expect(told == ["14", "+" + soon, "3", "+" + soon])
        // A clock that is set back by more than that shows another date: the fault's text changes, and the
        // step is not reported again.
        #expect(look(&calendar, [bundle()], before(3, 3601)) == ["+" + soon])
        #expect(calendar.warnings.map(\.step) == [.fortnight])
        #expect(look(&calendar, [bundle()], before(15)) == ["-" + soon])
        #expect(look(&calendar, [bundle()], before(2)) == ["3", "+" + soon])
    }

    @Test func aJumpForwardAndBackLeavesNothing() {
        var calendar = ExpiryCalendar()
        #expect(look(&calendar, [bundle()], before(100)).isEmpty)
        #expect(look(&calendar, [bundle()], Self.end.advanced(by: .seconds(4_000_000_000))) == ["0", "+" + over])
        #expect(look(&calendar, [bundle()], before(99)) == ["-" + over])
        #expect(look(&calendar, [bundle()], before(14)) == ["14", "+" + soon])
    }

    @Test func aBundleThatIsReplacedEndsTheWarning() {
        var calendar = ExpiryCalendar()
        #expect(look(&calendar, [bundle()], before(1)) == ["1", "+" + soon])
        let next = bundle(2, end: Self.end.advanced(by: .seconds(300 * Self.day)))
        #expect(look(&calendar, [next], before(1)) == ["-" + soon])
        #expect(calendar.warnings.isEmpty)
        // If the bundle is put back, the step is reported again.
        #expect(look(&calendar, [bundle()], before(1)) == ["1", "+" + soon])
    }

    @Test func anUntrustedDateWarnsOfNothing() {
        var calendar = ExpiryCalendar()
        #expect(look(&calendar, [bundle()], nil).isEmpty)
        #expect(calendar.warnings.isEmpty && !calendar.isDated && calendar.expiries == [bundle()])
        #expect(look(&calendar, [bundle()], before(2)) == ["3", "+" + soon])
        #expect(look(&calendar, [bundle()], nil) == ["-" + soon])
        // When the date is trusted again, the light shows the fault, but the log gets no second line.
        #expect(look(&calendar, [bundle()], before(2)) == ["+" + soon])
        #expect(calendar.isDated)
    }

    /// An item with a lifetime of two weeks or less gets no warning two weeks before its end. An item that
    /// the gate renews itself is reported only when the renewal has failed.
    @Test(arguments: [
        (Int64(365), false, ["14", "3", "1", "0"]), (15, false, ["14", "3", "1", "0"]), (14, false, ["3", "1", "0"]),
        (2, false, ["3", "1", "0"]), (365, true, ["0"]),
    ])
    func warningsFollowTheLifetime(_ life: Int64, _ isRenewed: Bool, _ steps: [String]) {
        var calendar = ExpiryCalendar()
        var told: [String] = []
        for hour in stride(from: 16 * 24, through: Int64(-1), by: -1) {
            told += look(&calendar, [bundle(life: life, isRenewed: isRenewed)], before(0, hour * 3600))
        }
        #expect(told.filter { Int($0) != nil } == steps)
    }

    @Test func ofManyTheSoonestIsNamedAndTheOthersCounted() {
        var calendar = ExpiryCalendar()
        let many = (0..<5).map { bundle($0, end: Self.end.advanced(by: .seconds(Int64($0) * Self.day))) }
        let actions = calendar.look(many.reversed(), at: before(2))
        let report = actions.compactMap { if case .report(let report) = $0 { report } else { nil } }
        #expect(report.count == 1 && report[0].count == 5)
        #expect(report[0].detail?.hasPrefix("the trust bundle 0 ends") == true, "\(report)")
        #expect(report[0].detail?.hasSuffix("; and 4 more: gatehouse doctor") == true)
        #expect(actions.count { if case .tell = $0 { true } else { false } } == 5)
    }

    @Test func theNumberOfItemsIsBounded() {
        var calendar = ExpiryCalendar()
        let many = (0..<2000).map { bundle($0, end: Self.end.advanced(by: .seconds(Int64($0)))) }
        _ = calendar.look(many.shuffled(), at: before(2))
        #expect(calendar.warnings.count == ExpiryCalendar.limit && calendar.expiries.last?.name == "bundle 999")
        let long = Expiry(.issuer, Text(String(repeating: "é", count: 5000)), end: Self.end)
        #expect(long.words.count < 150)
    }

    /// The steps are reported to people: if the count grows, the gate's health reports the fault again.
    @Test func aStepIsReportedInTheHealthOfTheBox() {
        var (calendar, health, told) = (ExpiryCalendar(), Health(), [String]())
        for hour in stride(from: Int64(15 * 24), through: -1, by: -1) {
            let now = Instant(nanoseconds: (20 * 24 - hour) * 3_600_000_000_000)
            for case .report(let report) in calendar.look([bundle()], at: before(0, hour * 3600)) {
                health.take(report, at: now)
            }
            for change in health.tell(at: now.advanced(by: .seconds(61))) {
                told.append((change.isPresent ? "+" : "-") + change.code.text)
            }
        }
        #expect(told == ["+" + soon, "+" + soon, "+" + soon, "+" + over, "-" + soon])
        #expect(health.light == .attention)
    }
}
