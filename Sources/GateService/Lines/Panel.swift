package import Encoding
package import Kiosk

/// The lamps a visitor sees and the relay that opens the gate.
///
/// The panel is the only output called on the radio's thread, before all others in a turn. Each call only
/// notes the command and returns: the lines have their own threads.
package protocol Panel: Sendable {
    /// Shows the signal.
    func show(_ signal: Signal)
    /// Commands the relay; `now` is the time of the turn.
    func gate(_ command: Gate.Command, at now: Instant)
    /// Commands an output that is held; `now` is the time of the turn.
    func hold(_ role: OutputRole, _ command: Gate.Command, at now: Instant)
    /// Signals a gate controller that a visitor may pass, once, and not later than `until`.
    func admit(until: Instant, at now: Instant)
    /// Whether the panel can open the gate, by a relay or by wires to a controller. If not, records do not
    /// mention an opening.
    var opens: Bool { get }
    /// Returns the result of an order to open, as far as it is known at `now`.
    func opening(_ order: OpeningOrder, at now: Instant) -> Opening
}

/// The panel of a gate without lamps and relay.
package struct NoPanel: Panel {
    /// Creates the panel.
    package init() {}
    /// Does nothing: this panel has no lamps.
    package func show(_ signal: Signal) {}
    /// Does nothing: this panel has no relay.
    package func gate(_ command: Gate.Command, at now: Instant) {}
    /// Does nothing: this panel has no output that is held.
    package func hold(_ role: OutputRole, _ command: Gate.Command, at now: Instant) {}
    /// Does nothing: this panel has no wires to a gate controller.
    package func admit(until: Instant, at now: Instant) {}
    /// False: this panel cannot open a passage.
    package var opens: Bool { false }
    /// Always `never`.
    package func opening(_ order: OpeningOrder, at now: Instant) -> Opening { .never }
}
