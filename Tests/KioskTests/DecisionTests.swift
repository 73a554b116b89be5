import Encoding
import Kiosk
import Ledger
import Reasons
import Simulation
import Testing
import Tuvali

@testable import Credentials

/// Decisions and records when the disk, the verifier or the phone is late, fails or leaves.
@Suite struct DecisionTests {
    private let never = Duration.seconds(86_400)

    private func expectNothingBroken(_ gate: TestGate) {
        #expect(gate.breaches == [])
        #expect(gate.violations == [])
    }

    /// Context URLs are text from a stranger and can identify a person: neither decisions nor records contain
    /// them.
    @Test func missingValuesAreNotInTheRecord() throws {
        let gate = try TestGate(visits: [.test()])
        gate.verdict = Verdict(
            decision: .reject, reasons: [Reason(.contextNotPinned, at: "/@context/1")],
            credential: CredentialSummary(), trust: "test",
            policy: "test", missing: ["https://x.example/ann"], unsupported: .cwt)
        #expect(gate.run())
        let outcome = try #require(gate.outcomes.first)
        #expect(outcome.outcome.reasons.map(\.code) == ["context.not-pinned"])
        #expect(!"\(gate.trace.flatMap(\.actions))\(outcome)".contains("x.example"))
        expectNothingBroken(gate)
    }

    // MARK: - The intent

