import Encoding

/// Writes the terms of canonical N-Quads (RDFC-1.0 section 5), in which each term has exactly one form.
enum CanonicalNQuads {
    /// Appends an IRI in angle brackets to `output`.
    static func append(iri: Text, to output: inout [UInt8]) {
        output.append(UInt8(ascii: "<"))
        append(bytesOf: iri, to: &output)
        output.append(UInt8(ascii: ">"))
    }

    /// Appends a literal with its language tag or its datatype to `output`. The datatype `xsd:string` is not written.
    static func append(literal: Literal, to output: inout [UInt8]) {
        output.append(UInt8(ascii: "\""))
        literal.value.withBytes { bytes in
            // Most texts, photos in particular, need no escapes and are copied in one piece.
            if ByteScan.mayNeedEscape(inNQuads: bytes) {
                appendEscaped(bytes, to: &output)
            } else {
                output.append(contentsOf: bytes)
            }
        }
        output.append(UInt8(ascii: "\""))
        if let language = literal.language {
            output.append(UInt8(ascii: "@"))
            append(bytesOf: language, to: &output)
        } else if literal.datatype != XSD.string {
            output.append(contentsOf: [UInt8(ascii: "^"), UInt8(ascii: "^")])
            append(iri: literal.datatype, to: &output)
        }
    }

    private static func append(bytesOf text: Text, to output: inout [UInt8]) {
        text.withBytes { output.append(contentsOf: $0) }
    }

    private static func appendEscaped(_ bytes: UnsafeRawBufferPointer, to output: inout [UInt8]) {
        var start = 0
        // U+FFFE and U+FFFF (EF BF BE and EF BF BF) are not characters of XML 1.1 and must be escaped. All other
        // escapes concern single bytes.
        for index in bytes.indices.dropLast(2)
        where bytes[index] == 0xEF && bytes[index + 1] == 0xBF && bytes[index + 2] >= 0xBE {
            escapes.append(UnsafeRawBufferPointer(rebasing: bytes[start..<index]), to: &output)
            output.append(contentsOf: (bytes[index + 2] == 0xBE ? "\\uFFFE" : "\\uFFFF").utf8)
            start = index + 3
        }
        escapes.append(UnsafeRawBufferPointer(rebasing: bytes[start...]), to: &output)
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
        case 0..<0x20, 0x7F: "\\u00" + Hex.encode([byte]).uppercased()
        default: nil
        }
    }
}

extension Dataset {
    /// The quads as N-Quads text, in their order and with their own blank node labels.
    package var nQuads: [UInt8] {
        var output: [UInt8] = []
        func append(_ term: Term) {
            switch term {
            case .iri(let iri): CanonicalNQuads.append(iri: iri, to: &output)
            case .blank(let label): output.append(contentsOf: ("_:" + label.string).utf8)
            case .literal(let literal): CanonicalNQuads.append(literal: literal, to: &output)
            }
            output.append(UInt8(ascii: " "))
        }
        for quad in quads {
            append(quad.subject)
            append(.iri(quad.predicate))
            append(quad.object)
            if let graph = quad.graph { append(graph) }
            output.append(contentsOf: ".\n".utf8)
        }
        return output
    }
}
