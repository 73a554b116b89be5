package import Encoding

/// The violated rule, for codes that cover several rules. ``word`` and ``sentence`` are fixed texts without any part of
/// the payload. Only ``remedy`` contains ids and types. The rules are those of RFC 5280 section 6, of ISO/IEC 18013-5
/// annex B and of the operator's `issuers.toml`.
package enum ReasonDetail: Hashable, Sendable {
    /// A certificate, or a list of certificates, is unreadable.
    case encoding
    /// The next certificate of the chain does not have the name of the issuer.
    case name
    /// A certificate is not signed by its issuer.
    case signature
    /// The signature algorithm of a certificate is not accepted, or does not fit the issuer's key.
    case algorithm
    /// The issuer of a certificate is no CA, or may not sign certificates.
    case authority
    /// The path contains more CAs than a CA of the path allows.
    case pathLength
    /// A CA certified a name that it may not certify.
    case nameConstraint
    /// A certificate has a critical extension that is not processed.
    case criticalExtension
    /// The signer's keyUsage does not allow this kind of signature, or the signer is a CA and a CA may not make this
    /// kind of signature.
    case keyUsage
    /// The signer's extendedKeyUsage is for another use.
    case extendedKeyUsage
    /// A certificate is not valid at the date of the verification.
    case dates
    /// The stated date of the signature is outside the validity of the signer's certificate.
    case signingDate
    /// No pinned certificate vouches for the signer.
    case notPinned
    /// A pinned root vouches for the signer, but the issuer's entry does not name the root. `roots`: the ids that the
    /// entry should name, that is, the present ids and the id of the root.
    case rootNotNamed(roots: [Text])
    /// The pinned certificate that vouches for the signer of an mdoc is only for an issuer's tokens, because the
    /// certificate has no entry in the trust data. `root`: the id of the certificate.
    case rootForTokens(root: Text)
    /// The entry of the issuer `issuer` in the trust data names no admitted types. `types`: the types of the
    /// credential.
    case untyped(issuer: Text, types: [Text])
    /// The token is a plain SD-JWT, but the entry of the issuer `issuer` in the trust data does not say that the
    /// issuer's plain SD-JWTs are credentials.
    case plainSDJWT(issuer: Text)
    /// A member that affects the verdict is not shown, and the holder may have withheld it. `key`: the key of the
    /// issuer's entry in the trust data that states whether holders may withhold the member.
    case withheld(key: Text)
    /// An embedded credential also describes the outermost credential, so another issuer may have stated the types. The
    /// entry of the outer `issuer` does not say that the issuer vouches for embedded credentials.
    case embedded(issuer: Text)

    /// The detail as a fixed word for machines.
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

    /// The detail as one sentence, for display.
    package var sentence: String {
        switch self {
        case .encoding: "A certificate cannot be read."
        case .name: "A certificate is not followed by its issuer's certificate."
        case .signature: "A certificate is not signed by its issuer."
        case .algorithm:
            "A certificate is signed with an algorithm that is not accepted, or not accepted with "
                + "such a key."
        case .authority: "A certificate was issued by a certificate that may not issue certificates."
        case .pathLength: "The path has more CAs than one of them permits (pathLenConstraint)."
        case .nameConstraint: "A certificate has a name that its CA may not assign (name constraints)."
        case .criticalExtension: "A certificate has an unknown critical extension."
        case .keyUsage: "The signer's certificate does not allow such signatures (keyUsage, or it is a CA's)."
        case .extendedKeyUsage: "The signer's certificate is meant for something else (extendedKeyUsage)."
        case .dates: "A certificate is not valid at this date."
        case .signingDate: "The signer's certificate was not valid when this was signed."
        case .notPinned: "None of the pinned certificates issued the signer's."
        case .rootNotNamed: "The signer's root is pinned, but the issuer's entry does not name it."
        case .rootForTokens: "The signer's root is pinned for the tokens of an issuer, not for mdocs."
        case .untyped: "The issuer's entry names no types, and no rule of the gate names what is admitted."
        case .plainSDJWT:
            "The document is a plain SD-JWT, and the issuer's entry does not accept plain SD-JWTs as "
                + "credentials."
        case .withheld: "This is not disclosed, and the holder may have withheld it."
        case .embedded:
            "An embedded credential is about the outer one, so its types may be the statement of "
                + "another issuer."
        }
    }

    /// The remedy, if it differs from the remedy of the code; otherwise nil.
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
            "If plain SD-JWTs should admit people, write into the [[issuer]] with id = "
                + JSON.string(issuer).compactText + " in issuers.toml: plain-sd-jwt = true"
        case .withheld(let key):
            "The holder must disclose it; if this issuer's credentials may omit it, write into its [[issuer]] in "
                + "issuers.toml: \(key) = \"allow\""
                + (key == "withheld-status"
                    ? "; if it makes all members of a status mandatory or none (ecdsa-sd-2023): mandatory-arrays = "
                        + "\"whole\"" : "")
        case .embedded(let issuer):
            "If this issuer vouches for the credentials that it embeds, write into the [[issuer]] with id = "
                + JSON.string(issuer).compactText + " in issuers.toml: embedded-claims = \"allow\""
        case .extendedKeyUsage:
            "Report it to the issuer. A usage that you accept is listed in issuers.toml: token-signer-usages for an "
                + "issuer's tokens, document-signer-usages for the mdocs below a root."
        default: nil
        }
    }

    /// Returns the line of `issuers.toml` that names the roots `roots`.
    package static func line(_ roots: [Text]) -> String { line("roots", roots) }

    /// Returns the line of `issuers.toml` that names the admitted types of an issuer.
    package static func line(types: [Text]) -> String { line("types", types) }

    /// Returns a line of TOML. TOML's basic strings have the escapes of JSON.
    private static func line(_ name: String, _ texts: [Text]) -> String {
        "\(name) = [" + texts.map { JSON.string($0).compactText }.joined(separator: ", ") + "]"
    }
}
