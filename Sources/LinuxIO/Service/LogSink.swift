package import Encoding
import Synchronization

/// Writes event lines as JSON: `{"time":"2026-01-02T03:04:05.678Z","level":"info","event":"gate.opened",…}`, each in
/// one write.
///
/// The names of events never change. Callers must not log claims, credential bytes or keys. A separate thread writes
/// the lines, so no caller waits. Lines that cannot be queued or written are dropped, and the next line is preceded
/// by a line with their number. So neither a full disk nor a reader that hangs can stop the gate. A log file that was
/// renamed or deleted is created again for the next line, so the file can be rotated at any time.
package final class LogSink: Sendable {
    /// The severity of a line.
    package enum Level: String, CaseIterable, Comparable, Sendable {
        case debug, info, warning, error

        /// The severity on syslog's scale (RFC 5424 section 6.2.1), 3 to 7. journald accepts it as the prefix `<N>`
        /// of a line.
        var severity: Int {
            switch self {
            case .debug: 7
            case .info: 6
            case .warning: 4
            case .error: 3
            }
        }

        package static func < (left: Level, right: Level) -> Bool { left.severity > right.severity }
    }

    /// The destination of the lines.
    package enum Output: Hashable, Sendable {
        case standardOutput
        case standardError
        /// The log file at the given path. Lines are appended, and the file is created if it does not exist.
        case file(String)
        /// journald, with its native protocol. If journald's socket does not exist, lines are written to standard
        /// error, each with its severity as a prefix, for example `<6>`.
        case journal
    }

    /// The settings for journald.
    package struct Journal: Sendable {
        /// The path of journald's socket.
        package var path = "/run/systemd/journal/socket"
        /// Returns the identifier of a kind of line (MESSAGE_ID, 32 hexadecimal digits) for a reason code or, for
        /// lines without a code, an event; nil: the lines have no identifier.
        package var id: @Sendable (String) -> String? = { _ in nil }

        /// Creates settings with the default path and without identifiers.
        package init() {}

        /// Returns whether standard error leads to journald. `stream` is the value of `JOURNAL_STREAM`.
        package static func isStandardError(_ stream: String?) -> Bool { JournalSocket.isStandardError(stream) }
    }

    /// The maximum number of queued lines. They need some hundred kilobytes.
    private static let queueLimit = 1024

    private let writer: LogWriter
    private let failed = Atomic<Int>(0)
    private let told = Atomic<Int>(0)
    private let thread: BackgroundThread
    private let minimum: Level
    private let now: @Sendable () -> Timestamp

    /// Opens the output of the log.
    ///
    /// While a log file cannot be opened or written, lines are written to `fallback`. `report` is then called on the
    /// log's thread with the reason, and with nil when lines are written to the file again.
    ///
    /// - Parameters:
    ///   - output: The destination of the lines.
    ///   - minimum: The lowest level of the lines that are written.
    ///   - fallback: The output in place of the file; nil: throw if the file cannot be opened.
    ///   - journal: The settings for journald.
    ///   - now: Returns the time of a line.
    ///   - report: Receives the reason why the file cannot be written, and nil when it can again.
    package init(
        _ output: Output, minimum: Level = .info, fallback: Output? = nil, journal: Journal = Journal(),
        now: @escaping @Sendable () -> Timestamp = { SystemClock.utc() },
        report: @escaping @Sendable (SystemError?) -> Void = { _ in }
    ) throws(SystemError) {
        self.minimum = minimum
        self.now = now
        writer = try LogWriter(output, fallback: fallback, journal: journal, report: report)
        thread = try BackgroundThread(name: "gatehouse-log", limit: Self.queueLimit)
    }

    /// The number of log lines dropped since the start.
    package var dropped: Int { thread.dropped + failed.load(ordering: .relaxed) }

    /// Queues one line. `members` follow the time, the level and the event. Never blocks.
    package func log(_ level: Level, _ event: String, _ members: JSONObject = [:]) {
        guard level >= minimum else { return }
        let record = LogRecord(time: now(), level: level, event: event, members: members)
        thread.run { [self] in
            let dropped = dropped
            let untold = dropped - told.load(ordering: .relaxed)
            let loss = LogRecord(time: now(), level: .warning, event: "log.dropped", members: ["lines": .int(untold)])
            if untold > 0, writer.write(loss) { told.store(dropped, ordering: .relaxed) }
            if !writer.write(record) { failed.add(1, ordering: .relaxed) }
        }
    }

    /// Waits until all queued lines have been written, for at most `limit`. Returns whether they have.
    package func flush(within limit: Duration = .seconds(1)) -> Bool { thread.flush(within: limit) }
}
