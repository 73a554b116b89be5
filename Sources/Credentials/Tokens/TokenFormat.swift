import Encoding

/// Which credential format a compact token has. What the issuer signed decides; what the sender says counts only where the
/// token itself shows nothing.
enum TokenFormat {
    /// The format of a JWT that stands alone. An SD-JWT that lost its `~` is none (`proof.malformed`).
    static func format(of token: CompactJWS, claimed: CredentialFormat?) throws(Rejection) -> CredentialFormat {
        let holdsDocument = token.claims["vc"] != nil || token.claims["vp"] != nil
        switch TokenType.named(by: token.header) {
        case let type? where type.hasSuffix("sd-jwt") && !holdsDocument: throw Rejection(.proofMalformed)
        case "vc+jwt", "vc+ld+json+jwt": return .vcJWT
        case "vp+jwt", "vp+ld+json+jwt": if token.claims["vc"] == nil { return .vpJWT }
        default: break
        }
        if token.claims["vc"] != nil { return .jwtVC }
        if token.claims["vp"] != nil { return .jwtVP }
        if token.claims["verifiableCredential"] != nil { return .vpJWT }
        if token.claims["@context"] != nil { return .vcJWT }
        guard let claimed else { return .jwtVC }
        if selective.contains(claimed) { throw Rejection(.proofMalformed) }
        return standalone.contains(claimed) ? claimed : .jwtVC
    }

    private static let standalone: [CredentialFormat] = [.jwtVC, .vcJWT, .jwtVP, .vpJWT]
    private static let selective: [CredentialFormat] = [.vcSDJWT, .dcSDJWT, .sdJWT]

    /// The format of an SD-JWT. A plain one has no mark of its own: it is what is neither called an SD-JWT VC nor has its
    /// `vct`, unless the sender says that it is more. He cannot make a credential plain, and so less checked, by a word.
    static func format(of token: SDJWT, claimed: CredentialFormat?) -> CredentialFormat {
        switch TokenType.named(by: token.issued.header) {
        case "dc+sd-jwt": return .dcSDJWT
        case "vc+sd-jwt": return .vcSDJWT
        default: break
        }
        if let claimed, claimed == .dcSDJWT || claimed == .vcSDJWT { return claimed }
        return token.issued.claims["vct"] != nil ? .dcSDJWT : .sdJWT
    }
}
