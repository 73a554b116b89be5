/// Words in the script of Hindi as pictures: its letters join, so a word is drawn as a whole. `Devanagari/render` makes them.
enum DevanagariWords {
    /// Rows of each picture: as high as two lines of ``BitmapFont``, which is what such letters need to be read.
    static let height = 20

    /// One word: its pixels row by row.
    struct Picture {
        let width: Int
        let pixels: [Bool]
    }

    /// The word's picture; nil for a word that has none.
    static func picture(of word: some StringProtocol) -> Picture? { pictures[String(word)] }

    private static let pictures: [String: Picture] = {
        let lines = sheet.split(separator: "\n")
        var found: [String: Picture] = [:]
        for top in stride(from: 0, to: lines.count - height, by: height + 1) {
            let rows = lines[top + 1...top + height]
            found[String(lines[top])] = Picture(
                width: rows.first?.utf8.count ?? 0, pixels: rows.flatMap { $0.utf8.map { $0 == UInt8(ascii: "#") } })
        }
        return found
    }()
}
