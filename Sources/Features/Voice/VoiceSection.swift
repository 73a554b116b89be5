import Displays
package import Settings

/// `[voice]`: spoken verdicts, by a separate program.
package struct VoiceSection: ConfigurationSection, Hashable {
    /// The section that precedes this one in the list of all keys.
    package static let follows = "display"

    /// The default speech program.
    private static let standardProgram = "espeak-ng"

    /// The language of the spoken verdicts; nil: the gate does not speak.
    let language: DisplayLanguage?
    /// The speech program: its path, or its name in `PATH`.
    package let program: String

    /// Reads `[voice]`.
    package init(_ reader: inout ConfigurationReader, of configuration: Configuration, in folder: ConfigurationFolder) {
        language = reader.choice("voice.language", orNil: "none")
        program = reader.text("voice.program", default: Self.standardProgram)
        if program.isEmpty || program.utf8.contains(where: { $0 < 0x20 || $0 == 0x7F }) {
            reader.reject("voice.program", "names no program", "Write \"espeak-ng\", or a path.")
        }
    }

    /// The file of the speech program.
    package var files: [SectionFile] { [.init("voice.program", program, .program(standard: Self.standardProgram))] }
}
