package import Encoding
package import Kiosk
package import LinuxIO

/// The outputs of the gate on GPIO lines.
///
/// The gate's relay, and each output that stays on for a time, has its own line request and its own thread
/// (``Relay``). Lamps and sounder share one thread (``LampLines``). So the relay is released at the end of its pulse
/// even if the thread of the lamps or the rest of the program hangs.
package final class LinePanel: Panel {
    private let names: [OutputRole: String]
    private let lamps: LampLines?
    private let relay: Relay?
    private let held: [OutputRole: Relay]
    private let controller: (any ControllerOutput)?
    private let watch: OpeningWatch

    /// Creates a panel of these outputs. An output that is nil or absent is not wired. `names` contains the line
    /// names of lamps and sounder, `held` the outputs that stay on for a time. `watch` observes the relay or, if the
    /// gate has no relay, the wires to a gate controller.
    package init(
        _ names: [OutputRole: String], lamps: LampLines?, relay: Relay?, held: [OutputRole: Relay] = [:],
        controller: (any ControllerOutput)? = nil, watch: OpeningWatch
    ) {
        (self.names, self.lamps, self.relay, self.held) = (names, lamps, relay, held)
        (self.controller, self.watch) = (controller, watch)
    }

    /// Whether the panel can open the gate: it has a relay, or wires to a gate controller.
    package var opens: Bool { relay != nil || controller != nil }

    /// Returns the result of an order to open, as the line threads observed it.
    package func opening(_ order: OpeningOrder, at now: Instant) -> Opening { watch.opening(order, at: now) }

    /// Switches on the lamps and the sounder of the signal, and all others off.
    package func show(_ signal: Signal) { lamps?.show(Set(signal.outputs.compactMap { names[$0] })) }

    /// Energises or releases the relay. A release also cancels a request that has not been sent to a gate controller
    /// yet, because a lock-down must stop it.
    package func gate(_ command: Gate.Command, at now: Instant) {
        Self.tell(relay, command, now)
        if command == .shut { controller?.cancel() }
    }

    /// Switches an output with its own relay on or off. The relay is released at the end of the command's time,
    /// unless the caller renews the command.
    package func hold(_ role: OutputRole, _ command: Gate.Command, at now: Instant) {
        Self.tell(held[role], command, now)
    }

    /// Asks a gate controller to admit one visitor. The transmission begins before `until`, or not at all.
    package func admit(until: Instant, at now: Instant) { controller?.send(until: until, at: now) }

    private static func tell(_ relay: Relay?, _ command: Gate.Command, _ now: Instant) {
        switch command {
        case .open(let until): relay?.open(until: until, at: now)
        case .shut: relay?.shut()
        }
    }

    /// Releases the relay, switches the lamps off and releases the lines. Returns whether each of these ended within
    /// `limit`.
    package func end(within limit: Duration) -> Bool {
        // Release the relays first. Release the other lines even if a relay could not be released.
        let isShut = relay?.end(within: limit) ?? true
        let isNotHeld = held.values.reduce(true) { $1.end(within: limit) && $0 }
        let isQuiet = controller?.end(within: limit) ?? true
        let isDark = lamps?.end(within: limit) ?? true
        return isShut && isNotHeld && isQuiet && isDark
    }
}
