import Kiosk
import LinuxIO
import Synchronization

/// Reports the faults of the outputs one after the other, although each group of outputs has a thread of its own.
final class OutputFaults: Sendable {
    /// Receives the state of a group of outputs (``OutputRole/groups``), on the group's own thread. Nil means that
    /// the group works.
    typealias FaultReporter = @Sendable ([OutputRole], LineThread.Trouble?) -> Void

    private let state = Mutex((opening: 0, faults: GateFaults()))
    private let report: HealthReporter

    init(report: @escaping HealthReporter) { self.report = report }

    /// Returns the reporter for newly requested lines. From now on, reporters of earlier lines, whose threads may
    /// still hang, report nothing.
    func begin() -> FaultReporter {
        let opening = state.withLock { state in
            state = (state.opening + 1, GateFaults())
            return state.opening
        }
        return { [self] group, trouble in
            // Report while the lock is held. Otherwise the end of a fault could be reported after the fault has begun
            // again.
            state.withLock { state in
                guard state.opening == opening else { return }
                for change in state.faults.changed(group, trouble) { report(change) }
            }
        }
    }
}
