import Encoding

/// The keywords of JSON-LD 1.1 (section 1.7).
enum Keyword: UInt8, Sendable, CaseIterable {
    case base, container, context, direction, graph, id, `import`, included, index, json, language, list
    case nest, none, prefix, propagate, protected, reverse, set, type, value, version, vocab

    private static let spellings: [Text] = [
        "@base", "@container", "@context", "@direction", "@graph", "@id", "@import", "@included", "@index", "@json",
        "@language", "@list", "@nest", "@none", "@prefix", "@propagate", "@protected", "@reverse", "@set", "@type",
        "@value", "@version", "@vocab",
    ]
    private static let bySpelling = Dictionary(uniqueKeysWithValues: zip(spellings, allCases))

    /// Creates the keyword with the given spelling; nil if no keyword has that spelling.
    init?(_ text: Text) {
        guard text.utf8.first == UInt8(ascii: "@"), let keyword = Self.bySpelling[text] else { return nil }
        self = keyword
    }

    /// The spelling of the keyword.
    var text: Text { Self.spellings[Int(rawValue)] }

    /// Returns whether `text` is `@` followed by letters. JSON-LD reserves this form: terms and values of this form
    /// that are no keywords are ignored.
    static func hasForm(_ text: Text) -> Bool {
        let bytes = text.utf8
        return bytes.first == UInt8(ascii: "@") && bytes.count > 1 && bytes.dropFirst().allSatisfy(IRI.isLetter)
    }

    /// A set of keywords.
    struct Group: Hashable, ExpressibleByArrayLiteral {
        private var bits: UInt32 = 0

        init(arrayLiteral elements: Keyword...) { for keyword in elements { insert(keyword) } }

        mutating func insert(_ keyword: Keyword) { bits |= 1 << UInt32(keyword.rawValue) }
        func contains(_ keyword: Keyword) -> Bool { bits & 1 << UInt32(keyword.rawValue) != 0 }
        func isSubset(of other: Group) -> Bool { bits & ~other.bits == 0 }
        func isDisjoint(with other: Group) -> Bool { bits & other.bits == 0 }
    }
}

/// The base direction of a text.
enum Direction: String, Hashable, Sendable {
    case leftToRight = "ltr"
    case rightToLeft = "rtl"

    /// Reads the JSON string `ltr` or `rtl`; nil for any other value.
    init?(_ value: JSON) {
        guard let text = value.string, let direction = Direction(rawValue: text.string) else { return nil }
        self = direction
    }
}
