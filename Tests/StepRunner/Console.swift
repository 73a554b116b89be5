import Foundation
import Glibc
import Synchronization

/// Standard output: whole lines, and on a terminal one status line that is rewritten.
final class Console: Sendable {
    static let shared = Console()
    private let isTerminal = isatty(1) == 1
    private let hasStatus = Mutex(false)

    /// Writes a line.
    func line(_ text: String) {
        hasStatus.withLock { hasStatus in
            write((hasStatus ? "\r\u{1B}[2K" : "") + text + "\n")
            hasStatus = false
        }
    }

    /// Shows the progress of the step, on a terminal only.
    func status(_ text: String) {
        guard isTerminal else { return }
        hasStatus.withLock { hasStatus in
            write("\r\u{1B}[2K  \(text.prefix(110))")
            hasStatus = true
        }
    }

    private func write(_ text: String) { try? FileHandle.standardOutput.write(contentsOf: Data(text.utf8)) }
}
