import Glibc
import SystemPackage

/// An open file or folder. All code opens, reads, writes and syncs files with this type; the exceptions are listed in
/// `Tests/RepositoryTests/FileOwnerTests.swift`.
///
/// A call that a signal interrupts is repeated. The descriptor is closed with the last reference, and no program that
/// this one starts inherits it. Opening makes no terminal the controlling terminal. Not thread-safe.
package final class OpenFile {
    /// What a file is opened for.
    package enum Purpose {
        /// The file exists, and is read.
        case reading
        /// The file exists, and is written from its beginning.
        case writing
        /// The file exists, and is read and written.
        case updating
        /// The file does not exist, not even as a symbolic link, and is made with this mode.
        case making(mode: UInt32)
        /// The file is read and written, and is made with this mode if it does not exist.
        case keeping(mode: UInt32)
        /// The file is emptied and written, and is made with this mode if it does not exist.
        case replacing(mode: UInt32)
        /// The folder exists, and can be listed, locked and synced.
        case folder
        /// The folder exists, and names in it are used. This needs no right to read the folder.
        case place

        fileprivate var access: FileDescriptor.AccessMode {
            switch self {
            case .reading, .folder, .place: .readOnly
            case .writing, .replacing: .writeOnly
            case .updating, .making, .keeping: .readWrite
            }
        }

        fileprivate var options: FileDescriptor.OpenOptions {
            switch self {
            case .reading, .writing, .updating: []
            case .making: [.create, .exclusiveCreate]
            case .keeping: .create
            case .replacing: [.create, .truncate]
            case .folder: .directory
            // The flag `O_PATH`, which neither Swift's Glibc module nor swift-system imports.
            case .place: [.directory, .init(rawValue: 0o10000000)]
            }
        }

        fileprivate var mode: FilePermissions? {
            switch self {
            case .making(let mode), .keeping(let mode), .replacing(let mode): FilePermissions(rawValue: mode)
            case .reading, .writing, .updating, .folder, .place: nil
            }
        }
    }

    /// What a symbolic link at the end of a path means. Links before the end are always followed.
    package enum Links: Hashable, Sendable {
        /// The link leads to the file.
        case followed
        /// The link itself is meant; it cannot be opened.
        case notFollowed
    }

    /// The largest number of bytes of one read(2) call. A longer read consists of several calls.
    private static let pieceBytes = 64 * 1024

    /// The path, for messages.
    package let path: String
    private var file: FileDescriptor?
    private let isOwned: Bool
    private var isLocked = false

    /// The descriptor, for system calls that this type does not have; -1 after ``close()``. The caller keeps the file
    /// referenced until the call returns.
    package var descriptor: Int32 { file?.rawValue ?? -1 }

    /// Opens a file.
    ///
    /// - Parameters:
    ///   - path: The path; with `folder`: a name in that folder.
    ///   - purpose: What the file is opened for.
    ///   - links: What a symbolic link at the end of the path means.
    ///   - mayWait: Whether the call, and later reads, may wait for the process at the other end of a pipe.
    ///   - folder: The folder that holds the file, even if its path names another folder by now; nil: the path alone.
    ///   - operation: The beginning of the message of an error.
    package init(
        _ path: String, _ purpose: Purpose, links: Links = .notFollowed, mayWait: Bool = false,
        in folder: OpenFile? = nil, operation: String = "opening"
    ) throws(SystemError) {
        self.path = folder?.path(of: path) ?? path
        isOwned = true
        var options = purpose.options.union([.closeOnExec, .init(rawValue: O_NOCTTY)])
        if links == .notFollowed { options.insert(.noFollow) }
        if !mayWait { options.insert(.nonBlocking) }
        do {
            file =
                if let folder {
                    try Self.open(path, in: folder, purpose, options)
                } else {
                    try FileDescriptor.open(path, purpose.access, options: options, permissions: purpose.mode)
                }
        } catch {
            throw SystemError("\(operation) \(self.path)", error)
        }
    }

    /// Uses an open descriptor, which this object does not close. `name`: for messages.
    package init(borrowing descriptor: Int32, _ name: String) {
        (path, file, isOwned) = (name, FileDescriptor(rawValue: descriptor), false)
    }

    deinit { close() }

    /// Opens a name in a folder. swift-system 1.8 does not offer openat(2).
    private static func open(
        _ name: String, in folder: OpenFile, _ purpose: Purpose, _ options: FileDescriptor.OpenOptions
    ) throws(Errno) -> FileDescriptor {
        while true {
            let file = openat(
                folder.descriptor, name, purpose.access.rawValue | options.rawValue, purpose.mode?.rawValue ?? 0)
            if file >= 0 { return FileDescriptor(rawValue: file) }
            let code = Errno(rawValue: errno)
            guard code == .interrupted else { throw code }
        }
    }

    /// Returns the path of a name in this folder.
    func path(of name: String) -> String { path.hasSuffix("/") ? path + name : path + "/" + name }

    /// Closes the file and releases its lock. Later calls fail.
    package func close() {
        // Unlock explicitly: a child process that is just being spawned may still hold a copy of the descriptor.
        if isLocked { flock(descriptor, LOCK_UN) }
        if isOwned { try? file?.close() }
        (file, isLocked) = (nil, false)
    }

    /// Gives up the descriptor, which the caller then closes.
    func release() -> Int32 {
        defer { file = nil }
        return descriptor
    }

    /// Takes the exclusive lock of the file (flock(2)) without waiting. The lock is released when the file is closed.
    /// Throws with the code `EWOULDBLOCK` if another process holds it.
    package func lock() throws(SystemError) {
        try attempt("locking") { file in
            guard flock(file.rawValue, LOCK_EX | LOCK_NB) == 0 else { throw Errno(rawValue: errno) }
        }
        isLocked = true
    }

    /// Returns what the kernel states about the file.
    package func status() throws(SystemError) -> FileStatus { try FileStatus(of: descriptor, path) }

    /// Whether this is a regular file.
    package var isFile: Bool { (try? status())?.kind == .file }

    /// Returns up to `limit` bytes by one call: fewer if a pipe has no more at present.
    package func readOnce(_ limit: Int) throws(SystemError) -> [UInt8] {
        var bytes = [UInt8](repeating: 0, count: limit)
        let count = try attempt("reading") { file in try bytes.withUnsafeMutableBytes { try file.read(into: $0) } }
        return Array(bytes.prefix(count))
    }

    /// Returns the bytes up to the end of the file, at most `limit`. `expected`: the probable number of bytes, for
    /// which memory is reserved.
    package func read(_ limit: Int, expected: Int = 0) throws(SystemError) -> [UInt8] {
        var bytes: [UInt8] = []
        bytes.reserveCapacity(min(max(expected, 0), limit))
        var piece = [UInt8](repeating: 0, count: min(limit, Self.pieceBytes))
        while bytes.count < limit {
            let wanted = min(piece.count, limit - bytes.count)
            let count = try attempt("reading") { file in
                try piece.withUnsafeMutableBytes { try file.read(into: .init(rebasing: $0[..<wanted])) }
            }
            if count == 0 { break }
            bytes += piece[..<count]
        }
        return bytes
    }

    /// Returns `count` bytes from `offset` on; fewer if the file ends before. The position for other calls stays.
    package func read(_ count: Int, at offset: Int) throws(SystemError) -> [UInt8] {
        var bytes = [UInt8](repeating: 0, count: count)
        var done = 0
        while done < count {
            let more = try attempt("reading") { file in
                try bytes.withUnsafeMutableBytes {
                    try file.read(fromAbsoluteOffset: Int64(offset + done), into: .init(rebasing: $0[done...]))
                }
            }
            if more == 0 { break }
            done += more
        }
        return Array(bytes.prefix(done))
    }

    /// Writes all bytes: at the position, which moves, or from `offset` on.
    package func write(_ bytes: some Collection<UInt8>, at offset: Int? = nil) throws(SystemError) {
        let bytes = Array(bytes)
        var done = 0
        while done < bytes.count {
            let count = try attempt("writing") { file in
                try bytes[done...].withUnsafeBytes {
                    guard let offset else { return try file.write($0) }
                    return try file.write(toAbsoluteOffset: Int64(offset + done), $0)
                }
            }
            guard count > 0 else { throw SystemError("writing \(path)", code: ENOSPC) }
            done += count
        }
    }

    /// Continues at the beginning of the file.
    package func rewind() throws(SystemError) {
        try attempt("reading") { file in _ = try file.seek(offset: 0, from: .start) }
    }

    /// Makes the file exactly `bytes` long.
    package func resize(to bytes: Int) throws(SystemError) {
        try attempt("writing") { file in try file.resize(to: Int64(bytes)) }
    }

    /// Waits until everything that was written is on the disk; for a folder: its entries.
    package func sync() throws(SystemError) {
        try attempt("writing") { file in
            while fsync(file.rawValue) != 0 {
                guard errno == EINTR else { throw Errno(rawValue: errno) }
            }
        }
    }

    /// Waits until the content of the file is on the disk. Returns 0, or -1 with `errno` set, as fdatasync(2) does.
    package static func syncData(_ descriptor: Int32) -> Int32 { fdatasync(descriptor) }

    private func attempt<Value>(_ operation: String, _ body: (FileDescriptor) throws -> Value) throws(SystemError)
        -> Value
    {
        guard let file else { throw SystemError("\(operation) \(path)", code: EBADF) }
        do { return try body(file) } catch { throw SystemError("\(operation) \(path)", error) }
    }
}

extension SystemError {
    /// Creates the error of an operation that swift-system reports: it throws only `Errno`.
    init(_ operation: String, _ error: any Error) { self.init(operation, code: (error as? Errno ?? .ioError).rawValue) }
}
