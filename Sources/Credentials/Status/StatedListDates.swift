import Encoding

/// A reader of the dates in a stored status list of any form. No signature is checked: the dates are only for warnings
/// about lists that were verified before they were stored.
struct StatedListDates {
    /// The limits of a verification.
    let limits: Limits
    /// The profile, which determines the accepted forms of dates.
    let profile: Profile
    /// The date at which the list's server last confirmed the list; nil if unknown.
    let fetched: Timestamp?

    /// Returns the dates in a list; nil if the list has no readable dates.
    func read(_ bytes: [UInt8]) -> StatusListDates? {
        guard bytes.count <= limits.payloadBytes else { return nil }
        let letters = Token.trimmed(bytes)
        do throws(Rejection) {
            switch letters.first {
            case UInt8(ascii: "{"):
                guard let document = try? JSON.parse(bytes, limits: limits.json).object else { return nil }
                return try StatusListReader.dates(JSONObject(), document, profile)
            case UInt8(ascii: "e"): return try token(CompactJWS(letters, limits: limits))
            default: return try cwt(bytes)
            }
        } catch {
            return nil
        }
    }

    private func token(_ token: CompactJWS) throws(Rejection) -> StatusListDates {
        let claims = token.claims
        guard try CredentialKind(of: token) == .statusListToken else {
            return try StatusListReader.dates(claims, claims["vc"]?.object ?? claims, profile)
        }
        let times = try TokenDates(claims, profile: .compat)
        return StatusListToken.dates(
            issued: times.issued, until: times.validUntil, lifetime: claims["ttl"]?.number?.double, fetched)
    }

    private func cwt(_ bytes: [UInt8]) throws(Rejection) -> StatusListDates {
        var decoder = CBORDecoder(limits: limits.cbor)
        let item = try decoder.read(bytes[...])
        let signed = try COSESign1(item.tagged(61) ?? item, decoder: &decoder, at: "")
        let claims = try decoder.read(signed.payload)
        return StatusListToken.dates(
            issued: try StatusListToken.date(claims, 6), until: try StatusListToken.date(claims, 4),
            lifetime: claims[65534].map { Double($0.unsigned ?? 0) }, fetched)
    }
}
