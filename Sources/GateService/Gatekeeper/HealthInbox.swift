package import Clocks
package import Kiosk
import Reasons
import Synchronization

/// Collects health reports from any thread and delivers them to the gatekeeper. Reports can arrive before the
/// gatekeeper exists, and while it is stuck.
///
/// The size of the inbox is bounded by the table of codes: for each code it stores at most one beginning and one end
/// of a fault. So even a fault that began and ended between two deliveries is delivered.
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

    /// Creates an empty inbox that stores reports until ``connect(_:)`` is called. `spawner` starts the task that
    /// delivers them.
    package init(spawner: Spawner) { self.spawner = spawner }

    /// Stores a report for delivery. Does not wait.
    package func take(_ report: HealthReport) {
        let isIdle = state.withLock { state in
            // Accept only codes that can be faults. The number of stored reports is then bounded.
            guard Health.codes.contains(report.code) else { return false }
            var pending = state.pending[report.code] ?? Pending()
            if report.isPresent { pending.present = report }
            pending.isOver = !report.isPresent
            state.pending[report.code] = pending
            return Self.begins(&state)
        }
        if isIdle { start() }
    }

    /// Delivers the stored reports and all later reports to `deliver`, one batch after the other.
    package func connect(_ deliver: @escaping @Sendable ([HealthReport]) async -> Void) {
        let isIdle = state.withLock { state in
            state.deliver = deliver
            return !state.pending.isEmpty && Self.begins(&state)
        }
        if isIdle { start() }
    }

    /// Returns whether the caller must start a delivery. If so, also notes that a delivery is in progress.
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
