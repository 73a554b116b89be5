import Encoding
import Reasons

/// The status stage for credentials with an entry of an IETF Token Status List (draft-ietf-oauth-status-list section
/// 8.3): the `status` claim of a JWT, of an SD-JWT, or of an mdoc's mobile security object.
struct TokenStatusCheck {
    let verificationContext: VerificationContext
    /// The credential's issuer; for an mdoc the pinned root of its signer.
    let issuer: TrustedIssuer

    /// Looks up a `status` claim at `pointer`. A credential without the claim needs no answer. Only the mechanism
    /// `status_list` of the claim is read.
    func check(_ status: JSON?, at pointer: String, into evidence: inout Evidence) throws(Rejection) {
        guard let status else { return }
        guard let mechanisms = status.object else { throw Rejection(.shapeStatus, at: pointer) }
        guard let entry = mechanisms["status_list"] else { return try noAnswer(at: pointer, into: &evidence) }
        let place = pointer + "/status_list"
        guard let url = entry["uri"]?.string, let index = entry["idx"]?.int, index >= 0 else {
            throw Rejection(.shapeStatus, at: place)
        }
        try check(url, index, at: place, into: &evidence)
    }

    /// Looks up a `status` claim in CBOR (section 6.3).
    func check(_ status: CBOR?, at pointer: String, into evidence: inout Evidence) throws(Rejection) {
        guard let status else { return }
        guard status.map != nil else { throw Rejection(.shapeStatus, at: pointer) }
        guard let entry = status["status_list"] else { return try noAnswer(at: pointer, into: &evidence) }
        let place = pointer + "/status_list"
        guard let url = entry["uri"]?.text, let number = entry["idx"]?.unsigned, let index = Int(exactly: number) else {
            throw Rejection(.shapeStatus, at: place)
        }
        try check(url, index, at: place, into: &evidence)
    }

    private func check(
        _ url: Text, _ index: Int, at pointer: String, into evidence: inout Evidence
    ) throws(Rejection) {
        let reader = StatusListReader(verificationContext: verificationContext, issuer: issuer)
        guard let list = try reader.stored(url, at: pointer) else {
            return try noAnswer(at: pointer, blaming: pointer + "/uri", into: &evidence)
        }
        guard case .token(let entries) = list.content, let status = entries[index] else {
            throw Rejection(.statusInvalid, at: pointer)
        }
        let value: StatusAnswer.Value
        switch status {
        case 0: value = .valid
        case 1: value = .revoked
        case 2: value = .suspended
        default:
            // The value is application-specific or not assigned yet (section 7.1). A credential with such a value must
            // not count as valid.
            throw Rejection(.statusInvalid, at: pointer)
        }
        // A list with one bit for each entry cannot state a suspension, so such a list answers only for revocation.
        for purpose in entries.bits > 1 ? Self.purposes : [Self.purposes[0]] {
            try verificationContext.settle(
                StatusAnswer(value, purpose: purpose, pointer: pointer, age: list.age, overdue: list.overdue),
                into: &evidence)
        }
    }

    private static let purposes: [Text] = ["revocation", "suspension"]

    private func noAnswer(
        at pointer: String, blaming place: String? = nil, into evidence: inout Evidence
    ) throws(Rejection) {
        let answer = StatusAnswer(.unknown, purpose: Self.purposes[0], pointer: pointer)
        try verificationContext.settle(answer, into: &evidence, blaming: place)
    }
}
