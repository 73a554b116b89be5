import Encoding

extension ControllerDocument {
    /// The methods of this document that may sign credentials in the name of `did`, the id under which the document was
    /// looked up, in document order. Every one of them has a readable key.
    ///
    /// Refused are a document that describes another id (DID Resolution 1.0 section 4.3: the document's id is the one that
    /// was asked for), one that allows no key to sign credentials, and one whose allowed keys cannot be read.
    func signingKeys(of did: Text, _ keyPurpose: TrustedIssuer.KeyPurpose) throws(Rejection) -> [Text] {
        guard id == did else { throw Rejection(.issuerKeyMismatch, at: "/id") }
        let didWide = keyPurpose == .didWide && lists(id, for: .assertionMethod)
        let allowed = listedMethods.filter { didWide || lists($0.id, for: .assertionMethod) }
        guard !allowed.isEmpty else { throw Rejection(.keyNotAuthorised, at: "/assertionMethod") }
        let own = allowed.filter { $0.controller == did }
        guard !own.isEmpty else { throw Rejection(.issuerKeyMismatch, at: "/verificationMethod") }
        var keys: [Text] = []
        var failure: PublicKey.Failure?
        for method in own {
            do throws(PublicKey.Failure) {
                _ = try method.key.get()
                keys.append(method.id)
            } catch { failure = failure ?? error }
        }
        if keys.isEmpty, let failure { throw Rejection(failure.code, at: "/verificationMethod") }
        return keys
    }
}
