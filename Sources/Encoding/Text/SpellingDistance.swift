extension String {
    /// Returns the minimum number of letters to change, add or remove in order to turn this text into `other`
    /// (Levenshtein distance), for suggestions. A letter is an ASCII letter or a UTF-8 byte. Only the first 64 bytes
    /// of `other` count, because a stranger may have typed it.
    package func spellingDistance(to other: String) -> Int {
        let (a, b) = (Array(utf8), Array(other.utf8.prefix(64)))
        var row = Array(0...b.count)
        for (i, letter) in a.enumerated() {
            var diagonal = row[0]
            row[0] = i + 1
            for (j, other) in b.enumerated() {
                let changed = diagonal + (letter == other ? 0 : 1)
                diagonal = row[j + 1]
                row[j + 1] = Swift.min(changed, row[j] + 1, diagonal + 1)
            }
        }
        return row[b.count]
    }
}
