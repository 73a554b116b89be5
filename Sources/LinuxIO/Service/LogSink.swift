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
        /// Standard error read by journald: each line starts with its severity as `<6>`.
        case journal
    }

    /// Lines that wait at most: some hundred kilobytes.
    private static let queueLimit = 1024

    private let writer: LogWriter
    private let failed = Atomic<Int>(0)
    private let told = Atomic<Int>(0)
    private let thread: SideThread
    private let isJournal: Bool
    private let minimum: Level
    private let now: @Sendable () -> Timestamp

    /// Opens the output. `now` gives the time of each line. While a file cannot be opened or written, lines go to the `fallback`;
    /// `report` is told, from the log's own thread, why, and nil when they go to the file again. Without a fallback a file that
    /// cannot be opened is an error.
    package init(
        _ output: Output, minimum: Level = .info, fallback: Output? = nil,
        now: @escaping @Sendable () -> Timestamp = { SystemClock.utc() },
        report: @escaping @Sendable (SystemError?) -> Void = { _ in }
    ) throws(SystemError) {
        self.minimum = minimum
        self.now = now
        isJournal = output == .journal
        writer = try LogWriter(output, fallback: fallback, report: report)
        thread = try SideThread(name: "gatehouse-log", limit: Self.queueLimit)
    }

    /// Lines that were left out since the start.
    package var dropped: Int { thread.dropped + failed.load(ordering: .relaxed) }

    /// Hands over one line with these members after time, level and event. Never blocks.
    package func log(_ level: Level, _ event: String, _ members: JSONObject = [:]) {
        guard level >= minimum else { return }
        let line = bytes(level, event, members)
        thread.run { [self] in
            let dropped = dropped
            let untold = dropped - told.load(ordering: .relaxed)
            if untold > 0, writer.write(bytes(.warning, "log.dropped", ["lines": .int(untold)])) {
                told.store(dropped, ordering: .relaxed)
            }
            if !writer.write(line) { failed.add(1, ordering: .relaxed) }
        }
    }

    /// Waits until the lines so far are written, at most for `limit`; whether they are.
    package func flush(within limit: Duration = .seconds(1)) -> Bool { thread.flush(within: limit) }

    private func bytes(_ level: Level, _ event: String, _ members: JSONObject) -> [UInt8] {
        var line: JSONObject = ["time": .text(now().rfc3339), "level": .text(level.rawValue), "event": .text(event)]
        for member in members.members { _ = line.appendIfNew(member) }
        let prefix = isJournal ? Array("<\(level.severity)>".utf8) : []
        return prefix + JSON.object(line).compactBytes + [0x0A]
    }
}
