import Credentials
import Encoding
import Kiosk
import Ledger
import Simulation
import Testing
import Tuvali

/// The oracle itself: what is lawful passes, and for each rule there is a trace in which only somebody who looks sees it broken.
@Suite struct KioskRulesTests {
    /// One turn of a kiosk, times in milliseconds.
    private struct Turn {
        var at: Int64
        var event: KioskEvent
        var actions: [KioskAction]
        var deadline: Int64? = 10_000
    }

    private static let (first, second) = (VisitID("a"), VisitID("b"))

    /// A visitor comes, is let in and goes, and the kiosk is stopped.
    private static var day: [Turn] {
        [
            Turn(at: 0, event: .start, actions: [.openTransport, .signal(.dark, .off)]),
            Turn(
                at: 1000, event: .received([]),
                actions: [.note(.phoneConnected), .recordIntent(first), .signal(Signal([.blue]), .connected)]),
            Turn(at: 1003, event: .intentDurable(first), actions: []),
            Turn(at: 2000, event: .received([]), actions: [.verify(first, payload: [1])]),
            Turn(
                at: 2005, event: .verified(first, verdict(.accept)),
                actions: [
                    .gate(open: true), .signal(Signal([.green], tone: true), .accepted),
                    .recordOutcome(first, outcome(.accepted), signedDigest: nil), status(0),
                ], deadline: 2205),
            Turn(at: 2205, event: .timer, actions: [.gate(open: false)], deadline: 5005),
            Turn(at: 5005, event: .timer, actions: [.signal(Signal([.blue]), .ready)]),
            Turn(at: 9000, event: .stop, actions: [.signal(.dark, .off), .stopped], deadline: nil),
        ]
    }

    /// A way to break a rule.
    private struct Breach: Sendable {
        let rule: KioskRule
        let words: String
        let change: @Sendable (inout [Turn]) -> Void

        init(_ rule: KioskRule, _ words: String, _ change: @escaping @Sendable (inout [Turn]) -> Void) {
            (self.rule, self.words, self.change) = (rule, words, change)
        }
    }

