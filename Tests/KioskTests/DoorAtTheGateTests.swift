import Encoding
import Kiosk
import Ledger
import Reasons
import Simulation
import Testing

/// The door as part of the kiosk: its effect on visitors, the relay, the light and the records.
@Suite struct DoorAtTheGateTests {
    /// Returns a gate with all inputs wired and read from the start.
    private func gate(
        _ visits: [Simulation.Visit] = [.test()], _ configure: (inout KioskSettings) -> Void = { _ in }
    ) throws -> TestGate {
        let gate = try TestGate(visits: visits) { settings in
            settings.door.inputs = Dictionary(
                uniqueKeysWithValues: DoorInput.allCases.map { ($0, Duration.milliseconds(20)) })
            settings.door.hasFreeOutput = true
            configure(&settings)
        }
        gate.inject(.door(.lines([:])))
        gate.run(for: .milliseconds(200))
        return gate
    }

    private func press(_ input: DoorInput, _ gate: TestGate) {
        set(input, true, gate)
        gate.run(for: .milliseconds(100))
        set(input, false, gate)
    }

    private func set(_ input: DoorInput, _ isActive: Bool, _ gate: TestGate) {
        gate.inject(.door(.edge(input, isActive: isActive, at: gate.now)))
    }

    private func lengths(_ gate: TestGate) -> [Double] {
        zip(gate.gateChanges, gate.gateChanges.dropFirst()).filter { $0.0.open }
            .map { $0.0.at.duration(to: $0.1.at).milliseconds }
    }

    private func opened(_ gate: TestGate) -> Int {
        gate.trace.flatMap(\.actions).count { if case .decided = $0 { true } else { false } }
    }

    private func unused(_ gate: TestGate) -> Int {
        gate.trace.flatMap(\.actions).count { if case .unused = $0 { true } else { false } }
    }

    // MARK: - Passage

    @Test func theRecordContainsThePassage() throws {
        let gate = try gate()
        #expect(gate.run(untilNote: "verdict"))
        gate.run(for: .milliseconds(1500))
        #expect(gate.outcomes.isEmpty, "the record waits for the passage")
        press(.passage, gate)
        gate.run(for: .seconds(1))
        let record = try #require(gate.outcomes.first?.outcome)
        #expect(record.result == .accepted && record.gate?.passage == true && record.gate?.pulseMilliseconds == 200)
        #expect(gate.notes.contains("door.passage") && gate.breaches == [])
    }

    @Test(arguments: [DoorSettings.Unused.keep, .release])
    func theRecordContainsTheMissingPassage(_ unused: DoorSettings.Unused) throws {
        let gate = try gate { $0.door.whenUnused = unused }
        #expect(gate.run(untilNote: "verdict"))
        gate.run(for: .seconds(6))
        let record = try #require(gate.outcomes.first?.outcome)
        #expect(record.result == .accepted && record.gate?.opened == true && record.gate?.passage == false)
        #expect(gate.notes.contains("door.not-passed"))
        // The operator's setting decides whether the credential counts as used.
        #expect(opened(gate) == 1 && self.unused(gate) == (unused == .keep ? 0 : 1))
        #expect(gate.breaches == [])
    }

    @Test func whereOnlyAPassageCountsItDoes() throws {
        let gate = try gate { $0.door.whenUnused = .release }
        #expect(gate.run(untilNote: "verdict"))
        #expect(opened(gate) == 1 && gate.outcomes.isEmpty, "until then the credential is held")
        gate.run(for: .milliseconds(500))
        press(.passage, gate)
        gate.run(for: .seconds(10))
        #expect(opened(gate) == 1 && unused(gate) == 0 && gate.breaches == [])
    }

