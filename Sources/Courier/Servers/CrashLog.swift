package import Encoding
import Glibc
import HTTPTransport
import LinuxIO
import Settings
import Synchronization

/// The file that stores the ``CrashHistory``, in a folder that is in memory (`/run`). It is written before each
/// request to a server, so it survives a crash of the program. A restart of the machine deletes it.
///
/// Without a runtime folder, for example in a terminal, nothing is stored.
package final class CrashLog: ContactBook, Sendable {
    /// The maximum size of the file in bytes.
    private static let limit = 1 << 14

    private let path: String?
    private let boot: Text
    private let now: @Sendable () -> Instant
    private let history: Mutex<CrashHistory>

    /// Opens the file in `folder`, the runtime folder of the service, which exists until the machine stops; nil: the
    /// program has no such folder. If the file exists already, the run that wrote it ended with a crash, which is
    /// recorded.
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

    /// The present crash history.
    package var known: CrashHistory { history.withLock { $0 } }

    /// Returns whether a server may be contacted; see ``ContactBook/mayAsk(_:)``.
    package func mayAsk(_ server: Text) -> Bool {
        history.withLock { history in
            let isAllowed = history.mayAsk(server, at: now())
            if isAllowed { keep(history) }
            return isAllowed
        }
    }

    /// Removes the file. Call this function when the program ends in the normal way.
    package func end() {
        if let path { unlink(path) }
    }

    private func keep(_ history: CrashHistory) {
        if let path { try? FileBytes.replace(path, with: history.bytes(boot: boot)) }
    }
}
