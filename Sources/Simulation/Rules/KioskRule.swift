package import Encoding

/// A promise of the kiosk that ``KioskRules`` watches over.
package enum KioskRule: String, CaseIterable, Sendable {
    /// The driver's clock never goes back.
    case timeMovesOn = "time went back"
    /// On a virtual clock the timer comes when it is due; a real driver may be late.
    case timerIsOnTime = "the timer came late"
    /// A running kiosk always knows when it has to do something next.
    case knowsItsDeadline = "no deadline while running"
    /// A timer that fires changes what is due: the kiosk does not turn on the spot.
    case timerMovesOn = "the timer does not move on"
    /// One event leads to a bounded number of actions.
    case actionsAreBounded = "too many actions in one turn"
    /// A visit's id belongs to one phone, from its connection to its one end.
    case onePhone = "a visit of two phones, or with two ends"
    /// An intent is of one visit at a time, which asks for it once; again only when the ledger refused it.
    case oneIntent = "an intent of two visits, or asked for twice"
    /// Nothing is verified for a visit of which a power cut would leave no trace.
    case intentBeforePayload = "a payload of a visit without an intent"
    /// A visit is verified once.
    case oneVerification = "a second verification in one visit"
    /// What disk and verifier answered in time reaches the visit that waits for it.
    case answersAreHeard = "an answer of the disk or the verifier went unheard"
    /// A visit has one outcome.
    case oneOutcome = "a second outcome of one visit"
    /// An intent that was used gets its outcome; no more are open than phones can be here, and as many again wait for the next.
    case everyIntentEnds = "an intent was left without its outcome"
    /// The record says accepted for a visit that may pass only, and tells of an opened gate exactly if that visit had a
    /// pulse. What was decided is handed over with the order to the gate, and the outcome agrees with it.
    case outcomeIsTrue = "the outcome is not what happened"
    /// The gate opens for an accepted verdict of the very visit, once for each.
    case gateBehindAcceptance = "the gate opened without an accepted credential"
    /// The gate opens behind a durable intent of the very visit, or behind a failed one where the operator chose so.
    case gateBehindIntent = "the gate opened without a durable intent"
    /// The gate opens for somebody who goes out once for each time that the button inside was pressed.
    case gateBehindRequest = "the gate opened for nobody"
    /// Who may go out waits no longer than for one visitor, whatever happens outside.
    case exitIsGiven = "somebody inside pressed, and nothing opened"
    /// A gate controller is told of a visitor for whom the gate has just opened, once, and of nobody else.
    case controllerBehindVisit = "a gate controller was told of nobody who was let in"
    /// Nothing opens while the gate is locked down; only for who goes out, where the operator chose so.
    case shutWhileLocked = "something is open in a lock-down"
    /// Passage is free by an order, the schedule or the fire panel only, and never for longer than a lease.
    case freeIsBounded = "passage is free for too long"
    /// An alarm of the door ends when nothing at the door gives cause for it any more.
    case alarmsEnd = "an alarm without an end"
    /// No pulse is longer than the setting, cut to the hard limit, and its end is always due.
    case pulseIsBounded = "the gate is open for too long"
    /// The relay is switched when it changes, and only then.
    case gateChanges = "the gate was switched to where it was"
    /// Between two pulses the relay rests for as long as a turnstile needs.
    case pulsesApart = "two pulses without a gap"
    /// Gate and light stand before everything else of a turn.
    case gateAndLightFirst = "something was done before gate and light"
    /// The gate is never open while the light says stop.
    case gateAgreesWithLight = "the gate is open while the light says rejected"
    /// Green is lit for an accepted visit and no longer than its pattern.
    case greenBehindAcceptance = "green without an accepted visit"
    /// Each acceptance has a green of its own, from its beginning, tone included: no two visitors share one.
    case oneGreenEach = "accepted without a green of its own"
    /// A verdict is shown for a while before that of a visitor who was here already takes its place: people see whom it
    /// is for. The red of what is no credential gives way at once.
    case verdictsApart = "two verdicts at once"
    /// No more visits are served at once than places are there, and phones were connected when the last was taken.
    case placesAreBounded = "more phones are served than there are places"
    /// Green and red are never lit together.
    case oneColour = "green and red together"
    /// The wallet is told the decision, after it was made, and nothing else.
    case walletIsToldTheTruth = "the wallet was told what was not decided"
    /// At the stop the gate is shut and the light dark.
    case darkAtStop = "stopped with something switched on"
    /// Nothing follows the stop.
    case silentAfterStop = "something was done after the stop"
}

/// A ``KioskRule`` that did not hold.
package struct Violation: Hashable, Sendable, CustomStringConvertible {
    /// When.
    package let at: Instant
    /// Which.
    package let rule: KioskRule

    /// The time since the clock's zero and the rule in words; it names no visit and no person.
    package var description: String { "\(at.nanoseconds / 1_000_000) ms: \(rule.rawValue)" }
}
