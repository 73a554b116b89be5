import Encoding
import Kiosk
import Ledger
import Reasons
import Simulation
import Testing
import Tuvali

/// An answer for another visitor, or for none, has no effect on the visitor who is at the gate.
@Suite struct LateAnswerTests {
    /// The first visitor has left during the verification of his credential; the second visitor's credential
    /// is being verified.
    private func secondVisitor(intentTime: Duration = .milliseconds(3)) throws -> TestGate {
        let gate = try TestGate(visits: [.test(misbehaviour: .leaves(.delivered)), .test()])
        gate.verificationTime = .seconds(5)
        #expect(gate.run(untilNote: "visit.ended"))
        // The worth of the visit is known only when the verifier answers.
        #expect(gate.outcomes.isEmpty)
        (gate.verdict, gate.intentTime) = (.test(.proofInvalid), intentTime)
        #expect(gate.run(untilNote: "transfer.received"))
        return gate
    }

    @Test func theVerdictOfTheVisitorBeforeOpensNothing() throws {
        let gate = try secondVisitor()
        let before = try #require(
            gate.trace.lazy.flatMap(\.actions).compactMap { if case .verify(let id, _) = $0 { id } else { nil } }.first)
        gate.inject(.verified(before, .test(.ok)))
        #expect(gate.run())
        #expect(gate.gateChanges.isEmpty && !gate.patterns.contains(.accepted))
        #expect(gate.outcomes.map(\.outcome.result) == [.failed, .rejected])
        #expect(gate.phoneOutcomes[1] == .rejected)
        #expect(gate.breaches == [] && gate.violations == [])
    }

    @Test func theIntentOfTheVisitorBeforeIsNotTheirs() throws {
        let gate = try secondVisitor(intentTime: .seconds(86_400))
        gate.verdict = .test(.ok)
        let before = try #require(gate.intents.first)
        #expect(before != gate.intents.last)
        gate.inject(.intentDurable(before))
        #expect(gate.run())
        gate.inject(.intentDurable(before))
        #expect(gate.gateChanges.isEmpty)
        #expect(gate.outcomes.last?.outcome.result == .rejected)
        #expect(gate.breaches == [] && gate.violations == [])
    }

    /// If the disk refused an earlier phone's intent, the next phone's intent is requested again while its
    /// visitor chooses.
    @Test func anIntentThatFailedForThePhoneBeforeIsAskedForAgain() throws {
        let gate = try TestGate(visits: [.test(misbehaviour: .leaves(.identified)), .test()])
        (gate.intentTime, gate.intentFailure) = (.seconds(86_400), .database("the disk is full"))
        #expect(gate.run(untilNote: "phone.identified"))
        // The next phone is connected, and has not written anything yet, when the answer arrives.
        #expect(gate.run(untilNote: "phone.connected"))
        let first = try #require(gate.intents.last)
        gate.inject(.intentFailed(first, .database("the disk is full")))
        (gate.intentTime, gate.intentFailure) = (.milliseconds(3), nil)
        #expect(gate.run())
        #expect(gate.outcomes.map(\.outcome.result) == [.accepted] && gate.intents.first == first)
        #expect(gate.intents.count == 2 && gate.outcomes.first?.intent == gate.intents.last)
        #expect(gate.intents.last != first)
        #expect(gate.breaches == [])
    }

    /// The wallet learns at the limit of a verification that there will be no verdict, not only at the
    /// protocol's own timeout.
    @Test func thePhoneIsNotifiedAtTheVerificationLimit() throws {
        let gate = try TestGate(visits: [.test()])
        gate.verificationTime = .seconds(86_400)
        #expect(gate.run(untilNote: "transfer.received"))
        let since = gate.now
        #expect(gate.run(until: { if case .phone(_, .finished) = $0 { true } else { false } }))
        let settings = KioskSettings(name: try Identifier("TestGate"), softwareVersion: "test")
        let took = since.duration(to: gate.now)
        #expect(took >= settings.verificationLimit && took < settings.verificationLimit + .seconds(2))
        #expect(settings.verificationLimit + .seconds(2) < settings.tuvali.verdictLimit)
        #expect(gate.phoneOutcomes == [0: .dismissed])
        #expect(gate.breaches == [] && gate.violations == [])
    }

    /// Other phones connect meanwhile and leave: neither event affects the first visit.
    @Test(arguments: [1, 2]) func theEndOfASecondLinkIsNotTheEndOfTheVisit(links: UInt8) throws {
        let recording = try RecordedVisit(.android14, record: MisbehaviourTests.incompressible)
        var gate = try ReplayGate([recording], seed: 1)
        let isReady = gate.passUntilReady(limit: .seconds(10))
        #expect(isReady)
        let middle = recording.packets.count / 2
        for (_, packet) in recording.packets[..<middle] { gate.play([(.milliseconds(10), packet)]) }
        for number in 1...links {
            var second = recording.packets[0].packet
            try #require(second.starts(with: [4, 0x3E]) && second.count > 12)
            second[5] = second[5] &+ number  // another connection handle
            second[10] ^= 0xFF  // of another phone
            let asked = gate.disconnections
            gate.give(.received(second))
            #expect(gate.disconnections == asked && gate.kiosk.status(at: gate.now).phones == 2)
            gate.give(.received([4, 5, 4, 0, second[5], second[6], 0x13]))
        }
        let rest = recording.packets[middle...]
        let began = try #require(rest.first).after
        gate.play(rest.map { ($0.after - began, $0.packet) })
        gate.pass(.seconds(2))  // the record follows the pulse
        #expect(gate.results == [.accepted] && gate.gateOpenings == 1)
        #expect(gate.statusBytes.contains(0))
        #expect(gate.breaches == [] && gate.troubles == [])
    }

    /// A phone goes out of range and has to make room. Its intent serves the next phone, which has its own
    /// id, while the first link still exists. The answers of the disk and the verifier reach the present
    /// phone, even if the first link ends before.
    @Test(arguments: [2, 4500]) func answersBelongToTheNextVisit(verification milliseconds: Int) throws {
        var phone = PhoneTraits.android14
        phone.wallet.choosing = .milliseconds(200)
        let visits = [
            Simulation.Visit.test(phone, arrival: .at(.seconds(1)), misbehaviour: .vanishes(.chosen)),
            .test(phone, arrival: .at(.milliseconds(1500))),
        ]
        let gate = try TestGate(visits: visits) {
            ($0.phones, $0.lobby) = (1, 0)
            $0.loneChoiceLimit = .milliseconds(500)
        }
        gate.verificationTime = .milliseconds(milliseconds)
        #expect(gate.run())
        #expect(Set(gate.intents).count == 1 && gate.phoneOutcomes[1] == .accepted)
        #expect(gate.outcomes.map(\.intent) == [gate.intents.first])
        #expect(gate.outcomes.map(\.outcome.result) == [.accepted] && gate.counters.ledgerFailures == 0)
        #expect(gate.breaches == [] && gate.violations == [])
    }

    /// A green light belongs to the visitor to whom it was shown: the next connection does not end it.
    @Test func greenIsKeptWhenTheNextPhoneConnects() throws {
        let gate = try TestGate(visits: [.test(), .test(arrival: .afterPrevious(.milliseconds(1)))])
        #expect(gate.run(untilNote: "verdict"))
        let began = gate.now
        #expect(gate.run(untilNote: "phone.connected"))
        let end = try #require(IndicatorPattern.accepted.end)
        try #require(began.duration(to: gate.now) < end)
        #expect(gate.patterns.last == .accepted)
        #expect(gate.signal?.lamps == [.green])
        gate.run(for: end)
        #expect(gate.patterns.last != .accepted)
        #expect(gate.breaches == [])
    }
}
