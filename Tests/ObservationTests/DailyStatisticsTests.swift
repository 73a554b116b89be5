import Encoding
import Kiosk
import Ledger
import Reasons
import Testing

@testable import Observation

/// The daily statistics, computed from the ledger's entries.
@Suite struct DailyStatisticsTests {
    private func entries(
        _ visits: [(at: Timestamp, outcome: Outcome)], head: inout LedgerHead
    ) throws -> [LedgerEntry] {
        try visits.enumerated().flatMap { number, visit in
            let stamp = RecordStamp(
                kiosk: "k", boot: "b", time: WallTime(utc: visit.at, provenance: .rtc), monotonic: .zero)
            let name = Text("\(head.point.count)-\(number)")
            return [
                try head.appendIntent(name, stamp: stamp),
                try head.appendOutcome(name, visit.outcome, stamp: stamp).entry,
            ]
        }
    }

    private func outcome(_ result: Outcome.Result, _ codes: Text..., repeated: Int = 0) -> Outcome {
        var outcome = Outcome(
            result, reasons: codes.map { Outcome.Reason($0) }, gate: .shut,
            software: Outcome.Software(name: "gatehouse", version: "0"))
        outcome.repeated = repeated
        return outcome
    }

    private func at(_ minute: Int, _ second: Int = 0) -> Timestamp {
        SampleBox.midnight.advanced(by: .seconds(minute * 60 + second))
    }

    @Test func visitsFallIntoTheirMinutes() throws {
        var head = LedgerHead(ledger: "l", point: .genesis(ledger: "l"))
        let entries = try entries(
            [
                (at(-1), outcome(.accepted, "ok")), (at(0), outcome(.accepted, "ok")),
                (at(7, 59), outcome(.accepted, "ok")), (at(7, 1), outcome(.rejected, "validity.expired")),
                (at(8), outcome(.failed, "transfer.TVV_UNK_001", "transfer.silence", repeated: 4)),
                (at(9), outcome(.interrupted)), (at(25 * 60), outcome(.accepted, "ok")),
            ], head: &head)
        var day = DailyStatistics(begin: SampleBox.midnight, after: 0)
        day.take(entries)
        // An entry that is read twice counts once.
        day.take(Array(entries.suffix(4)))
        #expect(day.total == 9 && day.position == 14 && day.total(of: .accepted) == 2)
        #expect(day.minutes[7] == DailyStatistics.Minute(accepted: 1, rejected: 1) && day.minutes[8].failed == 5)
        #expect(day.minutes[9].failed == 1 && day.minutes.reduce(0) { $0 + $1.all } == 9)
        #expect(day.visits.map(\.number) == [6, 5, 4, 3, 2])
        #expect(day.visits.map(\.reason.text) == ["ok", "transfer.silence", "validity.expired", "ok", "ok"])
        #expect(day.visits[1].alike == 4)
        #expect(day.busiest?.minute == 8 && day.busiest?.visits == 5)
    }

    /// The value stays small for any number of visits, rules and entries.
    @Test func itIsBounded() throws {
        var head = LedgerHead(ledger: "l", point: .genesis(ledger: "l"))
        var day = DailyStatistics(begin: SampleBox.midnight, after: 0)
        for round in 0..<40 {
            let visits = (0..<100).map { number in
                (at: at(round), outcome: outcome(.rejected, Text("policy.rule-\(round)-\(number)")))
            }
            day.take(try entries(visits, head: &head))
        }
        #expect(day.total == 4000 && day.visits.count == DailyStatistics.kept && day.endings.count == 1)
        #expect(day.endings.keys.first?.reason == .policy(named: "<id>"))
        #expect(day.visits.first?.number == 4000)
        day.take(try entries([(at(50), outcome(.failed, repeated: 1_000_000))], head: &head))
        #expect(day.minutes[50].failed == .max)
    }

    /// The sum does not overflow, whatever number of visits the records claim.
    @Test func theGreatestFiguresCanBeAdded() throws {
        var head = LedgerHead(ledger: "l", point: .genesis(ledger: "l"))
        var day = DailyStatistics(begin: SampleBox.midnight, after: 0)
        day.take(try entries((0..<40).map { (at($0), outcome(.failed, repeated: .max)) }, head: &head))
        #expect(day.total == 40 * (Outcome.mostRepeated + 1) && day.minutes[39].failed == .max)
        // An entry with a figure that no gate writes is not counted.
        let last = try #require(try entries([(at(50), outcome(.failed, repeated: 4))], head: &head).last)
        let body = String(decoding: last.body, as: UTF8.self)
            .replacing("\"repeated\":4", with: "\"repeated\":9223372036854775807")
        day.take([LedgerEntry(position: last.position, hash: last.hash, body: Array(body.utf8))])
        #expect(day.position == last.position && day.minutes[50].failed == 0)
    }

    @Test func unreadableStatisticsCountNothing() throws {
        var head = LedgerHead(ledger: "l", point: .genesis(ledger: "l"))
        let good = try entries([(at(1), outcome(.accepted, "ok"))], head: &head)
        var day = DailyStatistics(begin: SampleBox.midnight, after: 0)
        day.take([LedgerEntry(position: 1, hash: good[0].hash, body: Array("{".utf8)), good[1]])
        #expect(day.total == 1 && day.position == 2)
        // The positions continue after the entries that were left out.
        var late = DailyStatistics(begin: SampleBox.midnight, after: 0)
        late.start(after: 2)
        late.take(good)
        #expect(late.total == 0)
    }

    @Test func theRadioIsAsBadAsItsWorstLook() {
        var day = DailyStatistics(begin: SampleBox.midnight, after: 0)
        let looks: [(Int, KioskStatus.Radio)] = [
            (0, .up), (70, .up), (80, .down), (90, .up), (130, .starting), (-5, .up),
        ]
        for (second, state) in looks { day.look(SampleBox.radio(state), at: at(0, second)) }
        // A radio that does not answer is not up.
        day.look(StatusReport(), at: at(4))
        #expect(day.radio[..<6] == [.up, .down, .down, .unknown, .down, .unknown])
    }

    /// A check during the first start, which takes a tenth of a second, does not count as a minute with a fault. A
    /// check during a start after a failure does.
    @Test func theFirstStartOfTheRadioIsNoFailure() {
        var day = DailyStatistics(begin: SampleBox.midnight, after: 0)
        let looks: [(Int, KioskStatus.Radio, Int)] = [
            (0, .starting, 0), (1, .up, 0), (60, .starting, 0), (120, .starting, 1), (121, .up, 1),
        ]
        for (second, state, failures) in looks {
            day.look(SampleBox.radio(state, failures: failures), at: at(0, second))
        }
        #expect(day.radio[..<4] == [.up, .unknown, .down, .unknown])
    }
}
