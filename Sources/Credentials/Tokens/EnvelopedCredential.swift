import Encoding
import Reasons

/// A credential in the form of a token inside a JSON document. The token is in the `data:` URL that is the id of an
/// EnvelopedVerifiableCredential (VCDM 2.0 section 4.13.1) or, in VCDM 1.1, is itself the JSON string. Presentations
/// are enveloped in the same way.
struct EnvelopedCredential {
    /// The text of the token, as bytes.
    let letters: [UInt8]
    /// The format according to the media type; nil without an envelope.
    var format: CredentialFormat?
    /// Whether the type of the envelope states a presentation; nil without an envelope.
    var isPresentation: Bool?

    /// Reads a JSON string, or an object that is an envelope; nil for any other value.
    ///
    /// - Throws: `shape.id` if the id is not a `data:` URL of a token, `format.unsupported` for other media types,
    ///   `shape.context` if the context of the object is not that of VCDM 2.0, `kind.member` for a member that affects
    ///   the verdict in another kind.
    init?(_ value: JSON) throws(Rejection) {
        if let text = value.string {
            letters = Array(text.utf8)
            return
        }
        let types = value["type"].map { $0.array ?? [$0] } ?? []
        guard let object = value.object, types.contains(where: { $0 == Self.credential || $0 == Self.presentation })
        else { return nil }
        isPresentation = types.contains(Self.presentation)
        // Members next to the token are unsigned, so none of them may look like a statement of the issuer.
        try MemberTable.envelope.check(object)
        let contexts = object["@context"].map { $0.array ?? [$0] }
        guard contexts?.first.map({ $0 == .string(CredentialShape.Version.v2.rawValue) }) ?? true else {
            throw Rejection(.shapeContext, at: "/@context")
        }
        guard let id = object["id"]?.string, id.hasPrefix(Self.scheme),
            let comma = id.utf8.firstIndex(of: UInt8(ascii: ","))
        else { throw Rejection(.shapeID, at: "/id") }
        let type = id.utf8[..<comma].dropFirst(Self.scheme.utf8.count).prefix { $0 != UInt8(ascii: ";") }
        let mediaType = TokenType.normalized(Text(String(decoding: type, as: UTF8.self)))
        guard let format = Self.formats[mediaType] else {
            throw Rejection(.formatUnsupported, at: "/id", naming: UnsupportedFormat(mediaType: mediaType))
        }
        self.format = format
        letters = Array(id.utf8[comma...].dropFirst())
    }

    private static let credential: JSON = "EnvelopedVerifiableCredential"
    private static let presentation: JSON = "EnvelopedVerifiablePresentation"
    private static let scheme: Text = "data:"
    private static let formats: [Text: CredentialFormat] = [
        "vc+jwt": .vcJWT, "jwt": .jwtVC, "vc+sd-jwt": .vcSDJWT, "dc+sd-jwt": .dcSDJWT,
        "vp+jwt": .vpJWT,
    ]
}
