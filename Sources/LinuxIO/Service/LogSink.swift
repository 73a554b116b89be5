package import Encoding
import Synchronization

/// Writes event lines as JSON: `{"time":"2026-01-02T03:04:05.678Z","level":"info","event":"gate.opened",…}`,
/// each in one write.
///
/// Events have stable names. Callers must not log claims, credential bytes or keys. No caller waits, because
/// a separate thread writes the lines. Lines that cannot be queued or written are counted and dropped, and
/// their number is written before the next line. So neither a full disk nor a stopped reader can stop a gate.
/// A file that was renamed or deleted is created again for the next line, so that it can be rotated at any
/// time.
package final class LogSink: Sendable {
    /// The severity of a line.
    package enum Level: String, CaseIterable, Comparable, Sendable {
        case debug, info, warning, error

        /// The severity in syslog's scale (RFC 5424 section 6.2.1). journald understands it as a prefix of a
        /// line.
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
        /// journald, with its native protocol. While journald is not available, lines are written to standard
        /// error, each prefixed with its severity, e.g. `<6>`.
        case journal
    }

    /// The settings for journald.
    package struct Journal: Sendable {
        /// The path of journald's socket.
        package var path = "/run/systemd/journal/socket"
        /// Returns the identifier of a kind of line (MESSAGE_ID, 32 hexadecimal digits) by the line's code
        /// or, without a code, its event.
        package var id: @Sendable (String) -> String? = { _ in nil }

        /// Creates settings with the default path and no identifiers.
        package init() {}

        /// Whether standard error leads to journald, according to the value of `JOURNAL_STREAM`.
        package static func isStandardError(_ stream: String?) -> Bool { JournalSocket.isStandardError(stream) }
    }

    /// The maximum number of queued lines: some hundred kilobytes.
    private static let queueLimit = 1024

    private let writer: LogWriter
    private let failed = Atomic<Int>(0)
    private let told = Atomic<Int>(0)
    private let thread: BackgroundThread
    private let minimum: Level
    private let now: @Sendable () -> Timestamp

    /// Opens the output of the log.
    ///
    /// While a file cannot be opened or written, lines are written to `fallback`. In that case `report` is
    /// called on the log's own thread with the reason, and with nil when lines are written to the file again.
    ///
    /// - Parameters:
    ///   - fallback: The output in place of the file; nil: a file that cannot be opened is an error.
    ///   - journal: The settings for journald.
    ///   - now: Returns the time of each line.
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

    /// Queues one line with the given members after time, level and event. Never blocks.
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

    /// Waits until all queued lines are written, at most for `limit`. Returns whether they are.
    package func flush(within limit: Duration = .seconds(1)) -> Bool { thread.flush(within: limit) }
}