    @Test func whoWasLetInWhenTheInputsVanishedCountsAsUsed() throws {
        let gate = try gate { $0.door.whenUnused = .release }
        #expect(gate.run(untilNote: "verdict"))
        gate.inject(.door(.linesLost(detail: "gone")))
        gate.run(for: .seconds(10))
        #expect(opened(gate) == 1 && gate.outcomes.first?.outcome.gate?.passage == nil)
        #expect(gate.patterns.last == .attention && gate.breaches == [])
    }

    /// The door was still open when the next visitor was admitted. Whether he passed is unknown, so his
    /// credential counts as used.
    @Test func whoMayHavePassedThroughAnOpenDoorCountsAsUsed() throws {
        let gate = try gate([.test(), .test(arrival: .at(.milliseconds(1200)))]) {
            $0.door.inputs = [.contact: .milliseconds(20)]
            $0.door.whenUnused = .release
        }
        #expect(gate.run(untilNote: "verdict"))
        gate.run(for: .milliseconds(500))
        set(.contact, true, gate)
        #expect(gate.run(untilNote: "verdict"))
        gate.run(for: .seconds(10))
        #expect(opened(gate) == 2 && unused(gate) == 0 && gate.breaches == [])
        #expect(gate.outcomes.map(\.outcome.gate?.passage) == [true, nil] && !gate.notes.contains("door.not-passed"))
    }

    @Test func theStopDoesNotWaitForAPassage() throws {
        let gate = try gate { $0.door.whenUnused = .release }
        #expect(gate.run(untilNote: "verdict"))
        gate.inject(.stop)
        #expect(gate.outcomes.map(\.outcome.result) == [.accepted] && gate.outcomes[0].outcome.gate?.passage == nil)
        #expect(opened(gate) == 1 && gate.breaches == [])
    }

    @Test(arguments: [true, false]) func theNextVerdictWaitsForThePassage(_ oneByOne: Bool) throws {
        let visits = [Simulation.Visit.test(arrival: .at(.seconds(1))), .test(arrival: .at(.milliseconds(1200)))]
        let gate = try gate(visits) { $0.door.oneByOne = oneByOne }
        #expect(gate.run(untilNote: "verdict"))
        let first = gate.now
        #expect(gate.run(untilNote: "verdict"))
        let waited = first.duration(to: gate.now)
        #expect(oneByOne ? waited >= .milliseconds(5300) : waited < .seconds(3), "\(waited)")
        #expect(gate.run())
        #expect(gate.phoneOutcomes.values.allSatisfy { $0 == .accepted } && gate.breaches == [])
    }

    @Test func aPassageLetsTheNextOneCome() throws {
        let visits = [Simulation.Visit.test(arrival: .at(.seconds(1))), .test(arrival: .at(.milliseconds(1200)))]
        let gate = try gate(visits)
        #expect(gate.run(untilNote: "verdict"))
        let first = gate.now
        gate.run(for: .milliseconds(1500))
        #expect(gate.notes.count { $0 == "verdict" } == 1)
        press(.passage, gate)
        #expect(gate.notes.count { $0 == "verdict" } == 2 && first.duration(to: gate.now) < .seconds(3))
        #expect(gate.run() && gate.breaches == [])
    }

    // MARK: - Level

    @Test func aLevelLastsUntilThePassage() throws {
        let gate = try gate { $0.door.opening = .level }
        #expect(gate.run(untilNote: "verdict"))
        gate.run(for: .milliseconds(1500))
        press(.passage, gate)
        gate.run(for: .seconds(10))
        #expect(lengths(gate) == [1520])
        #expect(gate.outcomes.first?.outcome.gate?.pulseMilliseconds == 1520 && gate.breaches == [])
    }

    @Test func aLevelEndsWithTheHardLimitHoweverLongTheWaitIs() throws {
        let gate = try gate {
            ($0.door.opening, $0.door.wait) = (.level, .seconds(20))
        }
        #expect(gate.run(untilNote: "verdict"))
        gate.run(for: .seconds(30))
        #expect(lengths(gate) == [5000] && gate.breaches == [])
    }

