import Encoding
import Testing

/// The dates that may be right, and the moments at which a rule about hours must hold.
@Suite struct WallTimeTests {
    private static func date(_ seconds: Int64) -> Timestamp { Timestamp(seconds: 1_767_571_200 + seconds) }

    private func time(_ alternative: Int64? = nil, lastConfirmed: Int64? = nil) -> WallTime {
        WallTime(
            utc: Self.date(0), provenance: .synchronised, alternative: alternative.map(Self.date),
            lastConfirmed: lastConfirmed.map(Self.date))
    }

    @Test func datesThatMayBeRight() {
        for (time, possible, earliest, latest) in [
            (time(), [0], 0, 0), (time(50), [0, 50], 0, 50), (time(-50), [0, -50], -50, 0),
            // The machine was off after the last confirmed date: the present date is later, or wrong.
            (time(lastConfirmed: -90), [0], -90, 0), (time(lastConfirmed: 90), [0, 90], 0, 90),
            (time(40, lastConfirmed: -90), [0, 40], -90, 40), (time(40, lastConfirmed: 90), [0, 40, 90], 0, 90),
        ] as [(WallTime, [Int64], Int64, Int64)] {
            #expect(time.possible == possible.map(Self.date))
            #expect(time.earliest == Self.date(earliest) && time.latest == Self.date(latest))
        }
    }

    @Test func hoursMustHoldEachMinuteSince() {
        for (time, moments) in [
            (time(), [0]), (time(50), [0, 50]), (time(lastConfirmed: 90), [0, 90]), (time(lastConfirmed: 0), [0]),
            (time(lastConfirmed: -30), [0, -30]), (time(lastConfirmed: -130), [0, -130, -70, -10]),
            (time(500, lastConfirmed: -60), [0, 500, -60]),
        ] as [(WallTime, [Int64])] { #expect(time.moments == moments.map(Self.date)) }
        // Hours of the week repeat, and a machine may be off for years.
        let years = time(lastConfirmed: -10 * 365 * 86_400).moments
        #expect(years.count == 1 + 7 * 1440 && years.dropFirst().first == Self.date(-7 * 86_400))
        let strange = WallTime(
            utc: Timestamp(seconds: .max), provenance: .synchronised, lastConfirmed: Timestamp(seconds: 0))
        #expect(strange.moments.count == 1 + 7 * 1440)
    }
}
