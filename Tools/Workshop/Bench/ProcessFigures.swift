import Foundation
import Glibc

/// The kernel's figures about this process.
struct ProcessFigures: Sendable {
    /// The resident memory of the process in bytes.
    let resident: Int
    /// The number of open file descriptors.
    let descriptors: Int
    /// The number of bytes that this process has caused to be written to the disk, in whole pages of 4,096 bytes; nil
    /// if the kernel does not count them.
    let written: Int?

    /// The figures of this process at this moment.
    static var now: ProcessFigures {
        let pages = text("/proc/self/statm").split(separator: " ").dropFirst().first.flatMap { Int($0) } ?? 0
        let written = text("/proc/self/io").split(separator: "\n").first { $0.hasPrefix("write_bytes:") }
        let open = (try? FileManager.default.contentsOfDirectory(atPath: "/proc/self/fd"))?.count ?? 0
        return ProcessFigures(
            resident: pages * Int(getpagesize()), descriptors: open - 1,  // the listing itself had the folder open
            written: written?.split(separator: " ").last.flatMap { Int($0) })
    }

    private static func text(_ path: String) -> String { (try? String(contentsOfFile: path, encoding: .utf8)) ?? "" }
}
