package import Encoding
package import Kiosk
package import LinuxIO

/// The status light, the sounder and the gate relay on GPIO lines.
///
/// The relays (gate, free passage) have a request and a thread each (``Relay``), lamps and sounder have another (``LampLines``): whatever holds up one
/// of them, or the rest of the program, the relay is released at the end of its pulse.
package final class LinePanel: Panel {
    /// Which line does what; nil: no such line.
    package struct Wiring: Hashable, Sendable {
        /// Line name of each lamp.
        package var lamps: [Lamp: String]
        /// Line name of the sounder.
        package var tone: String?
        /// Line name of the gate relay.
        package var gate: String?

        /// A wiring.
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

    /// A panel of these; nil for what is not wired. `watch` observes the relay's bank, or the wires if there is no
    /// relay.
    package init(
        _ wiring: Wiring, lamps: LampLines?, relay: Relay?, free: Relay? = nil, wiegand: WiegandOutput? = nil,
        watch: OpeningWatch
    ) {
        (self.wiring, self.lamps, self.relay, freeRelay, self.wiegand) = (wiring, lamps, relay, free, wiegand)
        self.watch = watch
    }

    /// Whether there is a relay, or wires to a controller.
    package var opens: Bool { relay != nil || wiegand != nil }

    /// What the lines' threads did.
    package func opening(_ order: OpeningOrder, at now: Instant) -> Opening { watch.opening(order, at: now) }

    /// Lights exactly the lamps of the signal.
    package func show(_ signal: Signal) {
        var active = Set(signal.lamps.compactMap { wiring.lamps[$0] })
        if signal.tone, let tone = wiring.tone { active.insert(tone) }
        lamps?.show(active)
    }

    /// Energises or releases the relay. A lock-down ends what has not gone out to a controller, too.
    package func gate(_ command: Gate.Command, at now: Instant) {
        Self.tell(relay, command, now)
        if command == .shut { wiegand?.cancel() }
    }

    /// Energises or releases the output for free passage: a relay of its own, which drops as soon when nobody renews its end.
    package func free(_ command: Gate.Command, at now: Instant) { Self.tell(freeRelay, command, now) }

    /// Sends the frame to a gate controller.
    package func admit(until: Instant, at now: Instant) { wiegand?.send(until: until, at: now) }

    private static func tell(_ relay: Relay?, _ command: Gate.Command, _ now: Instant) {
        switch command {
        case .open(let until): relay?.open(until: until, at: now)
        case .shut: relay?.shut()
        }
    }

    /// Releases the relay, darkens the lamps and gives the lines back; whether that was done within `limit`.
    package func end(within limit: Duration) -> Bool {
        // The relays first, and all in any case.
        let isShut = relay?.end(within: limit) ?? true
        let isNotFree = freeRelay?.end(within: limit) ?? true
        let isQuiet = wiegand?.end(within: limit) ?? true
        let isDark = lamps?.end(within: limit) ?? true
        return isShut && isNotFree && isQuiet && isDark
    }
}
