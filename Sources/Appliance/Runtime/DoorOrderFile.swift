package import Encoding
import Glibc
package import LinuxIO

/// What an operator has ordered, kept over a restart in a small file beside the database: `lock`, or `free` and the date of its end.
///
/// No file: nothing is ordered. One that cannot be read counts as a lock-down, since it may be one.
package struct DoorOrderFile: Sendable {
    /// An order with its end as a date, which a restart does not change.
    package enum Kept: Hashable, Sendable {
        /// Nothing.
        case none
        /// Lock-down.
        case lock
        /// Free passage until that date.
        case free(until: Timestamp)
    }

    /// The file.
    package let path: String

    /// The orders for the gate with that database.
    package init(database: String) { path = database + ".order" }

    /// What was kept; nil: it cannot be told.
    package func read() -> Kept? {
        guard let bytes = FileBytes.read(path, limit: 65) else { return errno == ENOENT ? Kept.none : nil }
        let words = String(decoding: bytes, as: UTF8.self).split(separator: "\n").first?.split(separator: " ") ?? []
        guard bytes.count <= 64, let word = words.first else { return nil }
        switch (String(word), words.count) {
        case ("lock", 1): return .lock
        case ("free", 2): return Timestamp(rfc3339: words[1]).map { .free(until: $0) }
        default: return nil
        }
    }

    /// Keeps an order in the place of what was kept; durable when this returns.
    package func keep(_ order: Kept) throws(SystemError) {
        switch order {
        case .none: try DurableFile.remove(path)
        case .lock: try DurableFile.replace(path, with: Array("lock\n".utf8))
        case .free(let until): try DurableFile.replace(path, with: Array("free \(until.rfc3339)\n".utf8))
        }
    }
}
