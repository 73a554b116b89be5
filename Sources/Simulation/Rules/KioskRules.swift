import Credentials
package import Encoding
package import Kiosk
import Ledger
import Reasons

/// The oracle: checks every turn of a kiosk against its rules (``KioskRule``), for any behaviour of phones, radio and
/// disk.
///
/// The oracle sees only the events and actions of a driver, and no internal state of the kiosk. Every
/// ``GateSimulation`` has an oracle, so the demonstration and the tests are checked. The bench and a debug build of the
/// service pass it the turns of the real driver. Rules about the actions of one turn do not depend on their order,
/// except rules about that order.
package struct KioskRules: Sendable {
    /// The maximum number of actions in one turn, more than any turn needs (a restart of the host causes about 40).
    static let actionsInATurn = 400
    /// The maximum number of timers at one instant. A timer may schedule the next timer for the same instant.
    static let timersAtAnInstant = 20
    /// The maximum number of open intents in addition to one per place, including the lobby. The additional intents
    /// belong to links that are being disconnected and to a visit with a pulse in progress.
    package static let openIntents = 8
    /// The maximum number of accepted visits whose record waits for the sensor's result. The limit concerns gates that
    /// detect passages.
    static let awaitedPassages = 16
    /// The time that people need to see which visitor a verdict concerns.
    package static let verdict: Duration = .milliseconds(900)
    /// The pause that a turnstile needs between two pulses.
    package static let gap: Duration = .milliseconds(100)
    /// The maximum number of remembered visits. Beyond it, visits without results are removed first, then the visits
    /// with the oldest decisions. The time of the decision counts, because the gate repeats the verdict to a wallet for
    /// some time after the decision, however long ago the phone arrived.
    static let visitsRemembered = 64

    /// The facts about one visit for checking the rules.
    private struct Facts {
        /// The visit's intent; nil before the phone has sent its key.
        var intent: IntentID?
        /// Whether the visit's session of the printed key was saved; nil without such a session.
        var isSessionKept: Bool?
        var isVerifying = false
        var verdict: Bool?
        /// Whether the credential is not authentic. Any verdict may at once replace the red for such a credential.
        var isNonsense = false
        /// Whether the recorded outcome is an acceptance; nil before the record.
        var result: Bool?
        /// Whether red was shown for the visit.
        var isRefused = false
        var wasEntitled = false
        /// The decided outcome; nil before the gate is ordered to open.
        var decided: Outcome?
        var wasGivenPulse = false
        var isServed = false
        var hasEnded = false
        var came: Instant?

        /// Whether the visit has sent no request, or has ended without a verdict and without a record.
        var isMere: Bool {
            hasEnded ? result == nil && !wasEntitled && !isRefused : intent == nil && !isServed && !isVerifying
        }

        /// Whether only repetitions of the visit's verdict can follow.
        var isOver: Bool { result != nil || isRefused && hasEnded }
    }

    private let settings: KioskSettings
    private let isPunctual: Bool
    private let pulse: Duration
    private var visits: [VisitID: Facts] = [:]
    /// The visits in the order of their arrival. A visit moves to the end when it is refused and when it is recorded.
    private var order: [VisitID] = []
    private var intents = OpenIntents()
    /// The visits by the handles of their links. A later visit with the same handle replaces an ended visit.
    private var links: [UInt16: VisitID] = [:]
    /// The link that was established in this turn.
    private var newLink: UInt16?
    /// The visit whose acceptance was shown last.
    private var lastAccepted: VisitID?
    /// The instant at which a verdict was shown last.
    private var lastVerdict: Instant?
    private var openSince: Instant?
    /// Whether the access controller was notified of this opening.
    private var isAdmitted = false
    private var shutSince: Instant?
    private var greenSince: Instant?
    private var light = Signal.dark
    private var pattern = IndicatorPattern.off
    private var door: DoorRules
    private var isRunning = false
    private var hasStopped = false
    /// Whether the relay works, according to the last report.
    private var hasGate = true
    private var timers = 0
    private var last: Instant?
    private var due: Instant?
    private var found: [Violation] = []

    /// Creates the rules for a kiosk with the settings `settings` before its start. `isPunctual`: the clock is virtual,
    /// so no timer may be late.
    package init(_ settings: KioskSettings, isPunctual: Bool = true) {
        (self.settings, self.isPunctual) = (settings, isPunctual)
        door = DoorRules(settings)
        let isLevel = settings.door.opening == .level && settings.door.seesPassage
        pulse = min(max(isLevel ? settings.door.wait : settings.gatePulse, .zero), Gate.hardLimit)
    }

    /// Checks one turn against the rules.
    ///
    /// - Parameters:
    ///   - event: The event that the kiosk received.
    ///   - actions: The actions that the kiosk returned.
    ///   - deadline: The kiosk's deadline after the turn.
    ///   - now: The time that the kiosk received.
    /// - Returns: The violations, in the order of their detection.
    package mutating func watch(
        _ event: KioskEvent, _ actions: [KioskAction], deadline: Instant?, at now: Instant
    ) -> [Violation] {
        found = []
        watchTime(event, at: now)
        if hasStopped, !actions.isEmpty { broken(.silentAfterStop, now) }
        learn(event)
        door.learn(event, at: now)
        for action in actions { learn(action, at: now) }
        entitle()
        judgeOrder(actions, at: now)
        judgeVerdicts(actions, at: now)
        let opened = Self.opened(by: actions)
        for action in actions { judge(action, opened, at: now) }  // the gate comes before the records
        newLink = nil
        // With a real driver, an opening may be late, so that its time limit is not checked.
        let canOpen = isPunctual && hasGate && pulse > .zero
        for rule in door.judge(actions, isGateOpen: openSince != nil, canOpen: canOpen, at: now) { broken(rule, now) }
        judgeEnd(of: event, actions, deadline: deadline, at: now)
        (last, due) = (now, deadline)
        return found
    }

    private mutating func broken(_ rule: KioskRule, _ now: Instant) { found.append(Violation(at: now, rule: rule)) }

    private mutating func watchTime(_ event: KioskEvent, at now: Instant) {
        if let last, now < last { broken(.timeMovesOn, now) }
        if isPunctual, let due, let last, now > max(due, last) { broken(.timerIsOnTime, now) }
        guard case .timer = event else { return }
        timers = now == last ? timers + 1 : 0
        if timers > Self.timersAtAnInstant { broken(.timerMovesOn, now) }
    }

    // MARK: - Facts about visits in the turn

    private mutating func change(_ visit: VisitID, _ body: (inout Facts) -> Void) {
        if visits[visit] == nil {
            order.append(visit)
            if order.count > Self.visitsRemembered {
                let others = order.dropLast()
                let oldest =
                    others.firstIndex { visits[$0]?.isMere ?? true } ?? others.firstIndex { visits[$0]?.isOver == true }
                visits[order.remove(at: oldest ?? 0)] = nil
            }
        }
        body(&visits[visit, default: Facts()])
    }

    /// Moves the visit to the end of the order, so that it is removed last.
    private mutating func renew(_ visit: VisitID) {
        if let index = order.firstIndex(of: visit) { order.append(order.remove(at: index)) }
    }

    private mutating func learn(_ event: KioskEvent) {
        switch event {
        case .start: isRunning = !hasStopped
        case .intentDurable(let id): intents.settle(id, isDurable: true)
        case .intentFailed(let id, _): intents.settle(id, isDurable: false)
        case .verified(let id, let verdict) where visits[id]?.isVerifying == true:
            change(id) {
                guard $0.verdict == nil, $0.result == nil else { return }
                ($0.verdict, $0.isNonsense) = (
                    verdict.isAccepted, !verdict.isAccepted && !verdict.isAuthentic
                )
            }
        case .sessionKept(let id, let failure) where visits[id]?.isSessionKept == false:
            change(id) { $0.isSessionKept = failure == nil }
        case .health(let report) where report.code == .gateUnavailable: hasGate = !report.isPresent
        case .pulseDelayed(let delay): openSince = openSince?.advanced(by: delay)
        case .received(let packet): newLink = Self.begun(in: packet)
        default: break
        }
    }

    private mutating func learn(_ action: KioskAction, at now: Instant) {
        door.learn(action, at: now)
        switch action {
        case .note(.phoneConnected, let id):
            if let id, visits[id] != nil { broken(.onePhone, now) }
            if let id { change(id) { $0.came = now } }
            if let id, let newLink { links[newLink] = id }
        case .note(.ledgerFailed, let id?):
            guard let intent = visits[id]?.intent else { break }
            if intents.state(of: intent) == .durable, visits[id]?.isSessionKept != false {
                broken(.answersAreHeard, now)
            }
            // The answer did not arrive in time, so the intent counts as failed.
            intents.settle(intent, isDurable: false)
        case .note(.identified(let intent), let id?):
            if !intents.take(intent) { broken(.oneIntent, now) }
            change(id) { ($0.intent, $0.isServed) = (intent, true) }
            if visits.values.count(where: \.isServed) > settings.phones + settings.lobby {
                broken(.placesAreBounded, now)
            }
        case .note(.decided(true, _, _, _), let id): lastAccepted = id
        case .note(.decided(false, _, _, _), let id?):
            change(id) { $0.isRefused = true }
            renew(id)
        case .note(.visitEnded, let id?):
            if visits[id]?.hasEnded == true { broken(.onePhone, now) }
            change(id) { ($0.isServed, $0.hasEnded) = (false, true) }
            intents.release(visits[id]?.intent)
        case .keepSession(let id, _): change(id) { $0.isSessionKept = false }
        case .recordIntent(let id):
            if !intents.ask(id) { broken(.oneIntent, now) }
        case .verify(let id, _):
            if intents.state(of: visits[id]?.intent) == .none { broken(.intentBeforePayload, now) }
            if visits[id]?.isVerifying == true { broken(.oneVerification, now) }
            change(id) { $0.isVerifying = true }
        default: break
        }
    }

    private func mayOpen(_ facts: Facts) -> Bool {
        let intent = intents.state(of: facts.intent)
        return hasGate && facts.isSessionKept != false
            && (intent == .durable || intent == .failed && settings.whenLedgerFails == .open)
    }

    /// Marks the visits that may pass from this turn on.
    private mutating func entitle() {
        for (id, facts) in visits where facts.verdict == true && facts.result == nil && !facts.wasEntitled {
            if mayOpen(facts) { visits[id]?.wasEntitled = true }
        }
    }

    // MARK: - Checks of the actions

    private mutating func judge(_ action: KioskAction, _ opened: VisitID?, at now: Instant) {
        switch action {
        case .recordOutcome(let record): judge(record, at: now)
        case .dismissed(let visit): judgeDismissal(of: visit, at: now)
        case .decided(let record): judgeDecision(record, at: now)
        case .gate(.open(let until)): judgeOpening(until: until, for: opened, at: now)
        case .admit:
            // Check that the notice is sent once per opening for a visitor, in the turn of the opening.
            if opened == nil || openSince != now || isAdmitted { broken(.controllerBehindVisit, now) }
            isAdmitted = true
        case .gate(.shut):
            if openSince == nil { broken(.gateChanges, now) }
            (openSince, shutSince) = (nil, now)
        case .signal(let signal, let shown, _):
            (light, pattern) = (signal, shown)
            if light.lamps.isSuperset(of: [.green, .red]) { broken(.oneColour, now) }
        case .send(let packet): if let byte = Self.status(in: packet) { judgeStatus(byte, in: packet, at: now) }
        // Forget the links only now: in the turn of a radio loss, a pending status is sent before this action.
        case .closeTransport: links = [:]
        case .stopped: (isRunning, hasStopped) = (false, true)
        default: break
        }
    }

    private mutating func judgeOpening(until: Instant, for visit: VisitID?, at now: Instant) {
        if openSince != nil { broken(.gateChanges, now) }
        isAdmitted = false
        if let shutSince, shutSince.duration(to: now) < Self.gap { broken(.pulsesApart, now) }
        if now.duration(to: until) > pulse { broken(.pulseIsBounded, now) }
        openSince = now
        if visit == nil, settings.door.inputs[.request] != nil {
            if door.takeRequest(at: now) { return }
            broken(.gateBehindRequest, now)
        }
        // The opening belongs to exactly one visit: the visit whose green is shown. That visit may pass and has had no
        // pulse.
        guard let visit, visit == lastAccepted, let facts = visits[visit], facts.wasEntitled, !facts.wasGivenPulse
        else {
            return broken(whatIsMissing(of: visit), now)
        }
        change(visit) { $0.wasGivenPulse = true }
    }

    /// Checks that verdicts are shown one after the other, and that each acceptance begins a green phase.
    private mutating func judgeVerdicts(_ actions: [KioskAction], at now: Instant) {
        let verdicts = actions.compactMap { action -> (accepted: Bool, visit: VisitID?)? in
            if case .note(.decided(let accepted, _, _, _), let visit) = action { (accepted, visit) } else { nil }
        }
        guard let first = verdicts.first else { return }
        let came = first.visit.flatMap { visits[$0]?.came }
        let isTooEarly = lastVerdict.map { last in
            last.duration(to: now) < Self.verdict && came.map { $0 < last } ?? true
        }
        if verdicts.count > 1 || isTooEarly == true { broken(.verdictsApart, now) }
        lastVerdict = first.visit.flatMap { visits[$0]?.isNonsense } == true ? nil : now
        let begins = actions.contains { action in
            if case .signal(let signal, .accepted, _) = action {
                signal.lamps == [.green] && signal.tone
            } else {
                false
            }
        }
        if first.accepted, !begins { broken(.oneGreenEach, now) }
    }

    /// Checks that commands for the gate and the light precede all other actions of a turn.
    private mutating func judgeOrder(_ actions: [KioskAction], at now: Instant) {
        var isUrgent = true
        for action in actions {
            switch action {
            case .gate, .admit, .signal: if !isUrgent { broken(.gateAndLightFirst, now) }
            default: isUrgent = false
            }
        }
    }

    /// Returns the rule that the opening violates: either an accepted visit waits for its intent, or no visit is
    /// accepted.
    private func whatIsMissing(of visit: VisitID?) -> KioskRule {
        guard let facts = visit.flatMap({ visits[$0] }), facts.verdict == true else { return .gateBehindAcceptance }
        return mayOpen(facts) ? .gateBehindAcceptance : .gateBehindIntent
    }

    /// Checks the record of a decision: the gate was ordered to open in this turn, and the record states the order.
    private mutating func judgeDecision(_ record: VisitRecord, at now: Instant) {
        let outcome = record.outcome
        if openSince != now || outcome.result != .accepted || outcome.gate?.opened != true {
            broken(.outcomeIsTrue, now)
        }
        if record.intent != visits[record.visit]?.intent { broken(.oneIntent, now) }
        change(record.visit) { $0.decided = outcome }
    }

    private mutating func judge(_ record: VisitRecord, at now: Instant) {
        let (id, outcome) = (record.visit, record.outcome)
        let accepted = outcome.result == .accepted
        if let intent = record.intent {
            // The record of an unused intent has an id of its own.
            if let owner = visits[id]?.intent, owner != intent { broken(.oneIntent, now) }
            intents.use(intent)
        }
        if visits[id]?.result != nil { broken(.oneOutcome, now) }
        // An accepted visitor may get no pulse because the kiosk stops. The record then says so.
        let facts = visits[id] ?? Facts()
        let mayBe = accepted ? facts.wasEntitled : !facts.wasGivenPulse
        let agrees = facts.decided.map {
            outcome.credential == $0.credential && outcome.reasons.starts(with: $0.reasons)
        }
        if !mayBe || outcome.gate?.opened != facts.wasGivenPulse || agrees == false { broken(.outcomeIsTrue, now) }
        let isUnanswered = outcome.reasons.contains { $0.code == Text(ReasonCode.internal.text) }
        if outcome.result == .failed, isUnanswered, facts.verdict != nil { broken(.answersAreHeard, now) }
        change(id) { $0.result = accepted }
        renew(id)
    }

    /// Checks a visit with a payload that is only counted. The count means that the gate did not open.
    private mutating func judgeDismissal(of visit: VisitID, at now: Instant) {
        guard let facts = visits[visit] else { return }
        if !facts.isVerifying || facts.result != nil { broken(.oneOutcome, now) }
        if facts.wasGivenPulse { broken(.outcomeIsTrue, now) }
        change(visit) { $0.result = false }
        renew(visit)
    }

    private mutating func judgeStatus(_ byte: UInt8, in packet: [UInt8], at now: Instant) {
        let facts = links[Self.handle(packet[1], packet[2])].flatMap { visits[$0] } ?? Facts()
        if byte == 0 ? !facts.wasEntitled : facts.result != false && !facts.isRefused {
            broken(.walletStatusIsTrue, now)
        }
    }

    private mutating func judgeEnd(
        of event: KioskEvent, _ actions: [KioskAction], deadline: Instant?, at now: Instant
    ) {
        if actions.count > Self.actionsInATurn { broken(.actionsAreBounded, now) }
        if isRunning, deadline == nil { broken(.knowsItsDeadline, now) }
        if let end = openSince?.advanced(by: pulse), now >= end || deadline.map({ $0 > end }) ?? true {
            broken(.pulseIsBounded, now)
        }
        judgeGreen(actions, at: now)
        if openSince != nil, pattern == .rejected { broken(.gateAgreesWithLight, now) }
        let awaited = settings.door.seesPassage ? Self.awaitedPassages : 0
        if intents.count > settings.phones + settings.lobby + Self.openIntents + awaited {
            broken(.everyIntentEnds, now)
        }
        guard case .stop = event, hasStopped, !actions.isEmpty else { return }
        if openSince != nil || light != .dark { broken(.darkAtStop, now) }
        // A refused visit may be counted in the record of another visit.
        let isUnchecked = { (facts: Facts) in facts.isVerifying && facts.result == nil && facts.verdict != false }
        if visits.values.contains(where: isUnchecked) { broken(.everyIntentEnds, now) }
        if case .stopped = actions[actions.count - 1] {} else { broken(.silentAfterStop, now) }
    }

    private mutating func judgeGreen(_ actions: [KioskAction], at now: Instant) {
        guard light.lamps.contains(.green) else { return greenSince = nil }
        if pattern == .free, door.isFree { return }
        let accepted = actions.lazy.compactMap { action -> VisitID? in
            if case .note(.decided(true, _, _, _), let visit) = action { visit } else { nil }
        }
        if let visit = accepted.first, visits[visit]?.wasEntitled == true { greenSince = now }
        guard let since = greenSince, pattern == .accepted else { return broken(.greenBehindAcceptance, now) }
        if let end = IndicatorPattern.accepted.end, now >= since.advanced(by: end) {
            broken(.greenBehindAcceptance, now)
        }
    }

    /// Returns the visit for which the turn opens the gate; nil if the gate stays shut or opens for a leaving person.
    private static func opened(by actions: [KioskAction]) -> VisitID? {
        actions.lazy.compactMap { if case .decided(let record) = $0 { record.visit } else { nil } }.first
    }
}
