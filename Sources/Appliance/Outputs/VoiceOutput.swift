import Credentials
package import Encoding
package import Kiosk
package import LinuxIO
import Synchronization

/// Says verdicts aloud, for people who see neither light nor display. Nothing waits for it: it has a thread of its own, on which one
/// word at most waits behind the one that is being said, and a word that comes too late for its visitor is left out.
package final class VoiceOutput: KioskListener {
    /// A word that waited for longer belongs to somebody who has left.
    static let patience: Duration = .seconds(3)

    /// How long a program that cannot be run is left alone before it is looked for again.
    package static let pause: Duration = .seconds(10)

    private let language: DisplayLanguage
    private let program: SpeechProgram
    private let pause: Duration
    private let thread: SideThread
    private let report: HealthReporter
    private let pattern = Mutex<IndicatorPattern?>(nil)
    /// What went wrong last, as it was told; nil: nothing.
    private let trouble = Mutex<SpeechProgram.End?>(nil)
    /// When the program is looked for; nil: it was there.
    private let looksAt = Mutex<Instant?>(.zero)

    /// Has `program` say the words of that language; `report` hears that it cannot, or does not. `pause`: see ``pause``.
    package init(
        _ language: DisplayLanguage, _ program: SpeechProgram, pause: Duration = VoiceOutput.pause,
        report: @escaping HealthReporter
    ) throws(SystemError) {
        (self.language, self.program, self.pause, self.report) = (language, program, pause, report)
        thread = try SideThread(name: "gatehouse-voice", limit: 1)
    }

    /// What the configuration asks for; nil: nothing.
    package convenience init?(_ section: VoiceSection, report: @escaping HealthReporter) throws(SystemError) {
        guard let language = section.language.language else { return nil }
        try self.init(language, SpeechProgram(section.program, language: language.rawValue), report: report)
    }

    /// The light's word, at the beginning of its pattern. The light goes on every second: reason enough to look for a program that
    /// is missing, so that it is told before anybody needs it.
    package func show(_ signal: Signal, of pattern: IndicatorPattern, for visit: VisitID?, at now: Instant) {
        look()
        let isNew = self.pattern.withLock { shown in
            defer { shown = pattern }
            return shown != pattern
        }
        guard isNew, let phrase = Self.phrase(of: pattern) else { return }
        let text = language.text(phrase).lowercased()
        let last = SystemClock.now().advanced(by: Self.patience)
        thread.run { [self] in
            if SystemClock.now() <= last { tell(program.say(text)) }
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
        let now = SystemClock.now()
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
            looksAt.withLock { $0 = SystemClock.now().advanced(by: pause) }
        case .failed:
            detail =
                "\(program.name) ended with an error: without a sound card, or in a language that it does not speak"
        case .tooLong: detail = "\(program.name) came to no end and was ended"
        }
        let now = detail == nil ? nil : end
        let isNews = trouble.withLock { trouble in
            defer { trouble = now }
            return trouble != now
        }
        if isNews { report(detail.map { .present(.voiceFailed, detail: $0) } ?? .over(.voiceFailed)) }
    }

    /// Waits until everything is said, at most for `limit`; whether it is.
    package func flush(within limit: Duration) -> Bool { thread.flush(within: limit) }
}
