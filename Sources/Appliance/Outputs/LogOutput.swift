package import Encoding
package import Kiosk
package import LinuxIO

/// The kiosk's notes, light and relay as JSON lines.
package struct LogOutput: KioskOutput {
    private let sink: LogSink

    /// Writes to `sink`.
    package init(_ sink: LogSink) {
        self.sink = sink
    }

    /// A line `signal` with pattern, lamps and tone.
    package func show(_ signal: Signal, of pattern: IndicatorPattern, at now: Instant) {
        let lamps = Lamp.allCases.filter(signal.lamps.contains).map { JSON.text($0.rawValue) }
        sink.log(
            .info, "signal",
            ["pattern": .text(pattern.rawValue), "lamps": .array(lamps), "tone": .bool(signal.tone)])
    }

    /// A line under the name of the note.
    package func note(_ note: KioskNote, at now: Instant) {
        let level: LogSink.Level =
            switch note {
            case .radioFailed, .ledgerFailed: .warning
            case .progress: .debug
            default: .info
            }
        sink.log(level, note.name, note.members)
    }
}
