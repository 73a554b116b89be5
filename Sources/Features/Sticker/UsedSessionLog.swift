import Crypto
import Encoding
import Glibc
import Kiosk
import LinuxIO

/// The log of used sessions: a file with the sessions that used a printed key. Entries are only appended, and each is
/// synced. The file has at most 16 MB.
///
/// The log belongs to one key, whose hash its head contains, and is created together with that key. A key is not in
/// force if its log is missing, damaged or that of another key. A last entry that a power cut left incomplete is
/// ignored: the session of this entry received no answer. Not thread-safe. Every method waits for the disk.
final class UsedSessionLog {
    /// The sizes of the head and of an entry in bytes. An entry consists of the name of a session and a check value,
    /// eight bytes each.
    private static let (headBytes, entryBytes) = (StickerKey.sessionsHeadBytes, 16)
    /// The maximum number of names that are kept in memory while the disk fails. While the key is in force no name
    /// may be forgotten.
    private static let mostWaiting = 10_000

    /// The sessions that the log contained when it was opened, for ``Kiosk/Kiosk``.
    let used: UsedSessions
    /// The number of entries on the disk.
    private(set) var count: Int
    private let path: String
    private let file: OpenFile
    private let limit: Int
    /// The names that are not on the disk yet, oldest first.
    private var waiting: [UInt64] = []

    /// Whether the log has no space for another session.
    var isFull: Bool { count + waiting.count >= limit }

    /// Opens the log of a key. Throws if another process has it open. The log has space for `limit` sessions.
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

    /// Appends the name of a session. The name is durable when this returns. If a write fails, its name is written
    /// again before the next one, because the content of the disk is unknown after a failed sync.
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

    /// Throws if the file is no longer at its path, where the next start expects it, or has become shorter.
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

    /// Returns the check value of an entry. It distinguishes the entry from zeros, from an incomplete entry and from
    /// an entry of another position. It does not protect against deliberate changes.
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
                    return names  // a power cut left the last entry incomplete
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
