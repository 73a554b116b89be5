import Encoding
import Reasons

/// The kind of a signed object. The kind follows from the signed content: the header's `typ` and the members
/// (``init(of:)``). The envelope and the stated format do not determine the kind, but they must agree with it
/// (``agrees(with:)``).
///
/// No other code reads `typ`, `vct`, `vc` or `vp` to classify a token. The members of each kind are listed in
/// a ``MemberTable``.
enum CredentialKind: String, CaseIterable {
    /// A linked-data credential, VCDM 1.1 or 2.0.
    case linkedDataCredential = "linked-data credential"
    /// A linked-data presentation.
    case linkedDataPresentation = "linked-data presentation"
    /// A credential of VCDM 1.1 in a JWT, or of 2.0 encoded as in 1.1: it is in the claim `vc`.
    case jwtCredential = "JWT credential, VCDM 1.1"
    /// A credential of VCDM 2.0 that is the payload of a JWT.
    case vcJWT = "JWT credential, VCDM 2.0"
    /// A presentation in the claim `vp` of a JWT.
    case jwtPresentation = "JWT presentation, VCDM 1.1"
    /// A presentation that is the payload of a JWT.
    case vpJWT = "JWT presentation, VCDM 2.0"
    /// SD-JWT VC: `vct` defines the meaning of the claims.
    case dcSDJWT = "SD-JWT VC"
    /// An SD-JWT VC under its old media type.
    case oldSDJWT = "SD-JWT VC, old media type"
    /// A credential of VCDM 2.0 that is the payload of an SD-JWT.
    case vcdmSDJWT = "SD-JWT credential, VCDM 2.0"
    /// An SD-JWT with arbitrary claims (RFC 9901).
    case plainSDJWT = "plain SD-JWT"
    /// ISO/IEC 18013-5 mobile document.
    case mdoc = "mdoc"
    /// A status list token of the IETF. Such a token never admits a visitor.
    case statusListToken = "status list token"
    /// A token that a holder signs about an SD-JWT. Such a token never admits a visitor.
    case keyBinding = "key binding token"
    /// Any other JWT, such as an access token, an entity statement or a security event. Such a token never
    /// admits a visitor.
    case otherToken = "other token"

    /// The name of the kind in records and rules; nil for kinds that never admit.
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

    /// Whether an object of this kind is a presentation of credentials rather than a credential.
    var isPresentation: Bool { [.linkedDataPresentation, .jwtPresentation, .vpJWT].contains(self) }

    /// Whether an object of this kind is written with `~`, so that its holder may withhold a part of it.
    var isSelective: Bool { [.dcSDJWT, .oldSDJWT, .vcdmSDJWT, .plainSDJWT].contains(self) }

    /// The names that a wallet, a record or a media type may use for this kind.
    private var labels: [CredentialFormat] {
        switch self {
        case .jwtCredential, .vcJWT: [.jwtVC, .vcJWT]
        case .jwtPresentation, .vpJWT: [.jwtVP, .vpJWT]
        // An SD-JWT VC is also an SD-JWT.
        case .dcSDJWT, .oldSDJWT: [.dcSDJWT, .vcSDJWT, .sdJWT]
        case .vcdmSDJWT: [.vcSDJWT, .sdJWT]
        default: [format].compactMap(\.self)
        }
    }

    /// Refuses an object that is called by the name of another kind (`kind.disagrees`).
    func agrees(with label: CredentialFormat?) throws(Rejection) {
        if let label, !labels.contains(label) { throw Rejection(.kindDisagrees) }
    }
}

extension CredentialKind {
    /// Returns whether the issuer of a credential with these types intended it to admit people. The types are
    /// as linked data expands them or a token writes them. An IRI is compared by its last part, so that every
    /// version of a vocabulary is covered.
    static func admits(_ types: [Text]) -> Bool { !types.contains { neverAdmitting.contains(name(of: $0)) } }

    /// Status lists, links between a domain and a DID, and endorsements of other credentials.
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
