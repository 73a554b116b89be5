/// Why a JSON value has no canonical form by RFC 8785.
package enum JCSError: Error, Hashable, Sendable {
    /// A number beyond the range of an IEEE 754 double (RFC 8785 section 3.2.2.3).
    case numberOutOfRange
}

extension JSON {
    /// The canonical UTF-8 text by the JSON Canonicalization Scheme, RFC 8785.
    ///
    /// Names are sorted by UTF-16 code units, numbers are written as ECMAScript writes the nearest IEEE 754 double.
    package func canonicalized() throws(JCSError) -> [UInt8] {
        var output: [UInt8] = []
        try writeCanonical(into: &output)
        return output
    }

    fileprivate func writeCanonical(into output: inout [UInt8]) throws(JCSError) {
        switch self {
        case .null, .bool, .string: write(into: &output)
        case .number(let number):
            guard let text = ECMAScriptNumber.text(number.double) else { throw .numberOutOfRange }
            output.append(contentsOf: text.utf8)
        case .array(let elements):
            output.append(UInt8(ascii: "["))
            for (index, element) in elements.enumerated() {
                if index > 0 { output.append(UInt8(ascii: ",")) }
                try element.writeCanonical(into: &output)
            }
            output.append(UInt8(ascii: "]"))
        case .object(let object):
            output.append(UInt8(ascii: "{"))
            let order = object.canonicalOrder
            for place in object.members.indices {
                if place > 0 { output.append(UInt8(ascii: ",")) }
                try object.members[order?[place] ?? place].writeCanonical(into: &output)
            }
            output.append(UInt8(ascii: "}"))
        }
    }
}

extension JSONObject.Member {
    fileprivate func writeCanonical(into output: inout [UInt8]) throws(JCSError) {
        JSON.writeString(name, into: &output)
        output.append(UInt8(ascii: ":"))
        try value.writeCanonical(into: &output)
    }
}

extension JSONObject {
    /// The positions of the members in the order of their names by UTF-16 code units (RFC 8785 section 3.2.3); nil where
    /// they stand in that order.
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
        var string = name.string
        return string.withUTF8 { bytes in
            var first: UInt64 = 0
            if bytes.count >= 8 {
                first = UInt64(bigEndian: UnsafeRawBufferPointer(bytes).loadUnaligned(as: UInt64.self))
            } else {
                for byte in bytes { first = first << 8 | UInt64(byte) }
                first = first << UInt64(8 * (8 - bytes.count))
            }
            return (first, bytes.allSatisfy { $0 < 0xEE })
        }
    }
}

/// An object in canonical form, so that what differs in one member is not written anew.
package struct CanonicalObject: Sendable {
    private struct Member: Sendable {
        let name: Text
        /// Where name and value stand in the text.
        let place: Range<Int>
        let value: Range<Int>
    }

    /// `"name":value` of all members one after the other, with commas between them.
    private let text: [UInt8]
    /// The members in the order of their names.
    private let members: [Member]

    /// Writes each member of `object`.
    package init(_ object: JSONObject) throws(JCSError) {
        var (text, members): ([UInt8], [Member]) = ([], [])
        text.reserveCapacity(2048)
        members.reserveCapacity(object.count)
        let order = object.canonicalOrder
        for place in object.members.indices {
            if place > 0 { text.append(UInt8(ascii: ",")) }
            let index = order?[place] ?? place
            let start = text.count
            JSON.writeString(object.members[index].name, into: &text)
            text.append(UInt8(ascii: ":"))
            let value = text.count
            try object.members[index].value.writeCanonical(into: &text)
            members.append(
                Member(name: object.members[index].name, place: start..<text.count, value: value..<text.count))
        }
        (self.text, self.members) = (text, members)
    }

    /// The canonical value of a member.
    package subscript(name: Text) -> ArraySlice<UInt8>? { members.first { $0.name == name }.map { text[$0.value] } }

    /// Hands over the canonical text, piece by piece.
    package func write(_ sink: (ArraySlice<UInt8>) -> Void) {
        sink([UInt8(ascii: "{")])
        sink(text[...])
        sink([UInt8(ascii: "}")])
    }

    /// Hands over the canonical text of the object with another value for a member whose name is ASCII: nil is none.
    package func write(setting name: Text, to value: ArraySlice<UInt8>?, _ sink: (ArraySlice<UInt8>) -> Void) {
        // An ASCII name has the same place among others in UTF-16 order as in byte order.
        let next = members.firstIndex { name < $0.name } ?? members.count
        let old = next > 0 && members[next - 1].name == name ? next - 1 : next
        var pieces = [text[..<(old > 0 ? members[old - 1].place.upperBound : 0)]]
        if let value {
            var start: [UInt8] = []
            JSON.writeString(name, into: &start)
            pieces.append(start + [UInt8(ascii: ":")] + value)
        }
        pieces.append(text[(next < members.count ? members[next].place.lowerBound : text.count)...])
        sink([UInt8(ascii: "{")])
        var isFirst = true
        for piece in pieces where !piece.isEmpty {
            if !isFirst { sink([UInt8(ascii: ",")]) }
            isFirst = false
            sink(piece)
        }
        sink([UInt8(ascii: "}")])
    }
}
