import Encoding

/// The inputs that are wired at the gate in addition to the relay, and how the gate uses them. The defaults
/// suit a gate with only a relay.
package struct DoorSettings: Sendable {
    /// How long the relay is energised for an opening.
    package enum Opening: String, CaseIterable, Sendable {
        /// The relay is energised for one pulse. The turnstile itself waits for the person.
        case pulse
        /// The relay is energised until a person has passed or the waiting time is over, at most ``Gate/hardLimit``.
        /// This suits a lock that is open while it has current.
        case level
    }

    /// What happens to the credential of an accepted visitor who did not pass.
    package enum Unused: String, CaseIterable, Sendable {
        /// The credential of a visitor who did not pass counts as used, because it was presented and the
        /// visitor may have passed unseen.
        case keep
        /// The credential of a visitor who did not pass is forgotten: the same credential may be presented
        /// again at once.
        case release
    }

    /// The longest wait for a passage.
    package static let longestWait: Duration = .seconds(30)
    /// The time after which an order for free passage ends by itself.
    package static let longestFree: Duration = .seconds(86_400)
    /// The longest time for which the schedule can keep passage free without a renewal.
    package static let scheduleLease: Duration = .seconds(30)

    /// The wired inputs, each with the time for which a new level must be stable before it counts.
    package var inputs: [DoorInput: Duration] = [:]
    /// How long the relay is energised for an opening.
    package var opening = Opening.pulse
    /// How long a passage is awaited after an opening: at most ``longestWait``. The value must not be less than the
    /// waiting time of the turnstile itself.
    package var wait: Duration = .seconds(5)
    /// Whether the next verdict waits until the admitted visitor has passed or will not pass.
    package var oneByOne = true
    /// What happens to the credential of an accepted visitor who did not pass.
    package var whenUnused = Unused.keep
    /// How long the door may stay open after an opening without an alarm.
    package var heldOpen: Duration = .seconds(30)
    /// Whether the gate opens for a request to exit during a lock-down.
    package var exitsWhileLocked = false
    /// Whether passage is free while the fire panel reports a fire. Life safety must not depend on this setting: it
    /// needs wiring that works without the program.
    package var fireOpens = false
    /// Whether the gate has an output for free passage. Without this output, passage is never free.
    package var hasFreeOutput = false

    /// Creates the settings of a gate with only a relay.
    package init() {}

    /// The input that shows passages: the passage input, otherwise the door contact; nil if neither is wired.
    var passageSensor: DoorInput? { [.passage, .contact].first { inputs[$0] != nil } }

    /// Whether passages are detected.
    package var seesPassage: Bool { passageSensor != nil }

    /// Returns how long the relay is energised for one person. `pulse`: the configured pulse, which applies unless
    /// ``opening`` is `level` and passages are detected.
    func length(of pulse: Duration) -> Duration {
        opening == .level && seesPassage ? min(wait, Gate.hardLimit) : pulse
    }

    /// The longest time from an opening until it is known whether a person passed; zero if passages are not detected.
    var longestPassage: Duration { seesPassage ? min(wait, Self.longestWait) + Door.grace : .zero }
}
