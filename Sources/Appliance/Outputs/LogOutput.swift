import Credentials
package import Encoding
package import Kiosk
package import LinuxIO
import Synchronization

/// The kiosk's notes, light and relay as JSON lines.
package final class LogOutput: KioskListener {
    /// What is known of the light.
    private struct Light {
        var pattern: IndicatorPattern?
        /// The line of a verdict's light: it stands before the note that says whose verdict it is, and is written with it.
        var verdict: (level: LogSink.Level, members: JSONObject)?
    }

    private let sink: LogSink
    private let light = Mutex(Light())

    /// Writes to `sink`.
    package init(_ sink: LogSink) {
        self.sink = sink
    }

    /// A line `signal` with pattern, lamps and tone. The beginning of a pattern is worth knowing; its blinking would fill a
    /// disk in a month of waiting, so that is for debugging.
    package func show(_ signal: Signal, of pattern: IndicatorPattern, at now: Instant) {
        writeVerdict(of: nil)
        let isNew = light.withLock { light in
            defer { light.pattern = pattern }
            return light.pattern != pattern
        }
        let lamps = Lamp.allCases.filter(signal.lamps.contains).map { JSON.text($0.rawValue) }
        let level: LogSink.Level = isNew ? .info : .debug
        let members: JSONObject = [
            "pattern": .text(pattern.rawValue), "lamps": .array(lamps), "tone": .bool(signal.tone),
        ]
        guard pattern.end != nil, isNew else { return sink.log(level, "signal", members) }
        light.withLock { $0.verdict = (level, members) }
    }

    private func writeVerdict(of visit: VisitID?) {
        let held = light.withLock { light in
            defer { light.verdict = nil }
            return light.verdict
        }
        guard let held else { return }
        sink.log(held.level, "signal", Self.members(of: visit, held.members))
    }

    private static func members(of visit: VisitID?, _ more: JSONObject) -> JSONObject {
        var members: JSONObject = visit.map { ["visit": .text($0.text)] } ?? [:]
        for member in more.members { _ = members.appendIfNew(member) }
        return members
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
        switch note {
        case .decided: writeVerdict(of: visit)
        case .visitEnded where light.withLock({ $0.pattern == .failed }): writeVerdict(of: visit)
        default: break
        }
        sink.log(level, note.name, Self.members(of: visit, note.members))
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
