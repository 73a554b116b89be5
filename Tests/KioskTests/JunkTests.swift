import Encoding
import Kiosk
import Ledger
import Simulation
import Testing
import Tuvali

@testable import Kiosk

/// Phones that bring nothing: they cost one intent and few records, and are all counted.
@Suite struct JunkTests {
    private func at(_ seconds: Int64) -> Instant { Instant(nanoseconds: seconds * 1_000_000_000) }

    @Test func oneOfAKindIsRecordedAMinute() {
        var tally = JunkTally()
        #expect(tally.record("a", at: at(0)) == 0)
        #expect(tally.record("b", at: at(1)) == 0)
        for second in 2..<60 as Range<Int64> { #expect(tally.record("a", at: at(second)) == nil) }
        #expect(tally.record("a", at: at(60)) == 58)
        #expect(tally.record("b", at: at(3600)) == 0)
        #expect(tally.takeLargest(at: at(3600)) == nil)
    }

    @Test func aDayOfJunkIsBounded() {
        var tally = JunkTally()
        var (records, visits) = (0, 0)
        for second in 0..<86_400 as Range<Int64> {
            for kind in 0..<5 {
                guard let before = tally.record(Text("kind \(kind)"), at: at(second)) else { continue }
                (records, visits) = (records + 1, visits + 1 + before)
            }
        }
        while let rest = tally.takeLargest(at: at(86_400)) { visits += rest.count }
        #expect(visits == 5 * 86_400)
        #expect(records <= 1440 + JunkTally.burst)
    }

    /// Whoever identifies and leaves, again and again, leaves one intent behind, and the honest visitor uses it.
    @Test func anIntentThatServedNobodyServesTheNext() throws {
        let storm = (0..<6).map { _ in Simulation.Visit.test(misbehaviour: .leaves(.identified)) }
        let gate = try TestGate(visits: storm + [.test()])
        #expect(gate.run())
        #expect(Set(gate.intents).count == 1)
        #expect(gate.outcomes.map(\.outcome.result) == [.accepted])
        #expect(gate.outcomes.map(\.visit) == Array(gate.intents.prefix(1)))
        #expect(gate.counters.visits == ["abandoned": 6, "accepted": 1])
        #expect(gate.breaches == [])
    }

    /// As many as find room identify and leave, and come again: intents go from one to the next, and the ledger hardly grows.
    @Test func aCrowdThatBringsNothingFillsNoLedger() throws {
        let storm = (0..<60).map { number in
            Simulation.Visit.test(
                .iPhone, arrival: .at(.milliseconds(1000 + 60 * number)), misbehaviour: .leaves(.identified))
        }
        let gate = try TestGate(visits: storm)
        #expect(gate.run())
        #expect((gate.counters.visits["abandoned"] ?? 0) > 40)
        #expect((4...10).contains(Set(gate.intents).count), "\(Set(gate.intents).count)")
        let records = gate.outcomes.count
        #expect(records <= 2)
        gate.run(for: .seconds(900))
        // They are closed one by one, and slowly: whoever does so day and night is recorded once a minute.
        let times = gate.trace.flatMap { turn in
            turn.actions.compactMap { if case .recordOutcome = $0 { turn.at } else { nil } }
        }
        #expect(times.count == Set(gate.intents).count)
        for (one, next) in zip(times, times.dropFirst()) { #expect(one.duration(to: next) >= .seconds(60)) }
        #expect(gate.breaches == [])
    }

    /// Whoever announces a credential and leaves is recorded once, and counted.
    @Test func aStormOfBrokenTransfersIsOneRecord() throws {
        let record = MisbehaviourTests.incompressible
        let storm = (0..<6).map { _ in Simulation.Visit.test(record: record, misbehaviour: .leaves(.chunk(3))) }
        let gate = try TestGate(visits: storm + [.test()])
        #expect(gate.run())
        #expect(gate.outcomes.map(\.outcome.result) == [.failed, .accepted])
        #expect(Set(gate.intents).count == 2)
        #expect(gate.counters.visits == ["failed": 6, "accepted": 1])
        #expect(gate.breaches == [])
    }

    /// An intent that nobody needs is closed, with what there is to say of those who were only counted; also at the end.
    @Test(arguments: [true, false]) func anIntentThatNobodyNeedsIsClosed(_ byStopping: Bool) throws {
        let record = MisbehaviourTests.incompressible
        let storm = (0..<3).map { _ in Simulation.Visit.test(record: record, misbehaviour: .leaves(.chunk(3))) }
        let gate = try TestGate(visits: storm)
        #expect(gate.run())
        #expect(gate.outcomes.count == 1 && Set(gate.intents).count == 2)
        if byStopping { gate.inject(.stop) } else { gate.run(for: .seconds(61)) }
        #expect(Set(gate.outcomes.map(\.visit)) == Set(gate.intents))
        #expect(gate.outcomes.map(\.outcome.repeated) == [0, 2])
        #expect(gate.outcomes.last?.outcome.reasons.map(\.code) == ["transfer.left-sending"])
        #expect(gate.gateChanges.isEmpty && gate.breaches == [])
    }
}
