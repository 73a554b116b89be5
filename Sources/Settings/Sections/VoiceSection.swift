package import Displays

/// `[voice]`: spoken verdicts. A separate program speaks them.
package struct VoiceSection: Hashable, Sendable {
    /// The default speech program.
    package static let standardProgram = "espeak-ng"

    /// The language in which verdicts are spoken; nil: they are not spoken.
    package var language: DisplayLanguage?
    /// The program that speaks: its path, or its name in `PATH`.
    package var program: String

    init(_ reader: inout ConfigurationReader) {
        language = reader.choice("voice.language", orNil: "none")
        program = reader.text("voice.program", default: Self.standardProgram)
        if program.isEmpty || program.utf8.contains(where: { $0 < 0x20 || $0 == 0x7F }) {
            reader.reject("voice.program", "names no program", "Write \"espeak-ng\", or a path.")
        }
    }
}
