package import Encoding
package import Kiosk

/// Lamps and relay: what a visitor sees and walks through.
///
/// The one kind of output that is told on the radio's thread, before everything else of a turn. It only notes what is wanted and
/// returns: the lines themselves have threads of their own.
package protocol Panel: Sendable {
    /// Shows the signal.
    func show(_ signal: Signal)
    /// Tells the relay; `now` is the turn's time.
    func gate(_ command: Gate.Command, at now: Instant)
    /// Tells the output for free passage; `now` is the turn's time.
    func free(_ command: Gate.Command, at now: Instant)
    /// Tells a gate controller that a visitor may pass, once, and not later than `until`.
    func admit(until: Instant, at now: Instant)
    /// Whether there is something to open: a relay, or wires to a controller. If not, records say nothing of a gate.
    var opens: Bool { get }
    /// The result of an order to open, as far as it is known at `now`.
    func opening(_ order: OpeningOrder, at now: Instant) -> Opening
}

/// A box without lamps and relay.
package struct NoPanel: Panel {
    /// Nothing to switch.
    package init() {}
    /// No lamps here.
    package func show(_ signal: Signal) {}
    /// No relay here.
    package func gate(_ command: Gate.Command, at now: Instant) {}
    /// No such output here.
    package func free(_ command: Gate.Command, at now: Instant) {}
    /// No controller here.
    package func admit(until: Instant, at now: Instant) {}
    /// This box opens nothing.
    package var opens: Bool { false }
    /// Nothing comes of it.
    package func opening(_ order: OpeningOrder, at now: Instant) -> Opening { .never }
}
