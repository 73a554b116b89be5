import Encoding
import Reasons

/// The stages that all tokens share.
extension VerificationContext {
    /// Runs the contexts stage of a token. Nothing is expanded. If the operator lists the contexts of an issuer, the
    /// tokens of the issuer may name no other contexts.
    func checkContexts(of document: JSONObject, _ issuer: TrustedIssuer) throws(Rejection) {
        guard let urls = issuer.contexts else { return }
        try stage(.contexts) { () throws(Rejection) in
            let inlineAllowed = issuer.inlineContexts || profile == .compat
            try ContextRules(trust: trust, inlineAllowed: inlineAllowed, urls: urls).check(document)
        }
    }

    /// Runs the proof stage: checks that a key in `keys` made the signature.
    func checkSignature(of token: CompactJWS, by keys: [PublicKey]) throws(Rejection) {
        for key in keys where try token.isSigned(by: key) { return }
        throw Rejection(.proofInvalid, at: token.pointer)
    }
}
