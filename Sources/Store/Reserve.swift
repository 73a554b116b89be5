import Dispatch
import Encoding
import Glibc
package import Ledger

/// Disk space allocated in advance for outcomes that the database refuses, so that even a full disk can store them.
///
/// The reserve is a separate file, preferably on another disk (`ledger.reserve`), written and synced record by record
/// (``ReserveLog``). The records are copied into the ledger when the ledger works again, or at the next start. A record
/// in both is recorded once, because the ledger refuses the second. The class is not thread-safe: only ``LedgerKeeper``
/// uses it. Every method except ``aside(_:)`` blocks on the disk.
package final class Reserve {
    /// The default size of the reserve in bytes: room for 1,000 records of 4 KiB. An ordinary record has less than 1
    /// KiB.
    package static let defaultBytes = 4 * 1024 * 1024

    /// The path of the file.
    package let path: String
    /// The number of records in the reserve that are not in the ledger.
    package var count: Int { log.count - restored }

    private let descriptor: Int32
    private let capacity: Int
    private let sync: @Sendable (Int32) -> Int32
    private let queue = DispatchQueue(label: "reserve")
    private var log: ReserveLog
    /// The number of records, from the first of the log, that are already in the ledger.
    private var restored = 0

    /// Opens the file at `path`, or creates it with `bytes` zero bytes (mode 0600), so that no disk can refuse them
    /// later. Records of an earlier run are available again. `sync` makes written bytes durable and returns 0 on
    /// success. Tests replace `sync` to simulate a disk that hangs.
    package init(
        path: String, bytes: Int = Reserve.defaultBytes, sync: @escaping @Sendable (Int32) -> Int32 = { fdatasync($0) }
    ) throws(StoreError) {
        let descriptor = open(path, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0o600)
        guard descriptor >= 0 else { throw StoreFile.failure(path) }
        do throws(StoreError) {
            guard flock(descriptor, LOCK_EX | LOCK_NB) == 0 else { throw .locked(path: path, owner: nil) }
            var status = stat()
            guard fstat(descriptor, &status) == 0 else { throw StoreFile.failure(path) }
            guard status.st_mode & S_IFMT == S_IFREG else { throw .foreign(path: path) }
            let size = Int(status.st_size)
            if size < bytes { try Self.extend(descriptor, from: size, to: bytes, path) }
            capacity = max(size, bytes)
            log = ReserveLog.read(try Self.read(descriptor, capacity, path)).log
        } catch {
            close(descriptor)
            throw error
        }
        (self.path, self.descriptor, self.sync) = (path, descriptor, sync)
        if log.count == 0 { try empty() }
    }

    deinit {
        // Unlock explicitly: a child process that is being spawned may still have a copy of the descriptor.
        flock(descriptor, LOCK_UN)
        close(descriptor)
    }

    /// Runs `work` with the reserve on a separate thread and returns the result. A separate thread is used because a
    /// disk may take seconds and tasks share few threads. Do not use the reserve until the result is returned.
    package func aside<Result: Sendable>(_ work: @escaping @Sendable (Reserve) -> Result) async -> Result {
        // Unsafe, because the compiler cannot know that each caller waits for the result before the next call.
        nonisolated(unsafe) let reserve = self
        return await withCheckedContinuation { continuation in
            queue.async { continuation.resume(returning: work(reserve)) }
        }
    }

    /// Adds outcomes, all or none. After the return they survive a power cut. Throws `replaced` if the file is no
    /// longer at its path, because the next start would not find it.
    package func append(_ outcomes: [UnwrittenOutcome]) throws(StoreError) {
        try checkPlace()
        var next = log
        let bytes = outcomes.flatMap { next.append($0.bytes()) }
        guard next.end <= capacity else { throw .diskFull(path: path) }
        try write(bytes, at: log.end)
        log = next
    }

    private func checkPlace() throws(StoreError) {
        var (ours, there) = (stat(), stat())
        guard fstat(descriptor, &ours) == 0 else { throw StoreFile.failure(path) }
        guard lstat(path, &there) == 0 else { throw .replaced(path: path, detail: "was deleted") }
        guard there.st_dev == ours.st_dev, there.st_ino == ours.st_ino else {
            throw .replaced(path: path, detail: "was replaced")
        }
    }

    /// Returns the oldest outcomes that are not in the ledger, at most `limit`.
    package func first(_ limit: Int) throws(StoreError) -> [UnwrittenOutcome] {
        let found = ReserveLog.read(try Self.read(descriptor, log.end, path))
        guard found.log == log else { throw .unreadable(path: path, detail: "its records are damaged") }
        let bodies = found.bodies.dropFirst(restored).prefix(limit)
        return bodies.map { UnwrittenOutcome(bytes: $0) ?? .unreadable }
    }

    /// Records that the first `number` records of the reserve are in the ledger. Empties the file after the last
    /// record.
    package func remove(first number: Int) throws(StoreError) {
        restored = min(restored + number, log.count)
        if count == 0 { try empty() }
    }

    private func empty() throws(StoreError) {
        var random = SystemRandomNumberGenerator()
        let seed = (0..<ReserveLog.seedBytes).map { _ in UInt8.random(in: 0...255, using: &random) }
        try write(seed, at: 0)
        (log, restored) = (ReserveLog(seed: seed), 0)
    }

    private func write(_ bytes: [UInt8], at offset: Int) throws(StoreError) {
        try Self.write(descriptor, bytes, at: offset, path)
        guard sync(descriptor) == 0 else { throw StoreFile.failure(path) }
    }

    private static func extend(_ descriptor: Int32, from size: Int, to bytes: Int, _ path: String) throws(StoreError) {
        let result = posix_fallocate(descriptor, 0, off_t(bytes))
        guard result == 0 else { throw StoreFile.failure(path, result) }
        // Write the blocks now: a file system may need more space to mark allocated blocks as written.
        var offset = size
        let zeros = [UInt8](repeating: 0, count: 64 * 1024)
        while offset < bytes {
            let part = Array(zeros.prefix(bytes - offset))
            try write(descriptor, part, at: offset, path)
            offset += part.count
        }
        guard fsync(descriptor) == 0 else { throw StoreFile.failure(path) }
        try StoreFile.sync(folder: StoreFile.folder(of: path))
    }

    private static func write(_ descriptor: Int32, _ bytes: [UInt8], at offset: Int, _ path: String) throws(StoreError)
    {
        var done = 0
        while done < bytes.count {
            let count = bytes[done...].withUnsafeBytes {
                pwrite(descriptor, $0.baseAddress, $0.count, off_t(offset + done))
            }
            if count < 0, errno == EINTR { continue }
            guard count > 0 else { throw StoreFile.failure(path) }
            done += count
        }
    }

    private static func read(_ descriptor: Int32, _ count: Int, _ path: String) throws(StoreError) -> [UInt8] {
        var bytes = [UInt8](repeating: 0, count: count)
        var done = 0
        while done < count {
            let got = bytes[done...].withUnsafeMutableBytes { pread(descriptor, $0.baseAddress, $0.count, off_t(done)) }
            if got < 0, errno == EINTR { continue }
            guard got >= 0 else { throw StoreFile.failure(path) }
            if got == 0 { break }
            done += got
        }
        return Array(bytes.prefix(done))
    }
}

extension UnwrittenOutcome {
    /// The substitute for a record with a valid hash that this version cannot read. The ledger refuses the substitute,
    /// so it counts as lost.
    fileprivate static let unreadable = UnwrittenOutcome(
        visit: "", outcome: Outcome(.failed, gate: .shut, software: .init(name: "", version: "")),
        stamp: RecordStamp(
            kiosk: "", boot: "", time: WallTime(utc: Timestamp(seconds: 0), provenance: .unset), monotonic: .zero))
}
