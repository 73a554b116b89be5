import Credentials
package import Encoding
package import Kiosk
import Synchronization

/// Lamps and relay whose chip may be absent at the start: the gate stays shut and the light dark until the lines are there.
///
/// A pulse is not begun late: an opening that finds no relay is forgotten. The signal that was asked for last is shown as soon as
/// there are lamps.
package final class LatePanel: Panel {
    private struct State {
        var panel: LinePanel?
        var signal = Signal.dark
        var hasEnded = false
    }

    private let state = Mutex(State())
    private let open: @Sendable () throws(ServiceFailure) -> LinePanel
    private let report: HealthReporter

    /// Without lines yet: ``takeLines()`` has `open` take them all, inactive. `report` hears whether there are any.
    package init(report: @escaping HealthReporter, open: @escaping @Sendable () throws(ServiceFailure) -> LinePanel) {
        (self.report, self.open) = (report, open)
    }

    /// Takes the lines unless they are here already. Waits for the kernel, so never called on the radio's thread; one call at a
    /// time.
    package func takeLines() {
        guard state.withLock({ $0.panel == nil && !$0.hasEnded }) else { return }
        do throws(ServiceFailure) {
            let panel = try open()
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
            report(.over(.gpioFailed))
        } catch {
            report(
                .present(.gpioFailed, detail: [error.message, error.remedy].compactMap(\.self).joined(separator: ". ")))
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
