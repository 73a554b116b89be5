/// Why a JSON value has no canonical form by RFC 8785.
package enum JCSError: Error, Hashable, Sendable {
    /// A number beyond the range of an IEEE 754 double (RFC 8785 section 3.2.2.3).
    case numberOutOfRange
}

extension JSON {
    /// The canonical UTF-8 text by the JSON Canonicalization Scheme, RFC 8785.
    ///
    /// Names are sorted by UTF-16 code units, numbers are written as ECMAScript writes the nearest IEEE 754 double.
    package func canonicalized() throws(JCSError) -> [UInt8] { try canonical().text }

    /// The same, and whether it reads as this value again, but for the order of members: of all values only numbers are
    /// written otherwise there than they may have been.
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
    /// The positions of the members in the order of their names by UTF-16 code units (RFC 8785 section 3.2.3); nil
    /// where they stand in that order.
    fileprivate var canonicalOrder: [Int]? {
        guard members.count > 1 else { return nil }
        // UTF-16 order differs from byte order only where a character beyond U+FFFF meets one of U+E000 to U+FFFF, so
        // names without such lead bytes are compared as bytes: by the first eight, which mostly decide.
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

    /// The first eight bytes of a name as a number, and whether bytes order the name as UTF-16 code units do.
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

/// An object in canonical form, to which one more member can be added without writing the others anew.
package struct CanonicalObject: Sendable {
    /// `"name":value` of all members one after the other, with commas between them.
    private let text: [UInt8]
    /// The names in order, with the places where their members begin in the text.
    private let members: [(name: Text, start: Int)]
    /// Whether the text reads as these members again, but for their order (``JSON/canonical()``).
    package let isVerbatim: Bool

    /// Writes each member of `object`, but not the one called `omitted`.
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

    /// Hands over the canonical text.
    package func write(_ sink: (ArraySlice<UInt8>) -> Void) {
        sink([UInt8(ascii: "{")])
        sink(text[...])
        sink([UInt8(ascii: "}")])
    }

    /// Hands over the canonical text of the object with one more member, piece by piece. Where the member comes first
    /// the first piece ends with it; else that is a brace.
    ///
    /// - Parameters:
    ///   - name: Its name: ASCII, and not that of another member.
    ///   - value: Its canonical value.
    package func write(adding name: Text, _ value: [UInt8], _ sink: (ArraySlice<UInt8>) -> Void) {
        // An ASCII name has the same place among others in UTF-16 order as in byte order.
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
