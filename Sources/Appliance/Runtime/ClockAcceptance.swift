package import Encoding
import Foundation
package import LinuxIO

/// The word of somebody who knows that the clock is right, on its way to the service: a small file beside the database, which lies
/// there until it is taken over, whether the service runs or not.
package struct ClockAcceptance: Sendable {
    /// The file.
    package let path: String

    /// The acceptance for the gate with that database.
    package init(database: String) { path = database + ".clock" }

    /// The date that waits to be taken over; nil when none does. What cannot be read as one counts as none.
    package func pending() -> Timestamp? {
        guard let bytes = FileBytes.read(path, limit: 65), bytes.count <= 64 else { return nil }
        return Timestamp(rfc3339: String(decoding: bytes.prefix { $0 != 0x0A }, as: UTF8.self))
    }

    /// Leaves word that this date is right; durable when this returns.
    package func leave(_ date: Timestamp) throws(SystemError) {
        try DurableFile.replace(path, with: Array((date.rfc3339 + "\n").utf8))
    }

    /// Takes the file away.
    package func remove() { unlink(path) }
}
