import Administration
package import Encoding
package import Kiosk
import Reasons
import Synchronization

/// Lamps and relay on a GPIO chip that may be absent at the start or disappear later. While the lines are
/// missing, the gate cannot be opened and the light is dark.
///
/// A pulse never begins late: an order to open that finds no relay is dropped. The newest signal is shown as
/// soon as the lamps are available.
package final class ReconnectingPanel: Panel {
    private struct State {
        var panel: LinePanel?
        /// The number of the present panel. With it, the loss of an earlier panel does not count as the loss
        /// of the present one.
        var number = 0
        var isGone = false
        var signal = Signal.dark
        var hasEnded = false
    }

    private let state = Mutex(State())
    private let open: @Sendable (_ gone: @escaping @Sendable () -> Void) throws(ServiceFailure) -> LinePanel
    private let report: HealthReporter
    private let watch: OpeningWatch

    /// Creates a panel without lines. ``takeLines()`` calls `open` to request all lines, inactive. `open`
    /// gets a closure that may be called from any thread when the chip of the lines is lost. `report` is
    /// called when lines become unavailable and when they are available again. `watch` observes all panels,
    /// one after the other.
    init(
        report: @escaping HealthReporter, watch: OpeningWatch,
        open: @escaping @Sendable (_ gone: @escaping @Sendable () -> Void) throws(ServiceFailure) -> LinePanel
    ) {
        (self.report, self.watch, self.open) = (report, watch, open)
    }

    /// Requests the lines unless the panel has them. Gives up the lines of a lost chip first. Blocks in the
    /// kernel: never call this function on the radio's thread, and never call it twice at the same time.
    package func takeLines() {
        let (isWanted, lost, number) = state.withLock { state -> (Bool, LinePanel?, Int) in
            guard !state.hasEnded, state.panel == nil || state.isGone else { return (false, nil, 0) }
            defer { (state.panel, state.isGone, state.number) = (nil, false, state.number + 1) }
            return (true, state.panel, state.number + 1)
        }
        guard isWanted else { return }
        _ = lost?.end(within: .milliseconds(200))
        do throws(ServiceFailure) {
            let panel = try open { [weak self] in
                self?.state.withLock { if $0.number == number { $0.isGone = true } }
            }
            let isWanted = state.withLock { state in
                guard !state.hasEnded else { return false }
                state.panel = panel
                panel.show(state.signal)
                return true
            }
            guard isWanted else {
                _ = panel.end(within: .milliseconds(50))
                return
            }
            for code in [ReasonCode.gateStuck, .gpioFailed, .gateUnavailable] { report(.over(code)) }
        } catch {
            let detail = [error.message, error.remedy].compactMap(\.self).joined(separator: ". ")
            report(.present(.gpioFailed, detail: detail))
            report(.present(.gateUnavailable, detail: detail))
        }
    }

    /// Lights exactly the lamps of the signal, now or as soon as the lines are available.
    package func show(_ signal: Signal) {
        state.withLock { state in
            state.signal = signal
            state.panel?.show(signal)
        }
    }

    /// Energises or releases the relay. Without a relay, the command is dropped.
    package func gate(_ command: Gate.Command, at now: Instant) {
        state.withLock { $0.panel?.gate(command, at: now) }
    }

    /// Always true: a configuration with lines has a relay, or wires to a gate controller, that opens the
    /// gate.
    package var opens: Bool { true }

    /// Returns the result of an order to open, as the threads of the lines observed it. Without lines, the
    /// gate was not opened.
    package func opening(_ order: OpeningOrder, at now: Instant) -> Opening { watch.opening(order, at: now) }

    /// Sends the frame for a visitor to a gate controller. Without a controller, the order is dropped.
    package func admit(until: Instant, at now: Instant) {
        state.withLock { $0.panel?.admit(until: until, at: now) }
    }

    /// Switches an output that is held on or off. If the panel has no such output, the command is dropped; the
    /// caller repeats it soon.
    package func hold(_ role: OutputRole, _ command: Gate.Command, at now: Instant) {
        state.withLock { $0.panel?.hold(role, command, at: now) }
    }

    /// Releases the relay, switches the lamps off and frees the lines, including lines that are being
    /// requested. Returns whether this took at most `limit`.
    package func end(within limit: Duration) -> Bool {
        let panel = state.withLock { state in
            state.hasEnded = true
            return state.panel
        }
        return panel?.end(within: limit) ?? true
    }
}
