import Aries
import DIDComm
import Encoding

extension AgencyMailbox {
    /// Handles a token from the operator's sponsor; ignores it if the agency requires none. The token replaces an
    /// earlier token to which the agency has not replied yet.
    mutating func use(_ json: JSON) -> [MailboxAction] {
        guard case .token(let present) = stage else { return [] }
        guard let token = try? ProvisionToken(json), token.signature != spentToken else {
            told = nil
            return tell(.needsToken)
        }
        guard present != token else { return [] }
        // The agency may have made an agent for the present key with the earlier token, so use a new key.
        if present != nil { renewOwner() }
        (stage, exchange, told, hold) = (.token(token), nil, nil, .distantPast)
        backoff.permitNow()
        storage = .changed
        return []
    }

    /// Replaces the gate's key for the agency by a new one.
    mutating func renewOwner() {
        if let key = KeyPair(seed: random.drawSecret(32)) { owner = key }
        storage = .changed
    }

    /// Discards the present token and reports that another one is needed. Replaces the gate's key, too, because the
    /// agency may have made an agent for it.
    mutating func needToken() -> [MailboxAction] {
        if case .token(let token?) = stage { spentToken = token.signature }
        renewOwner()
        stage = .token(nil)
        return tell(.needsToken)
    }
}
