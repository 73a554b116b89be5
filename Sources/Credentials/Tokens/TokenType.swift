import Encoding

/// The media types that a token's header may name (`typ` and `cty`, RFC 7515 sections 4.1.9 and 4.1.10).
enum TokenType {
    /// A media type for comparing: in lower case, without `application/`, which may be left out.
    static func normalized(_ type: Text) -> Text {
        let letters = type.utf8.map { (0x41...0x5A).contains($0) ? $0 + 0x20 : $0 }
        let prefix = Array("application/".utf8)
        return Text(
            String(
                decoding: letters.starts(with: prefix) ? letters.dropFirst(prefix.count) : letters[...], as: UTF8.self))
    }

    /// Shape stage: the header's `typ` must be one of these; `absent` says whether it may be missing.
    static func check(
        _ header: JSONObject, isOneOf types: [Text], absent: Bool, member: Text = "typ"
    ) throws(Rejection) {
        guard let value = header[member] else {
            guard absent else { throw Rejection(.shapeHeader) }
            return
        }
        guard let type = value.string, types.contains(normalized(type)) else { throw Rejection(.shapeHeader) }
    }

    /// What the header says in normal form; nil when it says nothing.
    static func named(by header: JSONObject) -> Text? { header["typ"]?.string.map(normalized) }
}
