package import Encoding

/// A key and who may use it (Controlled Identifiers 1.0 section 2.2).
package struct VerificationMethod: Sendable {
    /// The URL that a proof names it by.
    package let id: Text
    /// Who controls it.
    package let controller: Text
    /// The key, or why it cannot be used; read once, when the document is stored.
    package let key: Result<PublicKey, PublicKey.Failure>
    /// The `kid` of its publicKeyJwk, by which tokens may name it, too.
    var keyID: Text?
    /// From when on nothing that it signed counts: the earlier of `revoked` and `expires`.
    var end: Timestamp?
    /// Whether its publicKeyJwk is one for signatures (RFC 7517 sections 4.2 and 4.3).
    var signs = true
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
    /// The methods in document order.
    let listedMethods: [VerificationMethod]
    private let methods: [Text: VerificationMethod]
    private let purposes: [Purpose: Set<Text>]

    /// Reads a stored document; nil when it has no `id` or none of the expected members.
    package init?(_ document: JSON) {
        guard let object = document.object, let id = object["id"]?.string else { return nil }
        self.id = id
        // A whole document may name a controller, too; only one key has key material at the top.
        if object["controller"]?.string != nil, KeyEncoding.members.contains(where: { object.present($0) != nil }) {
            isSingleKey = true
            listedMethods = [Self.method(object, of: id)].compactMap(\.self)
            methods = Dictionary(listedMethods.map { (id, $0) }, uniquingKeysWith: { $1 })
            purposes = [:]
            return
        }
        isSingleKey = false
        let members = ["verificationMethod", "publicKey"].compactMap { object[$0] }.flatMap { $0.array ?? [$0] }
        var listed = members.compactMap { $0.object.flatMap { Self.method($0, of: id) } }
        var purposes: [Purpose: Set<Text>] = [:]
        for purpose in [Purpose.assertionMethod, .authentication] {
            let member = object[purpose.rawValue]
            for element in member.map({ $0.array ?? [$0] }) ?? [] {
                if let reference = element.string {
                    purposes[purpose, default: []].insert(Self.absolute(reference, in: id))
                } else if let method = element.object.flatMap({ Self.method($0, of: id) }) {
                    listed.append(method)
                    purposes[purpose, default: []].insert(method.id)
                }
            }
        }
        listedMethods = listed
        methods = Dictionary(listed.map { ($0.id, $0) }, uniquingKeysWith: { $1 })
        self.purposes = purposes
    }

    /// The document of an identifier that is its own key (did:key, did:jwk): one method, good for both purposes, or for
    /// none when the key is not for signatures.
    init(id: Text, method: Text, key: Result<PublicKey, PublicKey.Failure>, signs: Bool = true) {
        self.id = id
        isSingleKey = false
        listedMethods = [VerificationMethod(id: method, controller: id, key: key, signs: signs)]
        methods = Dictionary(listedMethods.map { ($0.id, $0) }, uniquingKeysWith: { $1 })
        purposes = signs ? [.assertionMethod: [method], .authentication: [method]] : [:]
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
        // A date that cannot be read has come already.
        let ends = ["revoked", "expires"].compactMap { object.present($0) }.map { member in
            member.string.flatMap { Timestamp(rfc3339: $0.string, zoneRequired: false) } ?? Timestamp(seconds: 0)
        }
        return VerificationMethod(
            id: absolute(id, in: document), controller: object["controller"]?.string ?? document, key: key,
            keyID: object["publicKeyJwk"]?["kid"]?.string, end: ends.min(),
            signs: KeyEncoding.signs(object["publicKeyJwk"]?.object))
    }

    private static func absolute(_ reference: Text, in document: Text) -> Text {
        reference.hasPrefix("#") ? Text(document.string + reference.string) : reference
    }
}