    /// A person pressed the button and stayed inside: that opening is not the visitor's.
    @Test func aLevelEndsWithTheVisitorAlsoAfterAnExit() throws {
        let gate = try gate {
            ($0.door.opening, $0.door.whenUnused) = (.level, .release)
        }
        gate.verificationTime = .milliseconds(300)
        #expect(gate.run(untilNote: "transfer.received"))
        press(.request, gate)
        #expect(gate.run(untilNote: "verdict"))
        gate.run(for: .milliseconds(1500))
        press(.passage, gate)
        gate.run(for: .seconds(10))
        #expect(lengths(gate).count == 2 && lengths(gate).last == 1520, "\(lengths(gate))")
        #expect(opened(gate) == 1 && unused(gate) == 0)
        #expect(gate.outcomes.first?.outcome.gate?.passage == true && gate.breaches == [])
    }

    /// A slow visitor passes through the opening for a person inside; the gate shuts after him.
    @Test func anExitLevelEndsWithAnyPassage() throws {
        let gate = try gate {
            ($0.door.opening, $0.door.wait) = (.level, .seconds(20))
        }
        #expect(gate.run(untilNote: "verdict"))
        gate.run(for: .seconds(6))
        press(.request, gate)
        gate.run(for: .milliseconds(900))
        press(.passage, gate)
        gate.run(for: .seconds(10))
        #expect(lengths(gate) == [5000, 1000], "\(lengths(gate))")
        #expect(gate.breaches == [])
    }

    @Test func aLevelForTheWayOutIsNotEndedByTheOneBefore() throws {
        let gate = try gate([]) { $0.door.opening = .level }
        gate.run(for: .seconds(1))
        press(.request, gate)
        gate.run(for: .seconds(4))
        press(.request, gate)
        gate.run(for: .seconds(20))
        #expect(lengths(gate) == [5000, 5000] && gate.breaches == [])
    }

    // MARK: - Request to exit

    @Test func theButtonInsideOpensOnce() throws {
        let gate = try gate([])
        gate.run(for: .seconds(1))
        press(.request, gate)
        gate.run(for: .seconds(2))
        #expect(lengths(gate) == [200] && gate.outcomes.isEmpty && gate.status.door.counters.requests == 1)
        #expect(gate.notes.contains("door.exit-request") && gate.breaches == [])
    }

    @Test func entriesAndExitsHaveAPulseEach() throws {
        let gate = try gate { $0.gatePulse = .seconds(2) }
        #expect(gate.run(untilNote: "verdict"))
        gate.run(for: .milliseconds(100))
        press(.request, gate)
        gate.run(for: .seconds(10))
        #expect(lengths(gate) == [2000, 2000] && gate.breaches == [])
    }

    @Test func theNextVerdictDoesNotCutOffWhoGoesOut() throws {
        let gate = try gate { $0.gatePulse = .seconds(5) }
        gate.verificationTime = .milliseconds(300)
        #expect(gate.run(untilNote: "transfer.received"))
        press(.request, gate)
        #expect(gate.run(untilNote: "verdict"))
        gate.run(for: .seconds(10))
        #expect(lengths(gate) == [2000, 5000])
        #expect(gate.outcomes.map(\.outcome.result) == [.accepted] && gate.breaches == [])
    }

    /// However often a person inside presses the button, a visitor outside is admitted between two exits.
    @Test func aButtonThatIsPressedAllTheTimeDelaysNoVisitor() throws {
        let gate = try gate()
        gate.verificationTime = .milliseconds(300)
        #expect(gate.run(untilNote: "transfer.received"))
        let began = gate.now
        for _ in 0..<40 {
            press(.request, gate)
            gate.run(for: .milliseconds(60))
        }
        #expect(gate.outcomes.map(\.outcome.result) == [.accepted] && gate.notes.contains("verdict"))
        #expect(began.duration(to: gate.now) < .seconds(10), "forty presses")
        #expect(lengths(gate).count > 5 && gate.breaches == [])
    }

