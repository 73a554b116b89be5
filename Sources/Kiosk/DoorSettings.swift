import Encoding

/// What is wired at the gate besides the relay, and how the box behaves by it. The defaults are those of a gate with a relay alone.
package struct DoorSettings: Sendable {
    /// How the relay opens.
    package enum Opening: String, CaseIterable, Sendable {
        /// For the length of a pulse; the turnstile waits by itself.
        case pulse
        /// Until somebody has passed or the wait is over, at most ``Gate/hardLimit``: a lock that is open while it has current.
        case level
    }

    /// What becomes of an acceptance that nobody used.
    package enum Unused: String, CaseIterable, Sendable {
        /// It counts as used: the credential was shown, and who stood there may have passed unseen.
        case keep
        /// It is forgotten: the same credential may be shown again at once.
        case release
    }

    /// No wait for a passage is longer.
    package static let longestWait: Duration = .seconds(30)
    /// An order for free passage ends by itself after that time.
    package static let longestFree: Duration = .seconds(86_400)
    /// Free passage by the schedule lasts no longer than that without being said again.
    package static let scheduleLease: Duration = .seconds(30)

    /// What is wired, each with the time for which a level must hold.
    package var inputs: [DoorInput: Duration] = [:]
    /// How the relay opens.
    package var opening = Opening.pulse
    /// How long a passage is awaited behind an opening; at least the turnstile's own wait, at most ``longestWait``.
    package var wait: Duration = .seconds(5)
    /// Whether the next verdict waits until the one who was let in has passed, or will not.
    package var oneByOne = true
    /// What becomes of an acceptance that nobody used.
    package var whenUnused = Unused.keep
    /// How long the door may stand open behind an opening.
    package var heldOpen: Duration = .seconds(30)
    /// Whether a request to exit opens during a lock-down.
    package var exitsWhileLocked = false
    /// Whether passage is free while the fire panel reports a fire. No path for life safety: that is wired.
    package var fireOpens = false
    /// Whether there is an output for free passage; without one passage is never free.
    package var hasFreeOutput = false

    /// A relay and nothing else.
    package init() {}

    /// What tells that somebody passes: an input of its own, else the door that opens; nil: nothing.
    var passageSensor: DoorInput? { [.passage, .contact].first { inputs[$0] != nil } }

    /// Whether it is seen that somebody passes.
    package var seesPassage: Bool { passageSensor != nil }

    /// How long the relay is energised for one person.
    func length(of pulse: Duration) -> Duration {
        opening == .level && seesPassage ? min(wait, Gate.hardLimit) : pulse
    }

    /// The longest time from an opening until it is known whether somebody passed.
    var longestPassage: Duration { seesPassage ? min(wait, Self.longestWait) + Door.grace : .zero }
}
