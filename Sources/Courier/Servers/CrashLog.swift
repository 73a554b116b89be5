package import Encoding
import Glibc
import HTTPTransport
import LinuxIO
import Settings
import Synchronization

/// Keeps the ``CrashHistory`` in a small file in memory (`/run`). The file is written before each request to a server,
/// so it survives a crash of the program; it is lost at the next start of the machine.
///
/// Without a runtime folder, for example in a terminal, the log stores nothing.
package final class CrashLog: ContactBook, Sendable {
    /// The maximum size of the file in bytes.
    private static let limit = 1 << 14

    private let path: String?
    private let boot: Text
    private let now: @Sendable () -> Instant
    private let history: Mutex<CrashHistory>

    /// Opens the book in `folder`, the runtime folder of the service. The folder exists as long as the
    /// machine runs; nil: the program has no such folder. If the file already exists, the run that wrote it
    /// did not end in order.
    package init(folder: String?, boot: Text, now: @escaping @Sendable () -> Instant) {
        (path, self.boot, self.now) = (folder.map { $0 + "/" + RuntimeFiles.crashes }, boot, now)
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

    /// The crash history so far.
    package var known: CrashHistory { history.withLock { $0 } }

    /// Returns whether a server may be contacted; see ``ContactBook/mayAsk(_:)``.
    package func mayAsk(_ server: Text) -> Bool {
        history.withLock { history in
            let isAllowed = history.mayAsk(server, at: now())
            if isAllowed { keep(history) }
            return isAllowed
        }
    }

    /// Removes the file, because the program ends in order.
    package func end() {
        if let path { unlink(path) }
    }

    private func keep(_ history: CrashHistory) {
        if let path { try? FileBytes.replace(path, with: history.bytes(boot: boot)) }
    }
}
