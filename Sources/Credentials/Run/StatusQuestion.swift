import Encoding

/// What a verified credential says of its status: the status stage answers it, whatever the format.
struct StatusQuestion {
    /// Whose lists may answer; nil where nobody vouches for the issuer, so that none may.
    let issuer: TrustedIssuer?
    /// Signed entries of bitstring status lists.
    var entries: [StatusEntry] = []
    /// Where an entry is written of which a part is not signed: it could be changed to another that is not revoked.
    var uncovered: String?
    /// An entry of an IETF status list, and where it stands.
    var claim: StatusClaim?
    /// Where a status would stand that the holder may have left out; nil where he cannot.
    var withheld: Withheld?
}

/// A status that the holder may have left out.
struct Withheld {
    /// Where it would stand.
    let place: String
    /// Whether the issuer is known to have signed one: it shows in part.
    let isStated: Bool
}

/// The claim by which a token or mdoc names its entry of an IETF status list (draft-ietf-oauth-status-list section 6), and
/// where it stands in the credential.
enum StatusClaim {
    case json(JSON, at: String)
    case cbor(CBOR, at: String)
}
