import Encoding

/// Status stage of a token: its entries of bitstring lists and its claim of an IETF list; both count where both are there.
struct TokenStatus {
    let surroundings: Surroundings
    let issuer: TrustedIssuer

    func check(
        _ entries: [Located<JSONObject>], claim: JSON?, into evidence: inout Evidence
    ) throws(Rejection) {
        try StatusCheck(surroundings: surroundings, issuer: issuer, unsigned: []).check(
            entries.map(StatusEntry.init), written: [], into: &evidence)
        try TokenStatusCheck(surroundings: surroundings, issuer: issuer).check(claim, at: "/status", into: &evidence)
    }
}
