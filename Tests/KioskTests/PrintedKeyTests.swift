import Encoding
import Kiosk
import Ledger
import Simulation
import Testing
import Tuvali

@testable import Credentials

/// A printed code: one key for all sessions, and none of them twice.
@Suite struct PrintedKeyTests {
    private static func key(until seconds: Int = 100_000) -> PrintedKey {
        PrintedKey(
            privateKey: [UInt8](repeating: 0x11, count: 32), until: Instant.zero.advanced(by: .seconds(seconds)))
    }

    /// The same bytes on the air, so far apart that no offer of the first is there any more.
    private static let twice = [1, 300].map { Simulation.Visit.test(.iPhone, arrival: .at(.seconds($0))) }

    private func sessions(_ gate: TestGate) -> [[UInt8]] {
        gate.trace.flatMap(\.actions).compactMap {
            if case .recordIntent(_, let session?) = $0 { session } else { nil }
        }
    }

    private func isReplay(_ gate: TestGate, accepted: Int) -> Bool {
        gate.outcomes.count { $0.outcome.result == .accepted } == accepted
            && gate.outcomes.last?.outcome.reasons.last?.code == "transfer.identified-again"
            && gate.gateChanges.count { $0.open } == accepted
    }

    @Test func aRecordingIsNotServedAgainHoweverLateItComes() throws {
        let fresh = try TestGate(visits: Self.twice, haveOwnKeys: false)
        #expect(fresh.run() && fresh.counters.visits == ["accepted": 2])
        #expect(Set(fresh.invitations).count == fresh.invitations.count && sessions(fresh).isEmpty)

        let gate = try TestGate(visits: Self.twice, haveOwnKeys: false, printed: Self.key())
        #expect(gate.run() && isReplay(gate, accepted: 1))
        #expect(sessions(gate).count == 1 && gate.breaches == [] && gate.violations == [])
    }

    @Test func norAfterTheRadioWasOpenedAnew() throws {
        let gate = try TestGate(visits: Self.twice, haveOwnKeys: false, printed: Self.key())
        gate.run(for: .seconds(100))
        gate.inject(.transportClosed(.radioGone, reason: "test"))
        #expect(gate.run() && gate.counters.radioFailures == 1 && isReplay(gate, accepted: 1))
    }

    @Test func norAfterARestart() throws {
        let before = try TestGate(visits: [Self.twice[0]], haveOwnKeys: false, printed: Self.key())
        #expect(before.run() && before.counters.visits == ["accepted": 1])
        let used = UsedSessions(Set(sessions(before).compactMap { UsedSessions.name(of: $0) }))
        #expect(used.count == 1)
        let gate = try TestGate(visits: [Self.twice[0]], haveOwnKeys: false, printed: Self.key(), used: used)
        #expect(gate.run() && isReplay(gate, accepted: 0))
    }

    @Test func aFullListServesNobody() throws {
        let used = UsedSessions([1, 2, 3], most: 3)
        let gate = try TestGate(visits: [Self.twice[0]], printed: Self.key(), used: used)
        #expect(gate.run() && isReplay(gate, accepted: 0))
    }

    /// Hundreds of visitors, one code; each time from another address.
    @Test func theCodeStaysAndTheAddressesChange() throws {
        let visits = (0..<5).map { Simulation.Visit.test(.android14, arrival: .at(.seconds(1 + 100 * $0))) }
        let gate = try TestGate(visits: visits, printed: Self.key())
        #expect(gate.run() && gate.counters.visits == ["accepted": 5])
        #expect(gate.invitations.count > 5 && Set(gate.invitations).count == 1)
        #expect(Set(gate.addresses).count > 5 && Set(sessions(gate)).count == 5)
        #expect(gate.breaches == [] && gate.violations == [])
    }

    @Test func withoutADurableIntentTheGateStaysShutWhateverElseIsChosen() throws {
        let gate = try TestGate(visits: [Self.twice[0]], printed: Self.key()) { $0.whenLedgerFails = .open }
        gate.intentFailure = "full"
        #expect(gate.run() && gate.gateChanges.isEmpty)
        #expect(gate.outcomes.last?.outcome.reasons.last?.code == "ledger.unavailable")
    }

    /// An intent that waits for its answer is taken over: the answer is for the phone before, and so is the session that was written.
    @Test(arguments: [3, 1500]) func whoeverTakesAnIntentOverHasHisOwnSessionWritten(_ milliseconds: Int) throws {
        var phone = PhoneTraits.android14
        phone.wallet.choosing = .seconds(4)
        let gate = try TestGate(
            visits: [
                .test(phone, arrival: .at(.seconds(1)), misbehaviour: .leaves(.identified)),
                .test(phone, arrival: .afterPrevious(.milliseconds(1))),
            ], printed: Self.key())
        gate.intentTime = .milliseconds(milliseconds)
        #expect(gate.run() && gate.counters.visits["accepted"] == 1)
        #expect(Set(sessions(gate)).count == 2 && Set(gate.intents).count == 1)
        var (asked, answered, opened) = (0, 0, 0)
        for turn in gate.trace {
            if case .intentDurable = turn.event { answered += 1 }
            for action in turn.actions {
                if case .recordIntent = action { asked += 1 }
                if case .gate(.open) = action {
                    opened += 1
                    #expect(asked == 2 && answered == 2)
                }
            }
        }
        #expect(opened == 1 && gate.breaches == [])
    }

    @Test(arguments: [false, true]) func whenItEndsTheKeysAreFresh(_ isSudden: Bool) throws {
        let visits = [1, 400].map { Simulation.Visit.test(.android14, arrival: .at(.seconds($0))) }
        let gate = try TestGate(visits: visits, printed: Self.key(until: isSudden ? 100_000 : 200))
        gate.run(for: .seconds(199))
        #expect(gate.counters.visits == ["accepted": 1] && Set(gate.invitations).count == 1)
        let printed = gate.invitations.last
        gate.printedKey = nil
        if isSudden { gate.inject(.printedKey(isInForce: false)) }
        gate.run(for: .seconds(2))
        #expect(gate.invitations.last != printed && gate.onAir.count == 1)
        #expect(gate.run() && gate.counters.visits == ["accepted": 2] && sessions(gate).count == 1)
        #expect(gate.breaches == [] && gate.violations == [])
    }

    /// Nobody at a gate without a display can use a fresh key, so none stays until it is rotated.
    @Test func whenItComesIntoForceItIsOfferedAtOnce() throws {
        let gate = try TestGate(visits: []) { $0.keyRotation = .seconds(86_400) }
        gate.run(for: .seconds(10))
        #expect(gate.invitations.count == 1)
        gate.printedKey = Self.key()
        gate.inject(.printedKey(isInForce: true))
        gate.run(for: .seconds(100))
        #expect(gate.invitations.count == 2 && gate.onAir.count == 1 && gate.breaches == [])
    }

    /// Whoever connected in time and says who he is too late is not served.
    @Test func whoeverIsLateIsNotServed() throws {
        let gate = try TestGate(
            visits: [.test(arrival: .at(.seconds(1)))], printed: Self.key())
        #expect(gate.run(untilNote: "phone.connected"))
        gate.printedKey = nil
        gate.inject(.printedKey(isInForce: false))
        #expect(gate.run() && gate.gateChanges.isEmpty && sessions(gate).isEmpty)
    }
}
