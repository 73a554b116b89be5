package import Encoding
import Glibc
import Synchronization

/// Writes JSON lines: `{"time":"2026-01-02T03:04:05.678Z","level":"info","event":"gate.opened",…}`, each in one write.
///
/// Events have stable names and hold no claims, credential bytes or keys: that is the callers' duty. Nobody who logs waits: a
/// thread of its own writes. Lines that nobody takes, and those that cannot be written, are counted and dropped, and the next
/// line that gets through says how many: neither a full disk nor a stopped reader may stop a gate.
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

    /// What the thread writes to.
    private final class Writer: Sendable {
        let descriptor: Int32
        let ownsDescriptor: Bool
        let failed = Atomic<Int>(0)
        let told = Atomic<Int>(0)

        init(descriptor: Int32, ownsDescriptor: Bool) {
            (self.descriptor, self.ownsDescriptor) = (descriptor, ownsDescriptor)
        }

        deinit { if ownsDescriptor { close(descriptor) } }

        func write(_ bytes: [UInt8]) -> Bool {
            var rest = bytes[...]
            while !rest.isEmpty {
                let count = rest.withUnsafeBytes { Glibc.write(descriptor, $0.baseAddress, $0.count) }
                if count > 0 { rest = rest.dropFirst(count) } else if errno != EINTR { return false }
            }
            return true
        }
    }

    private let writer: Writer
    private let thread: SideThread
    private let isJournal: Bool
    private let minimum: Level
    private let now: @Sendable () -> Timestamp

    /// Opens the output. `now` gives the time of each line.
    package init(
        _ output: Output, minimum: Level = .info, now: @escaping @Sendable () -> Timestamp = { SystemClock.utc() }
    ) throws(SystemError) {
        self.minimum = minimum
        self.now = now
        isJournal = output == .journal
        let descriptor: Int32
        switch output {
        case .standardOutput: descriptor = 1
        case .standardError, .journal: descriptor = 2
        case .file(let path):
            descriptor = open(path, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0o640)
            guard descriptor >= 0 else {
                throw SystemError("opening the log \(path)", code: errno, remedy: "Check log.path and its folder.")
            }
        }
        writer = Writer(descriptor: descriptor, ownsDescriptor: descriptor > 2)
        thread = try SideThread(name: "gatehouse-log", limit: Self.queueLimit)
    }

    /// Lines that were left out since the start.
    package var dropped: Int { thread.dropped + writer.failed.load(ordering: .relaxed) }

    /// Hands over one line with these members after time, level and event. Never blocks.
    package func log(_ level: Level, _ event: String, _ members: JSONObject = [:]) {
        guard level >= minimum else { return }
        let line = bytes(level, event, members)
        thread.run { [self] in
            let dropped = dropped
            let untold = dropped - writer.told.load(ordering: .relaxed)
            if untold > 0, writer.write(bytes(.warning, "log.dropped", ["lines": .int(untold)])) {
                writer.told.store(dropped, ordering: .relaxed)
            }
            if !writer.write(line) { writer.failed.add(1, ordering: .relaxed) }
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
