package import Encoding
package import Kiosk
package import LinuxIO

/// The outputs of the gate on GPIO lines.
///
/// The gate's relay and each output that is held have their own requests and their own threads (``Relay``);
/// lamps and sounder share one thread (``LampLines``). So the relay is released at the end of its pulse even if
/// the lamps or the rest of the program hang.
package final class LinePanel: Panel {
    private let names: [OutputRole: String]
    private let lamps: LampLines?
    private let relay: Relay?
    private let held: [OutputRole: Relay]
    private let controller: (any ControllerOutput)?
    private let watch: OpeningWatch

    /// Creates a panel of these outputs. An output that is nil or absent is not wired. `names`: the line names
    /// of lamps and sounder. `watch` observes the relay or, if the gate has no relay, the wires to a gate
    /// controller.
    package init(
        _ names: [OutputRole: String], lamps: LampLines?, relay: Relay?, held: [OutputRole: Relay] = [:],
        controller: (any ControllerOutput)? = nil, watch: OpeningWatch
    ) {
        (self.names, self.lamps, self.relay, self.held) = (names, lamps, relay, held)
        (self.controller, self.watch) = (controller, watch)
    }

    /// Whether the panel has a relay, or wires to a gate controller.
    package var opens: Bool { relay != nil || controller != nil }

    /// Returns the result of an order to open, as the threads of the lines observed it.
    package func opening(_ order: OpeningOrder, at now: Instant) -> Opening { watch.opening(order, at: now) }

    /// Switches on exactly the lamps and the sounder of the signal.
    package func show(_ signal: Signal) { lamps?.show(Set(signal.outputs.compactMap { names[$0] })) }

    /// Energises or releases the relay. To release also cancels a frame that has not been sent to a
    /// controller yet: a lock-down must end it.
    package func gate(_ command: Gate.Command, at now: Instant) {
        Self.tell(relay, command, now)
        if command == .shut { controller?.cancel() }
    }

    /// Switches an output that is held on or off. The output has its own relay. That relay is released at the end
    /// of its time, as the gate relay is, unless the caller renews the command.
    package func hold(_ role: OutputRole, _ command: Gate.Command, at now: Instant) {
        Self.tell(held[role], command, now)
    }

    /// Sends the frame to a gate controller, not later than `until`.
    package func admit(until: Instant, at now: Instant) { controller?.send(until: until, at: now) }

    private static func tell(_ relay: Relay?, _ command: Gate.Command, _ now: Instant) {
        switch command {
        case .open(let until): relay?.open(until: until, at: now)
        case .shut: relay?.shut()
        }
    }

    /// Releases the relay, switches the lamps off and frees the lines. Returns whether this took at most `limit`.
    package func end(within limit: Duration) -> Bool {
        // Release the relays first. Release the other lines even if a relay fails.
        let isShut = relay?.end(within: limit) ?? true
        let isNotHeld = held.values.reduce(true) { $1.end(within: limit) && $0 }
        let isQuiet = controller?.end(within: limit) ?? true
        let isDark = lamps?.end(within: limit) ?? true
        return isShut && isNotHeld && isQuiet && isDark
    }
}
