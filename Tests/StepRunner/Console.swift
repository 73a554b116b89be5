import Foundation
import Glibc
import Synchronization

/// Standard output: whole lines, and on a terminal one line that changes.
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

    /// Shows how far the step is, on a terminal only.
    func status(_ text: String) {
        guard isTerminal else { return }
        hasStatus.withLock { hasStatus in
            write("\r\u{1B}[2K  \(text.prefix(110))")
            hasStatus = true
        }
    }

    private func write(_ text: String) { try? FileHandle.standardOutput.write(contentsOf: Data(text.utf8)) }
}
