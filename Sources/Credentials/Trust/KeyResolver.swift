import Encoding

/// Finds the key that a proof names and decides whether it may sign here (Data Integrity 1.0 section 4.2.1): not
/// another issuer's key, and none that is meant for something else. Knows stored documents and self-contained DIDs; there is no network.
struct KeyResolver {
    /// In whose name the proof is made.
    struct Authority {
        let id: Text
        let controllers: [Text]
        let keyPurpose: TrustedIssuer.KeyPurpose
        /// The only keys that may sign; nil: those of the document.
        var keys: [KeyFingerprint]?
        /// The stored documents that the entry pins, with their SHA-256.
        var pinned: [Text: [UInt8]] = [:]
        /// Oldest that a stored document may be.
        var documentMaxAge: Duration?

        init(_ issuer: TrustedIssuer) {
            id = issuer.id
            controllers = issuer.controllers
            keyPurpose = issuer.keyPurpose
            keys = issuer.keys
            pinned = issuer.pinnedDocuments
            documentMaxAge = issuer.documentMaxAge
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
    /// The date of the verification; without it no document is young enough where an age is set.
    var now: Timestamp?

    /// Whether a single key that the operator stored may speak for its controller, whose document is not stored: it is published
    /// where only the controller publishes, or the operator's entry names it. Whether it is one of the entry's keys is for the caller
    /// to compare.
    func hears(_ document: ControllerDocument, of controller: Text, for authority: Authority) -> Bool {
        authority.controllers.contains(document.id) || authority.pinned[document.id] != nil || authority.keys != nil
            || WebURL.isOwn(document.id, of: controller) && !isOthers(document.id, besides: controller)
    }

    /// Whether another trusted issuer is nearer to a place than this controller, and so owns it.
    private func isOthers(_ place: Text, besides controller: Text) -> Bool {
        let home = WebURL.document(of: controller)?.url ?? controller
        return trust.issuers.keys.contains { other in
            other != controller && WebURL.isOwn(place, of: other) && !WebURL.isOwn(home, of: other)
        }
    }

    /// The method that `reference` names, with the document it stands in; `key.unknown` when there is none.
    func method(
        _ reference: Text, at pointer: String
    ) throws(Rejection) -> (method: VerificationMethod, document: ControllerDocument) {
        let base = Self.withoutFragment(reference)
        if let document = selfContained(base) ?? trust.document(base), let method = document.method(reference) {
            return (method, document)
        }
        // A single key that is stored under its own URL.
        guard selfContained(base) == nil, let document = trust.document(reference),
            let method = document.method(reference)
        else { throw Rejection(.keyUnknown, at: pointer) }
        return (method, document)
    }

    /// The URL of the method that `reference` names: itself, but for an identifier that is its own key.
    func fullName(of reference: Text, at pointer: String) throws(Rejection) -> Text {
        reference.utf8.contains(UInt8(ascii: "#")) ? reference : try method(reference, at: pointer).method.id
    }

    private func selfContained(_ id: Text) -> ControllerDocument? {
        trust.selfContained[id] ?? SelfContainedDID.document(id)
    }

    /// The key that `reference` names, if it may be used for `purpose` in the name of `authority` for something that was
    /// issued at these dates (all that it states of itself; they matter for a key that was retired).
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
            // A key outside its controller's document counts only if that document lists it. While that is not stored, the
            // controller's word for a single key is missing: its place on the web or the operator must speak for it. An
            // identifier that is its own key has no other.
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

    /// Identifiers that are their own key have no document that could grow old.
    private func isYoungEnough(_ document: Text, _ authority: Authority) -> Bool {
        guard let maxAge = authority.documentMaxAge, SelfContainedDID.document(document) == nil else { return true }
        guard let now, let fetched = trust.fetched[document] else { return false }
        return now <= fetched.advanced(by: maxAge)
    }

    /// The document that a key reference points into.
    static func withoutFragment(_ reference: Text) -> Text {
        guard let mark = reference.utf8.firstIndex(of: UInt8(ascii: "#")) else { return reference }
        return Text(String(reference.string[..<mark]))
    }
}
