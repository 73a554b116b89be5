/// Removes private data from a text, line by line.
///
/// Each removed part is replaced by a placeholder with a number, such as `<did 2>`. Equal parts get the same
/// placeholder, so that a reader can relate them. Secrets are always removed: invitations, and the texts that the
/// caller names as secrets. If `takesNames` is true, names and addresses are removed too: links, DIDs, identifiers,
/// addresses of devices and networks, users' folders, names of certificates and policies, long runs of letters and
/// digits (keys and hashes), and the words that the caller names.
package struct Redaction {
    private let takesNames: Bool
    private let secrets, words: [String]
    private var numbers: [String: [String: Int]] = [:]

    /// Creates a redaction. `secrets` are removed in any case. `words` are the names of the gate, its agents and its
    /// hosts; they are removed as whole words if `takesNames` is true. Secrets and words of fewer than three
    /// characters are not removed, because they occur everywhere.
    package init(takesNames: Bool, secrets: [String] = [], words: [String] = []) {
        func usable(_ texts: [String]) -> [String] {
            Set(texts).filter { $0.count >= 3 }.sorted { $0.count > $1.count }
        }
        self.takesNames = takesNames
        (self.secrets, self.words) = (usable(secrets), usable(words))
    }

    /// Returns the text without private data. A text longer than ``longest`` is cut.
    package mutating func text(_ text: String) -> String {
        var text = text.count > Self.longest ? String(text.prefix(Self.longest)) + "…" : text
        for secret in secrets { text = without(secret, "secret", in: text) }
        text = withoutInvitations(text)
        guard takesNames else { return text }
        for word in words { text = without(word, "name", in: text) }
        for (kind, pattern) in Self.patterns {
            text = text.replacing(pattern) { "<\(kind) \(number(String($0.output), kind))>" }
        }
        return text
    }

    /// The maximum length of a line in characters.
    package static let longest = 4096

    /// Returns the text without out-of-band invitations (Aries RFC 0434, 0160). Removes words that contain an
    /// invitation as a link, and the whole rest of the text from the beginning of an invitation in JSON.
    private mutating func withoutInvitations(_ text: String) -> String {
        let quoted = text.firstRange(of: "/invitation\"")?.lowerBound
        let json = quoted.flatMap { quoted in text[..<quoted].firstIndex(of: "{").map { ($0, text[$0...]) } }
        var result = ""
        for part in Self.parts(of: text[..<(json?.0 ?? text.endIndex)]) {
            let isInvitation = ["oob=", "c_i=", "d_m="].contains { part.contains($0) }
            result += isInvitation ? "<invitation \(number(String(part), "invitation"))>" : part
        }
        return result + (json.map { "<invitation \(number(String($0.1), "invitation"))>" } ?? "")
    }

    /// Returns the words of a text and the separators between them, in their order.
    private static func parts(of text: Substring) -> [Substring] {
        var (parts, start) = ([Substring](), text.startIndex)
        while start < text.endIndex {
            let isBetween = Self.between.contains(text[start])
            let end = text[start...].firstIndex { Self.between.contains($0) != isBetween } ?? text.endIndex
            parts.append(text[start..<end])
            start = end
        }
        return parts
    }

    private static let between: Set<Character> = [" ", "\t", "\"", "'", "<", ">", "(", ")", ",", ";"]

    private static var patterns: [(String, Regex<Substring>)] {
        [
            ("link", /[A-Za-z][A-Za-z0-9+.\-]{1,15}:\/\/[^\s"'<>]+/), ("did", /did:[a-z0-9]+:[^\s"',;<>()]+/),
            ("id", /[0-9A-Fa-f]{8}-(?:[0-9A-Fa-f]{4}-){3}[0-9A-Fa-f]{12}/),
            ("address", /(?:[0-9A-Fa-f]{2}:){5}[0-9A-Fa-f]{2}/),
            ("address", /[0-9A-Fa-f]{1,4}::?(?:[0-9A-Fa-f]{1,4}::?){2,6}[0-9A-Fa-f]{1,4}/),
            ("address", /(?:[0-9]{1,3}\.){3}[0-9]{1,3}/), ("user", /\/home\/[^\s\/"'<>]+/),
            // Names of certificates (RFC 4514), up to the end of a quoted text or to a statement about the
            // certificate.
            (
                "certificate",
                /\b(?:CN|OU|O|L|ST)=(?:[^"\\]|\\.)*?(?= (?:ends|ended|has|is) |"|→|$)/
            ),
            // Names of policies in verdicts and in the log.
            ("policy", /[^\s"'<>]+@[^\s"'<>]+ sha256:[0-9a-f]{16}/),
            ("token", /[A-Za-z0-9_\-+]{32,512}={0,2}/),
        ]
    }

    private mutating func number(_ text: String, _ kind: String) -> Int {
        if let number = numbers[kind]?[text] { return number }
        let number = (numbers[kind]?.count ?? 0) + 1
        numbers[kind, default: [:]][text] = number
        return number
    }

    /// Removes a word from the text. If the word is longer than ``longestWord``, searches only for its beginning and
    /// cuts the text there: the text may contain the word in a shortened form, and a search for the whole word would
    /// take seconds.
    private mutating func without(_ word: String, _ kind: String, in text: String) -> String {
        guard word.utf8.count > Self.longestWord else { return replace(word, kind, in: text) }
        guard let found = text.firstRange(of: word.prefix(Self.beginning)) else { return text }
        return text[..<found.lowerBound] + "<\(kind) \(number(word, kind))>…"
    }

    /// The maximum length of a word that is searched for as a whole, in bytes.
    private static let longestWord = 256
    /// The number of characters at the beginning of a longer word that are searched for.
    private static let beginning = 32

    /// Replaces `word` by its placeholder where it is a whole word.
    private mutating func replace(_ word: String, _ kind: String, in text: String) -> String {
        var (result, rest) = ("", text[...])
        while let range = rest.firstRange(of: word) {
            let isPart =
                (rest[..<range.lowerBound].last ?? result.last).map(Self.isOfWord) ?? false
                || rest[range.upperBound...].first.map(Self.isOfWord) ?? false
            result += rest[..<range.lowerBound] + (isPart ? word : "<\(kind) \(number(word, kind))>")
            rest = rest[range.upperBound...]
        }
        return result + rest
    }

    private static func isOfWord(_ character: Character) -> Bool { character.isLetter || character.isNumber }
}
