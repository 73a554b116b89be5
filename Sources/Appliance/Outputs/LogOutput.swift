import Credentials
package import Encoding
package import Kiosk
package import LinuxIO
import Synchronization

/// The kiosk's notes, light and relay as JSON lines.
package final class LogOutput: KioskListener {
    private let sink: LogSink
    private let pattern = Mutex<IndicatorPattern?>(nil)

    /// Writes to `sink`.
    package init(_ sink: LogSink) {
        self.sink = sink
    }

    /// A line `signal` with pattern, lamps and tone. The beginning of a pattern is worth knowing; its blinking would fill a
    /// disk in a month of waiting, so that is for debugging.
    package func show(_ signal: Signal, of pattern: IndicatorPattern, at now: Instant) {
        let isNew = self.pattern.withLock { shown in
            defer { shown = pattern }
            return shown != pattern
        }
        let lamps = Lamp.allCases.filter(signal.lamps.contains).map { JSON.text($0.rawValue) }
        sink.log(
            isNew ? .info : .debug, "signal",
            ["pattern": .text(pattern.rawValue), "lamps": .array(lamps), "tone": .bool(signal.tone)])
    }

    /// A line under the name of the note, with the id of its visit.
    package func note(_ note: KioskNote, of visit: VisitID?, at now: Instant) {
        let level: LogSink.Level =
            switch note {
            case .radioFailed, .radioLapsed, .adapterReset, .ledgerFailed: .warning
            case .fault(let code, true, _, _): code.severity == .error ? .error : .warning
            case .progress: .debug
            default: .info
            }
        var members: JSONObject = visit.map { ["visit": .text($0.text)] } ?? [:]
        for member in note.members.members { _ = members.appendIfNew(member) }
        sink.log(level, note.name, members)
    }

    /// Writes reports as they come, in the form in which the kiosk tells of faults: for the time before there is a kiosk.
    package static func reporter(_ sink: LogSink) -> HealthReporter {
        let output = LogOutput(sink)
        return { report in
            let fault = KioskNote.fault(
                report.code, isPresent: report.isPresent, count: report.count ?? 1, detail: report.detail)
            output.note(fault, of: nil, at: SystemClock.now())
        }
    }
}
