import Encoding

/// The status information of a verified credential, which the status stage looks up for every format.
struct StatusQuestion {
    /// The issuer whose lists may answer; nil where no entry vouches for the issuer, so that no list may.
    let issuer: TrustedIssuer?
    /// Signed entries of bitstring status lists.
    var entries: [StatusEntry] = []
    /// The place of a status entry that is partly unsigned, so that the holder could replace it by one that
    /// is not revoked.
    var uncovered: String?
    /// An entry of an IETF status list, and its place.
    var claim: StatusClaim?
    /// The place of a status that the holder may have withheld; nil if the holder cannot withhold one.
    var withheld: Withheld?
}

/// A status that the holder may have withheld.
struct Withheld {
    /// The place where the withheld status would be.
    let place: String
    /// Whether the issuer is known to have signed a status, because a part of it is shown.
    let isStated: Bool
}

/// The claim by which a token or mdoc names its entry of an IETF status list (draft-ietf-oauth-status-list
/// section 6), and its place in the credential.
enum StatusClaim {
    case json(JSON, at: String)
    case cbor(CBOR, at: String)
}
