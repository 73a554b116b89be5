import DIDComm
import Encoding

extension AgencyMailbox {
    /// Takes a token when one is waited for, or in place of one that was not answered yet.
    mutating func use(_ json: JSON) -> [MailboxAction] {
        guard case .token(let present) = stage else { return [] }
        guard let token = try? ProvisionToken(json), token.signature != spentToken else {
            told = nil
            return tell(.needsToken)
        }
        guard present != token else { return [] }
        // A key that an agent was perhaps made for is not used again.
        if present != nil { renewOwner() }
        (stage, exchange, told, hold) = (.token(token), nil, nil, .distantPast)
        backoff.permitNow()
        storage = .changed
        return []
    }

    /// Begins under another key of ours.
    mutating func renewOwner() {
        if let key = KeyPair(seed: random.drawSecret(32)) { owner = key }
        storage = .changed
    }

    /// The token that there was is of no use any more, nor is the key that an agent was perhaps made for.
    mutating func needToken() -> [MailboxAction] {
        if case .token(let token?) = stage { spentToken = token.signature }
        renewOwner()
        stage = .token(nil)
        return tell(.needsToken)
    }
}