    /// Each verdict waits for a pulse and an exit; even the last visitor of a queue gets his verdict.
    @Test func theLastVisitorOfAQueueGetsAVerdictDespiteManyExits() throws {
        let visits = (0..<8 as Range<Int64>).map { number in
            Simulation.Visit.test(arrival: .at(.milliseconds(1000 + number * 300)))
        }
        let gate = try gate(visits) {
            ($0.gatePulse, $0.door.oneByOne) = (.seconds(5), false)
        }
        for _ in 0..<600 {
            press(.request, gate)
            gate.run(for: .milliseconds(100))
            if gate.outcomes.count == visits.count { break }
        }
        #expect(gate.outcomes.map(\.outcome.result) == visits.map { _ in .accepted })
        #expect(gate.phoneOutcomes.values.allSatisfy { $0 == .accepted } && gate.breaches == [])
    }

    @Test func anOscillatingButtonHoldsNoGateOpen() throws {
        let gate = try gate([]) { $0.door.inputs[.request] = .zero }
        gate.run(for: .seconds(1))
        for edge in 0..<1000 {
            set(.request, edge.isMultiple(of: 2), gate)
            gate.run(for: .milliseconds(10))
        }
        #expect((1...2).contains(lengths(gate).count) && gate.breaches == [])
    }

