import Encoding
import Reasons

/// The media types that a token's header may name (`typ` and `cty`, RFC 7515 sections 4.1.9 and 4.1.10).
enum TokenType {
    /// Returns a media type for comparison: in lower case, without the optional `application/`.
    static func normalized(_ type: Text) -> Text {
        let letters = type.utf8.map { (0x41...0x5A).contains($0) ? $0 + 0x20 : $0 }
        let prefix = Array("application/".utf8)
        return Text(
            String(
                decoding: letters.starts(with: prefix) ? letters.dropFirst(prefix.count) : letters[...], as: UTF8.self))
    }

    /// Returns the header's `typ` in normal form; nil if the header has no `typ`.
    static func named(by header: JSONObject) -> Text? { header["typ"]?.string.map(normalized) }
}

extension CredentialKind {
    /// The rule for the header of a kind's tokens.
    private struct HeaderRule {
        /// The allowed values of the header's `typ`.
        let types: [Text]
        /// A further value of `typ` that the compat profile allows; nil if there is none.
        var lenient: Text?
        /// The profiles in which `typ` may be missing.
        var absence = Absence.never
        /// The required value of the header's `cty`, if the header has a `cty`; nil allows any value.
        var contentType: Text?
    }

    private enum Absence { case never, compat, always }

    private var headerRule: HeaderRule? {
        switch self {
        case .jwtCredential, .jwtPresentation: HeaderRule(types: ["jwt"], absence: .always)
        case .vcJWT: HeaderRule(types: ["vc+jwt"], lenient: "jwt", contentType: "vc")
        case .vpJWT: HeaderRule(types: ["vp+jwt"], lenient: "jwt", contentType: "vp")
        case .dcSDJWT, .oldSDJWT: HeaderRule(types: ["dc+sd-jwt", "vc+sd-jwt"], absence: .compat)
        case .vcdmSDJWT: HeaderRule(types: ["vc+sd-jwt"], absence: .compat, contentType: "vc")
        case .statusListToken: HeaderRule(types: ["statuslist+jwt"])
        case .keyBinding: HeaderRule(types: ["kb+jwt"])
        case .linkedDataCredential, .linkedDataPresentation, .plainSDJWT, .mdoc, .otherToken: nil
        }
    }

    /// Runs the shape stage: checks that the header names this kind as the specification requires.
    ///
    /// - Throws: `shape.header`.
    func checkHeader(_ header: JSONObject, _ profile: Profile) throws(Rejection) {
        guard let rule = headerRule else { return }
        if let member = header["typ"] {
            let allowed = rule.types + (profile == .compat ? [rule.lenient].compactMap(\.self) : [])
            guard let type = member.string, allowed.contains(TokenType.normalized(type)) else {
                throw Rejection(.shapeHeader)
            }
        } else {
            guard rule.absence == .always || rule.absence == .compat && profile == .compat else {
                throw Rejection(.shapeHeader)
            }
        }
        if let wanted = rule.contentType, let member = header["cty"] {
            guard member.string.map(TokenType.normalized) == wanted else { throw Rejection(.shapeHeader) }
        }
    }
}