    private static let breaches: [Breach] = [
        Breach(.timeMovesOn, "a turn before the last one") { $0.insert(quiet(1500), at: 4) },
        Breach(.knowsItsDeadline, "no deadline while waiting") { $0[2].deadline = nil },
        Breach(.timerMovesOn, "a timer that stays due") { day in
            day.insert(contentsOf: (0..<30).map { _ in Turn(at: 1500, event: .timer, actions: []) }, at: 3)
        },
        Breach(.actionsAreBounded, "an endless answer") {
            $0[2].actions += [KioskAction](repeating: .send([]), count: 401)
        },
        Breach(.oneIntent, "asked again") { $0[2].actions.append(.recordIntent(first)) },
        Breach(.intentBeforePayload, "never asked") { $0[1].actions.remove(at: 1) },
        Breach(.oneVerification, "verified again") { $0[3].actions.append(.verify(first, payload: [1])) },
        Breach(.oneOutcome, "recorded again") {
            $0[5].actions.append(.recordOutcome(first, outcome(.accepted), signedDigest: nil))
        },
        Breach(.everyIntentEnds, "intents pile up") {
            $0[2].actions += ["x", "y", "z"].map { .recordIntent(VisitID($0)) }
        },
        Breach(.everyIntentEnds, "stopped in the middle of a verification") { $0.removeSubrange(4...6) },
        Breach(.outcomeIsTrue, "accepted behind a shut gate") {
            $0[4].actions[2] = .recordOutcome(first, outcome(.accepted, gate: .shut), signedDigest: nil)
        },
        Breach(.outcomeIsTrue, "rejected behind an open gate") {
            $0[4].actions[2] = .recordOutcome(
                first, outcome(.rejected, gate: .pulsed(milliseconds: 200)), signedDigest: nil)
        },
        Breach(.outcomeIsTrue, "accepted against the verdict") { $0[4].event = .verified(first, verdict(.reject)) },
        Breach(.gateBehindAcceptance, "opened against the verdict") {
            $0[4].event = .verified(first, verdict(.reject))
        },
        Breach(.gateBehindAcceptance, "opened by the verdict of another visit") {
            $0[4].event = .verified(second, verdict(.accept))
        },
        Breach(.gateBehindAcceptance, "opened twice for one visit") { day in
            day.insert(Turn(at: 2300, event: .timer, actions: [.gate(open: true)], deadline: 2500), at: 6)
            day.insert(Turn(at: 2500, event: .timer, actions: [.gate(open: false)], deadline: 5005), at: 7)
        },
        Breach(.gateBehindAcceptance, "opened by a verdict after the end") { day in
            day[3].actions.append(.recordOutcome(first, outcome(.failed), signedDigest: nil))
        },
        Breach(.gateBehindIntent, "the intent is not durable") { $0.remove(at: 2) },
        Breach(.gateBehindIntent, "the ledger refused the intent") {
            $0[2].event = .intentFailed(first, reason: "full")
        },
        Breach(.timerIsOnTime, "shut a moment late") { $0[5].at = 2206 },
        Breach(.pulseIsBounded, "not shut when it was due") { $0.insert(quiet(2205), at: 5) },
        Breach(.pulseIsBounded, "nothing would shut it") { $0[4].deadline = 2206 },
        Breach(.gateChanges, "shut while shut") { $0[1].actions.append(.gate(open: false)) },
        Breach(.gateChanges, "opened while open") { $0[4].actions.append(.gate(open: true)) },
        Breach(.gateAgreesWithLight, "open under a red light") {
            $0.insert(
                Turn(at: 2100, event: .received([]), actions: [.signal(Signal([.red]), .rejected)], deadline: 2205),
                at: 5)
        },
        Breach(.greenBehindAcceptance, "green for nobody") {
            $0[2].actions.append(.signal(Signal([.green]), .accepted))
        },
        Breach(.greenBehindAcceptance, "green in another pattern") {
            $0[4].actions[1] = .signal(Signal([.green]), .ready)
        },
        Breach(.greenBehindAcceptance, "green that does not end") { $0[6].actions = [] },
        Breach(.oneColour, "red and green") { $0[4].actions[1] = .signal(Signal([.red, .green]), .accepted) },
        Breach(.walletIsToldTheTruth, "rejected although accepted") { $0[4].actions[3] = status(1) },
        Breach(.walletIsToldTheTruth, "told before the decision") { $0[3].actions.append(status(0)) },
        Breach(.walletIsToldTheTruth, "rejected before the decision") { $0[3].actions.append(status(1)) },
        Breach(.walletIsToldTheTruth, "told the decision on the phone before") { day in
            day.insert(Turn(at: 6000, event: .received([]), actions: [.note(.phoneConnected), status(0)]), at: 7)
        },
        Breach(.darkAtStop, "a lamp stays on") { $0[7].actions.remove(at: 0) },
        Breach(.darkAtStop, "the gate stays open") {
            $0.removeSubrange(5...6); $0[5].at = 2100
        },
        Breach(.silentAfterStop, "more in the same turn") { $0[7].actions.append(.drawSessionMaterial) },
        Breach(.silentAfterStop, "a turn later") {
            $0.append(Turn(at: 9001, event: .timer, actions: [.drawSessionMaterial], deadline: nil))
        },
    ]

    @Test func anOrdinaryDayBreaksNothing() throws {
        #expect(try broken(Self.day) == [])
    }

    @Test(arguments: breaches.indices) func aBreachIsSeen(_ index: Int) throws {
        let breach = Self.breaches[index]
        var day = Self.day
        breach.change(&day)
        #expect(try broken(day).contains(breach.rule), "\(breach.words)")
    }

    @Test func everyRuleCanBeBroken() {
        #expect(Set(Self.breaches.map(\.rule)) == Set(KioskRule.allCases))
    }

    /// Within a turn the order is the kiosk's: the gate may come before the record of the acceptance or after it.
    @Test func theOrderWithinATurnIsFree() throws {
        var day = Self.day
        day[4].actions.reverse()
        #expect(try broken(day) == [])
    }

    @Test func aLateIntentOpensWhenItIsThere() throws {
        var day = Self.day
        day.remove(at: 2)
        let decided = day[3].actions
        day[3].actions = []
        day.insert(Turn(at: 2010, event: .intentDurable(Self.first), actions: decided, deadline: 2210), at: 4)
        day[5].at = 2210
        #expect(try broken(day) == [])
    }

