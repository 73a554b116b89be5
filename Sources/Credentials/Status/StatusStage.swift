import Encoding

extension Surroundings {
    /// Status stage: answers what the credentials say of their status, from the stored lists of their issuers.
    func answerStatus(into evidence: inout Evidence) throws(Rejection) {
        for question in evidence.questions {
            var found = Evidence(evidence.summary)
            defer {
                evidence.status += found.status.map { answer in
                    var answer = answer
                    answer.pointer = question.place + answer.pointer
                    return answer
                }
            }
            do throws(Rejection) { try answer(question, into: &found) } catch { throw error.inside(question.place) }
        }
    }

    private func answer(_ question: StatusQuestion, into evidence: inout Evidence) throws(Rejection) {
        guard let issuer = question.issuer else {
            guard let claim = question.claim else { return }
            throw Rejection(.statusUnavailable, at: claim.place)
        }
        try StatusCheck(surroundings: self, issuer: issuer, unsigned: question.unsigned)
            .check(question.entries, written: question.written, into: &evidence)
        let check = TokenStatusCheck(surroundings: self, issuer: issuer)
        switch question.claim {
        case .json(let claim, let place)?: try check.check(claim, at: place, into: &evidence)
        case .cbor(let claim, let place)?: try check.check(claim, at: place, into: &evidence)
        case nil: break
        }
        // What is shown says nothing of what is not: of two entries the holder may keep back the one that revokes. Nor is
        // every issuer without lists suspicious: then nothing says that its credentials have a status.
        if let withheld = question.withheld, withheld.isStated || trust.keepsLists(of: issuer),
            !issuer.mayWithholdStatus
        {
            throw Rejection(.statusUnavailable, .withheld(key: "withheld-status"), at: withheld.place)
        }
    }
}

extension StatusClaim {
    fileprivate var place: String {
        switch self {
        case .json(_, let place), .cbor(_, let place): place
        }
    }
}
