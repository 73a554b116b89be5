import Administration
package import Encoding
package import Kiosk
import Reasons
import Synchronization

/// Lamps and relay on a GPIO chip that may be missing at the start or disappear later. While the lines are missing,
/// the gate cannot be opened and the light is dark.
///
/// A pulse never begins late: an order to open that arrives while the relay is missing is dropped. The newest signal
/// is shown as soon as the lamps are available.
package final class ReconnectingPanel: Panel {
    private struct State {
        var panel: LinePanel?
        /// The number of the present panel. It distinguishes the loss of the present panel's chip from the loss of an
        /// earlier panel's chip.
        var number = 0
        var isGone = false
        var signal = Signal.dark
        var hasEnded = false
    }

    private let state = Mutex(State())
    private let open: @Sendable (_ gone: @escaping @Sendable () -> Void) throws(ServiceFailure) -> LinePanel
    private let report: HealthReporter
    private let watch: OpeningWatch

    /// Creates a panel without lines. ``takeLines()`` calls `open` to request all lines as inactive. `open` receives
    /// a closure that may be called from any thread when the chip of the lines is lost. `report` receives the fault
    /// that the lines are missing, and its end. `watch` observes the lines of all panels that `open` returns.
    init(
        report: @escaping HealthReporter, watch: OpeningWatch,
        open: @escaping @Sendable (_ gone: @escaping @Sendable () -> Void) throws(ServiceFailure) -> LinePanel
    ) {
        (self.report, self.watch, self.open) = (report, watch, open)
    }

    /// Requests the lines if the panel has none. If the chip was lost, first releases its lines. Blocks in the
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

    /// Switches on the lamps and the sounder of the signal and all others off, now or as soon as the lines are
    /// available.
    package func show(_ signal: Signal) {
        state.withLock { state in
            state.signal = signal
            state.panel?.show(signal)
        }
    }

    /// Energises or releases the relay. Drops the command while the lines are missing.
    package func gate(_ command: Gate.Command, at now: Instant) {
        state.withLock { $0.panel?.gate(command, at: now) }
    }

    /// Always true: a configuration with a chip has a relay, or wires to a gate controller.
    package var opens: Bool { true }

    /// Returns the result of an order to open, as the line threads observed it. While the lines are missing, the
    /// result is that the gate was not opened.
    package func opening(_ order: OpeningOrder, at now: Instant) -> Opening { watch.opening(order, at: now) }

    /// Asks a gate controller to admit a visitor. Drops the request if the gate has no controller or the lines are
    /// missing.
    package func admit(until: Instant, at now: Instant) {
        state.withLock { $0.panel?.admit(until: until, at: now) }
    }

    /// Switches an output on for a time, or off. Drops the command if the panel has no such output or the lines are
    /// missing; the caller repeats the command soon.
    package func hold(_ role: OutputRole, _ command: Gate.Command, at now: Instant) {
        state.withLock { $0.panel?.hold(role, command, at: now) }
    }

    /// Releases the relay, switches the lamps off and releases the lines. Lines whose request is still in progress
    /// are released as soon as it ends. Returns whether each part ended within `limit`.
    package func end(within limit: Duration) -> Bool {
        let panel = state.withLock { state in
            state.hasEnded = true
            return state.panel
        }
        return panel?.end(within: limit) ?? true
    }
}
