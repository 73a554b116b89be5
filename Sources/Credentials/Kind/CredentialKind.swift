import Encoding
import Reasons

/// The kind of a signed object. The signed content determines the kind: the header's `typ` and the members
/// (``init(of:)``). The envelope and the stated format must agree with the kind (``agrees(with:)``).
///
/// No other code classifies tokens by `typ`, `vct`, `vc` or `vp`. A ``MemberTable`` lists the members of each kind.
enum CredentialKind: String, CaseIterable {
    /// A linked-data credential, VCDM 1.1 or 2.0.
    case linkedDataCredential = "linked-data credential"
    /// A linked-data presentation.
    case linkedDataPresentation = "linked-data presentation"
    /// A credential in the claim `vc` of a JWT: VCDM 1.1, or VCDM 2.0 in the encoding of 1.1.
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

    /// The name of the kind in records and rules; nil for kinds that never admit a visitor.
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

    /// Whether the serialisation of this kind contains `~`. If so, the holder may withhold parts.
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

    /// Throws `kind.disagrees` if `label`, a format that was stated for an object of this kind, belongs to another
    /// kind; nil agrees with every kind.
    func agrees(with label: CredentialFormat?) throws(Rejection) {
        if let label, !labels.contains(label) { throw Rejection(.kindDisagrees) }
    }
}

extension CredentialKind {
    /// Returns whether the issuer of a credential with these types intended it to admit people. The types are expanded
    /// IRIs of linked data, or names in a token. Of an IRI only the last part is compared, so that every version of a
    /// vocabulary is covered.
    static func admits(_ types: [Text]) -> Bool { !types.contains { neverAdmitting.contains(name(of: $0)) } }

    /// The types of credentials that admit no person: status lists, links between a domain and a DID, and endorsements
    /// of other credentials.
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
