package import Clocks
import Credentials
package import Encoding
package import Kiosk
package import LinuxIO
import Reasons
import Synchronization

/// Writes the kiosk's notes and indicator patterns to the log, as JSON lines.
package final class LogOutput: KioskListener {
    private let sink: LogSink
    private struct State {
        /// The indicator pattern that was logged last, and its visit.
        var shown: (pattern: IndicatorPattern, visit: VisitID?)?
        var visits = VisitLines()
    }

    private let state = Mutex(State())

    /// Creates an output that writes to `sink`.
    package init(_ sink: LogSink) {
        self.sink = sink
    }

    /// Writes a line `signal` with the pattern, the lamps, the tone and the visit for which the pattern is shown. The
    /// first step of a pattern has level info. All further steps have level debug: a gate that waits blinks all the
    /// time, and these lines would fill a disk within a month.
    package func show(_ signal: Signal, of pattern: IndicatorPattern, for visit: VisitID?, at now: Instant) {
        let isNew: Bool? = state.withLock { state in
            guard state.visits.takes(pattern, of: visit) else { return nil }
            defer { state.shown = (pattern, visit) }
            return state.shown?.pattern != pattern || state.shown?.visit != visit
        }
        guard let isNew else { return }
        let lamps = Lamp.allCases.filter(signal.lamps.contains).map { JSON.text($0.rawValue) }
        let members: JSONObject = [
            "pattern": .text(pattern.rawValue), "lamps": .array(lamps), "tone": .bool(signal.tone),
        ]
        sink.log(isNew ? .info : .debug, "signal", Self.members(of: visit, members))
    }

    private static func members(of visit: VisitID?, _ more: JSONObject) -> JSONObject {
        var members: JSONObject = visit.map { ["visit": .text($0.text)] } ?? [:]
        for member in more.members { _ = members.appendIfNew(member) }
        return members
    }

    /// Writes a line with the name of the note and the id of its visit. If there are more visits than the log has
    /// space for, most of them have no lines of their own; one line contains their number (``VisitLines``).
    package func note(_ note: KioskNote, of visit: VisitID?, at now: Instant) {
        let (isTaken, summary) = state.withLock { state in
            (state.visits.takes(note, of: visit, at: now), state.visits.summary(at: now, isLast: note == .stopped))
        }
        if let summary { sink.log(.info, "visits.counted", summary) }
        guard isTaken else { return }
        let level: LogSink.Level =
            switch note {
            case .radioFailed, .radioLapsed, .adapterReset, .ledgerFailed: .warning
            case .fault(let code, true, _, _): code.severity == .error ? .error : .warning
            case .progress: .debug
            default: .info
            }
        sink.log(level, note.name, Self.members(of: visit, note.members))
    }

    /// Returns a reporter that works before the kiosk exists. It writes each report at once, as the same `fault` line
    /// that is written for the kiosk's note.
    package static func reporter(_ sink: LogSink, clock: Clock) -> HealthReporter {
        let output = LogOutput(sink)
        return { report in
            let fault = KioskNote.fault(
                report.code, isPresent: report.isPresent, count: report.count ?? 1, detail: report.detail)
            output.note(fault, of: nil, at: clock.now())
        }
    }
}
