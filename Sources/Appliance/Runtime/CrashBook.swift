package import Encoding
import Glibc
import HTTPTransport
import LinuxIO
import Synchronization

/// Keeps the ``CrashHistory`` in a small file in memory (`/run`), written before each server that is asked, so that it survives the
/// program and ends with the machine.
///
/// Without such a folder, as for a program in a terminal, nothing is kept.
package final class CrashBook: ContactBook, Sendable {
    /// The file's name, in the service's runtime folder.
    static let name = "running"

    /// The most that such a file has.
    private static let limit = 1 << 14

    private let path: String?
    private let boot: Text
    private let now: @Sendable () -> Instant
    private let history: Mutex<CrashHistory>

    /// Opens the book in the folder of the running service, which lasts as long as the machine runs; nil: there is none. A file that is
    /// still there was left by a program that did not end in order.
    package init(folder: String?, boot: Text, now: @escaping @Sendable () -> Instant = SystemClock.now) {
        (path, self.boot, self.now) = (folder.map { $0 + "/" + Self.name }, boot, now)
        var history = CrashHistory()
        if let path, let bytes = FileBytes.read(path, limit: Self.limit),
            let kept = CrashHistory(bytes, boot: boot, at: now())
        {
            history = kept
            history.crashed(at: now())
        }
        self.history = Mutex(history)
        keep(history)
    }

    /// What has happened so far.
    package var known: CrashHistory { history.withLock { $0 } }

    /// See ``ContactBook/mayAsk(_:)``.
    package func mayAsk(_ server: Text) -> Bool {
        history.withLock { history in
            let isAllowed = history.mayAsk(server, at: now())
            if isAllowed { keep(history) }
            return isAllowed
        }
    }

    /// The program ends in order.
    package func end() {
        if let path { unlink(path) }
    }

    private func keep(_ history: CrashHistory) {
        if let path { try? FileBytes.replace(path, with: history.bytes(boot: boot)) }
    }
}
