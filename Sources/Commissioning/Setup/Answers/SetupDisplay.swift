import Features

/// The display in the answers of a setup.
struct SetupDisplay {
    /// The kind of the display; nil if the answer names no kind.
    private let kind: DisplaySection.Kind?

    /// Creates the display of the answers. Without an answer it is a file.
    init(_ answers: SetupAnswers) { kind = answers.text(.display).map { .init(rawValue: $0) } ?? .file }

    /// The sizes in which such panels exist; nil if the answer names no kind.
    var sizes: [String]? { kind?.sizes.map(\.text) }
    /// Whether the display is a picture in a file.
    var isFile: Bool { kind == .file }
    /// Whether the display has lines besides its bus.
    var hasLines: Bool { kind == .ssd1680 }

    /// Returns the proposed kind. `hasScreen`: whether the machine has a screen.
    static func proposal(hasScreen: Bool) -> String {
        (hasScreen ? DisplaySection.Kind.framebuffer : .file).rawValue
    }
}
