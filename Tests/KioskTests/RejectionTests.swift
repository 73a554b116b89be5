import Encoding
import Kiosk
import Ledger
import Simulation
import Testing
import Tuvali

@testable import Credentials
@testable import Kiosk

/// Visitors who are refused: each gets an answer, the first of a kind have a record each, and a crowd of them fills no
/// ledger.
@Suite struct RejectionTests {
    private func phones(_ count: Int) -> [Simulation.Visit] { (0..<count).map { _ in .test(.iPhone) } }

    private func told(_ gate: TestGate) -> Int { gate.outcomes.reduce(0) { $0 + 1 + $1.outcome.repeated } }

    /// Forty who bring garbage, and a person with a credential that has expired in the midst of them.
    @Test func aPersonAmongGarbageHasARecordWithReasons() throws {
        let gate = try TestGate(visits: phones(41))
        gate.verdict = .test(.proofInvalid)
        gate.verdicts = [Verdict](repeating: .test(.proofInvalid), count: 30) + [.authentic(.validityExpired)]
        #expect(gate.run())
        #expect(gate.counters.visits == ["rejected": 41] && gate.phoneOutcomes.values.allSatisfy { $0 == .rejected })
        let each = RecordWorth.unproven.each
        let persons = gate.outcomes.filter { $0.outcome.reasons.map(\.code) == ["validity.expired"] }
        #expect(persons.count == 1 && persons.first?.outcome.repeated == 0)
        #expect(gate.outcomes.count == each + 1)
        // No more intents than records, and one that goes from one to the next.
        #expect(Set(gate.intents).count == each + 2)
        gate.inject(.stop)
        #expect(told(gate) == 41 && gate.outcomes.count == each + 2)
        #expect(Set(gate.outcomes.map(\.intent)) == Set(gate.intents))
        let last = try #require(gate.outcomes.last?.outcome)
        #expect(last.result == .rejected && last.reasons.map(\.code) == ["proof.invalid"])
        #expect(last.repeatedSpan != nil && last.gate == .shut)
        #expect(gate.gateChanges.isEmpty && gate.breaches == [])
    }

    /// A visitor who is let in after a crowd that was only counted has the crowd's intent, and a verdict and a record
    /// of his own.
    @Test func theNextVisitorIsLetInWithTheIntentOfTheCrowd() throws {
        let crowd = RecordWorth.unproven.each + 4
        let gate = try TestGate(visits: phones(crowd + 1))
        gate.verdicts = [Verdict](repeating: .test(.proofInvalid), count: crowd)
        #expect(gate.run())
        #expect(gate.phoneOutcomes[crowd] == .accepted && gate.gateChanges.map(\.open) == [true, false])
        #expect(gate.outcomes.last?.outcome.result == .accepted)
        #expect(Set(gate.intents).count == RecordWorth.unproven.each + 1)
        // There is no intent left for what was counted: it is recorded all the same.
        gate.run(for: .seconds(700))
        #expect(told(gate) == crowd + 1 && gate.outcomes.last?.outcome.result == .rejected)
        #expect(gate.breaches == [])
    }

    /// What is whole and leaves at once is judged all the same, and counted like the others.
    @Test func aPhoneThatLeavesWhileItIsCheckedIsCountedToo() throws {
        let crowd = RecordWorth.unproven.each + 10
        let leaving = (0..<crowd).map { _ in Simulation.Visit.test(.iPhone, misbehaviour: .leaves(.delivered)) }
        let gate = try TestGate(visits: leaving)
        (gate.verdict, gate.verificationTime) = (.test(.proofInvalid), .seconds(1))
        #expect(gate.run())
        gate.run(for: .seconds(2))
        #expect(gate.counters.visits == ["failed": crowd])
        #expect(gate.outcomes.count == RecordWorth.unproven.each)
        gate.inject(.stop)
        #expect(told(gate) == crowd && gate.breaches == [])
    }

    /// A credential that the gate accepts and a locked door refuses is recorded whatever else comes.
    @Test func aVisitorRefusedByTheDoorAloneIsRecorded() throws {
        let gate = try TestGate(visits: phones(RecordWorth.proven.each + 3))
        gate.run(for: .seconds(1))
        gate.inject(.door(.order(.lock)))
        #expect(gate.run())
        #expect(gate.outcomes.count == RecordWorth.proven.each + 3)
        #expect(gate.outcomes.allSatisfy { $0.outcome.reasons.map(\.code) == ["gate.locked-down"] })
    }

    /// While the ledger does not take intents, no visit is only counted: one that it took in the end would be open for
    /// ever.
    @Test func whatTheLedgerFailedIsRecorded() throws {
        let gate = try TestGate(visits: phones(RecordWorth.unproven.each + 3))
        (gate.verdict, gate.intentFailure) = (.test(.proofInvalid), "the disk is full")
        #expect(gate.run())
        #expect(gate.outcomes.count == RecordWorth.unproven.each + 3 && gate.breaches == [])
    }

    /// While unconfirmed records fill the ledger, only those who are let in are recorded; the others are told when
    /// there is room again.
    @Test func aFilledLedgerHasRoomForThoseWhoAreLetIn() throws {
        let gate = try TestGate(visits: phones(6))
        gate.verdicts = [Verdict](repeating: .authentic(.statusRevoked), count: 5)
        gate.run(for: .milliseconds(500))
        gate.inject(.health(.present(.ledgerFilled)))
        #expect(gate.run())
        gate.run(for: .seconds(1000))
        #expect(gate.outcomes.map(\.outcome.result) == [.accepted] && Set(gate.intents).count == 1)
        gate.inject(.health(.over(.ledgerFilled)))
        gate.run(for: .seconds(700))
        #expect(gate.outcomes.map(\.outcome.repeated) == [0, 4] && told(gate) == 6)
        #expect(gate.outcomes.last?.outcome.reasons.map(\.code) == ["status.revoked"] && gate.breaches == [])
    }
}
