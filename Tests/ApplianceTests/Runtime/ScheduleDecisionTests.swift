import Encoding
import GateService
import Kiosk
import Reasons
import Testing

@testable import Credentials

/// The mode of the schedule while the date is lost and found again.
@Suite struct ScheduleDecisionTests {
    private static let free = DoorSchedule.Entry(.free, GateHours(days: Set(0...6), from: 420, to: 570))
    private static let night = DoorSchedule.Entry(.locked, GateHours(days: Set(0...6), from: 1320, to: 300))

    private func word(_ entries: DoorSchedule.Entry...) -> ScheduleDecision {
        var schedule = DoorSchedule()
        schedule.entries = entries
        return ScheduleDecision(schedule)
    }

    /// Returns the mode at that time of day, and whether the date is reported as a fault.
    private func said(_ word: inout ScheduleDecision, _ time: String, _ worth: WallTime.Provenance = .rtc) throws -> (
        mode: DoorMode?, isFault: Bool?
    ) {
        let date = WallTime(utc: try #require(Timestamp(rfc3339: "2026-11-23T\(time):00Z")), provenance: worth)
        var said: (mode: DoorMode?, isFault: Bool?)
        for event in word.events(by: date, minimum: .rtc, at: .zero) {
            switch event {
            case .door(.schedule(let mode, let until)):
                #expect(until == Instant.zero.advanced(by: DoorSettings.scheduleLease))
                said.mode = mode
            case .health(let report) where report.code == .doorSchedule: said.isFault = report.isPresent
            default: Issue.record("\(event)")
            }
        }
        return said
    }

    @Test func aDateThatLosesItsTrustOpensNothing() throws {
        var word = word(Self.free, Self.night)
        #expect(try said(&word, "23:00") == (.locked, false))
        #expect(try said(&word, "23:00", .unset) == (.locked, true))
        #expect(try said(&word, "12:00", .unset) == (.locked, true), "nobody knows that it is noon")
        #expect(try said(&word, "12:00") == (.normal, false))
        #expect(try said(&word, "12:00", .unset) == (.normal, true))
        #expect(try said(&word, "08:00") == (.free, false))
        #expect(try said(&word, "08:00", .unset) == (.normal, true))
    }

    @Test func beforeTheFirstTrustedDateTheStricterModeApplies() throws {
        var both = word(Self.free, Self.night)
        #expect(try said(&both, "12:00", .unset) == (.locked, true))
        #expect(try said(&both, "12:00") == (.normal, false))
        var free = word(Self.free)
        #expect(try said(&free, "08:00", .unset) == (.normal, true))
    }

    /// A date that was read before the date of a verdict, and arrives after it.
    @Test func anOlderDateChangesNothing() throws {
        var word = word(Self.night)
        let (evening, night) = (Timestamp(rfc3339: "2026-11-23T21:59:59Z"), Timestamp(rfc3339: "2026-11-23T22:00:00Z"))
        let later = Instant.zero.advanced(by: .seconds(1))
        let verdict = WallTime(utc: try #require(night), provenance: .rtc)
        #expect(!word.events(by: verdict, minimum: .rtc, at: later).isEmpty)
        let look = WallTime(utc: try #require(evening), provenance: .rtc)
        #expect(word.events(by: look, minimum: .rtc, at: .zero).isEmpty)
    }

    @Test func withoutAScheduleNothingIsSaid() throws {
        var none = word()
        #expect(try said(&none, "08:00", .unset) == (nil, nil))
    }
}
