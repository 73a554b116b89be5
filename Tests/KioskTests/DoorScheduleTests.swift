import Encoding
import Kiosk
import Testing

@testable import Credentials

/// The mode that the schedule gives at a date, and at a date that is not believed.
@Suite struct DoorScheduleTests {
    /// Free on weekdays from 07:00 to 09:30, locked every night from 22:00 to 05:00 and on Sundays, an hour
    /// east of UTC.
    private var schedule: DoorSchedule {
        var schedule = DoorSchedule()
        schedule.zone = CivilZone(name: "+01:00", offset: 3600)
        schedule.entries = [
            .init(.free, GateHours(days: Set(0...6), from: 420, to: 570)),
            .init(.locked, GateHours(days: Set(0...6), from: 1320, to: 300)),
            .init(.locked, GateHours(days: [6], from: 0, to: 1440)),
        ]
        return schedule
    }

    private func time(_ text: String, _ source: WallTime.Provenance = .rtc) throws -> WallTime {
        WallTime(utc: try #require(Timestamp(rfc3339: text)), provenance: source)
    }

    @Test(arguments: [
        ("2026-11-23T05:59:59Z", DoorMode.normal), ("2026-11-23T06:00:00Z", .free), ("2026-11-23T08:29:59Z", .free),
        ("2026-11-23T08:30:00Z", .normal), ("2026-11-23T20:59:59Z", .normal), ("2026-11-23T21:00:00Z", .locked),
        ("2026-11-24T03:59:59Z", .locked), ("2026-11-24T04:00:00Z", .normal),
        // On Sunday, lock-down takes precedence over free passage.
        ("2026-11-29T07:00:00Z", .locked),
    ])
    func atADate(_ date: String, _ mode: DoorMode) throws {
        #expect(schedule.mode(at: try time(date), minimum: .rtc) == mode)
    }

    @Test func aDateThatIsNotWorthEnoughSaysNothing() throws {
        #expect(schedule.mode(at: try time("2026-11-23T06:00:00Z", .saved), minimum: .rtc) == nil)
        #expect(schedule.mode(at: try time("2026-11-23T06:00:00Z", .saved), minimum: .saved) == .free)
        #expect(DoorSchedule().mode(at: try time("2026-11-23T06:00:00Z", .unset), minimum: .rtc) == .normal)
    }
}
