package import Encoding

/// A key and who may use it (Controlled Identifiers 1.0 section 2.2).
package struct VerificationMethod: Sendable {
    /// The URL that a proof names it by.
    package let id: Text
    /// Who controls it.
    package let controller: Text
    /// The key, or why it cannot be used; read once, when the document is stored.
    package let key: Result<PublicKey, PublicKey.Failure>
}

/// A DID document, another controller document, or a document that is a single key.
///
/// Known only from the trust directory, or computed from a did:key or did:jwk. Never fetched.
package struct ControllerDocument: Sendable {
    /// What a key may be used for.
    package enum Purpose: Text, Sendable {
        /// Signing credentials.
        case assertionMethod
        /// Signing presentations.
        case authentication
    }

    /// The subject's id.
    package let id: Text
    /// Whether the document is one key and says nothing of purposes.
    package let isSingleKey: Bool
    private let methods: [Text: VerificationMethod]
    private let purposes: [Purpose: Set<Text>]

    /// Reads a stored document; nil when it has no `id` or none of the expected members.
    package init?(_ document: JSON) {
        guard let object = document.object, let id = object["id"]?.string else { return nil }
        self.id = id
        if object["controller"]?.string != nil, object["verificationMethod"] == nil {
            isSingleKey = true
            methods = [id: Self.method(object, of: id)].compactMapValues(\.self)
            purposes = [:]
            return
        }
        isSingleKey = false
        var methods: [Text: VerificationMethod] = [:]
        var purposes: [Purpose: Set<Text>] = [:]
        let listed = ["verificationMethod", "publicKey"].flatMap { object[$0]?.array ?? [] }
        for element in listed {
            if let method = element.object.flatMap({ Self.method($0, of: id) }) { methods[method.id] = method }
        }
        for purpose in [Purpose.assertionMethod, .authentication] {
            let member = object[purpose.rawValue]
            for element in member.map({ $0.array ?? [$0] }) ?? [] {
                if let reference = element.string {
                    purposes[purpose, default: []].insert(Self.absolute(reference, in: id))
                } else if let method = element.object.flatMap({ Self.method($0, of: id) }) {
                    methods[method.id] = method
                    purposes[purpose, default: []].insert(method.id)
                }
            }
        }
        self.methods = methods
        self.purposes = purposes
    }

    /// The document of an identifier that is its own key (did:key, did:jwk): one method, good for both purposes.
    init(id: Text, method: Text, key: Result<PublicKey, PublicKey.Failure>) {
        self.id = id
        isSingleKey = false
        methods = [method: VerificationMethod(id: method, controller: id, key: key)]
        purposes = [.assertionMethod: [method], .authentication: [method]]
    }

    /// The method of that URL.
    package func method(_ id: Text) -> VerificationMethod? { methods[id] }

    /// Whether the document lists that method for that purpose.
    package func lists(_ method: Text, for purpose: Purpose) -> Bool { purposes[purpose]?.contains(method) ?? false }

    /// The ids of the methods listed for a purpose, in byte order.
    package func listed(for purpose: Purpose) -> [Text] { (purposes[purpose] ?? []).sorted() }

    private static func method(_ object: JSONObject, of document: Text) -> VerificationMethod? {
        guard let id = object["id"]?.string else { return nil }
        let key = Result { () throws(PublicKey.Failure) in try KeyEncoding.key(of: object) }
        return VerificationMethod(
            id: absolute(id, in: document), controller: object["controller"]?.string ?? document, key: key)
    }

    private static func absolute(_ reference: Text, in document: Text) -> Text {
        reference.hasPrefix("#") ? Text(document.string + reference.string) : reference
    }
}
