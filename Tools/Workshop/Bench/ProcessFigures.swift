import Foundation
import Glibc

/// The kernel's figures of this process.
struct ProcessFigures: Sendable {
    /// The resident memory of the process in bytes.
    let resident: Int
    /// The number of open descriptors of the process.
    let descriptors: Int
    /// Bytes that the process caused to be written to the disk, in whole pages of 4,096 bytes; nil: the
    /// kernel does not count them.
    let written: Int?

    /// The present figures of this process.
    static var now: ProcessFigures {
        let pages = text("/proc/self/statm").split(separator: " ").dropFirst().first.flatMap { Int($0) } ?? 0
        let written = text("/proc/self/io").split(separator: "\n").first { $0.hasPrefix("write_bytes:") }
        let open = (try? FileManager.default.contentsOfDirectory(atPath: "/proc/self/fd"))?.count ?? 0
        return ProcessFigures(
            resident: pages * Int(getpagesize()), descriptors: open - 1,  // without the folder that was just read
            written: written?.split(separator: " ").last.flatMap { Int($0) })
    }

    private static func text(_ path: String) -> String { (try? String(contentsOfFile: path, encoding: .utf8)) ?? "" }
}
