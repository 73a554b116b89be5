package import Encoding
import Glibc
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
        var lines: GPIOLines?
        var signal = Signal.dark
        var isGateOpen = false
    }

    private let request: LineRequest
    private let wiring: Wiring
    private let state: Mutex<State>
    private let failed: @Sendable (GPIOError) -> Void

    /// Without lines yet: they come by ``takeLines()``. `failed` is told when a line cannot be set, and when the gate is to be
    /// opened and there is none.
    package init(_ request: LineRequest, failed: @escaping @Sendable (GPIOError) -> Void) {
        (self.request, wiring, self.failed) = (request, request.wiring, failed)
        state = Mutex(State())
    }

    /// Whether there are lines.
    package var hasLines: Bool { state.withLock { $0.lines != nil } }

    /// Takes the lines, all inactive, and lights them as they ought to be. The gate stays shut: a pulse is not begun late.
    package func takeLines() throws(GPIOError) {
        try state.withLock { state throws(GPIOError) in
            state.lines = try request.take()
            state.isGateOpen = false
        }
        change { _ in }
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
    package func release() { state.withLock { $0.lines?.close() } }

    private func change(_ body: (inout State) -> Void) {
        let error = state.withLock { state -> GPIOError? in
            body(&state)
            var active = Set(state.signal.lamps.compactMap { wiring.lamps[$0] })
            if state.signal.tone, let tone = wiring.tone { active.insert(tone) }
            if state.isGateOpen, let gate = wiring.gate { active.insert(gate) }
            guard let lines = state.lines else {
                return state.isGateOpen ? .failed(SystemError("opening the gate without its line", code: ENODEV)) : nil
            }
            do throws(GPIOError) {
                try lines.set(active: active)
                return nil
            } catch {
                return error
            }
        }
        if let error { failed(error) }
    }
}
