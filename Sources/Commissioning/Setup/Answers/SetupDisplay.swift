import Features

/// The display that the answers of a setup name.
struct SetupDisplay {
    /// The kind of the display; nil if the answer is not a known kind.
    private let kind: DisplaySection.Kind?

    /// Reads the display from the answers. Without an answer, the display is a picture in a file.
    init(_ answers: SetupAnswers) { kind = answers.text(.display).map { .init(rawValue: $0) } ?? .file }

    /// The sizes in which this kind of display exists, as texts; nil if the kind is unknown.
    var sizes: [String]? { kind?.sizes.map(\.text) }
    /// Whether the display is a picture in a file.
    var isFile: Bool { kind == .file }
    /// Whether the display uses GPIO lines in addition to its bus.
    var hasLines: Bool { kind == .ssd1680 }

    /// Returns the kind of display that setup proposes. `hasScreen`: whether the machine has a framebuffer.
    static func proposal(hasScreen: Bool) -> String {
        (hasScreen ? DisplaySection.Kind.framebuffer : .file).rawValue
    }
}
