/// How one text is drawn: letters of ``BitmapFont``, and where the script wants it whole words (``DevanagariWords``).
package struct Lettering {
    private let text: String
    /// Dots of a letter for each dot of the text: beside whole words letters are drawn twice as large.
    private let factor: Int

    /// That of a text.
    init(_ text: String) {
        self.text = text
        factor = text.split(separator: " ").contains { DevanagariWords.picture(of: $0) != nil } ? 2 : 1
    }

    /// Whether there is a drawing for all of the text.
    package static func canDraw(_ text: String) -> Bool {
        text.split(separator: " ").allSatisfy { DevanagariWords.picture(of: $0) != nil || isLatin($0) }
    }

    /// Whether it is made of single letters, which a terminal shows too.
    package static func isLatin(_ text: some StringProtocol) -> Bool { text.allSatisfy(BitmapFont.has) }

    /// Dots from one line to the next.
    var leading: Int { factor > 1 ? DevanagariWords.height + 2 : BitmapFont.leading }

    /// Dots that the whole text takes in one line, with the space behind it.
    var width: Int { width(of: text) }

    /// Dots that a line of it takes, with the space behind it.
    func width(of line: some StringProtocol) -> Int {
        let words = line.split(separator: " ")
        return words.reduce(0) { $0 + width(ofWord: $1) } + max(0, words.count - 1) * BitmapFont.advance * factor
    }

    private func width(ofWord word: some StringProtocol) -> Int {
        DevanagariWords.picture(of: word).map { $0.width + 1 } ?? word.count * BitmapFont.advance * factor
    }

    /// Its lines of at most so many dots; a longer word stands alone.
    func lines(to limit: Int) -> [String] {
        text.split(separator: " ").reduce(into: []) { lines, word in
            if let last = lines.last, width(of: last + " " + word) <= limit {
                lines[lines.count - 1] = last + " " + word
            } else {
                lines.append(String(word))
            }
        }
    }

    /// Draws a line of it with its upper left corner there, `scale` pixels a dot.
    func draw(_ line: String, on picture: inout Bitmap, x: Int, y: Int, scale: Int) {
        var left = x
        for word in line.split(separator: " ") {
            if let drawn = DevanagariWords.picture(of: word) {
                picture.draw(drawn, x: left, y: y, scale: scale)
            } else {
                // On the same foot as the words beside them.
                let top = factor > 1 ? y + 2 * scale : y
                picture.draw(String(word), x: left, y: top, scale: scale * factor)
            }
            left += (width(ofWord: word) + BitmapFont.advance * factor) * scale
        }
    }
}
