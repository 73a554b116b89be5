import Encoding
import Kiosk
import Ledger
import Reasons
import Simulation
import Testing
import Tuvali

@testable import Credentials
@testable import Kiosk

/// Rejected visitors: each gets an answer, the first of a kind have a record each, and a crowd of them cannot
/// fill the ledger.
@Suite struct RejectionTests {
    private func phones(_ count: Int) -> [Simulation.Visit] { (0..<count).map { _ in .test(.iPhone) } }

    /// Returns the number of visits that the records describe; a record that closes an unused intent counts
    /// none.
    private func told(_ gate: TestGate) -> Int {
        let visits = gate.outcomes.filter { $0.outcome.reasons.first?.code != Text(ReasonCode.abandoned.text) }
        return visits.reduce(0) { $0 + 1 + $1.outcome.repeated }
    }

    /// Forty phones send garbage; one visitor among them has a credential that has expired.
    @Test func aPersonAmongGarbageHasARecordWithReasons() throws {
        let gate = try TestGate(visits: phones(41))
        gate.verdict = .test(.proofInvalid)
        gate.verdicts = [Verdict](repeating: .test(.proofInvalid), count: 30) + [.authentic(.validityExpired)]
        #expect(gate.run())
        #expect(gate.counters.visits == [.outcome(.rejected): 41])
        #expect(gate.phoneOutcomes.values.allSatisfy { $0 == .rejected })
        let each = RecordPriority.unproven.each
        let persons = gate.outcomes.filter { $0.outcome.reasons.map(\.code) == ["validity.expired"] }
        #expect(persons.count == 1 && persons.first?.outcome.repeated == 0)
        #expect(gate.outcomes.count == each + 1)
        // There are no more intents than records, and one intent passes from visit to visit.
        #expect(Set(gate.intents).count == each + 2)
        gate.inject(.stop)
        #expect(told(gate) == 41 && gate.outcomes.count == each + 2)
        #expect(Set(gate.outcomes.map(\.intent)) == Set(gate.intents))
        let last = try #require(gate.outcomes.last?.outcome)
        #expect(last.result == .rejected && last.reasons.map(\.code) == ["proof.invalid"])
        #expect(last.repeatedSpan != nil && last.gate == .shut)
        #expect(gate.gateChanges.isEmpty && gate.breaches == [])
    }

    /// A visitor who is admitted after a crowd that was only counted uses the crowd's intent and has a
    /// verdict and a record of his own.
    @Test func theNextVisitorIsLetInWithTheIntentOfTheCrowd() throws {
        let crowd = RecordPriority.unproven.each + 4
        let gate = try TestGate(visits: phones(crowd + 1))
        gate.verdicts = [Verdict](repeating: .test(.proofInvalid), count: crowd)
        #expect(gate.run())
        #expect(gate.phoneOutcomes[crowd] == .accepted && gate.gateChanges.map(\.open) == [true, false])
        #expect(gate.outcomes.last?.outcome.result == .accepted)
        #expect(Set(gate.intents).count == RecordPriority.unproven.each + 1)
        // No intent is left for the counted visits; they are recorded nevertheless.
        gate.run(for: .seconds(700))
        #expect(told(gate) == crowd + 1 && gate.outcomes.last?.outcome.result == .rejected)
        #expect(gate.breaches == [])
    }

    /// A complete payload whose phone leaves at once is still judged, and counted like the others.
    @Test func aPhoneThatLeavesWhileItIsCheckedIsCountedToo() throws {
        let crowd = RecordPriority.unproven.each + 10
        let leaving = (0..<crowd).map { _ in Simulation.Visit.test(.iPhone, misbehaviour: .leaves(.delivered)) }
        let gate = try TestGate(visits: leaving)
        (gate.verdict, gate.verificationTime) = (.test(.proofInvalid), .seconds(1))
        #expect(gate.run())
        gate.run(for: .seconds(2))
        #expect(gate.counters.visits == [.outcome(.failed): crowd])
        #expect(gate.outcomes.count == RecordPriority.unproven.each)
        gate.inject(.stop)
        #expect(told(gate) == crowd && gate.breaches == [])
    }

    /// A credential that the verifier accepts and only a locked door refuses is always recorded.
    @Test func aVisitorRefusedByTheDoorAloneIsRecorded() throws {
        let gate = try TestGate(visits: phones(RecordPriority.proven.each + 3))
        gate.run(for: .seconds(1))
        gate.inject(.door(.order(.lock)))
        #expect(gate.run())
        #expect(gate.outcomes.count == RecordPriority.proven.each + 3)
        #expect(gate.outcomes.allSatisfy { $0.outcome.reasons.map(\.code) == ["gate.locked-down"] })
    }

    /// The credentials would open the gate, but the phones leave before their verdicts are shown: no turn
    /// limits their rate.
    @Test(arguments: [true, false]) func acceptedVisitsThatLeftAreCountedToo(_ isChecking: Bool) throws {
        let leaving = (0..<40).map { _ in Simulation.Visit.test(.iPhone, misbehaviour: .leaves(.delivered)) }
        let gate = try TestGate(visits: leaving)
        if isChecking { gate.verificationTime = .seconds(1) } else { gate.intentTime = .seconds(86_400) }
        #expect(gate.run())
        gate.run(for: .seconds(5))
        #expect(gate.counters.visits == [.outcome(.failed): 40] && gate.gateChanges.isEmpty)
        #expect(gate.outcomes.count == RecordPriority.proven.each)
        #expect(gate.outcomes.allSatisfy { $0.outcome.credential != nil })
        #expect(dismissed(gate).count == 40 - RecordPriority.proven.each)
        gate.inject(.stop)
        #expect(told(gate) == 40 && gate.breaches == [])
    }

