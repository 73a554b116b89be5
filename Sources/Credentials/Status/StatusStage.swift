import Encoding
import Reasons

extension VerificationContext {
    /// Runs the status stage: looks up the status of the credentials in the stored lists of their issuers.
    func answerStatus(into evidence: inout Evidence) throws(Rejection) {
        try evidence.forEachCredential { (found) throws(Rejection) in
            if let question = found.question { try answer(question, into: &found) }
        }
    }

    private func answer(_ question: StatusQuestion, into evidence: inout Evidence) throws(Rejection) {
        guard let issuer = question.issuer else {
            guard let claim = question.claim else { return }
            throw Rejection(.statusUnavailable, at: claim.place)
        }
        if let place = question.uncovered { throw Rejection(.statusInvalid, at: place) }
        try StatusCheck(verificationContext: self, issuer: issuer).check(question.entries, into: &evidence)
        let check = TokenStatusCheck(verificationContext: self, issuer: issuer)
        switch question.claim {
        case .json(let claim, let place)?: try check.check(claim, at: place, into: &evidence)
        case .cbor(let claim, let place)?: try check.check(claim, at: place, into: &evidence)
        case nil: break
        }
        // A shown entry proves nothing about withheld entries: the holder may withhold the entry that revokes. An
        // issuer without stored lists is an exception, because nothing indicates that its credentials have a status.
        if let withheld = question.withheld, !issuer.mayWithholdStatus,
            withheld.isStated || trust.keepsLists(of: issuer, isSigned: { isStored($0, of: issuer) })
        {
            throw Rejection(.statusUnavailable, .withheld(key: "withheld-status"), at: withheld.place)
        }
    }
}

extension VerificationContext {
    /// Returns whether a list that was signed for the issuer is stored under `url`. The list may be outdated.
    private func isStored(_ url: Text, of issuer: TrustedIssuer) -> Bool {
        do throws(Rejection) {
            return try StatusListReader(verificationContext: self, issuer: issuer).stored(url, at: "") != nil
        } catch { return error.reason.code == .statusStale }
    }
}

extension StatusClaim {
    fileprivate var place: String {
        switch self {
        case .json(_, let place), .cbor(_, let place): place
        }
    }
}
