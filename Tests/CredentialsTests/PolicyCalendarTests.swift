import Encoding
import Testing

@testable import Credentials

/// Days, ages and hours at their limits.
@Suite struct PolicyCalendarTests {
    @Test(arguments: [
        // A person born on 29 February completes a year of 365 days on 1 March.
        ("2004-02-29", "2022-02-28T23:59:59Z", "Z", 17), ("2004-02-29", "2022-03-01T00:00:00Z", "Z", 18),
        ("2004-02-29", "2024-02-28T23:59:59Z", "Z", 19), ("2004-02-29", "2024-02-29T00:00:00Z", "Z", 20),
        ("2004-02-29", "2100-02-28T12:00:00Z", "Z", 95), ("2004-02-29", "2100-03-01T12:00:00Z", "Z", 96),
        // The turn of the year in time zones on both sides of the world.
        ("2000-12-31", "2018-12-30T23:59:59Z", "Z", 17), ("2000-12-31", "2018-12-31T00:00:00Z", "Z", 18),
        ("2001-01-01", "2018-12-31T23:30:00Z", "Z", 17), ("2001-01-01", "2018-12-31T23:30:00Z", "+01:00", 18),
        ("2001-01-01", "2019-01-01T00:30:00Z", "-01:00", 17), ("2001-01-01", "2018-12-31T10:00:00Z", "+14:00", 18),
        // A birthday is the day as written. The gate's time zone does not shift it.
        ("2001-01-01T00:00:00Z", "2019-01-01T12:00:00Z", "-05:00", 18),
        ("2000-12-31T23:00:00Z", "2018-12-31T12:00:00Z", "+01:00", 18),
        ("2001-01-01T00:00:00+14:00", "2018-12-31T23:00:00Z", "Z", 17),
        ("2001-01-01T00:00:00", "2019-01-01T00:00:00Z", "Z", 18), ("2001/01/01", "2019-01-01T00:00:00Z", "Z", 18),
        ("1926-06-01", "2026-06-01T00:00:00Z", "Z", 100), ("2026-06-01", "2026-06-01T12:00:00Z", "Z", 0),
    ]) func age(_ birth: String, _ now: String, _ zone: String, _ years: Int) throws {
        let document = #"{"b":"\#(birth)"}"#
        let top = "zone = \"\(zone)\""
        #expect(try PolicyFixture.fulfils("{ age = \"/b\", at-least = \(years) }", document, top: top, at: now))
        #expect(try PolicyFixture.fulfils("{ age = \"/b\", at-most = \(years) }", document, top: top, at: now))
        #expect(try !PolicyFixture.fulfils("{ age = \"/b\", at-least = \(years + 1) }", document, top: top, at: now))
        #expect(try !PolicyFixture.fulfils("{ age = \"/b\", above = \(years) }", document, top: top, at: now))
    }

    @Test(arguments: [
        "2001-02-29", "2001-13-01", "2001-00-10", "2001-1-1", "20010101", "2001-01", "2001", "2001-01/01", "+001-01-01",
        "2001-01-01Z", "2001-01-01T25:00:00Z", "2001-01-01 00:00:00Z", " 2001-01-01", "2001-01-01 ", "２００１-01-01", "",
    ]) func noBirthday(_ text: String) throws {
        let document = JSON.object(["b": .text(text)])
        #expect(try !PolicyFixture.fulfils(#"{ age = "/b", at-least = 0 }"#, PolicyFixture.claims(document)))
        #expect(try !PolicyFixture.fulfils(#"{ not = { age = "/b", at-least = 99 } }"#, PolicyFixture.claims(document)))
    }

    @Test func aDayBeginsAtTheGate() throws {
        let rule = #"{ claim = "/d", equals = "2026-01-01" }, { claim = "/d", on-or-after = "today" }"#
        let document = #"{"d":"2026-01-01"}"#
        #expect(try PolicyFixture.fulfils(rule, document, at: "2026-01-01T23:59:59Z"))
        #expect(try !PolicyFixture.fulfils(rule, document, top: "zone = \"+00:30\"", at: "2026-01-01T23:59:59Z"))
        #expect(try PolicyFixture.fulfils(rule, document, top: "zone = \"-00:30\"", at: "2026-01-02T00:29:59Z"))
    }

    @Test func datesWithoutZoneFollowTheProfile() throws {
        let rule = #"{ claim = "/d", after = "now" }"#
        let document = #"{"d":"2026-06-01T12:00:01"}"#
        #expect(try !PolicyFixture.fulfils(rule, document))
        #expect(try PolicyFixture.fulfils(rule, document, top: "profile = \"compat\""))
    }

    // MARK: - Hours

