import Foundation
import Glibc

/// The memory of a process (/proc/PID/mem, proc(5)). Only root and the user of that process may read it.
package struct ProcessMemory: Sendable {
    /// The error that the memory cannot be read.
    package struct Unreadable: Error {}

    private let folder: String

    /// Creates an object for the memory of the process with the id `process`; nil: the calling process.
    package init(of process: Int32? = nil) {
        folder = "/proc/" + (process.map { "\($0)" } ?? "self")
    }

    /// Returns `count` bytes from an address on; fewer bytes, or none, if no memory is mapped there.
    package func bytes(at address: UInt, count: Int) -> [UInt8] {
        let memory = open(folder + "/mem", O_RDONLY | O_CLOEXEC)
        guard memory >= 0 else { return [] }
        defer { close(memory) }
        return [UInt8](unsafeUninitializedCapacity: count) { buffer, filled in
            filled = max(0, pread(memory, buffer.baseAddress, count, off_t(address)))
        }
    }

    /// Returns the bytes that follow each occurrence of `prefix` in the writable memory of the process: heap, stacks
    /// and variables.
    ///
    /// - Parameters:
    ///   - prefix: An ASCII text. Swift stores every string as contiguous UTF-8, so the search finds every occurrence.
    ///   - count: The number of bytes after the prefix to return.
    /// - Returns: Each different continuation, with the number of its occurrences.
    package func continuations(of prefix: String, count: Int) throws -> [String: Int] {
        let memory = open(folder + "/mem", O_RDONLY | O_CLOEXEC)
        guard memory >= 0 else { throw Unreadable() }
        defer { close(memory) }
        let sought = Array(prefix.utf8)
        var found: [String: Int] = [:]
        for region in try writableRegions() {
            let room = UnsafeMutableRawBufferPointer.allocate(byteCount: Int(region.count), alignment: 1)
            defer { room.deallocate() }
            let size = pread(memory, room.baseAddress, room.count, off_t(region.lowerBound))
            guard size > 0 else { continue }
            let bytes = UnsafeRawBufferPointer(rebasing: room[..<size])
            for end in Self.ends(of: sought, in: bytes) {
                found[String(decoding: bytes[end...].prefix(count), as: UTF8.self), default: 0] += 1
            }
        }
        return found
    }

    /// Returns the writable regions in /proc/PID/maps, whose lines have the form `LOW-HIGH rw-p …`.
    private func writableRegions() throws -> [Range<UInt>] {
        try String(contentsOfFile: folder + "/maps", encoding: .utf8).split(separator: "\n").compactMap { line in
            let words = line.split(separator: " ", maxSplits: 2)
            let ends = (words.first ?? "").split(separator: "-").compactMap { UInt($0, radix: 16) }
            guard words.count > 1, words[1].contains("w"), ends.count == 2, ends[0] < ends[1] else { return nil }
            return ends[0]..<ends[1]
        }
    }

    /// Returns the offset after each occurrence of `sought`. Uses memchr(3) to find its first byte: most memory of a
    /// process is zero, and an unoptimised loop over all of it takes minutes.
    private static func ends(of sought: [UInt8], in bytes: UnsafeRawBufferPointer) -> [Int] {
        guard let start = bytes.baseAddress, let first = sought.first else { return [] }
        var (ends, place): ([Int], Int) = ([], 0)
        while let found = memchr(start + place, Int32(first), bytes.count - place) {
            place = UnsafeRawPointer(found) - start + 1
            let end = place - 1 + sought.count
            if end <= bytes.count, memcmp(found, sought, sought.count) == 0 { ends.append(end) }
        }
        return ends
    }
}
