/// Pictures of Hindi words. Each word is drawn as a whole, because the letters of the Devanagari script join. The
/// script `Devanagari/render` generates the file `words.txt`, which contains each word, followed by the rows of its
/// picture from top to bottom.
enum DevanagariWords {
    /// The number of pixel rows of each picture. It is about the height of two lines of ``BitmapFont``, the minimum
    /// at which the script is legible.
    static let height = 20

    /// The picture of one word. `width` is in pixels, and `pixels` contains its rows from top to bottom; true means
    /// ink.
    struct Picture {
        let width: Int
        let pixels: [Bool]
    }

    /// Returns the picture of `word`; nil if the file contains none.
    static func picture(of word: some StringProtocol) -> Picture? { pictures[String(word)] }

    private static let pictures: [String: Picture] = {
        let lines = String(decoding: PackageResources.words_txt, as: UTF8.self).split(separator: "\n")
        var found: [String: Picture] = [:]
        for top in stride(from: 0, to: lines.count - height, by: height + 1) {
            let rows = lines[top + 1...top + height]
            found[String(lines[top])] = Picture(
                width: rows.first?.utf8.count ?? 0, pixels: rows.flatMap { $0.utf8.map { $0 == UInt8(ascii: "#") } })
        }
        return found
    }()
}
