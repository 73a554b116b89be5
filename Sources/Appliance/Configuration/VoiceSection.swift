package import LinuxIO

/// `[voice]`: verdicts said aloud, by a program that is not part of this one.
package struct VoiceSection: Hashable, Sendable {
    /// The languages, and none.
    package enum Language: String, CaseIterable, Sendable {
        case none, en, fr, hi

        /// What is said; nil: nothing.
        package var language: DisplayLanguage? { DisplayLanguage(rawValue: rawValue) }
    }

    /// The program that is used unless another one is named.
    static let standardProgram = "espeak-ng"

    /// What is said, in which language.
    package var language: Language
    /// The program, by its path or its name on the path.
    package var program: String

    init(_ reader: inout ConfigurationReader) {
        language = reader.choice("voice.language", default: .none)
        program = reader.text("voice.program", default: Self.standardProgram)
        if program.isEmpty || program.utf8.contains(where: { $0 < 0x20 || $0 == 0x7F }) {
            reader.reject("voice.program", "names no program", "Write \"espeak-ng\", or a path.")
        }
    }
}