    private func isOpen(_ hours: String, _ now: String, zone: String = "Z", summer: CivilZone? = nil) throws -> Bool {
        let text = "zone = \"\(zone)\"\n[[accept]]\nid = \"r\"\nhours = \(hours)\n"
        let policy = try PolicyFixture.parse(text, zones: { _ in summer })
        let answer = PolicyFixture.ask(
            policy, [PolicyCase(claims: PolicyFixture.claims([:]))], at: try #require(Timestamp(rfc3339: now)))
        if answer.code != "ok" { #expect(answer.code == "policy.r") }
        return answer.code == "ok"
    }

    @Test func hoursOfTheDay() throws {
        let day = #"{ days = ["mon-fri"], from = "07:00", to = "19:00" }"#
        #expect(try isOpen(day, "2026-06-01T07:00:00Z"))  // Monday
        #expect(try isOpen(day, "2026-06-05T18:59:59.999Z"))  // Friday
        #expect(try !isOpen(day, "2026-06-01T06:59:59Z"))
        #expect(try !isOpen(day, "2026-06-01T19:00:00Z"))
        #expect(try !isOpen(day, "2026-06-06T12:00:00Z"))  // Saturday
        #expect(try isOpen(day, "2026-06-01T05:00:00Z", zone: "+02:00"))
        #expect(try !isOpen(day, "2026-06-05T23:00:00Z", zone: "+08:00"))
        #expect(try isOpen("[ \(day), { days = \"sat\" } ]", "2026-06-06T23:59:59Z"))
        #expect(try isOpen(#"{ days = ["sat-mon"] }"#, "2026-06-01T00:00:00Z"))
        #expect(try !isOpen(#"{ days = ["sat-mon"] }"#, "2026-06-02T00:00:00Z"))
        #expect(try isOpen(#"{ from = "23:00", to = "24:00" }"#, "2026-06-02T23:59:59Z"))
        #expect(try !isOpen(#"{ from = "23:00", to = "24:00" }"#, "2026-06-03T00:00:00Z"))
        #expect(try isOpen(#"{ days = ["thu"] }"#, "1969-12-25T12:00:00Z"))  // before the epoch
    }

    @Test func hoursAcrossMidnightBelongToTheDayOnWhichTheyBegin() throws {
        let night = #"{ days = ["fri"], from = "22:00", to = "06:00" }"#
        #expect(try isOpen(night, "2026-06-05T22:00:00Z"))
        #expect(try isOpen(night, "2026-06-06T05:59:59Z"))
        #expect(try !isOpen(night, "2026-06-06T06:00:00Z"))
        #expect(try !isOpen(night, "2026-06-05T05:00:00Z"))
        #expect(try !isOpen(night, "2026-06-06T22:30:00Z"))
        #expect(try isOpen(#"{ days = ["sun"], from = "22:00", to = "06:00" }"#, "2026-06-01T03:00:00Z"))
    }

    @Test func summerTime() throws {
        let from = try #require(Timestamp(rfc3339: "2026-03-29T01:00:00Z")).seconds
        let to = try #require(Timestamp(rfc3339: "2026-10-25T01:00:00Z")).seconds
        let berlin = CivilZone(
            name: "Europe/Berlin", offset: 3600, changes: [.init(at: to, offset: 3600), .init(at: from, offset: 7200)])
        let day = #"{ from = "07:00", to = "08:00" }"#
        #expect(try isOpen(day, "2026-01-15T06:30:00Z", zone: "Europe/Berlin", summer: berlin))
        #expect(try isOpen(day, "2026-06-01T05:30:00Z", zone: "Europe/Berlin", summer: berlin))
        #expect(try !isOpen(day, "2026-06-01T06:30:00Z", zone: "Europe/Berlin", summer: berlin))
        #expect(try isOpen(day, "2026-11-01T06:30:00Z", zone: "Europe/Berlin", summer: berlin))
        // The hour that the clock skips, and the hour that it shows twice.
        #expect(
            berlin.offset(at: Timestamp(seconds: from - 1)) == 3600
                && berlin.offset(at: Timestamp(seconds: from)) == 7200)
        #expect(
            berlin.offset(at: Timestamp(seconds: to - 1)) == 7200 && berlin.offset(at: Timestamp(seconds: to)) == 3600)
    }

    @Test func offsets() {
        #expect(CivilZone(offset: "+05:30")?.offset(at: PolicyFixture.noon) == 19_800)
        #expect(CivilZone(offset: "-12:00")?.offset(at: PolicyFixture.noon) == -43_200)
        #expect(CivilZone(offset: "Z")?.offset(at: PolicyFixture.noon) == 0)
        for text in ["", "z ", "+5:30", "05:30", "+24:00", "+05:60", "+0530", "Europe/Berlin", "UTC", "+05:30Z"]
            as [Text]
        {
            #expect(CivilZone(offset: text) == nil, "\(text)")
        }
    }
}
