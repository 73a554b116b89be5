import Encoding
import Kiosk
import Ledger
import Reasons
import Simulation
import Testing
import Tuvali

@testable import Credentials
@testable import Kiosk

/// A printed code: one key for all sessions, and no session is accepted twice.
@Suite struct PrintedKeyTests {
    private static func key(until seconds: Int = 100_000) -> PrintedKey {
        PrintedKey(
            privateKey: [UInt8](repeating: 0x11, count: 32), until: Instant.zero.advanced(by: .seconds(seconds)))
    }

    /// The same bytes on the air twice, so far apart that no offer of the first time is left.
    private static let twice = [1, 300].map { Simulation.Visit.test(.iPhone, arrival: .at(.seconds($0))) }

    private func isReplay(_ gate: TestGate, accepted: Int) -> Bool {
        gate.outcomes.count { $0.outcome.result == .accepted } == accepted
            && gate.outcomes.last?.outcome.reasons.last?.code == "transfer.identified-again"
            && gate.gateChanges.count { $0.open } == accepted
    }

    @Test func aRecordingIsNotServedAgainHoweverLateItComes() throws {
        let fresh = try TestGate(visits: Self.twice, haveOwnKeys: false)
        #expect(fresh.run() && fresh.counters.visits == [.outcome(.accepted): 2])
        #expect(Set(fresh.invitations).count == fresh.invitations.count && fresh.sessions.isEmpty)

        let gate = try TestGate(visits: Self.twice, haveOwnKeys: false, printed: Self.key())
        #expect(gate.run() && isReplay(gate, accepted: 1))
        #expect(gate.sessions.count == 1 && gate.breaches == [] && gate.violations == [])
    }

    @Test func aRecordingIsNotServedAfterTheRadioWasReopened() throws {
        let gate = try TestGate(visits: Self.twice, haveOwnKeys: false, printed: Self.key())
        gate.run(for: .seconds(100))
        gate.inject(.transportClosed(.transport(.radioGone, "test")))
        #expect(gate.run() && gate.counters.radioFailures == 1 && isReplay(gate, accepted: 1))
    }

    @Test func aRecordingIsNotServedAfterARestartOfTheKiosk() throws {
        let before = try TestGate(visits: [Self.twice[0]], haveOwnKeys: false, printed: Self.key())
        #expect(before.run() && before.counters.visits == [.outcome(.accepted): 1])
        let used = UsedSessions(Set(before.sessions.compactMap { UsedSessions.name(of: $0) }))
        #expect(used.count == 1)
        let gate = try TestGate(visits: [Self.twice[0]], haveOwnKeys: false, printed: Self.key(), used: used)
        #expect(gate.run() && isReplay(gate, accepted: 0))
    }

    @Test func aFullListServesNoVisit() throws {
        let used = UsedSessions([1, 2, 3], most: 3)
        let gate = try TestGate(visits: [Self.twice[0]], printed: Self.key(), used: used)
        #expect(gate.run() && isReplay(gate, accepted: 0))
    }

    /// Several visitors use one code; the gate has another address for each.
    @Test func theCodeStaysAndTheAddressesChange() throws {
        let visits = (0..<5).map { Simulation.Visit.test(.android14, arrival: .at(.seconds(1 + 100 * $0))) }
        let gate = try TestGate(visits: visits, printed: Self.key())
        #expect(gate.run() && gate.counters.visits == [.outcome(.accepted): 5])
        #expect(gate.invitations.count > 5 && Set(gate.invitations).count == 1)
        #expect(Set(gate.addresses).count > 5 && Set(gate.sessions).count == 5)
        #expect(gate.breaches == [] && gate.violations == [])
    }

    @Test func withoutADurableIntentTheGateStaysShutWhateverElseIsChosen() throws {
        let gate = try TestGate(visits: [Self.twice[0]], printed: Self.key()) { $0.whenLedgerFails = .open }
        gate.intentFailure = .database("full")
        #expect(gate.run() && gate.gateChanges.isEmpty)
        #expect(gate.outcomes.last?.outcome.reasons.last?.code == "ledger.unavailable")
    }

    /// Phones that identify themselves, send garbage or leave take no place in the book of used sessions, so
    /// passers-by cannot fill it.
    @Test func aSessionCountsOnceSomethingAuthenticArrived() throws {
        let strangers: [Simulation.Visit] = [
            .test(.iPhone, misbehaviour: .leaves(.identified)), .test(.iPhone, misbehaviour: .leaves(.chosen)),
            .test(.iPhone, misbehaviour: .garbage(packets: 5)), .test(.iPhone), .test(.iPhone),
        ]
        let gate = try TestGate(visits: strangers + [.test(.iPhone), .test(.iPhone)], printed: Self.key())
        gate.verdicts = [.test(.proofInvalid), .test(.issuerUntrusted), .authentic(.validityExpired)]
        #expect(gate.run())
        // The sessions of the expired credential and of the accepted one.
        #expect(gate.counters.visits[.outcome(.accepted)] == 1 && gate.sessions.count == 2)
        #expect(gate.breaches == [])
    }

