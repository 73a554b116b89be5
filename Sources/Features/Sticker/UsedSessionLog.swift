import Crypto
import Encoding
import Glibc
import Kiosk

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
    private let descriptor: Int32
    private let limit: Int
    /// Names that are not on the disk yet, the oldest first.
    private var waiting: [UInt64] = []

    /// Whether the book has no room for another session.
    var isFull: Bool { count + waiting.count >= limit }

    /// Opens the book of that key, which no other process may have open. It has room for `limit` sessions.
    init(_ path: String, of publicKey: [UInt8], limit: Int = UsedSessions.limit) throws(StickerFailure) {
        let descriptor = open(path, O_RDWR | O_CLOEXEC | O_NONBLOCK | O_NOFOLLOW)
        guard descriptor >= 0 else { throw StickerFailure(path, code: errno) }
        do throws(StickerFailure) {
            var status = stat()
            guard fstat(descriptor, &status) == 0, status.st_mode & S_IFMT == S_IFREG else {
                throw StickerFailure("\(path) is not a file", remedy: StickerFailure.files)
            }
            guard flock(descriptor, LOCK_EX | LOCK_NB) == 0 else {
                throw StickerFailure(
                    "\(path) is in use by another process",
                    remedy: "Stop the other gatehouse, then "
                        + "restart.")
            }
            guard try Self.read(descriptor, Self.headBytes, at: 0, path) == StickerKey.sessionsHead(of: publicKey)
            else {
                throw StickerFailure("\(path) belongs to another key", remedy: StickerFailure.files)
            }
            let names = try Self.names(descriptor, size: Int(status.st_size), limit, path)
            (used, count) = (UsedSessions(Set(names)), names.count)
        } catch {
            close(descriptor)
            throw error
        }
        (self.path, self.descriptor, self.limit) = (path, descriptor, limit)
    }

    deinit {
        // Unlock explicitly: a child process that is just being spawned may still hold a copy of the
        // descriptor.
        flock(descriptor, LOCK_UN)
        close(descriptor)
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
            let entry = Self.entry(next, at: count)
            var done = 0
            while done < entry.count {
                let place = off_t(Self.headBytes + count * Self.entryBytes + done)
                let written = entry[done...].withUnsafeBytes { pwrite(descriptor, $0.baseAddress, $0.count, place) }
                if written < 0, errno == EINTR { continue }
                guard written > 0 else { throw StickerFailure(path, code: errno) }
                done += written
            }
            guard fdatasync(descriptor) == 0 else { throw StickerFailure(path, code: errno) }
            count += 1
            waiting.removeFirst()
        }
    }

    /// Checks that the book is still at its path, where the next start looks for it.
    private func checkPlace() throws(StickerFailure) {
        var (ours, there) = (stat(), stat())
        guard fstat(descriptor, &ours) == 0, lstat(path, &there) == 0, there.st_dev == ours.st_dev,
            there.st_ino == ours.st_ino, Int(ours.st_size) >= Self.headBytes + count * Self.entryBytes
        else { throw StickerFailure("\(path) was deleted, replaced or truncated", remedy: StickerFailure.files) }
    }

    private static func entry(_ name: UInt64, at index: Int) -> [UInt8] {
        var bytes: [UInt8] = []
        bytes.appendBE(name)
        bytes.appendBE(check(name, at: index))
        return bytes
    }

    /// Returns a check value that distinguishes an entry from zeros, from a part of an entry and from an
    /// entry of another position. It is no cryptographic seal.
    private static func check(_ name: UInt64, at index: Int) -> UInt64 {
        name &* 0x9E37_79B9_7F4A_7C15 ^ UInt64(index) &* 0xC2B2_AE3D_27D4_EB4F ^ 0x5345_5353_494F_4E31
    }

    private static func names(
        _ descriptor: Int32, size: Int, _ limit: Int, _ path: String
    ) throws(StickerFailure) -> [UInt64] {
        let entries = (size - headBytes) / entryBytes
        guard entries <= limit else {
            throw StickerFailure("\(path) is longer than a log of sessions can be", remedy: StickerFailure.files)
        }
        var names: [UInt64] = []
        names.reserveCapacity(entries)
        while names.count < entries {
            let some = min(entries - names.count, 4096)
            let bytes = try read(descriptor, some * entryBytes, at: headBytes + names.count * entryBytes, path)
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

    private static func read(
        _ descriptor: Int32, _ count: Int, at offset: Int, _ path: String
    ) throws(StickerFailure) -> [UInt8] {
        var bytes = [UInt8](repeating: 0, count: count)
        var done = 0
        while done < count {
            let got = bytes[done...].withUnsafeMutableBytes {
                pread(descriptor, $0.baseAddress, $0.count, off_t(offset + done))
            }
            if got < 0, errno == EINTR { continue }
            guard got >= 0 else { throw StickerFailure(path, code: errno) }
            if got == 0 { break }
            done += got
        }
        return Array(bytes.prefix(done))
    }
}
