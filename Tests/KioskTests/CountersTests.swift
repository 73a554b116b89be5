import Encoding
import Ledger
import Reasons
import Simulation
import Testing

@testable import Kiosk

/// Every event at the gate is counted once, by reason, and there are never more reasons than the table has.
@Suite struct CountersTests {
    @Test func everyVisitIsCountedByItsReason() throws {
        let gate = try TestGate(visits: [.test(), .test(misbehaviour: .leaves(.identified)), .test()])
        #expect(gate.run())
        let counters = gate.counters
        #expect(counters.visits == [.outcome(.accepted): 2, .abandoned: 1])
        #expect(counters.endings.values.reduce(0, +) == 3)
        #expect(counters.endings[VisitEnding(.outcome(.accepted), [.ok])] == 2)
        #expect(counters.endings.keys.filter { $0.result == .abandoned }.allSatisfy { $0.reason != .ok })
        // There are two verdicts and two transfers, and their durations and sizes are those of the log.
        #expect(counters.transfer.count == 2 && counters.bytes.count == 2 && counters.identified.count == 2)
        let decided = gate.kioskNotes.compactMap { note -> (Duration, Duration)? in
            if case .decided(_, _, let sinceT0, let waited) = note { (sinceT0, waited) } else { nil }
        }
        #expect(counters.decision.count == 2 && counters.turn.count == 2)
        #expect(counters.decision.sum == decided.reduce(0) { $0 + Int($1.0.nanoseconds / 1000) })
        #expect(counters.turn.sum == decided.reduce(0) { $0 + Int($1.1.nanoseconds / 1000) })
        let sizes = gate.kioskNotes.compactMap { note -> Int? in
            if case .transferStarted(let bytes, _) = note { bytes } else { nil }
        }
        // Sizes are counted in whole kilobytes: an exact sum would reveal whose credential it was.
        #expect(counters.bytes.sum == sizes.reduce(0) { $0 + ($1 + 1023) / 1024 * 1024 } && !sizes.isEmpty)
        #expect(gate.notes.count { $0 == "radio.ready" } == 1 && counters.timesRadioWasReady == 1)
    }

    /// A policy's rules may have any names and are counted in one row.
    @Test func rulesAreCountedTogether() {
        var counters = Kiosk.Counters()
        for rule in 0..<50 {
            counters.count(
                .visitEnded(.outcome(.rejected), reasons: [.policy("rule-\(rule)")], VisitFigures(milliseconds: 1)),
                of: VisitID("visit-\(rule)"), at: .zero)
        }
        counters.count(
            .visitEnded(.outcome(.rejected), reasons: [.proofInvalid], VisitFigures(milliseconds: 1)),
            of: VisitID("another"), at: .zero)
        #expect(counters.endings.count == 2 && counters.visits == [.outcome(.rejected): 51])
        #expect(counters.endings[VisitEnding(.outcome(.rejected), [.policy("any")])] == 50)
        #expect(counters.endings[VisitEnding(.outcome(.rejected), [.proofInvalid])] == 1)
    }

    @Test func aHistogramKeepsEveryValueInItsClass() {
        var figure = Histogram([10, 100])
        for value in [-5, 0, 10, 11, 100, 101, .max, .max] { figure.count(value) }
        #expect(figure.counts == [3, 2, 3] && figure.count == 8 && figure.sum == .max)
    }
}
