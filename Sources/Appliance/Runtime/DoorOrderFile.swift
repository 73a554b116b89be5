package import Encoding
import Glibc
package import LinuxIO

/// What an operator has ordered, kept over a restart in a small file beside the database: `lock`, or `free` and the dates at which it
/// was ordered and at which it ends.
///
/// No file: nothing is ordered. One that cannot be read counts as a lock-down, since it may be one.
package struct DoorOrderFile: Sendable {
    /// An order with its end as a date, which a restart does not change.
    package enum Kept: Hashable, Sendable {
        /// Nothing.
        case none
        /// Lock-down.
        case lock
        /// Free passage from the date of the order until that one.
        case free(from: Timestamp, until: Timestamp)
    }

    /// The file.
    package let path: String

    /// Called after each step of writing an order. A test delays the disk there.
    var onStep: @Sendable (DurableFile.Step) -> Void = { _ in }

    /// The orders for the gate with that database.
    package init(database: String) { path = database + ".order" }

    /// What was kept; nil: it cannot be told.
    package func read() -> Kept? {
        guard let bytes = FileBytes.read(path, limit: 97) else { return errno == ENOENT ? Kept.none : nil }
        let words = String(decoding: bytes, as: UTF8.self).split(separator: "\n").first?.split(separator: " ") ?? []
        guard bytes.count <= 96, let word = words.first else { return nil }
        switch (String(word), words.count) {
        case ("lock", 1): return .lock
        case ("free", 3):
            guard let from = Timestamp(rfc3339: words[1]), let until = Timestamp(rfc3339: words[2]) else { return nil }
            return .free(from: from, until: until)
        // Without the date of the order (versions before 0.2) nothing says how long it was meant to last: it has ended.
        case ("free", 2): return Timestamp(rfc3339: words[1]) == nil ? nil : Kept.none
        default: return nil
        }
    }

    /// Keeps an order in the place of what was kept; durable when this returns.
    package func keep(_ order: Kept) throws(SystemError) {
        switch order {
        case .none: try DurableFile.remove(path)
        case .lock: try DurableFile.replace(path, with: Array("lock\n".utf8), onStep: onStep)
        case .free(let from, let until):
            let text = "free \(from.rfc3339) \(until.rfc3339)\n"
            try DurableFile.replace(path, with: Array(text.utf8), onStep: onStep)
        }
    }
}
