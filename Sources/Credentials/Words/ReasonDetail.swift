package import Encoding

/// Which rule it was, where one code stands for several. A fixed word: nothing of the payload is in it. The rules are those of
/// RFC 5280 section 6, of ISO/IEC 18013-5 annex B and of the operator's own `issuers.toml`.
package enum ReasonDetail: Hashable, Sendable {
    /// What should be a certificate, or a list of them, cannot be read as one.
    case encoding
    /// A certificate is followed by one of another name than its issuer's.
    case name
    /// A certificate does not bear its issuer's signature.
    case signature
    /// A certificate is signed by an algorithm that is not accepted, or that does not fit the issuer's key.
    case algorithm
    /// Somebody issued a certificate who is no CA, or may not sign certificates.
    case authority
    /// More CAs follow each other than one of them allows.
    case pathLength
    /// A CA gave a name outside those it may give.
    case nameConstraint
    /// A certificate has a critical extension that is not understood.
    case criticalExtension
    /// The signer's keyUsage does not allow this kind of signature, or the signer is a CA and may not be one.
    case keyUsage
    /// The signer's extendedKeyUsage is for something else.
    case extendedKeyUsage
    /// A certificate is not valid at the date of the verification.
    case dates
    /// The signature claims a date at which the signer's certificate was not valid.
    case signingDate
    /// No pinned certificate stands behind the signer.
    case notPinned
    /// A pinned root stands behind the signer that the issuer's entry does not name. `roots` is what the entry would have to
    /// name: its own and this one, by their ids.
    case rootNotNamed(roots: [Text])
    /// The pinned certificate that vouches for the signer of an mdoc is there for an issuer's tokens only: it has no entry of its
    /// own. `root` is its id.
    case rootForTokens(root: Text)
    /// The entry of that issuer names no types by which it admits; these are the credential's.
    case untyped(issuer: Text, types: [Text])
    /// It is an SD-JWT of no further kind, and the entry of that issuer does not say that such are credentials.
    case plainSDJWT(issuer: Text)
    /// What would decide is not shown, and the holder may be who left it out. `key` is the one of the issuer's entry that says
    /// whether holders may.
    case withheld(key: Text)
    /// A credential inside leads to the outermost one, so that the types may be the word of its issuer, and the entry of the outer
    /// `issuer` does not say that it vouches for that.
    case embedded(issuer: Text)

    /// The word for machines.
    package var word: String {
        switch self {
        case .encoding: "encoding"
        case .name: "name"
        case .signature: "signature"
        case .algorithm: "algorithm"
        case .authority: "authority"
        case .pathLength: "path-length"
        case .nameConstraint: "name-constraint"
        case .criticalExtension: "critical-extension"
        case .keyUsage: "key-usage"
        case .extendedKeyUsage: "extended-key-usage"
        case .dates: "dates"
        case .signingDate: "signing-date"
        case .notPinned: "not-pinned"
        case .rootNotNamed: "root-not-named"
        case .rootForTokens: "root-for-tokens"
        case .untyped: "untyped"
        case .plainSDJWT: "plain-sd-jwt"
        case .withheld: "withheld"
        case .embedded: "embedded"
        }
    }

    /// The same for people, one sentence.
    package var sentence: String {
        switch self {
        case .encoding: "A certificate cannot be read."
        case .name: "A certificate is not followed by its issuer's."
        case .signature: "A certificate does not bear its issuer's signature."
        case .algorithm: "A certificate is signed by an algorithm that is not accepted, or not with such a key."
        case .authority: "A certificate was issued by one that may not issue certificates."
        case .pathLength: "More CAs follow each other than one of them allows."
        case .nameConstraint: "A CA gave a name that it may not give."
        case .criticalExtension: "A certificate has a critical extension that is not understood."
        case .keyUsage: "The signer's certificate does not allow such signatures (keyUsage, or it is a CA's)."
        case .extendedKeyUsage: "The signer's certificate is meant for something else (extendedKeyUsage)."
        case .dates: "A certificate is not valid at this date."
        case .signingDate: "The signer's certificate was not valid when this was signed."
        case .notPinned: "None of the pinned certificates issued the signer's."
        case .rootNotNamed: "The root behind the signer is pinned, but the issuer's entry does not name it."
        case .rootForTokens: "The root of the signer is pinned for the tokens of an issuer, not for mdocs."
        case .untyped: "The issuer's entry names no types, and no rule of the gate says what admits."
        case .plainSDJWT: "It is a plain SD-JWT, and the issuer's entry does not say that such are credentials."
        case .withheld: "This is not shown, and the holder may be who left it out."
        case .embedded: "A credential inside is about the outer one, so that its types may be another issuer's word."
        }
    }

    /// What the operator can do, where that is not what the code says.
    package var remedy: String? {
        switch self {
        case .rootNotNamed(let roots):
            "If this root is to sign for this issuer, write into its [[issuer]] in issuers.toml: " + Self.line(roots)
        case .rootForTokens(let root):
            "If this root is to sign mdocs, write into issuers.toml an [[issuer]] with id = "
                + JSON.string(root).compactText + " and the docTypes as its types."
        case .untyped(let issuer, let types):
            "Write into the [[issuer]] with id = \(JSON.string(issuer).compactText) in issuers.toml: "
                + Self.line(types: types)
        case .plainSDJWT(let issuer):
            "If these are to admit people, write into the [[issuer]] with id = \(JSON.string(issuer).compactText) in "
                + "issuers.toml: plain-sd-jwt = true"
        case .withheld(let key):
            "The holder must show it; where this issuer's credentials may go without, write into its [[issuer]] in "
                + "issuers.toml: \(key) = \"allow\""
                + (key == "withheld-status"
                    ? "; where it makes all of a status mandatory or nothing of it (ecdsa-sd-2023): "
                        + "mandatory-arrays = \"whole\"" : "")
        case .embedded(let issuer):
            "If this issuer vouches for the credentials that it embeds, write into the [[issuer]] with id = "
                + JSON.string(issuer).compactText + " in issuers.toml: embedded-claims = \"allow\""
        case .extendedKeyUsage:
            "Tell the issuer; a usage that you accept is listed in issuers.toml: token-signer-usages for an issuer's "
                + "tokens, document-signer-usages for the mdocs below a root."
        default: nil
        }
    }

    /// The line of `issuers.toml` that names these roots.
    package static func line(_ roots: [Text]) -> String { line("roots", roots) }

    /// The line of `issuers.toml` that names the types by which an issuer admits.
    package static func line(types: [Text]) -> String { line("types", types) }

    /// TOML's basic strings have the escapes of JSON.
    private static func line(_ name: String, _ texts: [Text]) -> String {
        "\(name) = [" + texts.map { JSON.string($0).compactText }.joined(separator: ", ") + "]"
    }
}
