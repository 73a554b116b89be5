import Encoding

/// The status information of a verified credential of any format, for the status stage.
struct StatusQuestion {
    /// The issuer whose lists may answer; nil if no entry in the trust data vouches for the issuer. If nil, no list may
    /// answer.
    let issuer: TrustedIssuer?
    /// Signed entries of bitstring status lists.
    var entries: [StatusEntry] = []
    /// The place of a status entry that is partly unsigned; nil if there is none. The holder could replace such an
    /// entry by an entry that is not revoked.
    var uncovered: String?
    /// An entry of an IETF status list, and its place; nil if the credential has none.
    var claim: StatusClaim?
    /// The place of a status that the holder may have withheld; nil if the holder cannot withhold a status.
    var withheld: Withheld?
}

/// A status that the holder may have withheld.
struct Withheld {
    /// The place where the withheld status would be.
    let place: String
    /// Whether a part of the status is shown, which proves that the issuer signed a status.
    let isStated: Bool
}

/// The claim by which a token or mdoc names its entry of an IETF status list (draft-ietf-oauth-status-list section 6),
/// and the place of the claim in the credential.
enum StatusClaim {
    case json(JSON, at: String)
    case cbor(CBOR, at: String)
}
