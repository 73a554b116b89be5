import Credentials
package import Encoding
package import Kiosk
import Synchronization

/// Lamps and relay whose chip may be absent at the start or go away: nobody is let in and the light is dark until the lines are
/// there.
///
/// A pulse is not begun late: an opening that finds no relay is forgotten. The signal that was asked for last is shown as soon as
/// there are lamps.
package final class LatePanel: Panel {
    private struct State {
        var panel: LinePanel?
        /// Counts the panels, so that the end of an earlier one is not taken for that of this one.
        var number = 0
        var isGone = false
        var signal = Signal.dark
        var hasEnded = false
    }

    private let state = Mutex(State())
    private let open: @Sendable (_ gone: @escaping @Sendable () -> Void) throws(ServiceFailure) -> LinePanel
    private let report: HealthReporter
    private let watch: OpeningWatch

    /// Without lines yet: ``takeLines()`` has `open` take them all, inactive; what that is given is to be called, from any thread,
    /// when their chip has gone away. `report` hears whether there are any; `watch` observes all that come one after
    /// the other.
    package init(
        report: @escaping HealthReporter, watch: OpeningWatch,
        open: @escaping @Sendable (_ gone: @escaping @Sendable () -> Void) throws(ServiceFailure) -> LinePanel
    ) {
        (self.report, self.watch, self.open) = (report, watch, open)
    }

    /// Takes the lines unless they are here already; those of a chip that has gone are given up first. Waits for the kernel, so
    /// never called on the radio's thread; one call at a time.
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

    /// Lights exactly the lamps of the signal, now or when they come.
    package func show(_ signal: Signal) {
        state.withLock { state in
            state.signal = signal
            state.panel?.show(signal)
        }
    }

    /// Energises or releases the relay; without one nothing is kept for later.
    package func gate(_ command: Gate.Command, at now: Instant) {
        state.withLock { $0.panel?.gate(command, at: now) }
    }

    /// A configuration with lines has one that opens the gate, or wires to what does.
    package var opens: Bool { true }

    /// What the lines' threads did; nothing while there are no lines.
    package func opening(_ order: OpeningOrder, at now: Instant) -> Opening { watch.opening(order, at: now) }

    /// Tells a gate controller of a visitor; without one nothing is kept for later.
    package func admit(until: Instant, at now: Instant) {
        state.withLock { $0.panel?.admit(until: until, at: now) }
    }

    /// Energises or releases the output for free passage; it is told again before long.
    package func free(_ command: Gate.Command, at now: Instant) {
        state.withLock { $0.panel?.free(command, at: now) }
    }

    /// Releases the relay, darkens the lamps and gives the lines back, also those that are being taken; whether that was done
    /// within `limit`.
    package func end(within limit: Duration) -> Bool {
        let panel = state.withLock { state in
            state.hasEnded = true
            return state.panel
        }
        return panel?.end(within: limit) ?? true
    }
}
