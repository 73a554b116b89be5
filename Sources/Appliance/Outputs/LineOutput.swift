package import Encoding
package import Kiosk
package import LinuxIO
import Synchronization

/// The status light, the sounder and the gate relay on GPIO lines.
///
/// All lines change in one step. A line that cannot be set is reported and set again with the next change; the relay's
/// pulse is bounded by the kiosk, and by the hardware (see `hardware/`).
package final class LineOutput: KioskOutput {
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

    private struct State {
        var lines: GPIOLines
        var signal = Signal.dark
        var isGateOpen = false
    }

    private let wiring: Wiring
    private let state: Mutex<State>
    private let failed: @Sendable (GPIOError) -> Void

    /// Takes over the lines, all inactive. `failed` is told when a line cannot be set.
    package init(_ lines: sending GPIOLines, _ wiring: Wiring, failed: @escaping @Sendable (GPIOError) -> Void) {
        self.wiring = wiring
        self.failed = failed
        state = Mutex(State(lines: lines))
    }

    /// Lights exactly the lamps of the signal.
    package func show(_ signal: Signal, of pattern: IndicatorPattern, at now: Instant) {
        change { $0.signal = signal }
    }

    /// Energises or releases the relay.
    package func setGate(open: Bool, at now: Instant) {
        change { $0.isGateOpen = open }
    }

    /// Makes all lines inactive and gives them back.
    package func release() { state.withLock { $0.lines.close() } }

    private func change(_ body: (inout State) -> Void) {
        let error = state.withLock { state -> GPIOError? in
            body(&state)
            var active = Set(state.signal.lamps.compactMap { wiring.lamps[$0] })
            if state.signal.tone, let tone = wiring.tone { active.insert(tone) }
            if state.isGateOpen, let gate = wiring.gate { active.insert(gate) }
            do throws(GPIOError) {
                try state.lines.set(active: active)
                return nil
            } catch {
                return error
            }
        }
        if let error { failed(error) }
    }
}
