/// The drawing of one text: letters of ``BitmapFont``, and whole words (``DevanagariWords``) where the script
/// requires them.
package struct TextLayout {
    private let text: String
    /// The scale of letters relative to whole words: letters next to whole words are drawn twice as large.
    private let factor: Int

    /// Prepares the drawing of a text.
    init(_ text: String) {
        self.text = text
        factor = text.split(separator: " ").contains { DevanagariWords.picture(of: $0) != nil } ? 2 : 1
    }

    /// Whether every word of the text can be drawn.
    package static func canDraw(_ text: String) -> Bool {
        text.split(separator: " ").allSatisfy { DevanagariWords.picture(of: $0) != nil || isLatin($0) }
    }

    /// Returns whether the text consists of letters of ``BitmapFont``. A terminal can show these letters,
    /// too.
    package static func isLatin(_ text: some StringProtocol) -> Bool { text.allSatisfy(BitmapFont.has) }

    /// The distance from one line to the next in dots.
    var leading: Int { factor > 1 ? DevanagariWords.height + 2 : BitmapFont.leading }

    /// The width of the whole text in one line, in dots, with the space after it.
    var width: Int { width(of: text) }

    /// Returns the width of a line in dots, with the space after it.
    func width(of line: some StringProtocol) -> Int {
        let words = line.split(separator: " ")
        return words.reduce(0) { $0 + width(ofWord: $1) } + max(0, words.count - 1) * BitmapFont.advance * factor
    }

    private func width(ofWord word: some StringProtocol) -> Int {
        DevanagariWords.picture(of: word).map { $0.width + 1 } ?? word.count * BitmapFont.advance * factor
    }

    /// Splits the text into lines of at most `limit` dots; a longer word gets a line of its own.
    func lines(to limit: Int) -> [String] {
        text.split(separator: " ").reduce(into: []) { lines, word in
            if let last = lines.last, width(of: last + " " + word) <= limit {
                lines[lines.count - 1] = last + " " + word
            } else {
                lines.append(String(word))
            }
        }
    }

    /// Draws a line with its upper left corner at (`x`, `y`), with `scale` × `scale` pixels for each dot.
    func draw(_ line: String, on picture: inout Bitmap, x: Int, y: Int, scale: Int) {
        var left = x
        for word in line.split(separator: " ") {
            if let drawn = DevanagariWords.picture(of: word) {
                picture.draw(drawn, x: left, y: y, scale: scale)
            } else {
                // Align the letters with the baseline of the whole words.
                let top = factor > 1 ? y + 2 * scale : y
                picture.draw(String(word), x: left, y: top, scale: scale * factor)
            }
            left += (width(ofWord: word) + BitmapFont.advance * factor) * scale
        }
    }
}
