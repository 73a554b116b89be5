import Kiosk
import LinuxIO
import Synchronization

/// Brings what the threads of the outputs say about them to whoever is told of faults, one after the other.
final class OutputFaults: Sendable {
    /// Hears of a part from the part's own thread; nil: it is as wanted again.
    typealias Teller = @Sendable (GateFaults.Part, LineThread.Trouble?) -> Void

    private let state = Mutex((opening: 0, faults: GateFaults()))
    private let report: HealthReporter

    init(report: @escaping HealthReporter) { self.report = report }

    /// The lines are taken anew. Those that were given up, and whose threads may still hang, tell nothing any more.
    func begin() -> Teller {
        let opening = state.withLock { state in
            state = (state.opening + 1, GateFaults())
            return state.opening
        }
        return { [self] part, trouble in
            // Under the lock: what is over is not told behind what has come since.
            state.withLock { state in
                guard state.opening == opening else { return }
                for change in state.faults.changed(part, trouble) { report(change) }
            }
        }
    }
}
