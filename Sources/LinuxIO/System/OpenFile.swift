import Glibc
import SystemPackage

/// An open file or folder. All code opens, reads, writes and syncs files with this type; the exceptions are listed in
/// `Tests/RepositoryTests/FileOwnerTests.swift`.
///
/// A call that a signal interrupts is repeated. The descriptor is closed with the last reference to the object, and
/// child programs do not inherit it. Opening a terminal does not make it the controlling terminal. Not thread-safe.
package final class OpenFile {
    /// The purpose for which a file is opened. It also says whether the file must exist.
    package enum Purpose {
        /// To read a file that exists.
        case reading
        /// To overwrite a file that exists, from its beginning.
        case writing
        /// To read and write a file that exists.
        case updating
        /// To create a file with this mode, and write it. The name must not exist, not even as a symbolic link.
        case making(mode: UInt32)
        /// To read and write a file. If it does not exist, it is created with this mode.
        case keeping(mode: UInt32)
        /// To empty and write a file. If it does not exist, it is created with this mode.
        case replacing(mode: UInt32)
        /// To list, lock or sync a folder that exists.
        case folder
        /// To use names in a folder that exists. This requires no permission to read the folder.
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

    /// Whether a symbolic link at the end of a path is followed. Links before the end are always followed.
    package enum Links: Hashable, Sendable {
        /// The file to which the link leads is opened.
        case followed
        /// The link is not followed: it cannot be opened, and its own attributes can be read.
        case notFollowed
    }

    /// The maximum number of bytes of one read(2) call. A longer read needs several calls.
    private static let pieceBytes = 64 * 1024

    /// The path of the file, for error messages.
    package let path: String
    private var file: FileDescriptor?
    private let isOwned: Bool
    private var isLocked = false

    /// The descriptor, for system calls that this type does not offer; -1 after ``close()``. The caller must keep a
    /// reference to this object until such a call has returned.
    package var descriptor: Int32 { file?.rawValue ?? -1 }

    /// Opens a file.
    ///
    /// - Parameters:
    ///   - path: The path of the file or, with `folder`, a name in that folder.
    ///   - purpose: The purpose for which the file is opened.
    ///   - links: Whether a symbolic link at the end of the path is followed.
    ///   - mayWait: Whether the call, and later reads, may wait for the process at the other end of a pipe.
    ///   - folder: The open folder that contains the file. It is used even if its path now leads to another folder.
    ///     Nil: `path` is the whole path.
    ///   - operation: The operation in error messages, which begin with it.
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

    /// Uses an open descriptor, which this object does not close. `name` is the file's name in error messages.
    package init(borrowing descriptor: Int32, _ name: String) {
        (path, file, isOwned) = (name, FileDescriptor(rawValue: descriptor), false)
    }

    deinit { close() }

    /// Opens the file `name` in a folder with openat(2), which swift-system 1.8 does not offer.
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

    /// Returns the path of the entry `name` of this folder.
    func path(of name: String) -> String { path.hasSuffix("/") ? path + name : path + "/" + name }

    /// Closes the file and releases its lock. Later calls of other methods throw.
    package func close() {
        // Unlock explicitly: a child process that is just being started may still have a copy of the descriptor,
        // which would keep the lock.
        if isLocked { flock(descriptor, LOCK_UN) }
        if isOwned { try? file?.close() }
        (file, isLocked) = (nil, false)
    }

    /// Returns the descriptor, which this object no longer uses. The caller must close it.
    func release() -> Int32 {
        defer { file = nil }
        return descriptor
    }

    /// Acquires the exclusive lock of the file (flock(2)) without waiting. The lock is released when the file is
    /// closed. Throws an error with the code `EWOULDBLOCK` if another process has the lock.
    package func lock() throws(SystemError) {
        try attempt("locking") { file in
            guard flock(file.rawValue, LOCK_EX | LOCK_NB) == 0 else { throw Errno(rawValue: errno) }
        }
        isLocked = true
    }

    /// Returns the attributes of the file.
    package func status() throws(SystemError) -> FileStatus { try FileStatus(of: descriptor, path) }

    /// Whether the file is a regular file.
    package var isFile: Bool { (try? status())?.kind == .file }

    /// Returns up to `limit` bytes with one call of read(2). A pipe may return fewer bytes although more follow
    /// later.
    package func readOnce(_ limit: Int) throws(SystemError) -> [UInt8] {
        var bytes = [UInt8](repeating: 0, count: limit)
        let count = try attempt("reading") { file in try bytes.withUnsafeMutableBytes { try file.read(into: $0) } }
        return Array(bytes.prefix(count))
    }

    /// Returns the bytes from the present position to the end of the file, at most `limit`. `expected` is the
    /// probable number of bytes, for which memory is reserved.
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

    /// Returns `count` bytes from `offset` on, or fewer if the file ends before. Does not change the position for
    /// other calls.
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

    /// Writes all bytes: without `offset` at the present position, which then moves, otherwise from `offset` on.
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

    /// Sets the position to the beginning of the file.
    package func rewind() throws(SystemError) {
        try attempt("reading") { file in _ = try file.seek(offset: 0, from: .start) }
    }

    /// Truncates or extends the file to `bytes` bytes.
    package func resize(to bytes: Int) throws(SystemError) {
        try attempt("writing") { file in try file.resize(to: Int64(bytes)) }
    }

    /// Waits until everything that was written is on the disk. For a folder: until its entries are on the disk.
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
    /// Converts an error of swift-system. swift-system throws only `Errno`; any other error becomes EIO.
    init(_ operation: String, _ error: any Error) { self.init(operation, code: (error as? Errno ?? .ioError).rawValue) }
}
