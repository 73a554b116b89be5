import Dispatch
import Encoding
import Glibc
package import Ledger
import LinuxIO

/// The reserve: disk space allocated in advance for outcomes that the database cannot store, for example on a full
/// disk.
///
/// The reserve is a separate file, preferably on another disk (`ledger.reserve`). Each record is written and synced
/// by itself (``ReserveLog``). When the ledger works again, or at the next start, the records are copied into the
/// ledger. The ledger refuses a second outcome of a visit, so a repeated copy does no harm. The class is not
/// thread-safe: only ``LedgerKeeper`` uses it. Every method except ``aside(_:)`` blocks on the disk.
package final class Reserve {
    /// The default size of the reserve in bytes: 1,000 records of 4 KiB. An ordinary record has less than 1 KiB.
    package static let defaultBytes = 4 * 1024 * 1024

    /// The path of the file.
    package let path: String
    /// The number of records in the reserve that are not in the ledger.
    package var count: Int { log.count - restored }

    private let file: OpenFile
    private let capacity: Int
    private let sync: @Sendable (Int32) -> Int32
    private let queue = DispatchQueue(label: "reserve")
    private var log: ReserveLog
    /// The number of records that are already in the ledger, counted from the beginning of the file.
    private var restored = 0

    /// Opens the file at `path`, or creates it (mode 0600), and extends it with zeros to `bytes` bytes, so that a
    /// full disk cannot refuse records later. The reserve then contains the records of an earlier run. `sync` makes
    /// written bytes durable and returns 0 on success. Tests replace `sync` to simulate a disk that does not respond.
    package init(
        path: String, bytes: Int = Reserve.defaultBytes,
        sync: @escaping @Sendable (Int32) -> Int32 = { OpenFile.syncData($0) }
    ) throws(StoreError) {
        let file = try StoreFile.with(path) { () throws(SystemError) in try OpenFile(path, .keeping(mode: 0o600)) }
        do throws(SystemError) { try file.lock() } catch { throw .locked(path: path, owner: nil) }
        let status = try StoreFile.with(path) { () throws(SystemError) in try file.status() }
        guard status.kind == .file else { throw .foreign(path: path) }
        if status.size < bytes { try Self.extend(file, from: status.size, to: bytes) }
        let capacity = max(status.size, bytes)
        log = ReserveLog.read(try Self.read(file, capacity)).log
        (self.path, self.file, self.sync, self.capacity) = (path, file, sync, capacity)
        if log.count == 0 { try empty() }
    }

    /// Runs `work` with the reserve on a separate thread and returns its result. A disk may take seconds, and tasks
    /// share few threads. The caller must not use the reserve until the function returns.
    package func aside<Result: Sendable>(_ work: @escaping @Sendable (Reserve) -> Result) async -> Result {
        // Unsafe, because the compiler cannot know that each caller waits for the result before the next call.
        nonisolated(unsafe) let reserve = self
        return await withCheckedContinuation { continuation in
            queue.async { continuation.resume(returning: work(reserve)) }
        }
    }

    /// Adds all outcomes or, on an error, none. After the return they survive a power cut. Throws `diskFull` if the
    /// reserve has no room for them, and `replaced` if the path no longer leads to the open file: the next start
    /// would not find the outcomes.
    package func append(_ outcomes: [UnwrittenOutcome]) throws(StoreError) {
        try checkPlace()
        var next = log
        let bytes = outcomes.flatMap { next.append($0.bytes()) }
        guard next.end <= capacity else { throw .diskFull(path: path) }
        try write(bytes, at: log.end)
        log = next
    }

    private func checkPlace() throws(StoreError) {
        let ours = try StoreFile.with(path) { () throws(SystemError) in try file.status() }
        guard let there = try? FileStatus(path) else { throw .replaced(path: path, detail: "was deleted") }
        guard there.identity == ours.identity else {
            throw .replaced(path: path, detail: "was replaced")
        }
    }

    /// Returns the oldest outcomes in the reserve that are not in the ledger yet, at most `limit`.
    package func first(_ limit: Int) throws(StoreError) -> [UnwrittenOutcome] {
        let found = ReserveLog.read(try Self.read(file, log.end))
        guard found.log == log else { throw .unreadable(path: path, detail: "its records are damaged") }
        let bodies = found.bodies.dropFirst(restored).prefix(limit)
        return bodies.map { UnwrittenOutcome(bytes: $0) ?? .unreadable }
    }

    /// Records that the first `number` of the records that ``first(_:)`` returns are now in the ledger. Empties the
    /// file when no further record is left.
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
        try StoreFile.with(path) { () throws(SystemError) in try file.write(bytes, at: offset) }
        guard sync(file.descriptor) == 0 else { throw StoreFile.failure(path) }
    }

    private static func extend(_ file: OpenFile, from size: Int, to bytes: Int) throws(StoreError) {
        let result = withExtendedLifetime(file) { posix_fallocate(file.descriptor, 0, off_t(bytes)) }
        guard result == 0 else { throw StoreFile.failure(file.path, result) }
        // A file system may need more space when allocated blocks are written for the first time, so write them now.
        let zeros = [UInt8](repeating: 0, count: 64 * 1024)
        try StoreFile.with(file.path) { () throws(SystemError) in
            for offset in stride(from: size, to: bytes, by: zeros.count) {
                try file.write(zeros.prefix(bytes - offset), at: offset)
            }
            try file.sync()
        }
        try StoreFile.sync(folder: StoreFile.folder(of: file.path))
    }

    private static func read(_ file: OpenFile, _ count: Int) throws(StoreError) -> [UInt8] {
        try StoreFile.with(file.path) { () throws(SystemError) in try file.read(count, at: 0) }
    }
}

extension UnwrittenOutcome {
    /// The substitute for a record with a valid hash but an unknown format, as a newer version may write. The ledger
    /// refuses the substitute, so the record counts as lost.
    fileprivate static let unreadable = UnwrittenOutcome(
        visit: "", outcome: Outcome(.failed, gate: .shut, software: .init(name: "", version: "")),
        stamp: RecordStamp(
            kiosk: "", boot: "", time: WallTime(utc: Timestamp(seconds: 0), provenance: .unset), monotonic: .zero))
}
