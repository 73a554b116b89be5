import Encoding
import Reasons

// Functions that classify signed objects: one for tokens, one for JSON objects. A signed object in CBOR is always an
// mdoc.

extension CredentialKind {
    /// Classifies a JWT: a whole token, or the part of an SD-JWT before its first `~`.
    ///
    /// The header's `typ` or the members of the payload determine the kind. If both determine a kind, the two kinds
    /// must be equal.
    ///
    /// - Throws: `shape.header` if the two kinds differ, or `typ` is not a text.
    init(of token: CompactJWS) throws(Rejection) {
        let (claims, marks) = (token.claims, Mark.all(in: token.claims))
        guard let named = try Self.named(by: token.header, claims) else {
            self = Self.shown(by: marks, claims)
            return
        }
        guard marks.allSatisfy(named.mayBear) else { throw Rejection(.shapeHeader, at: token.pointer) }
        self = named
    }

    /// Classifies a received token. The kind must be a kind that admits people. `isSelective` states whether the
    /// serialisation contains `~`; it must do so for the kinds of SD-JWT only.
    ///
    /// - Throws: `shape.header`; `kind.never-admits`; `proof.malformed` for an SD-JWT without `~`; `kind.disagrees` for
    ///   a token of another kind with `~`; `kind.member` for a credential of another kind that contains digests,
    ///   because its issuer intended the holder to withhold parts of it.
    init(received token: CompactJWS, isSelective: Bool) throws(Rejection) {
        let kind = try Self(of: token)
        guard kind.format != nil else { throw Rejection(.kindNeverAdmits) }
        guard kind.isSelective == isSelective else { throw Rejection(isSelective ? .kindDisagrees : .proofMalformed) }
        if !isSelective, !kind.isPresentation, let place = DigestSearch.place(in: token.claims) {
            throw Rejection(.kindMember, at: place)
        }
        self = kind
    }

    /// Classifies a JSON object as linked data, by its members or else by the format that the sender claims; nil if
    /// neither shows linked data.
    ///
    /// - Throws: `shape.type` for an object that states both a credential and a presentation.
    init?(of object: JSONObject, claimed: CredentialFormat?) throws(Rejection) {
        let types = (object["type"].map { $0.array ?? [$0] } ?? []).compactMap(\.string)
        let isPresentation = types.contains("VerifiablePresentation")
        if types.contains("VerifiableCredential") {
            guard !isPresentation else { throw Rejection(.shapeType, at: "/type") }
            self = .linkedDataCredential
        } else if isPresentation || claimed == .ldpVP {
            self = .linkedDataPresentation
        } else if claimed == .ldpVC || object["credentialSubject"] != nil {
            self = .linkedDataCredential
        } else if let inner = object["verifiableCredential"], !inner.isNull {
            self = .linkedDataPresentation
        } else if object["@context"] != nil || object["issuer"] != nil && object["proof"] != nil {
            self = .linkedDataCredential
        } else {
            return nil
        }
    }

    // MARK: - By the header

    private static func named(by header: JSONObject, _ claims: JSONObject) throws(Rejection) -> CredentialKind? {
        guard header["typ"] != nil else { return nil }
        guard let type = TokenType.named(by: header) else { throw Rejection(.shapeHeader) }
        switch type {
        case "jwt": return nil
        case "vc+jwt", "vc+ld+json+jwt": return .vcJWT
        case "vp+jwt", "vp+ld+json+jwt": return .vpJWT
        case "dc+sd-jwt": return .dcSDJWT
        case "vc+sd-jwt": return claims["vct"] == nil && claims["@context"] != nil ? .vcdmSDJWT : .oldSDJWT
        case "vc+ld+json+sd-jwt": return .vcdmSDJWT
        case "statuslist+jwt": return .statusListToken
        case "kb+jwt": return .keyBinding
        default: return type == "sd-jwt" || type.hasSuffix("+sd-jwt") ? .plainSDJWT : .otherToken
        }
    }

    /// Returns whether the payload of a token whose header names this kind may contain the member `mark`.
    private func mayBear(_ mark: Mark) -> Bool {
        switch self {
        case .vcJWT, .vcdmSDJWT: [.context, .credential, .presentation].contains(mark)
        case .vpJWT: [.context, .presented, .presentation].contains(mark)
        case .dcSDJWT, .oldSDJWT: [.claimsType, .context].contains(mark)
        case .plainSDJWT: mark == .context
        case .statusListToken: mark == .list
        default: false
        }
    }

    // MARK: - By the members

    /// The members that show the kind of a payload. The most specific members come first.
    private enum Mark: CaseIterable {
        case credential, presentation, claimsType, list, presented, context

        static func all(in claims: JSONObject) -> [Mark] { allCases.filter { $0.stands(in: claims) } }

        private func stands(in claims: JSONObject) -> Bool {
            switch self {
            case .credential: claims["vc"] != nil
            case .presentation: claims["vp"] != nil
            case .claimsType: claims["vct"] != nil
            case .list: claims["status_list"] != nil
            case .presented: claims["verifiableCredential"] != nil
            case .context: claims["@context"] != nil
            }
        }
    }

    private static func shown(by marks: [Mark], _ claims: JSONObject) -> CredentialKind {
        switch marks.first {
        case .credential: .jwtCredential
        case .presentation: .jwtPresentation
        case .claimsType: .dcSDJWT
        case .list: .statusListToken
        case .presented: .vpJWT
        case .context: DigestSearch.place(in: claims) == nil ? .vcJWT : .vcdmSDJWT
        case nil: DigestSearch.place(in: claims) == nil ? .otherToken : .plainSDJWT
        }
    }
}

/// The search for the members that only the payload of an SD-JWT has (RFC 9901 section 4.2.4): `_sd_alg`, a member
/// `_sd`, or `...`.
enum DigestSearch {
    /// Returns the place of the first member that only an SD-JWT has, as a JSON pointer; nil if there is none. The time
    /// is linear in the size of the payload.
    static func place(in claims: JSONObject) -> String? {
        claims["_sd_alg"] != nil ? "/_sd_alg" : place(in: .object(claims))
    }

    private static func place(in value: JSON) -> String? {
        switch value {
        case .object(let object):
            for member in object.members {
                if member.name == "_sd" || member.name == "..." { return Pointer.append("", member.name) }
                if member.value.isContainer, let place = place(in: member.value) {
                    return Pointer.append("", member.name) + place
                }
            }
        case .array(let elements):
            for (index, element) in elements.enumerated() where element.isContainer {
                if let place = place(in: element) { return Pointer.append("", index) + place }
            }
        default: break
        }
        return nil
    }
}
