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
        for (index, member) in members.enumerated() {
            let (first, isSimple) = Self.sortKey(of: member.name)
            isBytewise = isBytewise && isSimple
            if isOrdered, let last = keys.last?.first {
                isOrdered = last != first ? last < first : members[index - 1].name < member.name
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

/// An object in canonical form, member by member, so that what differs in a few members is not written anew.
package struct CanonicalObject: Sendable {
    /// What is smaller than this is copied together.
    private static let pieceBytes = 8192
    /// The members' canonical values in the order of their names.
    private var members: [(name: Text, value: [UInt8])] = []

    /// Writes each member of `object`.
    package init(_ object: JSONObject) throws(JCSError) {
        members.reserveCapacity(object.count + 1)
        let order = object.canonicalOrder
        for place in object.members.indices {
            let member = object.members[order?[place] ?? place]
            members.append((member.name, try member.value.canonicalized()))
        }
    }

    /// The canonical value of a member whose name is ASCII; nil is none.
    package subscript(name: Text) -> [UInt8]? {
        get { members.first { $0.name == name }?.value }
        set {
            members.removeAll { $0.name == name }
            guard let newValue else { return }
            // An ASCII name has the same place among others in UTF-16 order as in byte order.
            members.insert((name, newValue), at: members.firstIndex { name < $0.name } ?? members.count)
        }
    }

    /// Hands over the canonical text piece by piece: large values are not copied together.
    package func write(_ sink: ([UInt8]) -> Void) {
        var piece: [UInt8] = []
        for (index, member) in members.enumerated() {
            piece.append(index == 0 ? UInt8(ascii: "{") : UInt8(ascii: ","))
            JSON.writeString(member.name, into: &piece)
            piece.append(UInt8(ascii: ":"))
            guard piece.count + member.value.count > Self.pieceBytes else {
                piece.append(contentsOf: member.value)
                continue
            }
            sink(piece)
            sink(member.value)
            piece.removeAll(keepingCapacity: true)
        }
        if members.isEmpty { piece.append(UInt8(ascii: "{")) }
        piece.append(UInt8(ascii: "}"))
        sink(piece)
    }
}
