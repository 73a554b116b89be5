/// The reason why a JSON value has no canonical form according to RFC 8785.
package enum JCSError: Error, Hashable, Sendable {
    /// A number beyond the range of an IEEE 754 double (RFC 8785 section 3.2.2.3).
    case numberOutOfRange
}

extension JSON {
    /// The canonical UTF-8 text according to the JSON Canonicalization Scheme, RFC 8785. Names are sorted by UTF-16
    /// code units. Numbers are rounded to the nearest IEEE 754 double and written like in ECMAScript.
    package func canonicalized() throws(JCSError) -> [UInt8] { try canonical().text }

    /// Returns the canonical text, and whether parsing the text returns an equal value up to the order of members. The
    /// canonical text can differ only in numbers.
    package func canonical() throws(JCSError) -> (text: [UInt8], isVerbatim: Bool) {
        var (output, isVerbatim): ([UInt8], Bool) = ([], true)
        try writeCanonical(into: &output, &isVerbatim)
        return (output, isVerbatim)
    }

    fileprivate func writeCanonical(into output: inout [UInt8], _ isVerbatim: inout Bool) throws(JCSError) {
        switch self {
        case .string(let text): JSON.writeString(text, into: &output)
        case .null, .bool: write(into: &output)
        case .number(let number):
            guard let text = ECMAScriptNumber.text(number.double) else { throw .numberOutOfRange }
            if text != number.text { isVerbatim = false }
            output.append(contentsOf: text.utf8)
        case .array(let elements):
            output.append(UInt8(ascii: "["))
            for (index, element) in elements.enumerated() {
                if index > 0 { output.append(UInt8(ascii: ",")) }
                try element.writeCanonical(into: &output, &isVerbatim)
            }
            output.append(UInt8(ascii: "]"))
        case .object(let object):
            if let known = object.known {
                output.append(contentsOf: known.canonical)
                isVerbatim = isVerbatim && known.isVerbatim
                return
            }
            output.append(UInt8(ascii: "{"))
            let order = object.canonicalOrder
            for place in object.members.indices {
                if place > 0 { output.append(UInt8(ascii: ",")) }
                let index = order?[place] ?? place
                JSON.writeString(object.members[index].name, into: &output)
                output.append(UInt8(ascii: ":"))
                try object.members[index].value.writeCanonical(into: &output, &isVerbatim)
            }
            output.append(UInt8(ascii: "}"))
        }
    }
}

extension JSONObject {
    /// The positions of the members, sorted by the UTF-16 code units of their names (RFC 8785 section 3.2.3); nil if
    /// the members are already sorted.
    fileprivate var canonicalOrder: [Int]? {
        guard members.count > 1 else { return nil }
        // UTF-16 order differs from byte order only between a character above U+FFFF and a character from U+E000 to
        // U+FFFF. Compare names without the lead bytes of such characters as bytes. Compare the first eight bytes
        // first, because they usually differ.
        var keys: [(first: UInt64, index: Int)] = []
        keys.reserveCapacity(members.count)
        var (isBytewise, isOrdered) = (true, true)
        for index in members.indices {
            let (first, isSimple) = Self.sortKey(of: members[index].name)
            isBytewise = isBytewise && isSimple
            if isOrdered, let last = keys.last?.first {
                isOrdered = last != first ? last < first : members[index - 1].name < members[index].name
            }
            keys.append((first, index))
        }
        if isBytewise {
            if isOrdered { return nil }
            keys.sort { $0.first != $1.first ? $0.first < $1.first : members[$0.index].name < members[$1.index].name }
        } else {
            keys.sort {
                members[$0.index].name.string.utf16.lexicographicallyPrecedes(members[$1.index].name.string.utf16)
            }
        }
        return keys.map(\.index)
    }

    /// Returns the first eight bytes of a name as a number, and whether byte order and UTF-16 order agree for the
    /// name.
    private static func sortKey(of name: Text) -> (first: UInt64, isSimple: Bool) {
        name.withBytes { bytes in
            var first: UInt64 = 0
            if bytes.count >= 8 {
                first = UInt64(bigEndian: bytes.loadUnaligned(as: UInt64.self))
            } else {
                for byte in bytes { first = first << 8 | UInt64(byte) }
                first = first << UInt64(8 * (8 - bytes.count))
            }
            return (first, bytes.allSatisfy { $0 < 0xEE })
        }
    }
}

/// An object in canonical form. Adding one more member does not write the other members again.
package struct CanonicalObject: Sendable {
    /// `"name":value` of all members, separated by commas.
    private let text: [UInt8]
    /// The names in order, with the offsets of their members in the text.
    private let members: [(name: Text, start: Int)]
    /// Whether parsing the text returns the same members up to their order (``JSON/canonical()``).
    package let isVerbatim: Bool

    /// Creates the canonical form of `object` without the member named `omitted`.
    package init(_ object: JSONObject, without omitted: Text) throws(JCSError) {
        var (text, members, isVerbatim): ([UInt8], [(Text, Int)], Bool) = ([], [], true)
        text.reserveCapacity(2048)
        members.reserveCapacity(object.count)
        let order = object.canonicalOrder
        for place in object.members.indices {
            let index = order?[place] ?? place
            if object.members[index].name == omitted { continue }
            if !members.isEmpty { text.append(UInt8(ascii: ",")) }
            members.append((object.members[index].name, text.count))
            JSON.writeString(object.members[index].name, into: &text)
            text.append(UInt8(ascii: ":"))
            try object.members[index].value.writeCanonical(into: &text, &isVerbatim)
        }
        (self.text, self.members, self.isVerbatim) = (text, members, isVerbatim)
    }

    /// Passes the canonical text to `sink`.
    package func write(_ sink: (ArraySlice<UInt8>) -> Void) {
        sink([UInt8(ascii: "{")])
        sink(text[...])
        sink([UInt8(ascii: "}")])
    }

    /// Passes the canonical text of the object with one more member to `sink`, in pieces. The first piece ends with the
    /// new member if the new member is first; otherwise the first piece is an opening brace.
    ///
    /// - Parameters:
    ///   - name: The name of the member: ASCII, and different from the names of all other members.
    ///   - value: The canonical value of the member.
    package func write(adding name: Text, _ value: [UInt8], _ sink: (ArraySlice<UInt8>) -> Void) {
        // For an ASCII name, UTF-16 order and byte order agree.
        let next = members.first { name < $0.name }?.start ?? text.count
        var piece: [UInt8] = [UInt8(ascii: "{")]
        if next > 0 {
            sink(piece[...])
            sink(text[..<next])
            piece = next == text.count ? [UInt8(ascii: ",")] : []
        }
        piece.reserveCapacity(value.count + name.utf8.count + 8)
        JSON.writeString(name, into: &piece)
        piece.append(UInt8(ascii: ":"))
        piece += value
        sink(piece[...])
        if next < text.count {
            sink([UInt8(ascii: ",")])
            sink(text[next...])
        }
        sink([UInt8(ascii: "}")])
    }
}
