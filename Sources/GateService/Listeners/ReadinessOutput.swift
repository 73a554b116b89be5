package import Encoding
package import Kiosk
package import LinuxIO
import Synchronization

/// Notifies systemd that the gate is ready. The notification takes place at the gate's first advertisement, or at the
/// first failure of the radio, because a restart would not end that failure. The status line of the notification also
/// names the other faults so far.
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

    /// Sends the status line as soon as the gate is ready, and whenever the line changes after that.
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
