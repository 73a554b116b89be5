package import Encoding
package import Kiosk
import Synchronization

/// ``KioskRules`` for a driver with a thread of its own. The watch checks turns on that thread, and other threads can
/// read the violations.
package final class KioskWatch: Sendable {
    private struct State {
        var rules: KioskRules
        var violations: [Violation] = []
    }

    private let state: Mutex<State>
    private let onViolation: @Sendable (Violation) -> Void

    /// Checks a kiosk with these settings from its first turn. `onViolation` is called on the driver's thread, before
    /// any action of the turn is performed.
    package init(_ settings: KioskSettings, onViolation: @escaping @Sendable (Violation) -> Void = { _ in }) {
        state = Mutex(State(rules: KioskRules(settings, isPunctual: false)))
        self.onViolation = onViolation
    }

    /// The first 20 violations so far, in order.
    package var violations: [Violation] { state.withLock { $0.violations } }

    /// Checks the next turn; see ``KioskRules/watch(_:_:deadline:at:)``.
    package func turn(_ event: KioskEvent, _ actions: [KioskAction], deadline: Instant?, at now: Instant) {
        let broken = state.withLock { state in
            let broken = state.rules.watch(event, actions, deadline: deadline, at: now)
            state.violations += broken.prefix(20 - state.violations.count)
            return broken
        }
        for violation in broken { onViolation(violation) }
    }
}
