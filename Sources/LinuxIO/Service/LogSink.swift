package import Encoding
import Glibc
import Synchronization

/// Writes JSON lines: `{"time":"2026-01-02T03:04:05.678Z","level":"info","event":"gate.opened",…}`, each in one write.
///
/// Events have stable names and hold no claims, credential bytes or keys: that is the callers' duty. A line that cannot be
/// written is counted and dropped: a full disk must not stop a gate.
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

    private struct State {
        let descriptor: Int32
        var dropped = 0
    }

    private let state: Mutex<State>
    private let isJournal: Bool
    private let ownsDescriptor: Bool
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
        state = Mutex(State(descriptor: descriptor))
        ownsDescriptor = descriptor > 2
    }

    deinit {
        if ownsDescriptor { state.withLock { _ = close($0.descriptor) } }
    }

    /// Lines that could not be written.
    package var dropped: Int { state.withLock { $0.dropped } }

    /// Writes one line with these members after time, level and event.
    package func log(_ level: Level, _ event: String, _ members: JSONObject = [:]) {
        guard level >= minimum else { return }
        var line: JSONObject = ["time": .text(now().rfc3339), "level": .text(level.rawValue), "event": .text(event)]
        for member in members.members { _ = line.appendIfNew(member) }
        let prefix = isJournal ? Array("<\(level.severity)>".utf8) : []
        let bytes = prefix + JSON.object(line).compactBytes + [0x0A]
        state.withLock { state in
            if !Self.write(bytes, to: state.descriptor) { state.dropped += 1 }
        }
    }

    private static func write(_ bytes: [UInt8], to descriptor: Int32) -> Bool {
        var rest = bytes[...]
        while !rest.isEmpty {
            let count = rest.withUnsafeBytes { Glibc.write(descriptor, $0.baseAddress, $0.count) }
            if count > 0 { rest = rest.dropFirst(count) } else if errno != EINTR { return false }
        }
        return true
    }
}
