import Encoding

/// What a signed thing is. What was signed decides it: the header's `typ` and the members (``init(of:)``), never how it
/// is wrapped or called, which must agree with it (``agrees(with:)``).
///
/// Nothing else asks for `typ`, `vct`, `vc` or `vp` to find out what a token is. Each kind accounts for its members
/// (``MemberTable``).
enum CredentialKind: String, CaseIterable {
    /// A linked-data credential, VCDM 1.1 or 2.0.
    case linkedDataCredential = "linked-data credential"
    /// A linked-data presentation.
    case linkedDataPresentation = "linked-data presentation"
    /// A credential of VCDM 1.1 in a JWT, or of 2.0 in the manner of 1.1: the claim `vc`.
    case jwtCredential = "JWT credential, VCDM 1.1"
    /// A credential of VCDM 2.0 that is the payload of a JWT.
    case vcJWT = "JWT credential, VCDM 2.0"
    /// A presentation in a JWT: the claim `vp`.
    case jwtPresentation = "JWT presentation, VCDM 1.1"
    /// A presentation that is the payload of a JWT.
    case vpJWT = "JWT presentation, VCDM 2.0"
    /// SD-JWT VC: the claims are named by `vct`.
    case dcSDJWT = "SD-JWT VC"
    /// SD-JWT VC under its old media type.
    case oldSDJWT = "SD-JWT VC, old media type"
    /// A credential of VCDM 2.0 that is the payload of an SD-JWT.
    case vcdmSDJWT = "SD-JWT credential, VCDM 2.0"
    /// An SD-JWT with any claims at all (RFC 9901).
    case plainSDJWT = "plain SD-JWT"
    /// ISO/IEC 18013-5 mobile document.
    case mdoc = "mdoc"
    /// A status list of the IETF. It never admits.
    case statusListToken = "status list token"
    /// What a holder signs about an SD-JWT. It never admits.
    case keyBinding = "key binding token"
    /// Every other JWT, such as an access token, an entity statement or a security event. It never admits.
    case otherToken = "other token"

    /// By which name records and rules know it; nil for what never admits.
    var format: CredentialFormat? {
        switch self {
        case .linkedDataCredential: .ldpVC
        case .linkedDataPresentation: .ldpVP
        case .jwtCredential: .jwtVC
        case .vcJWT: .vcJWT
        case .jwtPresentation: .jwtVP
        case .vpJWT: .vpJWT
        case .dcSDJWT: .dcSDJWT
        case .oldSDJWT, .vcdmSDJWT: .vcSDJWT
        case .plainSDJWT: .sdJWT
        case .mdoc: .mdoc
        case .statusListToken, .keyBinding, .otherToken: nil
        }
    }

    /// Whether it presents credentials and is none.
    var isPresentation: Bool { [.linkedDataPresentation, .jwtPresentation, .vpJWT].contains(self) }

    /// Whether it is written with `~`, and its holder may withhold a part.
    var isSelective: Bool { [.dcSDJWT, .oldSDJWT, .vcdmSDJWT, .plainSDJWT].contains(self) }

    /// The names that a wallet, a record or a media type may give it.
    private var labels: [CredentialFormat] {
        switch self {
        case .jwtCredential, .vcJWT: [.jwtVC, .vcJWT]
        case .jwtPresentation, .vpJWT: [.jwtVP, .vpJWT]
        // An SD-JWT VC is an SD-JWT, too.
        case .dcSDJWT, .oldSDJWT: [.dcSDJWT, .vcSDJWT, .sdJWT]
        case .vcdmSDJWT: [.vcSDJWT, .sdJWT]
        default: [format].compactMap(\.self)
        }
    }

    /// Refuses what is called by the name of another kind (`kind.disagrees`).
    func agrees(with label: CredentialFormat?) throws(Rejection) {
        if let label, !labels.contains(label) { throw Rejection(.kindDisagrees) }
    }
}

extension CredentialKind {
    /// Whether a credential of these types, as linked data expands them or a token writes them, is one that its issuer
    /// made to admit people. An IRI counts by its last part, so that no version of a vocabulary is forgotten.
    static func admits(_ types: [Text]) -> Bool { !types.contains { neverAdmitting.contains(name(of: $0)) } }

    /// Lists of states, what links a domain to a DID, and praise for another credential.
    static let neverAdmitting: Set<Text> = [
        "BitstringStatusListCredential", "StatusList2021Credential", "RevocationList2020Credential",
        "SuspensionList2020Credential", "RevocationList2021Credential", "DomainLinkageCredential",
        "EndorsementCredential",
    ]

    private static func name(of type: Text) -> Text {
        guard let mark = type.utf8.lastIndex(where: { $0 == UInt8(ascii: "#") || $0 == UInt8(ascii: "/") }) else {
            return type
        }
        return Text(String(decoding: type.utf8[mark...].dropFirst(), as: UTF8.self))
    }
}
