/// A text that is compared, ordered and hashed by its UTF-8 bytes.
///
/// Swift's `String ==` is canonical equivalence: as `String`, the composed and the decomposed "é" are equal. As JSON
/// member names, IRIs or signed input, they differ. Every text that a signature covers, and every identifier, is
/// therefore a `Text`. Byte order equals code point order, as JSON-LD and RDFC-1.0 require.
package struct Text: Sendable {
    /// The text as Swift's string, for display and for building other texts.
    @usableFromInline package var string: String

    /// Wraps a string; no normalisation takes place.
    package init(_ string: String) {
        self.string = string
    }

    /// Decodes UTF-8; nil if `bytes` are not well-formed UTF-8 (Unicode 15, table 3-7).
    package init?(utf8 bytes: some Collection<UInt8>) {
        guard let string = String(validating: bytes, as: UTF8.self) else { return nil }
        self.string = string
    }

    /// Copies ASCII bytes without validating them. The caller must know that all bytes are ASCII.
    init(ascii bytes: UnsafeRawBufferPointer) {
        assert(bytes.allSatisfy { $0 < 0x80 })
        string = bytes.withMemoryRebound(to: UInt8.self) { bytes in
            String(copying: UTF8Span(unchecked: bytes.span, isKnownASCII: true))
        }
    }

    /// The UTF-8 bytes.
    package var utf8: String.UTF8View { string.utf8 }

    /// Calls `body` with the UTF-8 bytes, without a copy. The function is inlinable, so that other modules can
    /// specialise it.
    @inlinable package func withBytes<Value>(_ body: (UnsafeRawBufferPointer) -> Value) -> Value {
        // The bytes of a native Swift string are used in place. Any other string is copied.
        if let value = string.utf8.withContiguousStorageIfAvailable({ body(UnsafeRawBufferPointer($0)) }) {
            return value
        }
        return Array(string.utf8).withUnsafeBytes { body($0) }
    }

    /// Whether the text has no characters.
    package var isEmpty: Bool { string.utf8.isEmpty }

    /// Returns whether the text begins with the bytes of `prefix`.
    package func hasPrefix(_ prefix: Text) -> Bool { utf8.starts(with: prefix.utf8) }

    /// Returns the part after `prefix`; nil if the text does not begin with `prefix`. The cut is between bytes: a
    /// Swift character may extend across the end of the prefix.
    package func behind(_ prefix: Text) -> Substring? {
        hasPrefix(prefix) ? Substring(string.utf8.dropFirst(prefix.utf8.count)) : nil
    }

    /// Returns the longest prefix of whole code points with at most `limit` bytes.
    package func prefix(bytes limit: Int) -> Text {
        guard utf8.count > limit else { return self }
        var end = utf8.index(utf8.startIndex, offsetBy: limit)
        while end.samePosition(in: string.unicodeScalars) == nil { end = utf8.index(before: end) }
        return Text(String(string.unicodeScalars[..<end]))
    }

    /// Returns whether the text ends with the bytes of `suffix`.
    package func hasSuffix(_ suffix: Text) -> Bool {
        utf8.count >= suffix.utf8.count && utf8.suffix(suffix.utf8.count).elementsEqual(suffix.utf8)
    }
}

extension Text: Hashable {
    package static func == (left: Text, right: Text) -> Bool {
        let (a, b) = (left.string.utf8, right.string.utf8)
        guard a.count == b.count else { return false }
        let same = a.withContiguousStorageIfAvailable { a in
            b.withContiguousStorageIfAvailable { b in
                ByteOrder.areEqual(UnsafeRawBufferPointer(a), UnsafeRawBufferPointer(b))
            }
        }
        return (same ?? nil) ?? a.elementsEqual(b)
    }

    package func hash(into hasher: inout Hasher) { withBytes { hasher.combine(bytes: $0) } }
}

extension Text: Comparable {
    package static func < (left: Text, right: Text) -> Bool {
        let (a, b) = (left.string.utf8, right.string.utf8)
        let precedes = a.withContiguousStorageIfAvailable { a in
            b.withContiguousStorageIfAvailable { b in
                ByteOrder.precedes(UnsafeRawBufferPointer(a), UnsafeRawBufferPointer(b))
            }
        }
        return (precedes ?? nil) ?? a.lexicographicallyPrecedes(b)
    }
}

extension Text: ExpressibleByStringLiteral, ExpressibleByStringInterpolation, CustomStringConvertible {
    package init(stringLiteral value: String) { self.init(value) }
    package var description: String { string }
}
