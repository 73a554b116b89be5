package import Encoding

/// A rule of the kiosk that ``KioskRules`` checks.
package enum KioskRule: String, CaseIterable, Sendable {
    /// The driver's clock never goes backwards.
    case timeMovesOn = "time went back"
    /// On a virtual clock, the kiosk's timer fires exactly when it is due. A real driver may be late.
    case timerIsOnTime = "the timer came late"
    /// A running kiosk always has a deadline for its next action.
    case knowsItsDeadline = "no deadline while running"
    /// A firing timer changes the deadline, so that the kiosk does not loop at one instant.
    case timerMovesOn = "the timer does not move on"
    /// The number of actions in one turn is limited.
    case actionsAreBounded = "too many actions in one turn"
    /// A visit's id belongs to one phone, from its connection to its only end.
    case onePhone = "a visit of two phones, or with two ends"
    /// An intent belongs to one visit at a time. The visit requests the intent once, and again only after a refusal by
    /// the ledger.
    case oneIntent = "an intent of two visits, or requested twice"
    /// No payload is verified for a visit of which a power cut would leave no trace.
    case intentBeforePayload = "a payload of a visit without an intent"
    /// A visit is verified at most once.
    case oneVerification = "a second verification in one visit"
    /// A timely answer of the ledger or of the verifier reaches the waiting visit.
    case answersAreHeard = "an answer of the disk or the verifier went unheard"
    /// A visit has at most one outcome.
    case oneOutcome = "a second outcome of one visit"
    /// A used intent gets its outcome. The number of open intents is limited (``KioskRules/openIntents``).
    case everyIntentEnds = "an intent was left without its outcome"
    /// A record states an acceptance only for a visit that may pass, and states an opening exactly if the visit had a
    /// pulse. The decision is passed on together with the command to open the gate, and the outcome agrees with the
    /// decision.
    case outcomeIsTrue = "the outcome is not what happened"
    /// The gate opens only for an accepted verdict of the same visit, once per visit.
    case gateBehindAcceptance = "the gate opened without an accepted credential"
    /// The gate opens only after the intent of the same visit is durable or, if the operator chose that, after the
    /// intent failed.
    case gateBehindIntent = "the gate opened without a durable intent"
    /// For each press of the exit button, the gate opens at most once.
    case gateBehindRequest = "the gate opened without a visitor"
    /// A person who may leave waits at most for one visitor, whatever happens outside.
    case exitIsGiven = "a request to exit did not open the gate"
    /// The access controller is notified once of a visitor for whom the gate has just opened, and of no other person.
    case controllerBehindVisit = "a gate controller was notified without an admitted visitor"
    /// No output opens during a lock-down, except for leaving persons if the operator chose that.
    case shutWhileLocked = "something is open in a lock-down"
    /// Passage is free only by an order, the schedule or the fire panel, and never for longer than a lease.
    case freeIsBounded = "passage is free for too long"
    /// An alarm of the door ends when its cause at the door has ended.
    case alarmsEnd = "an alarm without an end"
    /// A pulse does not exceed its setting, which has a hard limit. The end of a pulse is always scheduled.
    case pulseIsBounded = "the gate is open for too long"
    /// The relay is switched only when its state changes.
    case gateChanges = "the gate was switched to where it was"
    /// Between two pulses, the relay rests for as long as a turnstile needs.
    case pulsesApart = "two pulses without a gap"
    /// Commands for the gate and the light precede all other actions of a turn.
    case gateAndLightFirst = "something was done before gate and light"
    /// The gate is never open while the light says stop.
    case gateAgreesWithLight = "the gate is open while the light says rejected"
    /// Green is lit only for an accepted visit, and no longer than its pattern.
    case greenBehindAcceptance = "green without an accepted visit"
    /// Each acceptance has a green phase of its own, with its tone. Two visitors never share a green phase.
    case oneGreenEach = "accepted without a green of its own"
    /// A verdict is shown for some time before the verdict of a visitor who was already present replaces it, so that
    /// people can see which visitor it concerns. Any verdict may at once replace the red for an unauthentic credential.
    case verdictsApart = "two verdicts at once"
    /// The number of visits in progress does not exceed the number of places, including the lobby.
    case placesAreBounded = "more phones are served than there are places"
    /// Green and red are never lit together.
    case oneColour = "green and red together"
    /// The wallet receives the verdict only after the decision, and receives no other status.
    case walletStatusIsTrue = "the wallet's status differs from the decision"
    /// When the kiosk stops, the gate is shut and the light is off.
    case darkAtStop = "stopped with something switched on"
    /// No action follows the stop.
    case silentAfterStop = "something was done after the stop"
}

/// A violation of a ``KioskRule``.
package struct Violation: Hashable, Sendable, CustomStringConvertible {
    /// The instant of the violation.
    package let at: Instant
    /// The violated rule.
    package let rule: KioskRule

    /// The time since the clock's zero, and the rule in words. The text identifies neither visit nor person.
    package var description: String { "\(at.nanoseconds / 1_000_000) ms: \(rule.rawValue)" }
}
