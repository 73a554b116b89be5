/// A text in a picture, with its position and size in pixels.
struct Label: Hashable, Sendable {
    enum Anchor: String { case start, middle, end }

    let text: String
    /// The position of the anchor: its horizontal position, and the vertical middle of the small letters.
    let x, y: Int
    var size = DiagramLayout.labelSize
    var isBold = false
    var anchor = Anchor.start
    var colour = Colour.ink

    var width: Int { Self.width(text, size: size, isBold: isBold) }

    /// The positions of the left, right, upper and lower edge of the text.
    var edges: (left: Int, right: Int, top: Int, bottom: Int) {
        let left =
            switch anchor {
            case .start: x
            case .middle: x - width / 2
            case .end: x - width
            }
        return (left, left + width, y - size / 2, y + size / 2)
    }

    /// Returns the width of a text in pixels for a wide typeface (DejaVu Sans), rounded up.
    static func width(_ text: String, size: Int, isBold: Bool) -> Int {
        (text.count * size * (isBold ? 70 : 62) + 99) / 100
    }
}

/// Colours that are dark enough to be read on white.
enum Colour {
    static let ink = "#1f2937"
    static let grey = "#6b7280"
    static let supply = "#b91c1c"
    static let lowSupply = "#b45309"
    static let bus = "#0369a1"
    static let ground = "#374151"
    static let contact = "#78716c"

    private static let signals = [
        "gate": "#0f766e", "tone": "#7c3aed", "blue": "#2563eb", "amber": "#a16207", "green": "#15803d",
        "red": "#dc2626", "free passage": "#0e7490", "data 0": "#15803d", "data 1": "#6b7280",
        "passage": "#0f766e", "request-to-exit": "#7c3aed", "contact": "#2563eb", "tamper": "#a16207",
        "fire": "#dc2626",
    ]
    private static let grounds = ["ground", "GND", "0 V"]

    /// Returns the colour of a wire from the terminal with the name `terminal`; nil if the name implies no colour.
    static func of(_ terminal: String) -> String? {
        if terminal.hasPrefix("+") { return supply }
        if grounds.contains(where: terminal.hasPrefix) { return ground }
        if terminal.hasPrefix("3.3 V") { return lowSupply }
        let words = terminal.split(separator: " · ").map(String.init)
        guard words.count == 2, words[1].hasPrefix("GPIO") else { return nil }
        return signals[words[0]] ?? bus
    }
}

/// A drawing that consists of shapes, with positions in pixels.
struct Picture {
    enum Shape {
        case box(x: Int, y: Int, width: Int, height: Int, radius: Int, fill: String, line: String)
        case line(points: [(x: Int, y: Int)], colour: String, width: Int)
        case area(points: [(x: Int, y: Int)], colour: String)
        case circle(x: Int, y: Int, radius: Int, fill: String, line: String)
        case label(Label)
    }

    let title, description: String
    var width = 0
    var height = 0
    var shapes: [Shape] = []

    /// The labels of the picture, with which a check finds labels that overlap.
    var labels: [Label] { shapes.compactMap { if case .label(let label) = $0 { label } else { nil } } }

    /// The drawing as SVG, without scripts, links or embedded typefaces.
    var svg: String {
        let head = """
            <svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 \(width) \(height)" width="\(width)" height="\(height)" \
            role="img" font-family="DejaVu Sans, Verdana, sans-serif">
            <title>\(Self.escaped(title))</title>
            <desc>\(Self.escaped(description))</desc>
            <rect width="\(width)" height="\(height)" fill="#ffffff"/>
            """
        return ([head] + shapes.map(Self.element) + ["</svg>", ""]).joined(separator: "\n")
    }

    private static func element(_ shape: Shape) -> String {
        switch shape {
        case .box(let x, let y, let width, let height, let radius, let fill, let line):
            return """
                <rect x="\(x)" y="\(y)" width="\(width)" height="\(height)" rx="\(radius)" fill="\(fill)" stroke="\(line)" \
                stroke-width="2"/>
                """
        case .line(let points, let colour, let width):
            return """
                <polyline points="\(text(points))" fill="none" stroke="\(colour)" stroke-width="\(width)" \
                stroke-linecap="round"/>
                """
        case .area(let points, let colour): return "<polygon points=\"\(text(points))\" fill=\"\(colour)\"/>"
        case .circle(let x, let y, let radius, let fill, let line):
            return "<circle cx=\"\(x)\" cy=\"\(y)\" r=\"\(radius)\" fill=\"\(fill)\" stroke=\"\(line)\"/>"
        case .label(let label):
            // SVG positions the base line, which is about a third of the size below the middle of the letters.
            let weight = label.isBold ? " font-weight=\"bold\"" : ""
            return """
                <text x="\(label.x)" y="\(label.y + (label.size * 36 + 50) / 100)" font-size="\(label.size)"\(weight) \
                text-anchor="\(label.anchor.rawValue)" fill="\(label.colour)">\(escaped(label.text))</text>
                """
        }
    }

    private static func text(_ points: [(x: Int, y: Int)]) -> String {
        points.map { "\($0.x),\($0.y)" }.joined(separator: " ")
    }

    private static func escaped(_ text: String) -> String {
        text.replacing("&", with: "&amp;").replacing("<", with: "&lt;").replacing(">", with: "&gt;")
    }
}
