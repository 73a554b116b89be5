package import Encoding
package import Kiosk
package import LinuxIO

/// The status light, the sounder and the gate relay on GPIO lines.
///
/// Each relay (gate, free passage) has its own request and its own thread (``Relay``); lamps and sounder
/// share one thread (``LampLines``). So the relay is released at the end of its pulse even if the lamps or
/// the rest of the program hang.
package final class LinePanel: Panel {
    /// The line names of the outputs; nil: not wired.
    package struct Wiring: Hashable, Sendable {
        /// The line name of each lamp.
        package var lamps: [Lamp: String]
        /// The line name of the sounder.
        package var tone: String?
        /// The line name of the gate relay.
        package var gate: String?

        /// Creates a wiring.
        package init(lamps: [Lamp: String], tone: String?, gate: String?) {
            (self.lamps, self.tone, self.gate) = (lamps, tone, gate)
        }
    }

    private let wiring: Wiring
    private let lamps: LampLines?
    private let relay: Relay?
    private let freeRelay: Relay?
    private let wiegand: WiegandOutput?
    private let watch: OpeningWatch

    /// Creates a panel of these outputs. An output that is nil is not wired. `watch` observes the relay or,
    /// if the gate has no relay, the wires to a gate controller.
    package init(
        _ wiring: Wiring, lamps: LampLines?, relay: Relay?, free: Relay? = nil, wiegand: WiegandOutput? = nil,
        watch: OpeningWatch
    ) {
        (self.wiring, self.lamps, self.relay, freeRelay, self.wiegand) = (wiring, lamps, relay, free, wiegand)
        self.watch = watch
    }

    /// Whether the panel has a relay, or wires to a gate controller.
    package var opens: Bool { relay != nil || wiegand != nil }

    /// Returns the result of an order to open, as the threads of the lines observed it.
    package func opening(_ order: OpeningOrder, at now: Instant) -> Opening { watch.opening(order, at: now) }

    /// Lights exactly the lamps of the signal.
    package func show(_ signal: Signal) {
        var active = Set(signal.lamps.compactMap { wiring.lamps[$0] })
        if signal.tone, let tone = wiring.tone { active.insert(tone) }
        lamps?.show(active)
    }

    /// Energises or releases the relay. To release also cancels a frame that has not been sent to a
    /// controller yet: a lock-down must end it.
    package func gate(_ command: Gate.Command, at now: Instant) {
        Self.tell(relay, command, now)
        if command == .shut { wiegand?.cancel() }
    }

    /// Energises or releases the output for free passage. The output has its own relay. That relay is
    /// released at the end of its time, as the gate relay is, unless the caller renews the command.
    package func free(_ command: Gate.Command, at now: Instant) { Self.tell(freeRelay, command, now) }

    /// Sends the frame to a gate controller, not later than `until`.
    package func admit(until: Instant, at now: Instant) { wiegand?.send(until: until, at: now) }

    private static func tell(_ relay: Relay?, _ command: Gate.Command, _ now: Instant) {
        switch command {
        case .open(let until): relay?.open(until: until, at: now)
        case .shut: relay?.shut()
        }
    }

    /// Releases the relay, darkens the lamps and gives the lines back; whether that was done within `limit`.
    package func end(within limit: Duration) -> Bool {
        // Release the relays first. Release the other lines even if a relay fails.
        let isShut = relay?.end(within: limit) ?? true
        let isNotFree = freeRelay?.end(within: limit) ?? true
        let isQuiet = wiegand?.end(within: limit) ?? true
        let isDark = lamps?.end(within: limit) ?? true
        return isShut && isNotFree && isQuiet && isDark
    }
}
