import Kiosk
import LinuxIO
import Synchronization

/// Serialises the faults that the threads of the outputs report.
final class OutputFaults: Sendable {
    /// Receives the state of a group of outputs (``OutputRole/groups``), on the group's own thread; nil: it works.
    typealias FaultReporter = @Sendable ([OutputRole], LineThread.Trouble?) -> Void

    private let state = Mutex((opening: 0, faults: GateFaults()))
    private let report: HealthReporter

    init(report: @escaping HealthReporter) { self.report = report }

    /// Begins a new request for the lines. From now on, threads of earlier lines, which may still hang,
    /// report nothing.
    func begin() -> FaultReporter {
        let opening = state.withLock { state in
            state = (state.opening + 1, GateFaults())
            return state.opening
        }
        return { [self] group, trouble in
            // Under the lock, so that the end of a fault cannot be reported after its next beginning.
            state.withLock { state in
                guard state.opening == opening else { return }
                for change in state.faults.changed(group, trouble) { report(change) }
            }
        }
    }
}
