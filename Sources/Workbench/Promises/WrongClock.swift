package import Encoding
package import Kiosk
import Simulation

/// The promise that the gate rejects an expired credential even if its clock is set back to a day on which that
/// credential was valid.
package struct WrongClock: Sendable {
    /// Returns the date that a gate uses after a series of readings of its clocks, the last of which is the present
    /// one. `newest` is the date of the newest record at the gate's start; nil if there is no record.
    package typealias DateEstimate = @Sendable (_ newest: Timestamp?, [ClockGuard.Reading]) -> WallTime

    /// The date that the gate's real clock guard derives.
    package static let guarded: DateEstimate = { newest, looks in
        var watch = ClockGuard(newest: newest, skew: .seconds(60), at: .zero)
        for look in looks { _ = watch.handle(look) }
        return watch.time
    }

    /// A series of clock readings, and whether a visitor with the sample credential may pass after them.
    private struct Case {
        let what: String
        /// The date of the newest record at the gate's start; nil if there is no record.
        var newest: Timestamp?
        let looks: [ClockGuard.Reading]
        let mayPass: Bool
    }

    private let seed: UInt64
    private let belief: DateEstimate

    /// Creates the promise. `belief` derives the gate's date from the readings.
    package init(seed: UInt64, belief: @escaping DateEstimate = Self.guarded) {
        (self.seed, self.belief) = (seed, belief)
    }

    private static let cases: [Case] = {
        let (valid, expired) = (Samples.validDate, Samples.expiredDate)
        // The evening is almost twelve hours after the end of the sample credential's validity, 2027-01-02T05:16:46Z.
        let evening = expired.advanced(by: .seconds(-64 * 3600))
        let steps = (1...5).map { step in
            look(expired.advanced(by: .seconds(-Int64(step) * 23 * 3600)), after: Int64(step) * 10, byServer: true)
        }
        return [
            Case(what: "the date is right, and the credential is valid", looks: [look(valid, after: 0)], mayPass: true),
            Case(
                what: "the date is right, and the credential has expired", looks: [look(expired, after: 0)],
                mayPass: false),
            Case(
                what: "a time server says that it is seven months earlier",
                looks: [look(expired, after: 0), look(valid, after: 10, byServer: true)], mayPass: false),
            Case(
                what: "a time server sets it back by 23 h, to before the expiry",
                looks: [
                    look(evening, after: 0),
                    look(evening.advanced(by: .seconds(-23 * 3600)), after: 10, byServer: true),
                ], mayPass: false),
            Case(
                what: "a time server sets it back by 23 h, five times", looks: [look(expired, after: 0)] + steps,
                mayPass: false),
            Case(
                what: "the battery is empty, and no time server confirms the date",
                looks: [look(valid, after: 0, battery: .absent)], mayPass: false),
            Case(
                what: "the box was off, its battery is empty, and a time server says that it is seven months earlier",
                newest: expired, looks: [look(valid, after: 0, byServer: true, battery: .absent)], mayPass: false),
            Case(
                what: "the box was off, and its battery kept a date before the newest record", newest: expired,
                looks: [look(valid, after: 0)], mayPass: false),
        ]
    }()

    private static func look(
        _ utc: Timestamp, after seconds: Int64, byServer: Bool = false, battery: HardwareClock = .agrees
    ) -> ClockGuard.Reading {
        ClockGuard.Reading(
            utc: utc, monotonic: Instant(nanoseconds: seconds * 1_000_000_000), isSynchronised: byServer,
            hardware: battery)
    }

    /// Tests each case and returns one finding for each.
    package func play(_ tell: @escaping DemoPromise.StepReporter) async throws -> [DemoPromise.Finding] {
        var findings: [DemoPromise.Finding] = []
        for item in Self.cases {
            let date = belief(item.newest, item.looks)
            let shown = item.looks.last?.utc.rfc3339.prefix(16) ?? ""
            let believed = date.possible.map { String($0.rfc3339.prefix(16)) }.joined(separator: " or ")
            tell(.init("clock", "shows \(shown)Z: \(item.what)"))
            tell(.init("gate", "goes by \(believed)Z, which is worth: \(date.provenance.rawValue)"))
            let day = try await PromiseGate(seed: seed, date: { date }).play([Samples.record(Samples.credential)])
            let told = day.phones.first.flatMap(\.self)
            let answer = told == .accepted ? "accepted" : told == .rejected ? "rejected" : "nothing"
            tell(.init("phone", "shows: \(answer) (\(day.reasons.first ?? "no record"))"))
            let isRight = told == (item.mayPass ? .accepted : .rejected) && day.openings == (item.mayPass ? 1 : 0)
            findings.append(
                .init(
                    item.what + ": " + (item.mayPass ? "the visitor passes" : "the visitor does not pass"),
                    "\(answer), the gate opened \(day.openings) times", isKept: isRight && day.violations.isEmpty))
        }
        return findings
    }
}
