import Encoding
import Glibc
import Synchronization

/// The destination of the log's lines: a stream of the process, or a file. While the file cannot be written, lines
/// are written to a stream instead.
///
/// Before each line, the path of the file is checked: if the file was renamed or deleted, a new one is created. If a
/// file cannot be opened or written, each later line tries again. Writes may block.
final class LogWriter: Sendable {
    private struct File {
        var descriptor: Int32?
        /// Whether the last line in the file is incomplete, because a write failed.
        var isTorn = false
        var isFailing = false
    }

    private let path: String?
    private let stream: Int32?
    /// journald's socket and the function that returns message identifiers; nil if the lines do not go to journald.
    private let journal: (socket: JournalSocket, id: @Sendable (String) -> String?)?
    private let report: @Sendable (SystemError?) -> Void
    private let file = Mutex(File())

    /// Opens the output. Calls `report` with the reason when lines are written to `fallback`, and with nil when they
    /// are written to the file again. Throws if the file cannot be opened and `fallback` is nil.
    init(
        _ output: LogSink.Output, fallback: LogSink.Output?, journal: LogSink.Journal,
        report: @escaping @Sendable (SystemError?) -> Void
    ) throws(SystemError) {
        (path, stream) = (output.path, output.stream ?? fallback?.stream)
        self.journal = [output, fallback].contains(.journal) ? (JournalSocket(journal.path), journal.id) : nil
        self.report = report
        guard let path else { return }
        do throws(SystemError) {
            let descriptor = try Self.open(path)
            file.withLock { $0.descriptor = descriptor }
        } catch {
            guard stream != nil else { throw error }
            file.withLock { $0.isFailing = true }
            report(error)
        }
    }

    deinit { file.withLock { if let descriptor = $0.descriptor { close(descriptor) } } }

    /// Writes a line. Returns whether the file, the stream or journald accepted it.
    func write(_ record: LogRecord) -> Bool {
        guard let path else { return isTaken(record) }
        let (error, isNews) = file.withLock { file in
            let error = Self.append(record.line, path, &file)
            defer { file.isFailing = error != nil }
            return (error, file.isFailing != (error != nil))
        }
        if isNews { report(error) }
        return error == nil || isTaken(record)
    }

    /// Writes a line to journald or to the stream. Returns whether it was accepted. If journald's socket does not
    /// exist, writes the line to standard error, which may still lead to journald; journald then stores it without
    /// fields.
    private func isTaken(_ record: LogRecord) -> Bool {
        guard let stream else { return false }
        guard let journal else { return Self.isWritten(record.line, to: stream) }
        let name = record.members["code"]?.string?.string ?? record.event
        switch journal.socket.send(JournalEntry.datagram(record, id: journal.id(name))) {
        case .sent: return true
        case .full: return false
        case .absent: return Self.isWritten(Array("<\(record.level.severity)>".utf8) + record.line, to: stream)
        }
    }

    private static func isWritten(_ bytes: [UInt8], to stream: Int32) -> Bool {
        write(bytes, to: stream) == bytes.count
    }

    private static func append(_ line: [UInt8], _ path: String, _ file: inout File) -> SystemError? {
        do throws(SystemError) {
            if let descriptor = file.descriptor, isMoved(descriptor, from: path) {
                close(descriptor)
                (file.descriptor, file.isTorn) = (nil, false)
            }
            let descriptor = if let open = file.descriptor { open } else { try open(path) }
            file.descriptor = descriptor
            let bytes = file.isTorn ? [0x0A] + line : line
            let count = write(bytes, to: descriptor)
            let code = errno
            if count > 0 || !file.isTorn { file.isTorn = count > 0 && count < bytes.count }
            guard count == bytes.count else { throw SystemError("writing the log \(path)", code: code) }
            return nil
        } catch {
            return error
        }
    }

    /// Returns whether the path no longer leads to the open file. Checks only regular files, because a pipe is not
    /// rotated.
    private static func isMoved(_ descriptor: Int32, from path: String) -> Bool {
        guard let open = try? FileStatus(of: descriptor, path), open.kind == .file else { return false }
        return (try? FileStatus(path, links: .followed))?.identity != open.identity
    }

    private static func open(_ path: String) throws(SystemError) -> Int32 {
        // Do not wait until a pipe has a reader: a pipe without a reader is an error.
        let descriptor = Glibc.open(path, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC | O_NONBLOCK, 0o640)
        guard descriptor >= 0 else {
            throw SystemError("opening the log \(path)", code: errno, remedy: "Check log.path and its folder.")
        }
        // Let writes wait for a slow reader of a pipe. Only the log's thread waits, which has no other work.
        _ = fcntl(descriptor, F_SETFL, O_WRONLY | O_APPEND)
        return descriptor
    }

    /// Returns the number of bytes that were written.
    private static func write(_ bytes: [UInt8], to descriptor: Int32) -> Int {
        var rest = bytes[...]
        while !rest.isEmpty {
            let count = rest.withUnsafeBytes { Glibc.write(descriptor, $0.baseAddress, $0.count) }
            if count > 0 { rest = rest.dropFirst(count) } else if errno != EINTR { break }
        }
        return bytes.count - rest.count
    }
}

extension LogSink.Output {
    /// The path of the file; nil for a stream.
    fileprivate var path: String? { if case .file(let path) = self { path } else { nil } }

    /// The descriptor of the stream; nil for a file.
    fileprivate var stream: Int32? {
        switch self {
        case .standardOutput: 1
        case .standardError, .journal: 2
        case .file: nil
        }
    }
}
