import Encoding

/// Canonical N-Quads (RDFC-1.0 section 5): one way only to write each term.
enum CanonicalNQuads {
    /// Appends `<iri>`.
    static func append(iri: Text, to output: inout [UInt8]) {
        output.append(UInt8(ascii: "<"))
        append(bytesOf: iri, to: &output)
        output.append(UInt8(ascii: ">"))
    }

    /// Appends a literal with its language or, unless that is `xsd:string`, its datatype.
    static func append(literal: Literal, to output: inout [UInt8]) {
        output.append(UInt8(ascii: "\""))
        literal.value.withBytes { bytes in
            // The usual text, above all a photo, needs no escape and is copied in one piece.
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
        var index = 0
        while index < bytes.count {
            let byte = bytes[index]
            switch byte {
            case UInt8(ascii: "\""), UInt8(ascii: "\\"): output.append(contentsOf: [UInt8(ascii: "\\"), byte])
            case 0x08: output.append(contentsOf: "\\b".utf8)
            case 0x09: output.append(contentsOf: "\\t".utf8)
            case 0x0A: output.append(contentsOf: "\\n".utf8)
            case 0x0C: output.append(contentsOf: "\\f".utf8)
            case 0x0D: output.append(contentsOf: "\\r".utf8)
            case 0..<0x20, 0x7F: output.append(contentsOf: ("\\u00" + Hex.encode([byte]).uppercased()).utf8)
            case 0xEF where index + 2 < bytes.count && bytes[index + 1] == 0xBF && bytes[index + 2] >= 0xBE:
                // U+FFFE and U+FFFF are no characters of XML 1.1.
                output.append(contentsOf: (bytes[index + 2] == 0xBE ? "\\uFFFE" : "\\uFFFF").utf8)
                index += 2
            default: output.append(byte)
            }
            index += 1
        }
    }
}

extension Dataset {
    /// The quads as N-Quads in the order they have, with their own blank node labels.
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
