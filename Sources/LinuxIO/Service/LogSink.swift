package import Encoding
import Synchronization

/// Writes JSON lines: `{"time":"2026-01-02T03:04:05.678Z","level":"info","event":"gate.opened",…}`, each in one write.
///
/// Events have stable names and hold no claims, credential bytes or keys: that is the callers' duty. Nobody who logs waits: a
/// thread of its own writes. Lines that nobody takes, and those that cannot be written, are counted and dropped, and the next
/// line that gets through says how many: neither a full disk nor a stopped reader may stop a gate. A file that was renamed or
/// deleted is made anew with the next line, so that it may be rotated at any time.
package final class LogSink: Sendable {
    /// How important a line is.
    package enum Level: String, CaseIterable, Comparable, Sendable {
        case debug, info, warning, error

        /// The severity of syslog (RFC 5424 section 6.2.1), which journald understands before a line.
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

    /// Where lines go.
    package enum Output: Hashable, Sendable {
        case standardOutput
        case standardError
        /// Appended to the file of that path, which is made if absent.
        case file(String)
        /// journald, by its native protocol. While it is not there, standard error, each line behind its severity as `<6>`.
        case journal
    }

    /// What goes with lines for journald.
    package struct Journal: Sendable {
        /// Where it listens.
        package var path = "/run/systemd/journal/socket"
        /// The id of a kind of line (MESSAGE_ID, 32 hexadecimal digits), by its code or, where it has none, its event.
        package var id: @Sendable (String) -> String? = { _ in nil }

        /// The usual place, and no ids.
        package init() {}

        /// Whether standard error leads to journald, by what systemd says of it in `JOURNAL_STREAM`.
        package static func isStandardError(_ stream: String?) -> Bool { JournalSocket.isStandardError(stream) }
    }

    /// Lines that wait at most: some hundred kilobytes.
    private static let queueLimit = 1024

    private let writer: LogWriter
    private let failed = Atomic<Int>(0)
    private let told = Atomic<Int>(0)
    private let thread: SideThread
    private let minimum: Level
    private let now: @Sendable () -> Timestamp

    /// Opens the output. `now` gives the time of each line. While a file cannot be opened or written, lines go to the `fallback`;
    /// `report` is told, from the log's own thread, why, and nil when they go to the file again. Without a fallback a file that
    /// cannot be opened is an error. `journal` is what goes with lines for journald.
    package init(
        _ output: Output, minimum: Level = .info, fallback: Output? = nil, journal: Journal = Journal(),
        now: @escaping @Sendable () -> Timestamp = { SystemClock.utc() },
        report: @escaping @Sendable (SystemError?) -> Void = { _ in }
    ) throws(SystemError) {
        self.minimum = minimum
        self.now = now
        writer = try LogWriter(output, fallback: fallback, journal: journal, report: report)
        thread = try SideThread(name: "gatehouse-log", limit: Self.queueLimit)
    }

    /// Lines that were left out since the start.
    package var dropped: Int { thread.dropped + failed.load(ordering: .relaxed) }

    /// Hands over one line with these members after time, level and event. Never blocks.
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

    /// Waits until the lines so far are written, at most for `limit`; whether they are.
    package func flush(within limit: Duration = .seconds(1)) -> Bool { thread.flush(within: limit) }
}