    /// A phone identifies and brings nothing; its intent serves the next one.
    @Test func anIntentServesTheNextPhone() throws {
        var day = Self.day
        day.insert(Turn(at: 1500, event: .received([]), actions: [.note(.phoneConnected)]), at: 3)
        #expect(try broken(day) == [])
    }

    /// The next acceptance ends the running pulse, leaves a gap and has its own.
    @Test func theNextAcceptanceHasItsOwnPulse() throws {
        let day =
            Self.day[..<5] + [
                Turn(
                    at: 2050, event: .received([]),
                    actions: [.note(.phoneConnected), .recordIntent(Self.second)], deadline: 2205),
                Turn(at: 2051, event: .intentDurable(Self.second), actions: [], deadline: 2205),
                Turn(at: 2060, event: .received([]), actions: [.verify(Self.second, payload: [2])], deadline: 2205),
                Turn(
                    at: 2070, event: .verified(Self.second, Self.verdict(.accept)),
                    actions: [
                        .gate(open: false), .recordOutcome(Self.second, Self.outcome(.accepted), signedDigest: nil),
                    ], deadline: 2170),
                Turn(at: 2170, event: .timer, actions: [.gate(open: true)], deadline: 2370),
                Turn(at: 2370, event: .timer, actions: [.gate(open: false)], deadline: 5005),
            ] + Self.day[6...]
        #expect(try broken(Array(day)) == [])
    }

    @Test(arguments: [KioskSettings.LedgerFailurePolicy.refuse, .open])
    func aFailedLedgerOpensOnlyWhereTheOperatorSaysSo(_ policy: KioskSettings.LedgerFailurePolicy) throws {
        var day = Self.day
        day.remove(at: 2)
        day[3].actions.append(.note(.ledgerFailed(reason: "no answer")))
        #expect(try broken(day, policy).isEmpty == (policy == .open))
    }

    @Test func whatIsRememberedIsBounded() throws {
        var rules = try Self.rules()
        for number in 0..<10_000 as Range<Int64> {
            let turn = KioskAction.recordOutcome(VisitID("\(number)"), Self.outcome(.failed), signedDigest: nil)
            let broken = rules.watch(.received([]), [turn], deadline: nil, at: Instant(nanoseconds: number))
            #expect(broken == [])
        }
        #expect("\(rules)".utf8.count < 40_000)
    }

    // MARK: - Parts

    private static func rules(_ policy: KioskSettings.LedgerFailurePolicy = .refuse) throws -> KioskRules {
        var settings = KioskSettings(name: try Identifier("Rules"), softwareVersion: "test")
        settings.whenLedgerFails = policy
        return KioskRules(settings)
    }

    private func broken(
        _ day: [Turn], _ policy: KioskSettings.LedgerFailurePolicy = .refuse
    ) throws -> [KioskRule] {
        var rules = try Self.rules(policy)
        return day.flatMap { turn in
            rules.watch(
                turn.event, turn.actions, deadline: turn.deadline.map { Instant(nanoseconds: $0 * 1_000_000) },
                at: Instant(nanoseconds: turn.at * 1_000_000)
            ).map(\.rule)
        }
    }

    private static func quiet(_ at: Int64) -> Turn { Turn(at: at, event: .received([]), actions: [], deadline: 2205) }

    private static func verdict(_ decision: Verdict.Decision) -> Verdict {
        Verdict(
            decision: decision, reasons: [Reason(decision == .accept ? .ok : .proofInvalid)],
            credential: CredentialSummary(payloadDigest: []), trust: "test", policy: "test")
    }

    private static func outcome(_ result: Outcome.Result, gate: Outcome.Gate? = nil) -> Outcome {
        Outcome(
            result, gate: gate ?? (result == .accepted ? .pulsed(milliseconds: 200) : .shut),
            software: Outcome.Software(name: "gatehouse", version: "test"))
    }

    private static func status(_ byte: UInt8) -> KioskAction {
        .send([2, 0x40, 0, 9, 0, 5, 0, 4, 0, 0x1B, 29, 0, byte])
    }
}
