package import Encoding
package import Kiosk
package import LinuxIO
import Synchronization

/// Says verdicts aloud, for people who see neither light nor display. Nothing waits for it: it has a thread of its own, on which one
/// word at most waits behind the one that is being said, and a word that comes too late for its visitor is left out.
package final class VoiceOutput: KioskListener {
    /// A word that waited for longer belongs to somebody who has left.
    static let patience: Duration = .seconds(3)

    private let language: DisplayLanguage
    private let program: SpeechProgram
    private let thread: SideThread
    private let log: LogSink
    private let pattern = Mutex<IndicatorPattern?>(nil)
    /// What went wrong last: it is told once, and again when it is another matter.
    private let trouble = Mutex<SpeechProgram.End?>(nil)

    /// Has `program` say the words of that language; what goes wrong is told to `log`.
    package init(_ language: DisplayLanguage, _ program: SpeechProgram, _ log: LogSink) throws(SystemError) {
        (self.language, self.program, self.log) = (language, program, log)
        thread = try SideThread(name: "gatehouse-voice", limit: 1)
    }

    /// What the configuration asks for; nil: nothing.
    package convenience init?(_ section: VoiceSection, _ log: LogSink) throws(SystemError) {
        guard let language = section.language.language else { return nil }
        try self.init(language, SpeechProgram(section.program, language: language.rawValue), log)
    }

    /// The light's word, at the beginning of its pattern.
    package func show(_ signal: Signal, of pattern: IndicatorPattern, for visit: VisitID?, at now: Instant) {
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

    private func tell(_ end: SpeechProgram.End) {
        let isNews = trouble.withLock { trouble in
            defer { trouble = end }
            return trouble != end
        }
        let text: String
        switch end {
        case .said: return
        case .absent(let reason): text = "the program of voice.program cannot be run: \(reason)"
        case .failed: text = "the program of voice.program ended with an error"
        case .tooLong: text = "the program of voice.program came to no end and was ended"
        }
        guard isNews else { return }
        log.log(
            .warning, "voice",
            [
                "text": .text(text),
                "remedy": "install espeak-ng, and let the service use the sound card: docs/access.md",
            ])
    }

    /// Waits until everything is said, at most for `limit`; whether it is.
    package func flush(within limit: Duration) -> Bool { thread.flush(within: limit) }
}
