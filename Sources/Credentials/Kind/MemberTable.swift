import Encoding
import Reasons

/// The treatment of the members of one kind of signed object. A stage of the check reads some members. Some members are
/// known not to affect the verdict. Some members are refused. Every other member is a claim for the gate's rules.
///
/// A name that affects the verdict in one kind is never an ordinary claim in another kind, because the issuer intended
/// the special meaning. A credential with such a name is refused (`kind.member`) if its kind does not read the name.
struct MemberTable: Sendable {
    /// The members that a stage reads.
    let read: [(stage: Stage, names: [Text])]
    /// The known members of this kind that do not affect the verdict.
    let inert: [Text]
    /// The names that affect the verdict in another kind, but are not read in this kind.
    let refused: Set<Text>

    init(_ read: [(Stage, [Text])], inert: [Text] = []) {
        self.read = read.map { (stage: $0.0, names: $0.1) }
        self.inert = inert
        refused = Set(Self.decisive).subtracting(read.flatMap(\.1)).subtracting(inert)
    }

    /// The names that affect the verdict in some kind. They state type, issuer, subject, holder, validity, key,
    /// verifier or status.
    static let decisive: [Text] = [
        "@context", "type", "vct", "vc", "vp", "verifiableCredential", "status_list", "iss", "issuer", "sub",
        "credentialSubject", "holder", "nbf", "exp", "iat", "issuanceDate", "validFrom", "expirationDate", "validUntil",
        "cnf", "aud", "status", "credentialStatus", "_sd", "_sd_alg", "...", "sd_hash",
    ]

    /// Runs the shape stage. Refuses an object with a member that affects the verdict in another kind and is not read
    /// in this kind.
    ///
    /// - Throws: `kind.member`; `shape.member` for `vc` and `vp`, which their specifications forbid by name.
    func check(_ object: JSONObject, at parent: String = "") throws(Rejection) {
        try check(object.members.lazy.map(\.name), at: parent)
    }

    /// Throws for the first of `names`, the member names of an object, that affects the verdict in another kind and is
    /// not read in this kind.
    func check(_ names: some Sequence<Text>, at parent: String) throws(Rejection) {
        for name in names where refused.contains(name) {
            let isForbidden = name == "vc" || name == "vp"
            throw Rejection(isForbidden ? .shapeMember : .kindMember, at: Pointer.append(parent, name))
        }
    }
}

// MARK: - The tables

extension MemberTable {
    /// The members of a credential in both data models of the W3C. Of the members in `credentialInert`, only the form
    /// is checked.
    private static let credential: [(Stage, [Text])] = [
        (.shape, ["type", "credentialSubject", "id"]),
        (.validity, ["issuanceDate", "validFrom", "expirationDate", "validUntil"]), (.issuer, ["issuer"]),
        (.contexts, ["@context"]), (.status, ["credentialStatus"]),
    ]
    private static let credentialInert: [Text] = [
        "credentialSchema", "refreshService", "termsOfUse", "evidence", "relatedResource", "name", "description",
    ]
    /// The claims of a JWT that replace members of the credential or must agree with them.
    private static let claims: [(Stage, [Text])] = [
        (.shape, ["sub", "jti"]), (.validity, ["nbf", "exp", "iat"]), (.issuer, ["iss"]), (.status, ["status"]),
    ]
    private static let disclosing: [(Stage, [Text])] = [(.proof, ["_sd", "_sd_alg", "..."]), (.holder, ["cnf"])]
    private static let presentation: [(Stage, [Text])] = [
        (.shape, ["@context", "type", "id", "verifiableCredential"]), (.holder, ["holder"]),
    ]
    private static let holderClaims: [(Stage, [Text])] = [
        (.validity, ["nbf", "exp"]), (.holder, ["iss", "sub", "aud", "nonce", "iat"]),
    ]

    /// The document of a linked-data credential. JSON-LD determines which of its other members are signed.
    static let linkedDataCredential = MemberTable(credential + [(.proof, ["proof"])], inert: credentialInert)
    /// The document of a linked-data presentation.
    static let linkedDataPresentation = MemberTable(presentation + [(.holder, ["proof"])])
    /// The payload of a JWT that contains `vc`.
    static let jwtCredential = MemberTable(claims + [(.shape, ["vc"])], inert: ["nonce"])
    /// The content of `vc`.
    static let insideVC = MemberTable(credential, inert: credentialInert)
    static let vcJWT = MemberTable(credential + claims, inert: credentialInert + ["nonce"])
    /// The payload of a JWT that contains `vp`.
    static let jwtPresentation = MemberTable(holderClaims + [(.shape, ["vp"])], inert: ["jti"])
    /// The object that contains a token in a credential or presentation (VCDM 2.0 sections 4.13.1 and 4.13.2).
    static let envelope = MemberTable([(.shape, ["@context", "type", "id"])])
    /// The content of `vp`.
    static let insideVP = MemberTable(presentation)
    static let vpJWT = MemberTable(presentation + holderClaims, inert: ["jti"])
    /// An SD-JWT VC under either media type. `vct` states its type. MOSIP also writes members of the W3C data model.
    /// These members are allowed, because they can only restrict the acceptance.
    static let sdJWTVC = MemberTable(
        [
            (.shape, ["vct", "sub", "credentialSubject"]),
            (.validity, ["nbf", "exp", "iat", "issuanceDate", "validFrom", "expirationDate", "validUntil"]),
            (.issuer, ["iss"]), (.contexts, ["@context"]), (.claims, ["type"]),
            (.status, ["status", "credentialStatus"]),
        ] + disclosing, inert: ["issuer", "vct#integrity", "jti", "id", "nonce"])
    static let vcdmSDJWT = MemberTable(credential + claims + disclosing, inert: credentialInert + ["nonce"])
    /// A plain SD-JWT. The claim `iss`, or `issuer` as in a W3C credential, names the issuer.
    static let plainSDJWT = MemberTable(
        [
            (.shape, ["type", "sub", "credentialSubject"]),
            (.validity, ["nbf", "exp", "iat", "issuanceDate", "validFrom", "expirationDate", "validUntil"]),
            (.issuer, ["iss", "issuer"]), (.contexts, ["@context"]), (.status, ["status", "credentialStatus"]),
        ] + disclosing, inert: ["jti", "id", "nonce"])
    /// The mobile security object of an mdoc. The elements of the namespaces are claims.
    static let securityObject = MemberTable(
        [
            (.shape, ["version", "docType"]), (.validity, ["validityInfo"]),
            (.proof, ["digestAlgorithm", "valueDigests"]), (.status, ["status"]),
        ], inert: ["deviceKeyInfo"])
}

extension CredentialKind {
    /// The member table of an SD-JWT of this kind.
    var members: MemberTable {
        switch self {
        case .vcdmSDJWT: .vcdmSDJWT
        case .plainSDJWT: .plainSDJWT
        default: .sdJWTVC
        }
    }

    /// The claims that state issuer, type, holder key, validity and status. The issuer of an SD-JWT VC must not let the
    /// holder withhold these claims (draft-ietf-oauth-sd-jwt-vc section 2.2.2.2). The issuer of any SD-JWT must not let
    /// the holder withhold `iss`.
    var neverDisclosed: [Text] {
        [.dcSDJWT, .oldSDJWT].contains(self)
            ? ["iss", "nbf", "exp", "cnf", "vct", "vct#integrity", "status"] : ["iss"]
    }
}
