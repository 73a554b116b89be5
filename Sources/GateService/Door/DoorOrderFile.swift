package import Encoding
import Glibc
package import LinuxIO

/// The file next to the database that preserves the operator's order over a restart. It contains `lock`, or `free`
/// with the date of the order and the date of its end.
///
/// Without the file no order is in force. A file that cannot be read counts as a lock-down, because it may contain
/// one.
package struct DoorOrderFile: Sendable {
    /// An order whose end is a date. Unlike an instant of the monotonic clock, a date is still valid after a reboot.
    package enum Kept: Hashable, Sendable {
        /// No order is in force.
        case none
        /// A lock-down is ordered.
        case lock
        /// Free passage is ordered, from the date of the order until the date of its end.
        case free(from: Timestamp, until: Timestamp)
    }

    /// The path of the file.
    package let path: String

    /// Called after each step of writing an order. A test can delay the disk in this call.
    var onStep: @Sendable (DurableFile.Step) -> Void = { _ in }

    /// Creates the object for the gate whose database has the path `database`. Creates no file.
    package init(database: String) { path = database + ".order" }

    /// Returns the stored order; nil if the file exists but cannot be read or is invalid.
    package func read() -> Kept? {
        guard let bytes = FileBytes.read(path, limit: 97) else { return errno == ENOENT ? Kept.none : nil }
        let words = String(decoding: bytes, as: UTF8.self).split(separator: "\n").first?.split(separator: " ") ?? []
        guard bytes.count <= 96, let word = words.first else { return nil }
        switch (String(word), words.count) {
        case ("lock", 1): return .lock
        case ("free", 3):
            guard let from = Timestamp(rfc3339: words[1]), let until = Timestamp(rfc3339: words[2]) else { return nil }
            return .free(from: from, until: until)
        // Versions before 0.2 stored no date of the order. How long such an order was to last is unknown, so it
        // counts as ended.
        case ("free", 2): return Timestamp(rfc3339: words[1]) == nil ? nil : Kept.none
        default: return nil
        }
    }

    /// Stores `order` in place of the stored order. The change is durable when the call returns.
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
