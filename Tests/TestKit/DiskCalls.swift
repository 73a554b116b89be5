import DiskCallLog

/// Records the calls with which code makes files durable: fsync and rename of the C library.
package enum DiskCalls {
    /// Runs `body` and records its calls on this thread, in order: `sync NAME BYTES` for a file, `sync NAME` for a
    /// folder, `rename OLD NEW`, `exchange OLD NEW`. Each name is the last component of a path.
    ///
    /// - Parameters:
    ///   - failing: The number of the fsync call that fails with EIO, counted from 1; 0 if none fails.
    ///   - body: The code to run. If it throws, its calls before the error are returned.
    /// - Returns: The calls, and the error that `body` threw; nil if it threw none.
    package static func made(failing: Int32 = 0, by body: () throws -> Void) -> (calls: [String], error: (any Error)?) {
        var failure: (any Error)?
        disk_call_log_begin(failing)
        do { try body() } catch { failure = error }
        var text = [CChar](repeating: 0, count: 1 << 14)
        disk_call_log_end(&text, Int32(text.count))
        let bytes = text.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }
        return (String(decoding: bytes, as: UTF8.self).split(separator: "\n").map(String.init), failure)
    }
}
