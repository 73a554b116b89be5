/// The layout of one text, in letters of ``BitmapFont``, and in whole words (``DevanagariWords``) if the script
/// requires them.
package struct TextLayout {
    private let text: String
    /// The number of dots for each pixel of a letter: 2 if the text also contains whole words, because these are
    /// higher than letters; otherwise 1.
    private let factor: Int

    /// Prepares the layout of a text.
    init(_ text: String) {
        self.text = text
        factor = text.split(separator: " ").contains { DevanagariWords.picture(of: $0) != nil } ? 2 : 1
    }

    /// Returns whether every word of the text can be drawn.
    package static func canDraw(_ text: String) -> Bool {
        text.split(separator: " ").allSatisfy { DevanagariWords.picture(of: $0) != nil || isLatin($0) }
    }

    /// Returns whether ``BitmapFont`` has all characters of the text. A terminal can show these, too.
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

    /// Divides the text into lines of at most `limit` dots. A longer word has its own line and is not divided.
    func lines(to limit: Int) -> [String] {
        text.split(separator: " ").reduce(into: []) { lines, word in
            if let last = lines.last, width(of: last + " " + word) <= limit {
                lines[lines.count - 1] = last + " " + word
            } else {
                lines.append(String(word))
            }
        }
    }

    /// Draws a line whose upper left corner is at (`x`, `y`), with `scale` × `scale` pixels for each dot.
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
