package import Clocks
package import Displays
package import Encoding
import GateService
package import Kiosk
package import LinuxIO
import Reasons
import Synchronization

/// Speaks verdicts aloud, for people who can see neither the light nor a display. The speech has its own thread with
/// a queue of one phrase, so no other part waits for it. A phrase that cannot begin in time for its visitor is left
/// out.
package final class VoiceOutput: KioskListener {
    /// The maximum time from the beginning of a pattern to its phrase. After that time the visitor has probably left.
    static let patience: Duration = .seconds(3)

    /// The time between two checks for a speech program that cannot be run.
    package static let pause: Duration = .seconds(10)

    private let language: DisplayLanguage
    private let program: SpeechProgram
    private let clock: Clock
    private let thread: BackgroundThread
    private let report: HealthReporter
    private let pattern = Mutex<IndicatorPattern?>(nil)
    /// The failure of the speech program that was reported last; nil if its last call succeeded.
    private let trouble = Mutex<SpeechProgram.End?>(nil)
    /// The instant of the next check for the speech program; nil: no check is due.
    private let looksAt = Mutex<Instant?>(.zero)

    /// Creates an output that speaks `language` with `program`. `report` receives the fault that the program cannot
    /// be run or fails, and its end.
    package init(
        _ language: DisplayLanguage, _ program: SpeechProgram, clock: Clock, report: @escaping HealthReporter
    ) throws(SystemError) {
        (self.language, self.program, self.clock, self.report) = (language, program, clock, report)
        thread = try BackgroundThread(name: "gatehouse-voice", limit: 1)
    }

    /// Creates the output for the section `[voice]` of the configuration. Returns nil if the section names no
    /// language.
    package convenience init?(
        _ section: VoiceSection, clock: Clock, report: @escaping HealthReporter
    ) throws(SystemError) {
        guard let language = section.language else { return nil }
        try self.init(
            language, SpeechProgram(section.program, language: language.rawValue), clock: clock, report: report)
    }

    /// Speaks the phrase of a pattern when the pattern begins. Also checks whether the speech program can be run,
    /// because this is called every second: so a missing program is reported before a visitor needs it.
    package func show(_ signal: Signal, of pattern: IndicatorPattern, for visit: VisitID?, at now: Instant) {
        look()
        let isNew = self.pattern.withLock { shown in
            defer { shown = pattern }
            return shown != pattern
        }
        guard isNew, let phrase = Self.phrase(of: pattern) else { return }
        let text = language.text(phrase).lowercased()
        let last = clock.now().advanced(by: Self.patience)
        thread.run { [self] in
            if clock.now() <= last { tell(program.say(text)) }
        }
    }

    private static func phrase(of pattern: IndicatorPattern) -> DisplayPhrase? {
        switch pattern {
        case .accepted: .accepted
        case .rejected: .rejected
        case .failed: .failed
        case .fault: .outOfOrder
        case .ready, .attention, .connected, .receiving, .checking, .locked, .free, .off: nil
        }
    }

    private func look() {
        let now = clock.now()
        let isDue = looksAt.withLock { looksAt in
            guard let due = looksAt, now >= due else { return false }
            looksAt = nil
            return true
        }
        if isDue { tell(program.obstacle.map { .absent($0) } ?? .said) }
    }

    private func tell(_ end: SpeechProgram.End) {
        let detail: String?
        switch end {
        case .said: detail = nil
        case .absent(let reason):
            detail = "\(program.name) cannot be run: \(reason)"
            looksAt.withLock { $0 = clock.now().advanced(by: Self.pause) }
        case .failed:
            detail =
                "\(program.name) failed: there is no sound card, or it does not support the language"
        case .tooLong: detail = "\(program.name) did not finish and was stopped"
        }
        let now = detail == nil ? nil : end
        let isNews = trouble.withLock { trouble in
            defer { trouble = now }
            return trouble != now
        }
        if isNews { report(detail.map { .present(.voiceFailed, detail: $0) } ?? .over(.voiceFailed)) }
    }

    /// Waits until all queued phrases have been spoken, for at most `limit`. Returns whether they have.
    package func flush(within limit: Duration) -> Bool { thread.flush(within: limit) }
}
