package import Encoding
package import Kiosk
package import LinuxIO
import Synchronization

/// Notifies systemd that the gate is ready. It does so at the gate's first advertisement, or at the first failure of
/// the radio, because a restart by systemd would not repair the radio. The notification contains a status line, which
/// names present faults.
package final class ReadinessOutput: KioskListener {
    private struct State {
        var isReady = false
        var line = StatusLine()
    }

    private let manager: ServiceManager
    private let state = Mutex(State())

    /// Creates an output that notifies `manager`.
    package init(_ manager: ServiceManager) {
        self.manager = manager
    }

    /// Notifies systemd at the first note that makes the gate ready. After that, sends the status line whenever it
    /// changes.
    package func note(_ note: KioskNote, of visit: VisitID?, at now: Instant) {
        let begins =
            switch note {
            case .advertising, .radioFailed: true
            default: false
            }
        let (change, text, isReady, isFirst) = state.withLock { state in
            let change = state.line.take(note)
            defer { state.isReady = state.isReady || begins }
            return (change, state.line.text, state.isReady, begins && !state.isReady)
        }
        if isFirst { manager.ready(status: text) } else if isReady, let change { manager.status(change) }
    }
}
