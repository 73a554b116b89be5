package import Clocks
package import Kiosk
import Reasons
import Synchronization

/// Collects health reports from any thread and delivers them to the gatekeeper. The gatekeeper might not
/// exist yet, or might be stuck.
///
/// The inbox is bounded by the table of codes: for each code it holds at most one beginning and one end of a
/// fault, so that even a short fault is delivered.
package final class HealthInbox: Sendable {
    private struct Pending {
        var present: HealthReport?
        var isOver = false
    }

    private struct State {
        var pending: [ReasonCode: Pending] = [:]
        var deliver: (@Sendable ([HealthReport]) async -> Void)?
        var isDelivering = false
    }

    private let spawner: Spawner
    private let state = Mutex(State())

    /// Creates an empty inbox that keeps reports until ``connect(_:)``. `spawner` starts its deliveries.
    package init(spawner: Spawner) { self.spawner = spawner }

    /// Takes a report and returns at once.
    package func take(_ report: HealthReport) {
        let isIdle = state.withLock { state in
            // Accept only codes that can be faults, so that no caller can exceed the bound.
            guard Health.codes.contains(report.code) else { return false }
            var pending = state.pending[report.code] ?? Pending()
            if report.isPresent { pending.present = report }
            pending.isOver = !report.isPresent
            state.pending[report.code] = pending
            return Self.begins(&state)
        }
        if isIdle { start() }
    }

    /// Delivers the waiting reports and all later ones to `deliver`, one batch after the other.
    package func connect(_ deliver: @escaping @Sendable ([HealthReport]) async -> Void) {
        let isIdle = state.withLock { state in
            state.deliver = deliver
            return !state.pending.isEmpty && Self.begins(&state)
        }
        if isIdle { start() }
    }

    /// Returns whether a delivery must be started, and if so notes it as begun.
    private static func begins(_ state: inout State) -> Bool {
        guard state.deliver != nil, !state.isDelivering else { return false }
        state.isDelivering = true
        return true
    }

    private func start() {
        spawner.start("the delivery of health reports") { [self] in
            while let (deliver, reports) = next() { await deliver(reports) }
        }
    }

    private func next() -> (deliver: @Sendable ([HealthReport]) async -> Void, reports: [HealthReport])? {
        state.withLock { state in
            guard let deliver = state.deliver, !state.pending.isEmpty else {
                state.isDelivering = false
                return nil
            }
            defer { state.pending = [:] }
            let reports = state.pending.flatMap { code, pending in
                [pending.present, pending.isOver ? .over(code) : nil].compactMap { $0 }
            }
            return (deliver, reports)
        }
    }
}
