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

    private func writeCanonical(into output: inout [UInt8]) throws(JCSError) {
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
            for (index, member) in object.members.sorted(by: Self.precedes).enumerated() {
                if index > 0 { output.append(UInt8(ascii: ",")) }
                Self.writeString(member.name, into: &output)
                output.append(UInt8(ascii: ":"))
                try member.value.writeCanonical(into: &output)
            }
            output.append(UInt8(ascii: "}"))
        }
    }

    /// Order of names by UTF-16 code units. It differs from byte order only where a character beyond U+FFFF meets one of
    /// U+E000 to U+FFFF, so names without such lead bytes are compared as bytes.
    private static func precedes(_ left: JSONObject.Member, _ right: JSONObject.Member) -> Bool {
        let (a, b) = (left.name.string, right.name.string)
        if a.utf8.allSatisfy({ $0 < 0xEE }) && b.utf8.allSatisfy({ $0 < 0xEE }) { return left.name < right.name }
        return a.utf16.lexicographicallyPrecedes(b.utf16)
    }
}