    /// Verifications that never end, with and without the phone leaving: each is given up at its limit,
    /// recorded or not.
    @Test(arguments: [true, false]) func checksThatDoNotEndAreGivenUp(_ leaves: Bool) throws {
        let visits = (0..<24).map { _ in
            Simulation.Visit.test(.iPhone, misbehaviour: leaves ? .leaves(.delivered) : nil)
        }
        let gate = try TestGate(visits: visits)
        gate.verificationTime = .seconds(86_400)
        #expect(gate.run(limit: .seconds(900)))
        gate.run(for: .seconds(11))
        #expect(gate.outcomes.count == RecordPriority.unproven.each)
        #expect(dismissed(gate).count == 24 - RecordPriority.unproven.each)
        gate.inject(.stop)
        #expect(told(gate) == 24 && gate.breaches == [])
    }

    private func dismissed(_ gate: TestGate) -> [VisitID] {
        gate.trace.flatMap(\.actions).compactMap { if case .dismissed(let visit) = $0 { visit } else { nil } }
    }

    /// If the ledger accepts no intent, a crowd still gets no more records.
    @Test func recordsThatTheLedgerRefusedAreCountedToo() throws {
        let gate = try TestGate(visits: phones(RecordPriority.unproven.each + 3))
        (gate.verdict, gate.intentFailure) = (.test(.proofInvalid), .database("the disk is full"))
        #expect(gate.run())
        #expect(gate.outcomes.count == RecordPriority.unproven.each)
        gate.inject(.stop)
        #expect(told(gate) == RecordPriority.unproven.each + 3 && gate.breaches == [])
    }

    /// An intent that the ledger accepts too late for its visit passes to the next one, and is closed in the
    /// end.
    @Test func anIntentThatComesLateIsClosed() throws {
        let gate = try TestGate(visits: phones(RecordPriority.unproven.each + 3))
        (gate.verdict, gate.intentTime) = (.test(.proofInvalid), .seconds(20))
        #expect(gate.run())
        gate.run(for: .seconds(20))
        #expect(gate.outcomes.count == RecordPriority.unproven.each)
        gate.inject(.stop)
        #expect(told(gate) == RecordPriority.unproven.each + 3)
        #expect(Set(gate.outcomes.compactMap(\.intent)) == Set(gate.intents) && gate.breaches == [])
    }

    /// The service stops while the radio is down, and more kinds were counted than there are intents left.
    @Test func countsOutliveTheRadio() throws {
        let gate = try TestGate(visits: phones(36))
        gate.verdicts = [Verdict](repeating: .test(.proofInvalid), count: 22)
        gate.verdict = .test(.issuerUntrusted)
        #expect(gate.run())
        #expect(told(gate) < 34)
        gate.inject(.transportClosed(.transport(.radioGone, "test")))
        gate.inject(.stop)
        #expect(told(gate) == 36 && Set(gate.outcomes.map(\.visit)).count == gate.outcomes.count)
        #expect(gate.breaches == [])
    }

    /// Findings in unsigned members, in any number that the phone chooses, make no additional kinds of one
    /// card.
    @Test func oneCardMakesOneKind() throws {
        var kiosk = Kiosk(settings: KioskSettings(name: try Identifier("Kinds"), softwareVersion: "test"), at: .zero)
        func records(_ card: UInt8, repeating findings: Int, at second: Int) -> Int {
            let reasons: [Text] = ["validity.expired"] + [Text](repeating: "coverage.unsigned", count: findings)
            let outcome = Outcome(
                .rejected, reasons: reasons.map { Outcome.Reason($0) }, gate: .shut,
                software: Outcome.Software(name: "gatehouse", version: "test"))
            let record = VisitRecord(VisitID("\(card) \(second)"), using: nil, outcome, signedDigests: [[card]])
            return kiosk.recordUnopened(record, .proven, at: Instant.zero.advanced(by: .seconds(second))).count
        }
        for number in 0..<8640 { _ = records(1, repeating: number % 16, at: number * 10) }
        #expect(records(2, repeating: 1, at: 86_395) == 1)
    }

    /// Text that a stranger writes into a credential does not make its record large.
    @Test(arguments: RecordPriority.allCases) func recordsAreSmall(_ worth: RecordPriority) throws {
        var kiosk = Kiosk(settings: KioskSettings(name: try Identifier("Sizes"), softwareVersion: "test"), at: .zero)
        let long = Text(String(repeating: "x", count: 5000))
        let credential = Outcome.Credential(format: "ldp_vc", issuer: long, types: [Text](repeating: long, count: 99))
        var outcome = Outcome(
            .rejected, reasons: (0..<99).map { _ in Outcome.Reason("proof.invalid", pointer: long) },
            credential: credential, gate: .shut, software: Outcome.Software(name: "gatehouse", version: "test"))
        outcome.others = [Outcome.Credential](repeating: credential, count: 99)
        let actions = kiosk.recordUnopened(VisitRecord(VisitID("v"), using: nil, outcome), worth, at: .zero)
        guard case .recordOutcome(let record) = actions.first else {
            Issue.record("nothing is recorded")
            return
        }
        let stamp = RecordStamp(
            kiosk: "gate-1", boot: "b0070000-0000-4000-8000-000000000000",
            time: WallTime(utc: Timestamp(seconds: 1_767_225_600), provenance: .rtc), monotonic: .zero)
        let size = UnwrittenOutcome(visit: "v", outcome: record.outcome, stamp: stamp).bytes().count
        #expect(size < (worth == .proven ? 5000 : 2000), "\(worth): \(size)")
    }

    /// While unconfirmed records fill the ledger, only admitted visitors are recorded; the others are
    /// reported when there is room again.
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