    /// An exit waits until the red light is over; otherwise a rejected visitor could walk in while a person
    /// is let out.
    @Test func noExitIsGivenUnderARedLight() throws {
        let gate = try gate()
        gate.verdict = .test(.proofInvalid)
        #expect(gate.run(untilNote: "verdict"))
        let rejected = gate.now
        press(.request, gate)
        gate.run(for: .seconds(10))
        let end = rejected.advanced(by: try #require(IndicatorPattern.rejected.end))
        #expect(lengths(gate) == [200] && gate.gateChanges.first?.at == end && gate.breaches == [])
    }

    @Test func theButtonWorksWithoutARadio() throws {
        let gate = try gate([])
        gate.inject(.transportClosed(.transport(.radioGone, "gone")))
        press(.request, gate)
        gate.run(for: .seconds(1))
        #expect(lengths(gate) == [200] && gate.breaches == [])
    }

    @Test func theButtonDoesNothingBeforeARelayThatFails() throws {
        let gate = try gate([])
        gate.run(for: .seconds(1))
        gate.inject(.health(.present(.gateUnavailable)))
        press(.request, gate)
        gate.inject(.health(.over(.gateUnavailable)))
        gate.run(for: .seconds(1))
        #expect(gate.gateChanges.isEmpty && gate.breaches == [])
    }

    // MARK: - Lock-down

    @Test func inALockDownNoVisitorIsAdmitted() throws {
        let gate = try gate([.test(), .test(arrival: .at(.seconds(60)))])
        gate.inject(.door(.order(.lock)))
        #expect(gate.run(untilNote: "visit.ended"))
        #expect(gate.outcomes.first?.outcome.reasons.map(\.code) == ["gate.locked-down"])
        #expect(gate.phoneOutcomes[0] != .accepted && gate.gateChanges.isEmpty)
        gate.run(for: .seconds(10))
        #expect(gate.patterns.last == .locked && gate.status.door.mode == .locked)
        gate.inject(.door(.order(.none)))
        #expect(gate.patterns.last == .ready)
        #expect(gate.run())
        #expect(gate.phoneOutcomes[1] == .accepted && gate.breaches == [])
    }

    @Test func aRejectionInALockDownKeepsItsReason() throws {
        let gate = try gate()
        gate.inject(.door(.order(.lock)))
        gate.verdict = .test(.proofInvalid)
        #expect(gate.run(untilNote: "visit.ended"))
        #expect(gate.outcomes.first?.outcome.reasons.map(\.code) == ["proof.invalid"] && gate.breaches == [])
    }

    @Test func aLockDownEndsTheRunningPulse() throws {
        let gate = try gate { $0.gatePulse = .seconds(3) }
        #expect(gate.run(untilNote: "verdict"))
        gate.run(for: .milliseconds(700))
        gate.inject(.door(.order(.lock)))
        #expect(lengths(gate) == [700] && gate.patterns.last == .locked)
        gate.run(for: .seconds(10))
        let record = try #require(gate.outcomes.first?.outcome)
        #expect(record.gate?.pulseMilliseconds == 700 && record.reasons.map(\.code).last == "gate.locked-down")
        #expect(gate.breaches == [])
    }

    @Test func whoPressesBeforeALockDownIsNotLetOutInIt() throws {
        let gate = try gate { $0.gatePulse = .seconds(3) }
        #expect(gate.run(untilNote: "verdict"))
        press(.request, gate)
        gate.inject(.door(.order(.lock)))
        gate.run(for: .seconds(10))
        #expect(lengths(gate).count == 1 && gate.breaches == [])
    }

    @Test func whereItIsChosenPeopleMayGoOut() throws {
        let gate = try gate([]) { $0.door.exitsWhileLocked = true }
        gate.inject(.door(.order(.lock)))
        press(.request, gate)
        gate.run(for: .seconds(1))
        #expect(lengths(gate) == [200] && gate.breaches == [])
    }

    // MARK: - Free passage

    @Test func freePassageIsALeaseThatIsRenewed() throws {
        let gate = try gate([.test(arrival: .at(.seconds(20)))])
        gate.run(for: .seconds(1))
        gate.inject(.door(.order(.free(until: gate.now.advanced(by: .seconds(60))))))
        #expect(gate.patterns.last == .free)
        gate.run(for: .seconds(57))
        let orders = gate.trace.flatMap { turn in
            turn.actions.compactMap { action -> (at: Instant, until: Instant)? in
                if case .hold(.freeRelay, .open(let until)) = action { (turn.at, until) } else { nil }
            }
        }
        #expect(orders.allSatisfy { $0.at.duration(to: $0.until) == .seconds(5) })
        #expect(zip(orders, orders.dropFirst()).allSatisfy { $0.1.at < $0.0.until }, "it never drops")
        // Visitors are verified and recorded during free passage, too.
        #expect(gate.phoneOutcomes == [0: .accepted])
        gate.run(for: .seconds(10))
        #expect(gate.outcomes.map(\.outcome.result) == [.accepted])
        #expect(gate.patterns.last == .ready && gate.breaches == [])
        let ends = gate.trace.flatMap(\.actions).count { $0 == .hold(.freeRelay, .shut) }
        #expect(ends == 1)
    }

    @Test func theStopEndsFreePassage() throws {
        let gate = try gate([])
        gate.inject(.door(.order(.free(until: gate.now.advanced(by: .seconds(60))))))
        gate.inject(.stop)
        let last = gate.trace.flatMap(\.actions).last { if case .hold = $0 { true } else { false } }
        guard case .hold(.freeRelay, .shut)? = last else { return #expect(Bool(false), "still free") }
        #expect(gate.breaches == [])
    }

    @Test func alarmsRequireAttentionAndAreReportedOnce() throws {
        let gate = try gate([])
        #expect(gate.run(untilNote: "advertising"))
        gate.run(for: .seconds(10))
        set(.contact, true, gate)
        gate.run(for: .seconds(1))
        #expect(gate.patterns.last == .attention)
        set(.contact, false, gate)
        gate.run(for: .seconds(60))
        #expect(gate.patterns.last == .ready)
        let faults = gate.kioskNotes.compactMap { note -> String? in
            guard case .fault(let code, let isPresent, _, _) = note else { return nil }
            return (isPresent ? "+" : "-") + code.text
        }
        #expect(faults == ["+door.forced", "-door.forced"] && gate.breaches == [])
    }
}
