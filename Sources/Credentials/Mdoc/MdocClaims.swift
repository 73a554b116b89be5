import Encoding

/// The conversion of the data elements of an mdoc to JSON for the gate's rules (RFC 8949 section 6.1). Content without
/// a JSON form is omitted.
enum MdocClaims {
    /// Returns `{"docType": …, "nameSpaces": {NAMESPACE: {ELEMENT: value}}}`.
    static func document(_ docType: Text, _ nameSpaces: [IssuerSigned.NameSpace]) -> JSON {
        let members = nameSpaces.map { nameSpace in
            let elements = nameSpace.items.map { JSONObject.Member($0.identifier, json($0.value)) }
            return JSONObject.Member(nameSpace.name, .object(JSONObject(elements)))
        }
        return ["docType": .string(docType), "nameSpaces": .object(JSONObject(members))]
    }

    /// Converts numbers to numbers, byte strings to base64url, and tagged values (including dates) to their content. A
    /// member whose name is not text is omitted. Any other value without a JSON form becomes null.
    static func json(_ item: CBOR) -> JSON {
        switch item.value {
        case .unsigned(let number): return decimal(String(number))
        case .negative(let number):
            let (magnitude, overflow) = number.addingReportingOverflow(1)
            return decimal(overflow ? "-18446744073709551616" : "-" + String(magnitude))
        case .bytes(let bytes): return .text(Base64.encode(bytes))
        case .text(let text): return .string(text)
        case .array(let elements): return .array(elements.map(json))
        case .map(let pairs):
            let members = pairs.compactMap { pair in
                pair.key.text.map { JSONObject.Member($0, json(pair.value)) }
            }
            return .object(JSONObject(members))
        case .tag(_, let content): return json(content)
        case .simple: return item.bool.map { .bool($0) } ?? .null
        case .float(let number): return ECMAScriptNumber.text(number).map(decimal) ?? .null
        }
    }

    private static func decimal(_ text: String) -> JSON { .number(JSONNumber(validated: text)) }
}