    @Test func theGateWaitsForALateIntent() throws {
        let gate = try TestGate(visits: [.test()])
        gate.intentTime = .milliseconds(4500)  // the visitor chooses for three seconds, the gate waits for two more
        #expect(gate.run())
        let asked = try #require(
            gate.trace.first { $0.actions.contains { if case .recordIntent = $0 { true } else { false } } })
        let opened = try #require(gate.gateChanges.first { $0.open })
        #expect(asked.at.duration(to: opened.at) == .milliseconds(4500))
        #expect(gate.phoneOutcomes == [0: .accepted])
        #expect(gate.outcomes.map(\.outcome.result) == [.accepted])
        expectNothingBroken(gate)
    }

    /// The intent fails at once, fails late, is never answered, or is answered after the limit.
    static let failures: [(takes: Duration, failure: LedgerFailure?)] = [
        (.milliseconds(3), .database("no space left")), (.milliseconds(4500), .database("no space left")),
        (.seconds(86_400), nil), (.seconds(6), nil),
    ]

    @Test(arguments: failures.indices) func withoutAnIntentNoVisitorIsAdmitted(_ index: Int) throws {
        let gate = try TestGate(visits: [.test()])
        (gate.intentTime, gate.intentFailure) = Self.failures[index]
        #expect(gate.run())
        #expect(gate.phoneOutcomes == [0: .rejected])
        #expect(gate.outcomes.map(\.outcome.result) == [.rejected])
        #expect(gate.outcomes.first?.outcome.reasons.map(\.code) == ["ledger.unavailable"])
        #expect(gate.outcomes.first?.outcome.gate == .shut)
        #expect(gate.gateChanges.isEmpty)
        #expect(gate.patterns.contains(.rejected) && !gate.patterns.contains(.accepted))
        #expect(gate.counters.ledgerFailures == 1)
        #expect(gate.statusBytes.allSatisfy { $0 == 1 } && !gate.statusBytes.isEmpty)
        // A later answer of the ledger changes nothing.
        gate.run(for: .seconds(10))
        #expect(gate.outcomes.count == 1 && gate.gateChanges.isEmpty)
        expectNothingBroken(gate)
    }

    @Test(arguments: failures.indices) func withoutAnIntentVisitorsAreAdmittedIfTheOperatorSaysSo(_ index: Int) throws {
        let gate = try TestGate(visits: [.test()]) { $0.whenLedgerFails = .open }
        (gate.intentTime, gate.intentFailure) = Self.failures[index]
        #expect(gate.run())
        gate.run(for: .seconds(1))
        #expect(gate.phoneOutcomes == [0: .accepted])
        #expect(gate.outcomes.map(\.outcome.result) == [.accepted])
        #expect(gate.gateChanges.map(\.open) == [true, false])
        #expect(gate.counters.ledgerFailures == 1)
        expectNothingBroken(gate)
    }

    @Test func aRejectionKeepsItsReasonWithoutALedger() throws {
        for policy in [KioskSettings.LedgerFailurePolicy.refuse, .open] {
            let gate = try TestGate(visits: [.test()]) { $0.whenLedgerFails = policy }
            gate.intentFailure = .database("no space left")
            gate.verdict = .test(.proofInvalid)
            #expect(gate.run())
            #expect(gate.outcomes.first?.outcome.reasons.map(\.code) == ["proof.invalid"])
            #expect(gate.gateChanges.isEmpty)
            expectNothingBroken(gate)
        }
    }

    // MARK: - The verification

    @Test func aVerificationBeyondItsLimitFails() throws {
        let gate = try TestGate(visits: [.test(), .test()])
        gate.verificationTime = .seconds(12)
        #expect(gate.run(untilNote: "visit.ended"))
        gate.verificationTime = .milliseconds(2)
        #expect(gate.run())
        #expect(gate.outcomes.map(\.outcome.result) == [.failed, .accepted])
        #expect(gate.outcomes.first?.outcome.reasons.map(\.code) == ["internal"])
        #expect(gate.outcomes.first?.outcome.gate == .shut)
        #expect(gate.phoneOutcomes[0] == .dismissed)
        #expect(gate.phoneOutcomes[1] == .accepted)
        expectNothingBroken(gate)
    }

    @Test func aVerdictForAPhoneThatHasLeftOpensNothing() throws {
        for misbehaviour in [Misbehaviour.leaves(.delivered), .vanishes(.delivered)] {
            let gate = try TestGate(visits: [.test(misbehaviour: misbehaviour)])
            gate.verificationTime = .seconds(8)
            #expect(gate.run())
            gate.run(for: .seconds(20))
            #expect(gate.payloads.count == 1)
            #expect(gate.outcomes.map(\.outcome.result) == [.failed])
            #expect(
                gate.outcomes.first?.outcome.reasons.map(\.code)
                    == ["transfer.disconnected", "transfer.left-checking"])
            #expect(gate.gateChanges.isEmpty)
            #expect(gate.statusBytes == [])
            expectNothingBroken(gate)
        }
    }

    // MARK: - The pulse

    @Test func thePulseHasAHardUpperBound() throws {
        let gate = try TestGate(visits: [.test(), .test(arrival: .afterPrevious(.milliseconds(100)))]) {
            $0.gatePulse = .seconds(3600)
        }
        #expect(gate.run())
        gate.run(for: .seconds(20))
        #expect(gate.phoneOutcomes == [0: .accepted, 1: .accepted])
        #expect(gate.gateChanges.count.isMultiple(of: 2) && !gate.gateChanges.isEmpty)
        for pair in zip(gate.gateChanges, gate.gateChanges.dropFirst()) where pair.0.open {
            #expect(pair.0.at.duration(to: pair.1.at) <= .seconds(5))
        }
        #expect(gate.outcomes.first?.outcome.gate == .pulsed(milliseconds: 5000))
        expectNothingBroken(gate)
    }

    @Test(arguments: [true, false]) func theLightShowsTheVisitInOrder(_ accepted: Bool) throws {
        let gate = try TestGate(visits: [.test(record: MisbehaviourTests.incompressible)])
        gate.verdict = .test(accepted ? .ok : .proofInvalid)
        #expect(gate.run())
        gate.run(for: .seconds(5))
        #expect(
            gate.patterns
                == [.off, .ready, .connected, .receiving, .checking, accepted ? .accepted : .rejected, .ready])
        expectNothingBroken(gate)
    }

    @Test func theNotesReportTheVisitInOrder() throws {
        let gate = try TestGate(visits: [.test()])
        #expect(gate.run())
        var notes: [String] = []
        for note in gate.notes where note != notes.last { notes.append(note) }
        #expect(
            notes == [
                "radio.ready", "advertising", "phone.connected", "phone.mtu", "phone.identified", "advertising",
                "transfer.started", "transfer.progress", "transfer.received", "verdict", "visit.ended", "gate",
            ]
                || notes.filter { $0 != "transfer.progress" } == [
                    "radio.ready", "advertising", "phone.connected", "phone.mtu", "phone.identified", "advertising",
                    "transfer.started", "transfer.received", "verdict", "visit.ended", "gate",
                ])
    }

    // MARK: - The record

    @Test func theOutcomeSaysWhatHappened() throws {
        let gate = try TestGate(visits: [.test(record: MisbehaviourTests.incompressible)])
        #expect(gate.run())
        let outcome = try #require(gate.outcomes.first?.outcome)
        #expect(outcome.result == .accepted)
        #expect(outcome.gate == .pulsed(milliseconds: 200))
        #expect(outcome.credential?.oldDigest == nil && outcome.credential?.name == nil, "named by the keeper alone")
        #expect(outcome.software == .init(name: "gatehouse", version: "test", trust: "test", policy: "test"))
        let session = try #require(outcome.session)
        let started = try #require(
            gate.kioskNotes.compactMap { if case .transferStarted(_, let chunks) = $0 { chunks } else { nil } }.first)
        #expect(session.chunks == started && started > 3)
        #expect(session.transport == "tuvali" && session.crcErrors == 0 && session.retries == 0)
        let connected = gate.seen.first { if case .kiosk(.phoneConnected) = $0.what { true } else { false } }
        let decided = gate.seen.first { if case .kiosk(.decided) = $0.what { true } else { false } }
        let time = try #require(connected).at.duration(to: try #require(decided).at)
        #expect(session.milliseconds == Int(time.milliseconds))
        #expect(gate.intents == gate.outcomes.map(\.intent))
        // The decision was handed over with the order to open; the outcome adds the actuator's result.
        let decision = try #require(gate.decisions.first)
        #expect(gate.decisions.count == 1 && decision.outcome == outcome)
        #expect(decision.visit == gate.outcomes.first?.visit && decision.intent == gate.intents.first)
    }

    // MARK: - Stopping

    @Test(arguments: RadioTests.moments + ["gate"]) func stoppingReleasesEverything(_ moment: String) throws {
        let gate = try TestGate(visits: [.test(record: MisbehaviourTests.incompressible)])
        gate.verificationTime = .seconds(1)
        #expect(gate.run(untilNote: moment))
        let openBefore = gate.gateChanges.last?.open ?? false
        if moment == "gate" { #expect(openBefore) }
        let isInVisit = gate.notes.contains("phone.connected") && gate.phoneOutcomes.isEmpty
        gate.inject(.stop)
        #expect(gate.hasStopped)
        #expect(gate.signal == .dark && gate.patterns.last == .off)
        #expect(gate.gateChanges.last?.open != true)
        #expect(gate.notes.last == "stopped")
        if case .stopped? = gate.trace.last?.actions.last {} else { Issue.record("something comes after the stop") }
        #expect(gate.outcomes.count == gate.intents.count)
        let turns = gate.trace.count
        gate.inject(.stop)
        gate.run(for: .seconds(60))
        #expect(gate.trace[turns...].allSatisfy { $0.actions.isEmpty })
        if isInVisit { #expect(gate.phoneOutcomes[0] != .lost) }  // the phone was notified, so it need not time out
        expectNothingBroken(gate)
    }

    @Test func stoppingBeforeTheRadioIsUp() throws {
        let gate = try TestGate(visits: [])
        gate.inject(.stop)
        #expect(gate.hasStopped && gate.signal == .dark)
    }
}
