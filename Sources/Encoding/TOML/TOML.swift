/// A value of TOML 1.0.0.
package indirect enum TOML: Hashable, Sendable {
    /// A text in any of the four string forms, after unescaping.
    case string(Text)
    /// A whole number of 64 bits.
    case integer(Int64)
    /// A floating-point number, `inf` and `nan` included.
    case float(Double)
    /// A Boolean: `true` or `false`.
    case boolean(Bool)
    /// A date, a time or both, as written.
    case dateTime(Text)
    /// An array with its elements in order. An array of tables is an array, too.
    case array([TOML])
    /// A table in any notation: under a header, by dotted keys, or inline.
    case table(TOMLTable)
}

/// The entries of a TOML table in the order of first occurrence.
package struct TOMLTable: Hashable, Sendable {
    /// One key with its value and its line.
    package struct Entry: Hashable, Sendable {
        /// The key, or one part of a dotted key.
        package let name: Text
        /// The value of the key.
        package let value: TOML
        /// The line of the key or the header, from 1.
        package let line: Int
    }

    /// The entries in order; names are unique.
    package let entries: [Entry]
    private let index: [Text: Int]

    init(_ entries: [Entry]) {
        self.entries = entries
        index = Dictionary(entries.enumerated().map { ($1.name, $0) }, uniquingKeysWith: { first, _ in first })
    }

    /// Returns the entry with the given name; nil if there is none.
    package func entry(_ name: Text) -> Entry? { index[name].map { entries[$0] } }

    /// The value with the given name; nil if there is none.
    package subscript(name: Text) -> TOML? { entry(name)?.value }
}

extension TOML {
    /// Limits on the size of a document; a larger file is refused.
    package struct Limits: Hashable, Sendable {
        /// The maximum size of the document in bytes.
        package var bytes = 1_048_576
        /// The maximum nesting depth of tables and arrays. The same number limits the parts of a dotted key.
        package var depth = 32

        /// Creates the documented default values.
        package init() {}
    }

    /// The reason why a text is not a TOML document, with the place of the fault.
    package struct SyntaxError: Error, Hashable, Sendable {
        /// The line of the error in the document, from 1.
        package let line: Int
        /// The reason, in plain words.
        package let message: String
    }

    /// Parses a document. Throws at the first byte that violates TOML 1.0.0 or the limits, and never traps.
    package static func parse(_ bytes: [UInt8], limits: Limits = Limits()) throws(SyntaxError) -> TOMLTable {
        guard bytes.count <= limits.bytes else { throw SyntaxError(line: 1, message: "the file is too long") }
        guard Text(utf8: bytes) != nil else { throw SyntaxError(line: 1, message: "the file is not UTF-8 text") }
        var parser = TOMLParser(bytes, limits)
        return try parser.document()
    }

    /// The text of a string; nil for any other value.
    package var string: Text? { if case .string(let value) = self { value } else { nil } }

    /// The number of an integer; nil for any other value.
    package var integer: Int64? { if case .integer(let value) = self { value } else { nil } }

    /// The value of `true` or `false`; nil for any other value.
    package var boolean: Bool? { if case .boolean(let value) = self { value } else { nil } }

    /// The elements of an array; nil for any other value.
    package var array: [TOML]? { if case .array(let value) = self { value } else { nil } }

    /// The entries of a table; nil for any other value.
    package var table: TOMLTable? { if case .table(let value) = self { value } else { nil } }

    /// The kind of value in words, for messages.
    package var kind: String {
        switch self {
        case .string: "a text"
        case .integer: "a whole number"
        case .float: "a number with a fraction"
        case .boolean: "true or false"
        case .dateTime: "a date or time"
        case .array: "a list"
        case .table: "a section"
        }
    }
}
