import Encoding
import Reasons

/// The stages that all tokens share.
extension VerificationContext {
    /// Contexts stage of a token. Nothing is expanded, but where the operator lists the contexts of an
    /// issuer, its tokens may name no others.
    func checkContexts(of document: JSONObject, _ issuer: TrustedIssuer) throws(Rejection) {
        guard let urls = issuer.contexts else { return }
        try stage(.contexts) { () throws(Rejection) in
            let inlineAllowed = issuer.inlineContexts || profile == .compat
            try ContextRules(trust: trust, inlineAllowed: inlineAllowed, urls: urls).check(document)
        }
    }

    /// Proof stage: checks that one of the given keys made the signature.
    func checkSignature(of token: CompactJWS, by keys: [PublicKey]) throws(Rejection) {
        for key in keys where try token.isSigned(by: key) { return }
        throw Rejection(.proofInvalid, at: token.pointer)
    }
}
