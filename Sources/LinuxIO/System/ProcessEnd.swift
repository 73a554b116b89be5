import CLinuxShims
import Encoding
import Glibc

/// How the process may end.
package enum ProcessEnd {
    /// Ignores the signals that would end the process and that mean nothing to it (SIGPIPE, SIGALRM, SIGUSR1 and their like).
    package static func ignoreStraySignals() { clinux_ignore_stray_signals() }

    /// Ends the process with `status` after `limit`, unless it has ended by then: whatever it waits for, it waited long enough.
    /// `last` runs before, on a thread of its own, and may not block.
    package static func force(_ status: Int32, after limit: Duration, last: @escaping @Sendable () -> Void) {
        try? Threads.start("gatehouse-end") {
            let end = SystemClock.now().advanced(by: limit)
            while SystemClock.now() < end { usleep(5000) }
            last()
            _exit(status)
        }
    }
}
