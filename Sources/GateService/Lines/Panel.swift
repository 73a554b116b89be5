package import Encoding
package import Kiosk

/// The lamps that a visitor sees, and the relay that opens the gate.
///
/// The radio's thread calls the panel directly, and before all other outputs of a turn. Each call only notes the
/// command and returns, because the lines have their own threads.
package protocol Panel: Sendable {
    /// Switches on the lamps and the sounder of the signal, and all others off.
    func show(_ signal: Signal)
    /// Opens or shuts the gate by the relay. `now` is the instant of the turn.
    func gate(_ command: Gate.Command, at now: Instant)
    /// Switches the output `role` on for a time, or off. `now` is the instant of the turn.
    func hold(_ role: OutputRole, _ command: Gate.Command, at now: Instant)
    /// Signals a gate controller once that a visitor may pass. Signals nothing if that cannot begin before `until`.
    func admit(until: Instant, at now: Instant)
    /// Whether the panel can open the gate, by a relay or by wires to a gate controller. If it cannot, records do not
    /// mention an opening.
    var opens: Bool { get }
    /// Returns the result of an order to open, as far as it is known at `now`.
    func opening(_ order: OpeningOrder, at now: Instant) -> Opening
}

/// The panel of a gate without outputs.
package struct NoPanel: Panel {
    /// Creates the panel.
    package init() {}
    /// Does nothing: this panel has no lamps.
    package func show(_ signal: Signal) {}
    /// Does nothing: this panel has no relay.
    package func gate(_ command: Gate.Command, at now: Instant) {}
    /// Does nothing: this panel has no output that can be switched on for a time.
    package func hold(_ role: OutputRole, _ command: Gate.Command, at now: Instant) {}
    /// Does nothing: this panel has no wires to a gate controller.
    package func admit(until: Instant, at now: Instant) {}
    /// False: this panel has no relay and no wires to a gate controller.
    package var opens: Bool { false }
    /// Returns `never`: this panel cannot open a gate.
    package func opening(_ order: OpeningOrder, at now: Instant) -> Opening { .never }
}
