import CLinuxShims
import Encoding
import Glibc

/// Control of how the process ends.
package enum ProcessEnd {
    /// Ignores signals that would end the process although they have no meaning for it (SIGPIPE, SIGALRM, SIGUSR1 and
    /// similar ones).
    package static func ignoreStraySignals() { clinux_ignore_stray_signals() }

    /// Ends the process with the exit status `status` if it still exists after `limit`, even if parts of it hang.
    /// `last` is called before that on a separate thread and must not block.
    package static func force(_ status: Int32, after limit: Duration, last: @escaping @Sendable () -> Void) {
        try? Threads.start("gatehouse-end") {
            let end = SystemClock.now().advanced(by: limit)
            while SystemClock.now() < end { usleep(5000) }
            last()
            _exit(status)
        }
    }
}
