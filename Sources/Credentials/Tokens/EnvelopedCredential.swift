import Encoding

/// A credential that stands in a JSON document as a token: an EnvelopedVerifiableCredential, whose id is a `data:` URL that
/// holds it (VCDM 2.0 section 4.13.1), or in VCDM 1.1 the token's text itself. Presentations are enveloped likewise.
enum EnvelopedCredential {
    /// The token's letters and the format that its media type names; nil for an object that is something else.
    ///
    /// - Throws: `shape.id` when the id is no `data:` URL of a token, `format.unsupported` for other media types,
    ///   `shape.context` when the object's own context is not that of VCDM 2.0.
    static func token(in value: JSON) throws(Rejection) -> (letters: [UInt8], format: CredentialFormat?)? {
        if let text = value.string { return (Array(text.utf8), nil) }
        guard let object = value.object, isEnvelope(object) else { return nil }
        let contexts = object["@context"].map { $0.array ?? [$0] }
        guard contexts?.first.map({ $0 == .string(CredentialShape.Version.v2.rawValue) }) ?? true else {
            throw Rejection(.shapeContext, at: "/@context")
        }
        guard let id = object["id"]?.string, id.hasPrefix(scheme), let comma = id.utf8.firstIndex(of: UInt8(ascii: ","))
        else { throw Rejection(.shapeID, at: "/id") }
        let type = id.utf8[..<comma].dropFirst(scheme.utf8.count).prefix { $0 != UInt8(ascii: ";") }
        let mediaType = TokenType.normalized(Text(String(decoding: type, as: UTF8.self)))
        guard let format = formats[mediaType] else {
            throw Rejection(.formatUnsupported, at: "/id", naming: UnsupportedFormat(mediaType: mediaType))
        }
        return (Array(id.utf8[comma...].dropFirst()), format)
    }

    /// Whether an object says that it only wraps a token.
    static func isEnvelope(_ object: JSONObject) -> Bool {
        let types = object["type"].map { $0.array ?? [$0] } ?? []
        return types.contains { $0 == "EnvelopedVerifiableCredential" || $0 == "EnvelopedVerifiablePresentation" }
    }

    private static let scheme: Text = "data:"
    private static let formats: [Text: CredentialFormat] = [
        "vc+jwt": .vcJWT, "jwt": .jwtVC, "vc+sd-jwt": .vcSDJWT, "dc+sd-jwt": .dcSDJWT,
        "vp+jwt": .vpJWT,
    ]
}
