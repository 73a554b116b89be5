/// Takes out of texts what is nobody else's business, line by line.
///
/// Each thing that is taken out becomes a word with a number, such as `<did 2>`, the same wherever it stands again: who reads it still
/// sees what belongs together. Secrets are always taken out: invitations, and whatever was named as one. Names and addresses are, where
/// that is wanted: links, DIDs, identifiers, addresses of devices and networks, users' folders, names of certificates and policies, long
/// runs of letters and digits (keys and digests), and the words that were named.
package struct Redaction {
    private let takesNames: Bool
    private let secrets, words: [String]
    private var numbers: [String: [String: Int]] = [:]

    /// `secrets`: taken out in any case. `words`: names of this gate, of its agents and hosts, taken out as whole words when
    /// `takesNames`; those shorter than three characters are not, as they would be everywhere.
    package init(takesNames: Bool, secrets: [String] = [], words: [String] = []) {
        func usable(_ texts: [String]) -> [String] {
            Set(texts).filter { $0.count >= 3 }.sorted { $0.count > $1.count }
        }
        self.takesNames = takesNames
        (self.secrets, self.words) = (usable(secrets), usable(words))
    }

    /// The text without them; of at most ``longest`` characters.
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

    /// The longest line that is taken.
    package static let longest = 4096

    /// Without out-of-band invitations (Aries RFC 0434, 0160): words with one in a link, and all behind the beginning of one in JSON.
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

    /// The words of a text and what stands between them.
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
            // As certificates are named (RFC 4514), up to the end of a text in quotes or to what is said of them.
            (
                "certificate",
                /\b(?:CN|OU|O|L|ST)=(?:[^"\\]|\\.)*?(?= (?:ends|ended|has|is) |"|→|$)/
            ),
            // As policies are named in verdicts and in the log.
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

    /// Takes a word out. A line with the beginning of one that is longer than ``longestWord`` ends there: it may have
    /// been shortened by others, and to look for all of it takes seconds.
    private mutating func without(_ word: String, _ kind: String, in text: String) -> String {
        guard word.utf8.count > Self.longestWord else { return replace(word, kind, in: text) }
        guard let found = text.firstRange(of: word.prefix(Self.beginning)) else { return text }
        return text[..<found.lowerBound] + "<\(kind) \(number(word, kind))>…"
    }

    /// Bytes of the longest word that is looked for as a whole.
    private static let longestWord = 256
    /// Characters of the beginning of a longer one.
    private static let beginning = 32

    /// Replaces it where it is a whole word.
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
