/// The credential formats that a wallet such as Inji can send, by their names in OpenID4VCI.
package enum CredentialFormat: String, CaseIterable, Sendable {
    /// A linked-data credential, VCDM 1.1 or 2.0.
    case ldpVC = "ldp_vc"
    /// A linked-data presentation.
    case ldpVP = "ldp_vp"
    /// A credential in a JWT, VCDM 1.1.
    case jwtVC = "jwt_vc_json"
    /// A credential as a JWT, VCDM 2.0.
    case vcJWT = "vc+jwt"
    /// A presentation in a JWT, VCDM 1.1.
    case jwtVP = "jwt_vp_json"
    /// A presentation as a JWT, VCDM 2.0.
    case vpJWT = "vp+jwt"
    /// An SD-JWT VC under its old media type.
    case vcSDJWT = "vc+sd-jwt"
    /// SD-JWT VC.
    case dcSDJWT = "dc+sd-jwt"
    /// A plain SD-JWT (RFC 9901).
    case sdJWT = "sd-jwt"
    /// ISO/IEC 18013-5 mobile document.
    case mdoc = "mso_mdoc"
}
