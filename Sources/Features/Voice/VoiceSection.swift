import Displays
package import Settings

/// `[voice]`: spoken verdicts. A separate program speaks them.
package struct VoiceSection: ConfigurationSection, Hashable {
    /// The section before this one.
    package static let follows = "display"

    /// The default speech program.
    private static let standardProgram = "espeak-ng"

    /// The language in which verdicts are spoken; nil: they are not spoken.
    let language: DisplayLanguage?
    /// The program that speaks: its path, or its name in `PATH`.
    package let program: String

    /// Reads the section.
    package init(_ reader: inout ConfigurationReader, of configuration: Configuration, in folder: ConfigurationFolder) {
        language = reader.choice("voice.language", orNil: "none")
        program = reader.text("voice.program", default: Self.standardProgram)
        if program.isEmpty || program.utf8.contains(where: { $0 < 0x20 || $0 == 0x7F }) {
            reader.reject("voice.program", "names no program", "Write \"espeak-ng\", or a path.")
        }
    }

    /// The files of the section.
    package var files: [SectionFile] { [.init("voice.program", program, .program(standard: Self.standardProgram))] }
}
