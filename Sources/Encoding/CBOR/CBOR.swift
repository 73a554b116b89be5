/// A CBOR data item (RFC 8949) that keeps the bytes from which it was read.
///
/// COSE and mdoc sign and hash the bytes that were *sent*. A second encoding of an item, even a deterministic encoding,
/// may have another hash. Every item therefore keeps its bytes as a slice of the input.
package struct CBOR: Sendable {
    /// The item's value.
    package let value: Content
    /// The encoding of the item as received: its head, its content and, for an indefinite length, the break.
    package let encoded: ArraySlice<UInt8>

    /// The value of an item in the generic data model of RFC 8949 section 2.
    package enum Content: Sendable {
        /// An unsigned integer (major type 0).
        case unsigned(UInt64)
        /// A negative integer (major type 1): the integer −1 − n for the value n.
        case negative(UInt64)
        /// A byte string (major type 2). The chunks of an indefinite-length string are concatenated.
        case bytes(ArraySlice<UInt8>)
        /// A text (major type 3) in well-formed UTF-8.
        case text(Text)
        /// An array (major type 4).
        case array([CBOR])
        /// A map (major type 5). The pairs are in the order received. No two keys are equal.
        case map([Pair])
        /// A tag (major type 6): its number and its content. Bignums (tags 2 and 3) stay byte strings.
        indirect case tag(UInt64, CBOR)
        /// A simple value (major type 7), by number: 20 `false`, 21 `true`, 22 `null`, 23 `undefined`.
        case simple(UInt8)
        /// A floating-point number (major type 7) of 16, 32 or 64 bits, widened without loss.
        case float(Double)
    }

    /// A key of a map and its value.
    package struct Pair: Sendable {
        /// The key of the pair.
        package let key: CBOR
        /// The value of the pair.
        package let value: CBOR

        /// Creates a pair of a key and a value.
        package init(_ key: CBOR, _ value: CBOR) {
            self.key = key
            self.value = value
        }
    }

    init(_ value: Content, encoded: ArraySlice<UInt8>) {
        self.value = value
        self.encoded = encoded
    }

    /// Creates an item with the given content in deterministic encoding (RFC 8949 section 4.2.1).
    package init(_ value: Content) {
        self.init(value, encoded: value.deterministicBytes[...])
    }
}

extension CBOR {
    // Do not inline this property into `….unsigned.flatMap(…)`: the optimiser of Swift 6.3.1 crashes with "Found
    // ownership error".
    /// The number of an unsigned integer; nil for any other item.
    @inline(never)
    package var unsigned: UInt64? { if case .unsigned(let number) = value { number } else { nil } }

    /// The number of an integer; nil for any other item, or if the number does not fit into a signed 64-bit integer.
    package var integer: Int64? {
        switch value {
        case .unsigned(let number): Int64(exactly: number)
        case .negative(let number): Int64(exactly: number).map { -1 - $0 }
        default: nil
        }
    }

    /// The content of a byte string; nil for any other item.
    package var bytes: ArraySlice<UInt8>? { if case .bytes(let bytes) = value { bytes } else { nil } }

    /// The content of a text string; nil for any other item.
    package var text: Text? { if case .text(let text) = value { text } else { nil } }

    /// The elements of an array; nil for any other item.
    package var array: [CBOR]? { if case .array(let elements) = value { elements } else { nil } }

    /// The pairs of a map; nil for any other item.
    package var map: [Pair]? { if case .map(let pairs) = value { pairs } else { nil } }

    /// The value `true` or `false`; nil for any other item.
    package var bool: Bool? {
        switch value {
        case .simple(20): false
        case .simple(21): true
        default: nil
        }
    }

    /// Whether the value is `null`.
    package var isNull: Bool { if case .simple(22) = value { true } else { false } }

    /// Returns the content of an item with the tag `number`; nil for any other item.
    package func tagged(_ number: UInt64) -> CBOR? {
        if case .tag(number, let content) = value { content } else { nil }
    }

    /// The value under a text key; nil if the item is not a map or lacks the key.
    package subscript(key: Text) -> CBOR? { map?.first { $0.key.text == key }?.value }

    /// The value under an integer key (a COSE label); nil if the item is not a map or lacks the key.
    package subscript(label: Int64) -> CBOR? { map?.first { $0.key.integer == label }?.value }
}

/// The reason why bytes are not an accepted CBOR data item.
package struct CBORError: Error, Hashable, Sendable {
    /// The kind of error.
    package enum Code: Sendable {
        /// The input is not well-formed (RFC 8949 appendix C), has text that is not UTF-8, or has bytes after the item.
        case malformed
        /// A map has two equal keys (RFC 8949 section 5.6).
        case duplicateKey
        /// Items are nested deeper than the limit.
        case tooDeep
        /// The input has more bytes or items than the limits allow.
        case tooLarge
    }

    /// The kind of error.
    package let code: Code
    /// The place of the error, in bytes from the start of the input.
    package let offset: Int

    /// Creates an error with the given code at the byte position `offset`.
    package init(_ code: Code, at offset: Int) {
        self.code = code
        self.offset = offset
    }
}
