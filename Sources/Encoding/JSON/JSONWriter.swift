extension JSON {
    /// The compact text of the value. Members are in order, numbers have their source text, and only the escapes that
    /// RFC 8259 section 7 requires are used.
    package var compactBytes: [UInt8] {
        var output: [UInt8] = []
        write(into: &output)
        return output
    }

    /// ``compactBytes`` as a string.
    package var compactText: String { String(decoding: compactBytes, as: UTF8.self) }

    func write(into output: inout [UInt8]) {
        switch self {
        case .null: output.append(contentsOf: "null".utf8)
        case .bool(let value): output.append(contentsOf: (value ? "true" : "false").utf8)
        case .number(let value): output.append(contentsOf: value.text.utf8)
        case .string(let value): Self.writeString(value, into: &output)
        case .array(let elements):
            output.append(UInt8(ascii: "["))
            for (index, element) in elements.enumerated() {
                if index > 0 { output.append(UInt8(ascii: ",")) }
                element.write(into: &output)
            }
            output.append(UInt8(ascii: "]"))
        case .object(let object):
            output.append(UInt8(ascii: "{"))
            for (index, member) in object.members.enumerated() {
                if index > 0 { output.append(UInt8(ascii: ",")) }
                Self.writeString(member.name, into: &output)
                output.append(UInt8(ascii: ":"))
                member.value.write(into: &output)
            }
            output.append(UInt8(ascii: "}"))
        }
    }

    /// Appends `text` in quotes with the escapes of RFC 8785 section 3.2.2.2, which are those of ECMAScript.
    package static func writeString(_ text: Text, into output: inout [UInt8]) {
        output.append(UInt8(ascii: "\""))
        text.withBytes { writeEscaped($0, into: &output) }
        output.append(UInt8(ascii: "\""))
    }

    private static func writeEscaped(_ bytes: UnsafeRawBufferPointer, into output: inout [UInt8]) {
        // Reserve additional room after a long text, so that the array does not double at the next append.
        let room = output.count + bytes.count + 1024
        if bytes.count > 4096, output.capacity < room { output.reserveCapacity(max(room, 2 * output.count)) }
        var start = 0
        while true {
            // Copy bytes that need no escape in one piece.
            let index = ByteScan.firstToEscape(in: bytes, from: start)
            output.append(contentsOf: UnsafeRawBufferPointer(rebasing: bytes[start..<index]))
            guard index < bytes.count else { break }
            // Test the next bytes one by one: bytes near an escape often need an escape, too.
            start = min(bytes.count, index + 16)
            escapes.append(UnsafeRawBufferPointer(rebasing: bytes[index..<start]), to: &output)
        }
    }

    private static let escapes = ByteEscapes { byte in
        switch byte {
        case UInt8(ascii: "\""): "\\\""
        case UInt8(ascii: "\\"): "\\\\"
        case 0x08: "\\b"
        case 0x09: "\\t"
        case 0x0A: "\\n"
        case 0x0C: "\\f"
        case 0x0D: "\\r"
        case 0..<0x20: "\\u00" + Hex.encode([byte])
        default: nil
        }
    }
}
