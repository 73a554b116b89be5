import Aries
import DIDComm
import Encoding

extension AgencyMailbox {
    /// Takes a token if the agency needs one, or in place of a token that the agency has not answered yet.
    mutating func use(_ json: JSON) -> [MailboxAction] {
        guard case .token(let present) = stage else { return [] }
        guard let token = try? ProvisionToken(json), token.signature != spentToken else {
            told = nil
            return tell(.needsToken)
        }
        guard present != token else { return [] }
        // An agent may have been made for this key, so it is not used again.
        if present != nil { renewOwner() }
        (stage, exchange, told, hold) = (.token(token), nil, nil, .distantPast)
        backoff.permitNow()
        storage = .changed
        return []
    }

    /// Replaces the gate's key towards the agency.
    mutating func renewOwner() {
        if let key = KeyPair(seed: random.drawSecret(32)) { owner = key }
        storage = .changed
    }

    /// Discards the present token, and the key, for which an agent may have been made. Reports that a token
    /// is needed.
    mutating func needToken() -> [MailboxAction] {
        if case .token(let token?) = stage { spentToken = token.signature }
        renewOwner()
        stage = .token(nil)
        return tell(.needsToken)
    }
}
