import Encoding
import Testing

@Suite struct TimestampTests {
    @Test(
        arguments: [
            ("1970-01-01T00:00:00Z", 0), ("2000-02-29T12:00:00Z", 951_825_600), ("2024-09-17T16:31:52Z", 1_726_590_712),
            ("2024-09-17T18:31:52+02:00", 1_726_590_712), ("1969-12-31T23:59:59Z", -1),
            ("2100-03-01T00:00:00Z", 4_107_542_400),
        ] as [(String, Int64)])
    func reads(_ text: String, _ seconds: Int64) {
        #expect(Timestamp(rfc3339: text)?.seconds == seconds)
    }

    @Test func fractions() {
        #expect(Timestamp(rfc3339: "2024-09-17T16:31:52.834Z")?.nanoseconds == 834_000_000)
        #expect(Timestamp(rfc3339: "2024-09-17T16:31:52.834Z")?.rfc3339 == "2024-09-17T16:31:52.834Z")
    }

    @Test(arguments: [
        "", "2024-09-17", "2024-02-30T00:00:00Z", "2023-02-29T00:00:00Z", "2024-13-01T00:00:00Z",
        "2024-09-17T24:00:00Z",
        "2024-09-17T16:61:00Z", "2024-09-17T16:31:52", "2024-09-17T16:31:52.Z", "2024-09-17T16:31:52+2:00",
        "24-09-17T16:31:52Z",
    ])
    func refuses(_ text: String) {
        #expect(Timestamp(rfc3339: text) == nil)
    }

    /// A clock may show any date, and messages contain the date.
    @Test(arguments: [Int64.min, .min + 1, -1, 0, .max - 1, .max]) func anyDateHasWords(_ seconds: Int64) {
        #expect(Timestamp(seconds: seconds).rfc3339.hasSuffix("Z"))
        #expect((1...12).contains(Timestamp(seconds: seconds).civilDate.month))
    }

    @Test func dayBeforeTheFirst() {
        #expect(Timestamp(seconds: -1).rfc3339 == "1969-12-31T23:59:59.000Z")
        #expect(Timestamp(seconds: -86_400).rfc3339 == "1969-12-31T00:00:00.000Z")
    }

    @Test func zoneMayBeOptional() {
        #expect(Timestamp(rfc3339: "2024-09-17T16:31:52", zoneRequired: false)?.seconds == 1_726_590_712)
    }

    @Test func civilDates() {
        let date = Timestamp(seconds: 951_825_600).civilDate
        #expect(date.year == 2000 && date.month == 2 && date.day == 29)
        let noon = Timestamp(year: 2000, month: 2, day: 29, hour: 12, minute: 0, second: 0)
        #expect(noon == Timestamp(seconds: 951_825_600))
        #expect(Timestamp(year: 2023, month: 2, day: 29, hour: 0, minute: 0, second: 0) == nil)
        #expect(Timestamp(year: 10_000, month: 1, day: 1, hour: 0, minute: 0, second: 0) == nil)
        #expect(Timestamp(year: 2024, month: 1, day: 1, hour: 0, minute: -1, second: 0) == nil)
    }
}
