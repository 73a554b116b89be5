import Crypto
import Encoding
import Glibc
import Kiosk
import LinuxIO

/// The file of the sessions of a printed key: append-only, synced after each entry, 16 MB at most.
///
/// The book belongs to one key, which its head names, and is created together with that key. A key is not in
/// force if its book is missing, damaged or that of another key. A last entry that a power cut left
/// incomplete was never answered and does not count. Not thread-safe; every method waits for the disk.
final class UsedSessionLog {
    /// The size of the head and of an entry in bytes. An entry is a session's name and a check value of eight
    /// bytes each.
    private static let (headBytes, entryBytes) = (StickerKey.sessionsHeadBytes, 16)
    /// The maximum number of session names that wait for a failing disk. No name may be forgotten while the
    /// key is in force.
    private static let mostWaiting = 10_000

    /// The sessions that the book contained when it was opened, for ``Kiosk/Kiosk``.
    let used: UsedSessions
    /// The number of entries on the disk.
    private(set) var count: Int
    private let path: String
    private let file: OpenFile
    private let limit: Int
    /// Names that are not on the disk yet, the oldest first.
    private var waiting: [UInt64] = []

    /// Whether the book has no room for another session.
    var isFull: Bool { count + waiting.count >= limit }

    /// Opens the book of that key, which no other process may have open. The book has room for `limit` sessions.
    init(_ path: String, of publicKey: [UInt8], limit: Int = UsedSessions.limit) throws(StickerFailure) {
        let file = try StickerFailure.with(path) { () throws(SystemError) in try OpenFile(path, .updating) }
        guard let status = try? file.status(), status.kind == .file else {
            throw StickerFailure("\(path) is not a file", remedy: StickerFailure.files)
        }
        do throws(SystemError) { try file.lock() } catch {
            throw StickerFailure(
                "\(path) is in use by another process", remedy: "Stop the other gatehouse, then restart.")
        }
        guard try Self.read(file, Self.headBytes, at: 0) == StickerKey.sessionsHead(of: publicKey) else {
            throw StickerFailure("\(path) belongs to another key", remedy: StickerFailure.files)
        }
        let names = try Self.names(file, size: status.size, limit)
        (used, count) = (UsedSessions(Set(names)), names.count)
        (self.path, self.file, self.limit) = (path, file, limit)
    }

    /// Writes a session's name. The name survives a power cut once this function returns. A name that failed
    /// is written again before the next one, because after a failed sync it is unknown what is on the disk.
    func append(_ name: UInt64) throws(StickerFailure) {
        guard !isFull, waiting.count < Self.mostWaiting else {
            throw StickerFailure("\(path) is full", remedy: StickerFailure.files)
        }
        waiting.append(name)
        try checkPlace()
        while let next = waiting.first {
            try StickerFailure.with(path) { () throws(SystemError) in
                try file.write(Self.entry(next, at: count), at: Self.headBytes + count * Self.entryBytes)
            }
            guard OpenFile.syncData(file.descriptor) == 0 else { throw StickerFailure(path, code: errno) }
            count += 1
            waiting.removeFirst()
        }
    }

    /// Checks that the book is still at its path, where the next start looks for it.
    private func checkPlace() throws(StickerFailure) {
        guard let ours = try? file.status(), (try? FileStatus(path))?.identity == ours.identity,
            ours.size >= Self.headBytes + count * Self.entryBytes
        else { throw StickerFailure("\(path) was deleted, replaced or truncated", remedy: StickerFailure.files) }
    }

    private static func entry(_ name: UInt64, at index: Int) -> [UInt8] {
        var bytes: [UInt8] = []
        bytes.appendBE(name)
        bytes.appendBE(check(name, at: index))
        return bytes
    }

    /// Returns a check value that distinguishes an entry from zeros, from a part of an entry and from an
    /// entry of another position. The check value is no cryptographic seal.
    private static func check(_ name: UInt64, at index: Int) -> UInt64 {
        name &* 0x9E37_79B9_7F4A_7C15 ^ UInt64(index) &* 0xC2B2_AE3D_27D4_EB4F ^ 0x5345_5353_494F_4E31
    }

    private static func names(_ file: OpenFile, size: Int, _ limit: Int) throws(StickerFailure) -> [UInt64] {
        let path = file.path
        let entries = (size - headBytes) / entryBytes
        guard entries <= limit else {
            throw StickerFailure("\(path) is longer than a log of sessions can be", remedy: StickerFailure.files)
        }
        var names: [UInt64] = []
        names.reserveCapacity(entries)
        while names.count < entries {
            let some = min(entries - names.count, 4096)
            let bytes = try read(file, some * entryBytes, at: headBytes + names.count * entryBytes)
            guard bytes.count == some * entryBytes else { throw StickerFailure(path, code: EIO) }
            for start in stride(from: 0, to: bytes.count, by: entryBytes) {
                let name = number(bytes[start..<start + 8])
                if number(bytes[start + 8..<start + 16]) == check(name, at: names.count) {
                    names.append(name)
                } else if names.count == entries - 1 {
                    return names  // torn by a power cut
                } else {
                    throw StickerFailure("\(path) is damaged", remedy: StickerFailure.files)
                }
            }
        }
        return names
    }

    private static func number(_ bytes: ArraySlice<UInt8>) -> UInt64 { bytes.reduce(0) { $0 << 8 | UInt64($1) } }

    private static func read(_ file: OpenFile, _ count: Int, at offset: Int) throws(StickerFailure) -> [UInt8] {
        try StickerFailure.with(file.path) { () throws(SystemError) in try file.read(count, at: offset) }
    }
}
