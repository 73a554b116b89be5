package import Encoding
package import Kiosk
package import LinuxIO
import Synchronization

/// Tells systemd that the box serves: at its first advertisement, or at the first sign that the radio is out of order, which a
/// restart would not cure. Whatever else is wrong by then is told with it.
package final class ReadinessOutput: KioskListener {
    private struct State {
        var isReady = false
        var line = StatusLine()
    }

    private let manager: ServiceManager
    private let state = Mutex(State())

    /// Tells `manager`.
    package init(_ manager: ServiceManager) {
        self.manager = manager
    }

    /// The state of the box in one line, as soon as it is ready and whenever it changes.
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