    /// The gate opens only once the session is on the disk; if it cannot be written, the gate stays shut.
    @Test(arguments: [false, true]) func theGateWaitsForTheSession(_ fails: Bool) throws {
        let gate = try TestGate(visits: [.test(.iPhone)], printed: Self.key())
        (gate.sessionTime, gate.sessionFailure) = (.milliseconds(700), fails ? .sessions("the disk is full") : nil)
        #expect(gate.run())
        #expect(gate.gateChanges.isEmpty == fails && gate.sessions.count == 1)
        let kept = gate.trace.first { if case .sessionKept = $0.event { true } else { false } }
        if let opened = gate.gateChanges.first { #expect(opened.at >= (try #require(kept).at)) }
        if fails { #expect(gate.outcomes.last?.outcome.reasons.map(\.code) == ["ledger.unavailable"]) }
        #expect(gate.breaches == [])
    }

    /// If the disk does not answer, the visit is refused, and a later answer does not open the gate.
    @Test func aSessionThatIsNotKeptInTimeOpensNothing() throws {
        let gate = try TestGate(visits: [.test(.iPhone)], printed: Self.key())
        gate.sessionTime = .seconds(20)
        #expect(gate.run())
        gate.run(for: .seconds(30))
        #expect(gate.gateChanges.isEmpty && gate.outcomes.last?.outcome.reasons.map(\.code) == ["ledger.unavailable"])
        #expect(gate.breaches == [])
    }

    /// The phone has left before the verifier accepts the credential: a recording of that visit cannot open
    /// the gate later.
    @Test func aVisitThatWasCutOffCannotBePlayedAgain() throws {
        let cut = Simulation.Visit.test(.iPhone, arrival: .at(.seconds(1)), misbehaviour: .leaves(.delivered))
        let again = Simulation.Visit.test(.iPhone, arrival: .at(.seconds(300)))
        let gate = try TestGate(visits: [cut, again], haveOwnKeys: false, printed: Self.key())
        gate.verificationTime = .seconds(2)
        #expect(gate.run())
        #expect(gate.sessions.count == 1 && isReplay(gate, accepted: 0))
    }

    private func session(_ number: Int) -> [UInt8] {
        [UInt8(number >> 16 & 255), UInt8(number >> 8 & 255), UInt8(number & 255)] + [UInt8](repeating: 0, count: 13)
    }

    /// Refused visits all day take a thousand places at once and then one in two minutes if their credentials
    /// are known, half of that if not.
    @Test(arguments: [true, false]) func refusedCredentialsDoNotFillTheSessionLog(_ isKnown: Bool) throws {
        var kiosk = Kiosk(
            settings: KioskSettings(name: try Identifier("Printed"), softwareVersion: "test"), at: .zero)
        var kept = 0
        for number in 0..<25_200 {
            let verdict = isKnown ? Verdict.authentic(.validityExpired, UInt8(number % 200)) : nil
            let now = Instant.zero.advanced(by: .seconds(number / 7))
            kept += kiosk.keepSession(session(number), of: VisitID("v"), verdict, at: now).count
        }
        #expect(kept == (isKnown ? 1029 : 529))
        let sure = kiosk.keepSession(session(30_000), of: VisitID("v"), .test(.ok), at: .zero)
        #expect(sure.count == 1)
    }

    /// One card that is refused again and again takes no place from a visitor who is refused only
    /// temporarily: a recording of his visit cannot open the gate later.
    @Test func oneRefusedCardLeavesRoomForOthers() throws {
        var kiosk = Kiosk(
            settings: KioskSettings(name: try Identifier("Printed"), softwareVersion: "test"), at: .zero)
        var kept = 0
        for number in 0..<1000 {
            let refused = Verdict.authentic(.validityExpired, 1)
            kept += kiosk.keepSession(session(number), of: VisitID("v"), refused, at: .zero).count
            // Phones whose verification does not end do not count as a card.
            _ = kiosk.keepSession(session(10_000 + number), of: VisitID("v"), nil, at: .zero)
        }
        #expect(kept == 20)
        let visitor = session(5000)
        #expect(kiosk.keepSession(visitor, of: VisitID("w"), .authentic(.replaySeen, 2), at: .zero).count == 1)
        #expect(!kiosk.used.admits(visitor))
    }

    @Test(arguments: [false, true]) func whenItEndsTheKeysAreFresh(_ isSudden: Bool) throws {
        let visits = [1, 400].map { Simulation.Visit.test(.android14, arrival: .at(.seconds($0))) }
        let gate = try TestGate(visits: visits, printed: Self.key(until: isSudden ? 100_000 : 200))
        gate.run(for: .seconds(199))
        #expect(gate.counters.visits == [.outcome(.accepted): 1] && Set(gate.invitations).count == 1)
        let printed = gate.invitations.last
        gate.printedKey = nil
        if isSudden { gate.inject(.printedKey(isInForce: false)) }
        gate.run(for: .seconds(2))
        #expect(gate.invitations.last != printed && gate.onAir.count == 1)
        #expect(gate.run() && gate.counters.visits == [.outcome(.accepted): 2] && gate.sessions.count == 1)
        #expect(gate.breaches == [] && gate.violations == [])
    }

    /// No visitor can use a fresh key at a gate without a display, so the gate does not keep one until the
    /// next rotation.
    @Test func whenItComesIntoForceItIsOfferedAtOnce() throws {
        let gate = try TestGate(visits: []) { $0.keyRotation = .seconds(86_400) }
        gate.run(for: .seconds(10))
        #expect(gate.invitations.count == 1)
        gate.printedKey = Self.key()
        gate.inject(.printedKey(isInForce: true))
        gate.run(for: .seconds(100))
        #expect(gate.invitations.count == 2 && gate.onAir.count == 1 && gate.breaches == [])
    }

    /// A phone that connected in time but identifies itself too late is not served.
    @Test func aLatePhoneIsNotServed() throws {
        let gate = try TestGate(
            visits: [.test(arrival: .at(.seconds(1)))], printed: Self.key())
        #expect(gate.run(untilNote: "phone.connected"))
        gate.printedKey = nil
        gate.inject(.printedKey(isInForce: false))
        #expect(gate.run() && gate.gateChanges.isEmpty && gate.sessions.isEmpty)
    }
}
