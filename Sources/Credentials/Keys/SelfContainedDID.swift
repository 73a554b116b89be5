import Encoding

/// Identifiers that contain their own key: did:key and did:jwk. The document of such an identifier is computed.
enum SelfContainedDID {
    /// Returns the document of `did`; nil for another DID method.
    static func document(_ did: Text) -> ControllerDocument? {
        let text = did.string
        if did.hasPrefix("did:key:") {
            let value = Text(String(decoding: text.utf8.dropFirst("did:key:".utf8.count), as: UTF8.self))
            // did:key section 3.1: the fragment repeats the value.
            let key = Result { () throws(PublicKey.Failure) in
                guard value.hasPrefix("z") else { throw .malformed }
                return try KeyEncoding.multibase(value)
            }
            return ControllerDocument(id: did, method: Text(text + "#" + value.string), key: key)
        }
        if did.hasPrefix("did:jwk:") {
            let value = String(decoding: text.utf8.dropFirst("did:jwk:".utf8.count), as: UTF8.self)
            let object = Result { () throws(PublicKey.Failure) in try jwk(value) }
            let key = Result { () throws(PublicKey.Failure) in try KeyEncoding.jwk(object.get()) }
            // A key whose `use` is `enc` is listed for keyAgreement only (did:jwk, "To create the DID Document").
            let signs = KeyEncoding.signs((try? object.get()) ?? nil)
            return ControllerDocument(id: did, method: Text(text + "#0"), key: key, signs: signs)
        }
        return nil
    }

    private static func jwk(_ value: String) throws(PublicKey.Failure) -> JSONObject? {
        // The DID method did:jwk requires base64url without padding, but MOSIP's wallets add padding. Each spelling is
        // a separate identifier.
        guard let bytes = Base64.decodePaddedURL(value.utf8) else { throw .malformed }
        var limits = JSON.Limits()
        limits.depth = 4
        guard let json = try? JSON.parse(bytes, limits: limits) else { throw .malformed }
        return json.object
    }
}
