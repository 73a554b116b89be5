package import Clocks
package import Displays
package import Encoding
import GateService
package import Kiosk
package import LinuxIO
import Reasons
import Synchronization

/// Speaks verdicts aloud, for people who see neither the light nor a display. Other parts never wait for it:
/// it has its own thread with a queue of one phrase, and a phrase that is late for its visitor is left out.
package final class VoiceOutput: KioskListener {
    /// The maximum time that a phrase waits to be spoken. After that time its visitor has probably left.
    static let patience: Duration = .seconds(3)

    /// The time after which the gate looks again for a speech program that could not be run.
    package static let pause: Duration = .seconds(10)

    private let language: DisplayLanguage
    private let program: SpeechProgram
    private let clock: Clock
    private let thread: BackgroundThread
    private let report: HealthReporter
    private let pattern = Mutex<IndicatorPattern?>(nil)
    /// The newest reported failure of the speech program; nil if it did not fail.
    private let trouble = Mutex<SpeechProgram.End?>(nil)
    /// When to look for the speech program next; nil: it was found.
    private let looksAt = Mutex<Instant?>(.zero)

    /// Speaks through `program` in `language`. `report` receives the fault if the program cannot be run or
    /// fails.
    package init(
        _ language: DisplayLanguage, _ program: SpeechProgram, clock: Clock, report: @escaping HealthReporter
    ) throws(SystemError) {
        (self.language, self.program, self.clock, self.report) = (language, program, clock, report)
        thread = try BackgroundThread(name: "gatehouse-voice", limit: 1)
    }

    /// Creates the output from the section `[voice]` of the configuration; nil if the section asks for no
    /// voice.
    package convenience init?(
        _ section: VoiceSection, clock: Clock, report: @escaping HealthReporter
    ) throws(SystemError) {
        guard let language = section.language else { return nil }
        try self.init(
            language, SpeechProgram(section.program, language: language.rawValue), clock: clock, report: report)
    }

    /// Speaks the phrase of a pattern when the pattern begins. The light calls this every second, so this is
    /// also where a missing program is looked for: its fault is reported before a visitor needs speech.
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

    /// Waits until all phrases are spoken, for at most the duration `limit`. Returns whether all are spoken.
    package func flush(within limit: Duration) -> Bool { thread.flush(within: limit) }
}
