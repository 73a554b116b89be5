import DiskCallLog

/// Records the calls of the C library by which code makes files durable.
package enum DiskCalls {
    /// Runs `body` and returns the calls that it made on this thread, in order: `sync NAME BYTES` for a file,
    /// `sync NAME` for a folder, `rename OLD NEW`, `exchange OLD NEW`. The names are the last components of
    /// the paths.
    ///
    /// - Parameters:
    ///   - failing: The number, counted from 1, of the fsync call that fails with EIO; 0: none fails.
    ///   - body: The code to run. When it throws, the calls made before are returned.
    /// - Returns: The calls, and the error that `body` threw.
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
