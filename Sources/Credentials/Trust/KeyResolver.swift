import Encoding
import Reasons

/// The resolver finds the key that a proof names, and determines whether the key may sign (Data Integrity 1.0 section
/// 4.2.1). The resolver refuses another issuer's key and a key for another purpose. It reads stored documents and
/// self-contained DIDs, never a network.
struct KeyResolver {
    /// The issuer or holder in whose name the proof is made.
    struct Authority {
        let id: Text
        let controllers: [Text]
        let keyPurpose: TrustedIssuer.KeyPurpose
        /// The only keys that may sign; nil allows all keys of the document.
        var keys: [KeyFingerprint]?
        /// The SHA-256 of each stored document that the issuer's entry pins, by document id.
        var pinned: [Text: [UInt8]] = [:]
        /// The maximum age of a stored document; nil for any age.
        var documentMaxAge: Duration?

        init(_ issuer: TrustedIssuer) {
            id = issuer.id
            controllers = issuer.controllers
            keyPurpose = issuer.keyPurpose
            keys = issuer.keys
            pinned = issuer.pinnedDocuments
            documentMaxAge = issuer.documentMaxAge
        }

        /// Creates the authority of a holder. Only the holder's own keys may sign for a holder.
        init(holder: Text) {
            id = holder
            controllers = []
            keyPurpose = .strict
        }

        func includes(_ id: Text) -> Bool { id == self.id || controllers.contains(id) }
    }

    let trust: TrustStore
    /// The date of the verification. Without a date, every stored document is too old if there is a maximum age.
    var now: Timestamp?

    /// Returns whether a single key that the operator stored may sign for its controller although the controller's
    /// document is not stored. The key may sign if it is published at a place to which only the controller can write,
    /// or if the issuer's entry in the trust data names the key. The caller compares the key with the keys of the
    /// entry.
    func hears(_ document: ControllerDocument, of controller: Text, for authority: Authority) -> Bool {
        authority.controllers.contains(document.id) || authority.pinned[document.id] != nil || authority.keys != nil
            || WebURL.isOwn(document.id, of: controller) && !isOthers(document.id, besides: controller)
    }

    /// Returns whether `place`, the URL of a key, belongs more closely to another trusted issuer than to `controller`.
    private func isOthers(_ place: Text, besides controller: Text) -> Bool {
        let home = WebURL.document(of: controller)?.url ?? controller
        return trust.issuers.keys.contains { other in
            other != controller && WebURL.isOwn(place, of: other) && !WebURL.isOwn(home, of: other)
        }
    }

    /// Returns the verification method that `reference` names, with its document. Throws `key.unknown` if no document
    /// contains the method.
    func method(
        _ reference: Text, at pointer: String
    ) throws(Rejection) -> (method: VerificationMethod, document: ControllerDocument) {
        let base = Self.withoutFragment(reference)
        if let document = selfContained(base) ?? trust.document(base), let method = document.method(reference) {
            return (method, document)
        }
        // A single key is stored under its own URL.
        guard selfContained(base) == nil, let document = trust.document(reference),
            let method = document.method(reference)
        else { throw Rejection(.keyUnknown, at: pointer) }
        return (method, document)
    }

    /// Returns the URL of the verification method that `reference` names: `reference` itself, except for an identifier
    /// that contains its own key.
    func fullName(of reference: Text, at pointer: String) throws(Rejection) -> Text {
        reference.utf8.contains(UInt8(ascii: "#")) ? reference : try method(reference, at: pointer).method.id
    }

    private func selfContained(_ id: Text) -> ControllerDocument? {
        trust.selfContained[id] ?? SelfContainedDID.document(id)
    }

    /// Returns the key that `reference` names, if the key may be used for `purpose` in the name of `authority`.
    /// `dates`: all dates of issue in the signed object, which are needed to check a retired key.
    func key(
        _ reference: Text, for purpose: ControllerDocument.Purpose, of authority: Authority,
        issuedAt dates: [Timestamp] = [], at pointer: String
    ) throws(Rejection) -> PublicKey {
        let (method, document) = try method(reference, at: pointer)
        guard authority.includes(method.controller) else { throw Rejection(.issuerKeyMismatch, at: pointer) }
        let authorising: ControllerDocument?
        if document.id == method.controller {
            authorising = document
        } else {
            // A key outside its controller's document counts only if that document lists the key. If that document is
            // not stored, the key must be a single key of which the place on the web, or the operator, confirms the
            // controller. An identifier that contains its own key has no other keys.
            authorising = trust.document(method.controller)
            guard selfContained(method.controller) == nil,
                authorising != nil || document.isSingleKey && hears(document, of: method.controller, for: authority)
            else { throw Rejection(.issuerKeyMismatch, at: pointer) }
        }
        if let authorising {
            let didWide = authority.keyPurpose == .didWide && authorising.lists(authorising.id, for: purpose)
            guard authorising.lists(method.id, for: purpose) || didWide else {
                throw Rejection(.keyNotAuthorised, at: pointer)
            }
        }
        guard method.signs else { throw Rejection(.keyNotAuthorised, at: pointer) }
        if let now, let end = method.end, end <= now { throw Rejection(.keyRevoked, at: pointer) }
        for document in [document, authorising].compactMap(\.self) {
            guard isYoungEnough(document.id, authority) else { throw Rejection(.trustStale, at: pointer) }
        }
        let key: PublicKey
        do { key = try method.key.get() } catch { throw Rejection(error.code, at: pointer) }
        guard trust.revocations.allow(key, method: method.id, issuedAt: dates) else {
            throw Rejection(.keyRevoked, at: pointer)
        }
        if let pinned = authority.keys {
            guard let fingerprint = KeyFingerprint(key), pinned.contains(fingerprint) else {
                throw Rejection(.keyNotAuthorised, at: pointer)
            }
        }
        return key
    }

    /// Returns whether a document is within the maximum age. The document of an identifier that contains its own key
    /// does not age.
    private func isYoungEnough(_ document: Text, _ authority: Authority) -> Bool {
        guard let maxAge = authority.documentMaxAge, SelfContainedDID.document(document) == nil else { return true }
        guard let now, let fetched = trust.fetched[document] else { return false }
        return now <= fetched.advanced(by: maxAge)
    }

    /// Returns the id of the document in which a key reference names a key: the reference without its fragment.
    static func withoutFragment(_ reference: Text) -> Text {
        guard let mark = reference.utf8.firstIndex(of: UInt8(ascii: "#")) else { return reference }
        return Text(String(reference.string[..<mark]))
    }
}
