import Encoding

/// Finds the key that a proof names and decides whether it may sign here (Data Integrity 1.0 section 4.2.1, spec/vc-verification
/// section 9: "key of another issuer", "key purpose"). Knows stored documents and self-contained DIDs; there is no network.
struct KeyResolver {
    /// In whose name the proof is made.
    struct Authority {
        let id: Text
        let controllers: [Text]
        let keyPurpose: TrustedIssuer.KeyPurpose

        init(_ issuer: TrustedIssuer) {
            id = issuer.id
            controllers = issuer.controllers
            keyPurpose = issuer.keyPurpose
        }

        /// A holder: nobody else signs for it.
        init(holder: Text) {
            id = holder
            controllers = []
            keyPurpose = .strict
        }

        func includes(_ id: Text) -> Bool { id == self.id || controllers.contains(id) }
    }

    let trust: TrustStore

    /// The method that `reference` names, with the document it stands in; `key.unknown` when there is none.
    func method(
        _ reference: Text, at pointer: String
    ) throws(Rejection) -> (method: VerificationMethod, document: ControllerDocument) {
        let base = Self.withoutFragment(reference)
        let document = SelfContainedDID.document(base) ?? trust.document(reference) ?? trust.document(base)
        guard let document, let method = document.method(reference) else { throw Rejection(.keyUnknown, at: pointer) }
        return (method, document)
    }

    /// The key that `reference` names, if it may be used for `purpose` in the name of `authority`.
    func key(
        _ reference: Text, for purpose: ControllerDocument.Purpose, of authority: Authority, at pointer: String
    ) throws(Rejection) -> PublicKey {
        let (method, document) = try method(reference, at: pointer)
        guard authority.includes(method.controller) else { throw Rejection(.issuerKeyMismatch, at: pointer) }
        let authorising: ControllerDocument?
        if document.id == method.controller {
            authorising = document
        } else {
            // A key outside its controller's document counts only if that document lists it; a single key document that
            // the operator stored stands for itself while the controller's is not stored.
            authorising = trust.document(method.controller)
            if authorising == nil, !document.isSingleKey { throw Rejection(.issuerKeyMismatch, at: pointer) }
        }
        if let authorising {
            let didWide = authority.keyPurpose == .didWide && authorising.lists(authorising.id, for: purpose)
            guard authorising.lists(method.id, for: purpose) || didWide else {
                throw Rejection(.keyNotAuthorised, at: pointer)
            }
        }
        do { return try method.key.get() } catch { throw Rejection(error.code, at: pointer) }
    }

    /// The document that a key reference points into.
    static func withoutFragment(_ reference: Text) -> Text {
        guard let mark = reference.utf8.firstIndex(of: UInt8(ascii: "#")) else { return reference }
        return Text(String(reference.string[..<mark]))
    }
}
