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

/// A DID document, another controller document, a document that is a single key, or the metadata of a JWT VC issuer.
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
    /// Whether it is the metadata of a JWT VC issuer.
    let isIssuerMetadata: Bool
    /// Whether the document is one key and says nothing of purposes.
    package let isSingleKey: Bool
    /// The methods in document order.
    let listedMethods: [VerificationMethod]
    private let methods: [Text: VerificationMethod]
    private let purposes: [Purpose: Set<Text>]

    /// The id of whom a stored document is about; nil where it is none. The metadata of a JWT VC issuer (SD-JWT VC, "JWT VC Issuer
    /// Metadata") has an `issuer`, an https URL, in its place, and its keys with it: those at a `jwks_uri` count once they
    /// are stored in it.
    static func id(of document: JSON) -> Text? {
        if let id = document["id"]?.string { return id }
        guard let issuer = document["issuer"]?.string, issuer.hasPrefix("https://"),
            !issuer.utf8.contains(where: { $0 == UInt8(ascii: "?") || $0 == UInt8(ascii: "#") }),
            document["jwks"]?["keys"]?.array != nil
        else { return nil }
        return issuer
    }

    /// Reads a stored document; nil when it has no ``id(of:)``.
    package init?(_ document: JSON) {
        guard let object = document.object, let id = Self.id(of: document) else { return nil }
        self.id = id
        isIssuerMetadata = object["id"]?.string == nil
        if isIssuerMetadata {
            isSingleKey = false
            let keys = (document["jwks"]?["keys"]?.array ?? []).enumerated()
            listedMethods = keys.compactMap { Self.method(jwk: $0.element, number: $0.offset, of: id) }
            methods = Dictionary(listedMethods.map { ($0.id, $0) }, uniquingKeysWith: { $1 })
            purposes = [.assertionMethod: Set(listedMethods.map(\.id))]
            return
        }
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
    /// none when the key is not for signatures. The identifier itself names it, too.
    init(id: Text, method: Text, key: Result<PublicKey, PublicKey.Failure>, signs: Bool = true) {
        self.id = id
        isIssuerMetadata = false
        isSingleKey = false
        let only = VerificationMethod(id: method, controller: id, key: key, signs: signs)
        listedMethods = [only]
        methods = [id: only, method: only]
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

    /// A key of an issuer's metadata: named by its `kid`, or else by its place.
    private static func method(jwk: JSON, number: Int, of issuer: Text) -> VerificationMethod? {
        guard let object = jwk.object else { return nil }
        let name = object["kid"]?.string?.string ?? String(number)
        let key = Result { () throws(PublicKey.Failure) in try KeyEncoding.jwk(object) }
        return VerificationMethod(
            id: Text("\(issuer)#\(name)"), controller: issuer, key: key, keyID: object["kid"]?.string,
            signs: KeyEncoding.signs(object))
    }

    private static func absolute(_ reference: Text, in document: Text) -> Text {
        reference.hasPrefix("#") ? Text(document.string + reference.string) : reference
    }
}
