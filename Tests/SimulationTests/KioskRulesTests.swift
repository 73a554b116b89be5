import Credentials
import Encoding
import Ledger
import Reasons
import Simulation
import Testing
import Tuvali

@testable import Kiosk

/// Tests of the oracle. It accepts correct traces. For each rule there is a trace that breaks the rule and that only a
/// working check detects.
@Suite struct KioskRulesTests {
    /// One turn of a kiosk, times in milliseconds.
    struct Turn {
        var at: Int64
        var event: KioskEvent
        var actions: [KioskAction]
        var deadline: Int64? = 10_000

        func moved(by milliseconds: Int64) -> Turn {
            var turn = self
            turn.at += milliseconds
            turn.deadline = deadline.map { $0 + milliseconds }
            turn.actions = actions.map { action in
                guard case .gate(.open(let until)) = action else { return action }
                return .gate(.open(until: until.advanced(by: .milliseconds(milliseconds))))
            }
            return turn
        }
    }

    static let (first, second) = (VisitID("a"), VisitID("b"))

    /// A trace in which one visitor is admitted and leaves, and the kiosk is then stopped.
    static var day: [Turn] {
        [
            Turn(at: 0, event: .start, actions: [.signal(.dark, .off, nil), .openTransport]),
            Turn(
                at: 1000, event: .received(connection),
                actions: [
                    .signal(Signal([.blue]), .connected, nil), .note(.phoneConnected, first),
                    .recordIntent(intent(first)), identified(first),
                ]),
            Turn(at: 1003, event: .intentDurable(intent(first)), actions: []),
            Turn(at: 2000, event: .received([]), actions: [.verify(first, payload: [1])]),
            Turn(
                at: 2005, event: .verified(first, verdict(.accept)),
                actions: [
                    opened(until: 2205), .signal(Signal([.green], tone: true), .accepted, nil),
                    record(first, outcome(.accepted)), status(0), ordered(first), decided(first),
                ], deadline: 2205),
            Turn(at: 2205, event: .timer, actions: [.gate(.shut)], deadline: 5005),
            Turn(at: 5005, event: .timer, actions: [.signal(Signal([.blue]), .ready, nil)]),
            Turn(at: 9000, event: .stop, actions: [.signal(.dark, .off, nil), .stopped], deadline: nil),
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
        Breach(.onePhone, "two ends") { $0[6].actions += [ended(first), ended(first)] },
        Breach(.oneIntent, "of two visits") { $0[2].actions.append(.note(.identified(intent: intent(first)), second)) },
        Breach(.oneIntent, "used up by another") {
            $0[4].actions[2] = .recordOutcome(VisitRecord(first, using: intent(second), outcome(.accepted)))
        },
        Breach(.oneIntent, "asked again") { $0[2].actions.append(.recordIntent(intent(first))) },
        Breach(.intentBeforePayload, "never asked") { $0[1].actions.remove(at: 2) },
        Breach(.oneVerification, "verified again") { $0[3].actions.append(.verify(first, payload: [1])) },
        Breach(.answersAreHeard, "the ledger's yes is taken for silence") {
            $0[3].actions.append(.note(.ledgerFailed(.database("no answer")), first))
        },
        Breach(.answersAreHeard, "the verifier's answer is awaited all the same") {
            $0[4].actions = [record(first, outcome(.failed, reasons: [.internal]))]
        },
        Breach(.oneOutcome, "recorded again") { $0[5].actions.append(record(first, outcome(.accepted))) },
        Breach(.oneOutcome, "recorded, and dismissed") { $0[5].actions.append(.dismissed(first)) },
        Breach(.everyIntentEnds, "intents pile up") {
            $0[2].actions += (0..<16).map { .recordIntent(IntentID("\($0)")) }
        },
        Breach(.everyIntentEnds, "the ledger has intents that it refused to later phones") { day in
            let turns = (0..<17).flatMap { number -> [Turn] in
                let intent = IntentID("\(number)")
                let asked = Turn(at: 1500, event: .received([]), actions: [.recordIntent(intent)])
                let isThere = Turn(at: 1500, event: .intentDurable(intent), actions: [])
                let refused = Turn(at: 1500, event: .intentFailed(intent, .database("busy")), actions: [])
                return [asked, isThere, asked, refused]
            }
            day.insert(contentsOf: turns, at: 3)
        },
        Breach(.everyIntentEnds, "stopped in the middle of a verification") { $0.removeSubrange(4...6) },
        Breach(.outcomeIsTrue, "rejected behind an open gate") {
            $0[4].actions[2] = record(first, outcome(.rejected, gate: .pulsed(milliseconds: 200)))
        },
        Breach(.outcomeIsTrue, "accepted behind a gate that stayed shut") {
            $0[4].actions.remove(at: 0)
            $0[5].actions = []
        },
        Breach(.outcomeIsTrue, "decided before the order") { $0[3].actions.append(ordered(first)) },
        Breach(.outcomeIsTrue, "decided without an opening") {
            $0[4].actions[4] = .decided(VisitRecord(first, using: intent(first), outcome(.accepted, gate: .shut)))
        },
        Breach(.outcomeIsTrue, "without the reasons that were decided") {
            $0[5].actions.append($0[4].actions.remove(at: 2))
        },
        Breach(.outcomeIsTrue, "a pulse that is kept quiet about") {
            $0[4].actions[2] = record(first, outcome(.accepted, gate: .shut))
        },
        Breach(.outcomeIsTrue, "a pulse that the visitor before had") { day in
            day = twoVisitors(apart: 100)
            day[8].actions.append(record(second, outcome(.accepted)))
        },
        Breach(.outcomeIsTrue, "accepted against the verdict") { $0[4].event = .verified(first, verdict(.reject)) },
        Breach(.gateBehindAcceptance, "opened against the verdict") {
            $0[4].event = .verified(first, verdict(.reject))
        },
        Breach(.gateBehindAcceptance, "opened by the verdict of another visit") {
            $0[4].event = .verified(second, verdict(.accept))
        },
        Breach(.gateBehindAcceptance, "opened twice for one visit") { day in
            day.insert(Turn(at: 2300, event: .timer, actions: [opened(until: 2500)], deadline: 2500), at: 6)
            day.insert(Turn(at: 2500, event: .timer, actions: [.gate(.shut)], deadline: 5005), at: 7)
        },
        Breach(.gateBehindAcceptance, "opened by a verdict after the end") { day in
            day[3].actions.append(record(first, outcome(.failed)))
        },
        Breach(.gateBehindIntent, "the intent is not durable") { $0.remove(at: 2) },
        Breach(.gateBehindIntent, "the ledger refused the intent") {
            $0[2].event = .intentFailed(intent(first), .database("full"))
        },
        Breach(.gateBehindIntent, "a session that is not kept") { $0[3].actions.append(.keepSession(first, [])) },
        Breach(.timerIsOnTime, "shut a moment late") { $0[5].at = 2206 },
        Breach(.pulseIsBounded, "not shut when it was due") { $0.insert(quiet(2205), at: 5) },
        Breach(.pulseIsBounded, "nothing would shut it") { $0[4].deadline = 2206 },
        Breach(.gateChanges, "shut while shut") { $0[1].actions.append(.gate(.shut)) },
        Breach(.gateChanges, "opened while open") { $0[4].actions.append(opened(until: 2205)) },
        Breach(.gateAndLightFirst, "the record before the gate") { $0[4].actions.reverse() },
        Breach(.pulsesApart, "the next one comes too early") { $0 = twoVisitors(apart: 90) },
        Breach(.pulseIsBounded, "a longer end than its own") { $0[4].actions[0] = opened(until: 2206) },
        Breach(.onePhone, "the id of an earlier visitor") {
            $0[6].actions.append(.note(.phoneConnected, first))
        },
        Breach(.gateAgreesWithLight, "open under a red light") {
            $0.insert(
                Turn(
                    at: 2100, event: .received([]), actions: [.signal(Signal([.red]), .rejected, nil)], deadline: 2205),
                at: 5)
        },
        Breach(.greenBehindAcceptance, "green for nobody") {
            $0[2].actions.append(.signal(Signal([.green]), .accepted, nil))
        },
        Breach(.greenBehindAcceptance, "green in another pattern") {
            $0[4].actions[1] = .signal(Signal([.green]), .ready, nil)
        },
        Breach(.greenBehindAcceptance, "green that does not end") { $0[6].actions = [] },
        Breach(.gateBehindAcceptance, "opened for nobody in particular") { $0[4].actions.remove(at: 4) },
        Breach(.gateBehindAcceptance, "opened for another visit") { $0[4].actions[4] = ordered(second) },
        Breach(.gateBehindAcceptance, "opened for one while another's green is shown") { day in
            day = twoVisitors(apart: 100)
            day[8].actions.removeLast()
        },
        Breach(.oneGreenEach, "two share a green") { day in
            day.insert(Turn(at: 3500, event: .timer, actions: [decided(second)], deadline: 5005), at: 6)
        },
        Breach(.verdictsApart, "the next verdict at once") { day in
            day.insert(
                Turn(at: 2800, event: .timer, actions: [decided(second, accepted: false)], deadline: 5005), at: 6)
        },
        Breach(.placesAreBounded, "one too many") {
            $0[2].actions += (0..<9).map { identified(VisitID("\($0)")) }
        },
        Breach(.oneColour, "red and green") { $0[4].actions[1] = .signal(Signal([.red, .green]), .accepted, nil) },
        Breach(.walletStatusIsTrue, "rejected although accepted") { $0[4].actions[3] = status(1) },
        Breach(.walletStatusIsTrue, "told before the decision") { $0[3].actions.append(status(0)) },
        Breach(.walletStatusIsTrue, "rejected before the decision") { $0[3].actions.append(status(1)) },
        Breach(.walletStatusIsTrue, "told the decision on the phone before") { day in
            day.insert(
                Turn(at: 6000, event: .received(connection), actions: [.note(.phoneConnected, second), status(0)]),
                at: 7)
        },
        Breach(.darkAtStop, "a lamp stays on") { $0[7].actions.remove(at: 0) },
        Breach(.darkAtStop, "the gate stays open") {
            $0.removeSubrange(5...6); $0[5].at = 2100
        },
        Breach(.gateBehindRequest, "one press, two openings") { day in
            day = exit()
            day.insert(contentsOf: day[3...4].map { $0.moved(by: 1000) }, at: 5)
        },
        Breach(.gateBehindRequest, "pressed long ago") { day in
            day = exit()
            for index in 3..<day.count { day[index] = day[index].moved(by: 11_000) }
        },
        Breach(.exitIsGiven, "granted, and nothing opens") { day in
            day = [Turn](exit()[..<3])
            let granted = KioskAction.note(.exitRequested(isGranted: true), nil)
            day.append(Turn(at: 120, event: .timer, actions: [granted], deadline: 11_121))
            day.append(Turn(at: 11_121, event: .timer, actions: [], deadline: 20_000))
        },
        Breach(.controllerBehindVisit, "told of somebody who goes out") { day in
            day = exit()
            day[3].actions.insert(admitted(until: 320), at: 1)
        },
        Breach(.controllerBehindVisit, "told twice of one visitor") {
            $0[4].actions.insert(contentsOf: [admitted(until: 2205), admitted(until: 2205)], at: 1)
        },
        Breach(.controllerBehindVisit, "told while the gate is shut") {
            $0[3].actions.insert(admitted(until: 2205), at: 0)
        },
        Breach(.shutWhileLocked, "for who goes out") { day in
            day = exit()
            day.insert(Turn(at: 105, event: .door(.order(.lock)), actions: []), at: 3)
        },
        Breach(.shutWhileLocked, "a pulse that goes on") {
            $0.insert(Turn(at: 2100, event: .door(.order(.lock)), actions: [], deadline: 2205), at: 5)
        },
        Breach(.shutWhileLocked, "passage is free") { day in
            day.insert(Turn(at: 10, event: .door(.order(.lock)), actions: [free(until: 3000)]), at: 1)
        },
        Breach(.freeIsBounded, "for longer than a lease") { day in
            day.insert(Turn(at: 10, event: freeOrder(100), actions: [free(until: 5011)]), at: 1)
        },
        Breach(.freeIsBounded, "nobody has said so") { $0[2].actions.append(free(until: 3000)) },
        Breach(.freeIsBounded, "behind its end") { day in
            day.insert(Turn(at: 10, event: freeOrder(1), actions: [free(until: 5000)]), at: 1)
        },
        Breach(.freeIsBounded, "behind the stop") { day in
            day.insert(Turn(at: 8999, event: freeOrder(100), actions: [free(until: 9500)]), at: 7)
        },
        Breach(.alarmsEnd, "a door at which nothing happens counts as forced") { day in
            day.insert(
                Turn(
                    at: 10, event: .door(.lines([.tamper: false])),
                    actions: [.note(.fault(.doorForced, isPresent: true, count: 1, detail: nil), nil)]), at: 1)
            day[8] = day[8].moved(by: 60_000)
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

    @Test func aLateIntentOpensWhenItIsThere() throws {
        var day = Self.day
        day.remove(at: 2)
        let decided = day[3].actions
        day[3].actions = []
        day.insert(
            Turn(at: 2010, event: .intentDurable(Self.intent(Self.first)), actions: decided, deadline: 2210), at: 4)
        day[5].at = 2210
        #expect(try broken(day) == [])
    }

    /// A phone identifies itself and sends nothing else. Its intent serves the next phone, whose visit has an id of its
    /// own.
    @Test func anIntentServesTheNextPhone() throws {
        var day = Self.day
        let (before, intent) = (VisitID("before"), Self.intent(Self.first))
        let identified = KioskAction.note(.identified(intent: intent), before)
        let came = [.note(.phoneConnected, before), .recordIntent(intent), identified]
        day.insert(Turn(at: 500, event: .received([]), actions: came), at: 1)
        day.insert(Turn(at: 503, event: .intentDurable(intent), actions: []), at: 2)
        day.insert(Turn(at: 600, event: .received([]), actions: [Self.ended(before)]), at: 3)
        #expect(try broken(day) == [])
        day.remove(at: 3)
        #expect(try broken(day).contains(.oneIntent), "it is still here")
    }

    /// In the turn of a radio loss, a due status is still sent. After that turn no phone has a link.
    @Test func aWalletIsNotifiedWhileTheRadioFails() throws {
        var day = Self.day
        let told = day[4].actions.remove(at: 3)
        let lost = KioskEvent.transportClosed(.transport(.radioGone, "gone"))
        day.insert(Turn(at: 2010, event: lost, actions: [told, .closeTransport], deadline: 2205), at: 5)
        #expect(try broken(day) == [])
        day[5].actions.reverse()
        #expect(try broken(day) == [.walletStatusIsTrue])
    }

    /// A second acceptance ends the running pulse and, after a gap, gets a pulse of its own. Each record follows the
    /// end of its pulse.
    @Test func theNextAcceptanceHasItsOwnPulse() throws {
        #expect(try broken(Self.twoVisitors(apart: 100)) == [])
    }

    private static func twoVisitors(apart gap: Int64) -> [Turn] {
        day[..<5] + [
            Turn(
                at: 2050, event: .received([]),
                actions: [.note(.phoneConnected, second), .recordIntent(intent(second)), identified(second)],
                deadline: 2205),
            Turn(at: 2051, event: .intentDurable(intent(second)), actions: [], deadline: 2205),
            Turn(at: 2060, event: .received([]), actions: [.verify(second, payload: [2])], deadline: 2205),
            Turn(
                at: 2070, event: .verified(second, verdict(.accept)),
                actions: [.gate(.shut), .signal(Signal([.green], tone: true), .accepted, nil), decided(second)],
                deadline: 2070 + gap),
            Turn(
                at: 2070 + gap, event: .timer, actions: [opened(until: 2270 + gap), ordered(second)],
                deadline: 2270 + gap),
            Turn(
                at: 2270 + gap, event: .timer,
                actions: [.gate(.shut), record(second, outcome(.accepted, reasons: [.ok]))], deadline: 5005),
        ] + day[6...]
    }

    @Test(arguments: [KioskSettings.LedgerFailurePolicy.refuse, .open])
    func aFailedLedgerOpensOnlyWhereTheOperatorSaysSo(_ policy: KioskSettings.LedgerFailurePolicy) throws {
        var day = Self.day
        day.remove(at: 2)
        day[3].actions.insert(.note(.ledgerFailed(.database("no answer")), Self.first), at: 0)
        day[3].actions = day[3].actions.filter(Self.isUrgent) + day[3].actions.filter { !Self.isUrgent($0) }
        #expect(try broken(day, policy).isEmpty == (policy == .open))
    }

    // MARK: - Helpers

    static func intent(_ visit: VisitID) -> IntentID { IntentID("intent of \(visit.text)") }
    static func identified(_ id: VisitID) -> KioskAction { .note(.identified(intent: intent(id)), id) }

    static func ended(_ visit: VisitID) -> KioskAction {
        .note(.visitEnded(.abandoned, reasons: [], VisitFigures(milliseconds: 1)), visit)
    }

    static func record(_ visit: VisitID, _ outcome: Outcome) -> KioskAction {
        .recordOutcome(VisitRecord(visit, using: intent(visit), outcome))
    }

    /// The action that hands over the decision, right after the order to the gate.
    private static func ordered(_ visit: VisitID) -> KioskAction {
        .decided(VisitRecord(visit, using: intent(visit), outcome(.accepted, reasons: [.ok])))
    }

    static func rules(_ policy: KioskSettings.LedgerFailurePolicy = .refuse) throws -> KioskRules {
        var settings = KioskSettings(name: try Identifier("Rules"), softwareVersion: "test")
        settings.whenLedgerFails = policy
        settings.door.inputs = [.request: .milliseconds(20), .tamper: .milliseconds(50)]
        settings.door.hasFreeOutput = true
        return KioskRules(settings)
    }

    func broken(
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

    /// A trace in which a person inside presses the button and is let out.
    private static func exit() -> [Turn] {
        func edge(_ isActive: Bool, _ at: Int64) -> KioskEvent {
            .door(.edge(.request, isActive: isActive, at: Instant(nanoseconds: at * 1_000_000)))
        }
        return [
            Turn(at: 0, event: .start, actions: [.signal(.dark, .off, nil), .openTransport]),
            Turn(at: 50, event: .door(.lines([.request: false])), actions: [], deadline: 120),
            Turn(at: 100, event: edge(true, 100), actions: [], deadline: 120),
            Turn(at: 120, event: .timer, actions: [opened(until: 320), .note(.gate(open: true), nil)], deadline: 320),
            Turn(at: 320, event: .timer, actions: [.gate(.shut)], deadline: 10_000),
        ]
    }

    @Test func whoAsksToGoOutIsLetOutOnce() throws {
        #expect(try broken(Self.exit()) == [])
    }

    /// A lock-down by the schedule lasts until the schedule ends it. Free passage by the schedule lasts only until its
    /// stated time.
    @Test func aScheduleThatIsSilentLocksAndOpensNothing() throws {
        for (mode, rule) in [(DoorMode.locked, KioskRule.shutWhileLocked), (.free, .freeIsBounded)] {
            func day(_ said: Int64) -> [Turn] {
                let schedule = KioskEvent.door(.schedule(mode, until: Instant(nanoseconds: said * 1_000_000)))
                let action = mode == .locked ? Self.opened(until: 40_200) : Self.free(until: 40_200)
                return [
                    Turn(at: 0, event: .start, actions: [.signal(.dark, .off, nil), .openTransport], deadline: 40_000),
                    Turn(at: 10_001, event: schedule, actions: [], deadline: 40_000),
                    Turn(at: 40_000, event: .timer, actions: [action], deadline: 40_200),
                ]
            }
            #expect(try broken(day(1_000_000)).contains(rule) == (mode == .locked))
            #expect(try broken(day(20_000)).contains(rule))
        }
    }

    @Test func aControllerIsNotifiedOfEachVisitor() throws {
        var day = Self.day
        day[4].actions.insert(Self.admitted(until: 2205), at: 1)
        #expect(try broken(day) == [])
    }

    @Test func freePassageIsRenewedAndEnds() throws {
        var day = Self.day
        day.insert(Turn(at: 10, event: Self.freeOrder(100), actions: [Self.free(until: 5010)]), at: 1)
        day[2].actions.append(Self.free(until: 6000))
        day[3].event = .door(.order(.none))
        day[3].actions.append(.hold(.freeRelay, .shut))
        #expect(!(try broken(day).contains(.freeIsBounded)))
    }

    private static func free(until end: Int64) -> KioskAction {
        .hold(.freeRelay, .open(until: Instant(nanoseconds: end * 1_000_000)))
    }

    private static func freeOrder(_ seconds: Int64) -> KioskEvent {
        .door(.order(.free(until: Instant(nanoseconds: seconds * 1_000_000_000))))
    }

    static func verdict(_ decision: Verdict.Decision) -> Verdict {
        Verdict(
            decision: decision, reasons: [Reason(decision == .accept ? .ok : .proofInvalid)],
            credential: CredentialSummary(), trust: "test", policy: "test")
    }

    static func outcome(
        _ result: Outcome.Result, reasons: [ReasonCode] = [], gate: Outcome.Gate? = nil
    ) -> Outcome {
        Outcome(
            result, reasons: reasons.map { Outcome.Reason(Text($0.text)) },
            gate: gate ?? (result == .accepted ? .pulsed(milliseconds: 200) : .shut),
            software: Outcome.Software(name: "gatehouse", version: "test"))
    }

    private static func opened(until end: Int64) -> KioskAction {
        .gate(.open(until: Instant(nanoseconds: end * 1_000_000)))
    }

    private static func admitted(until end: Int64) -> KioskAction {
        .admit(until: Instant(nanoseconds: end * 1_000_000))
    }

    static func decided(_ visit: VisitID, accepted: Bool = true) -> KioskAction {
        .note(.decided(accepted: accepted, reasons: [], sinceT0: .zero, waited: .zero), visit)
    }

    /// LE Connection Complete of handle 0x0040.
    private static let connection: [UInt8] =
        [4, 0x3E, 19, 1, 0, 0x40, 0, 1, 1, 1, 2, 3, 4, 5, 0x46, 24, 0, 0, 0, 72, 0, 0]

    private static func isUrgent(_ action: KioskAction) -> Bool {
        switch action {
        case .gate, .admit, .signal: true
        default: false
        }
    }

    static func status(_ byte: UInt8) -> KioskAction {
        .send([2, 0x40, 0, 9, 0, 5, 0, 4, 0, 0x1B, 29, 0, byte])
    }
}
