package import Encoding

/// A verification method: a key with its controller (Controlled Identifiers 1.0 section 2.2).
package struct VerificationMethod: Sendable {
    /// The URL by which a proof names the method.
    package let id: Text
    /// The id of the method's controller.
    package let controller: Text
    /// The key, or the reason why the key cannot be used. The key is decoded once, when the document is stored.
    package let key: Result<PublicKey, PublicKey.Failure>
    /// The `kid` of the method's publicKeyJwk; nil if there is none. Tokens may also name the method by its `kid`.
    var keyID: Text?
    /// The instant from which signatures of the method no longer count: the earlier of `revoked` and `expires`; nil if
    /// the document states neither.
    var end: Timestamp?
    /// Whether the method's publicKeyJwk is a signature key (RFC 7517 sections 4.2 and 4.3).
    var signs = true
}

/// A DID document, another controller document, a document that is a single key, or the metadata of a JWT VC issuer.
///
/// A controller document is part of the trust data or is computed from a did:key or did:jwk. A verification never
/// fetches a document.
package struct ControllerDocument: Sendable {
    /// The permitted use of a key.
    package enum Purpose: Text, Sendable {
        /// The key is for signing credentials.
        case assertionMethod
        /// The key is for signing presentations.
        case authentication
    }

    /// The id of the document's subject.
    package let id: Text
    /// Whether the document is the metadata of a JWT VC issuer.
    let isIssuerMetadata: Bool
    /// Whether the document is a single key and lists no purposes.
    package let isSingleKey: Bool
    /// The methods in document order.
    let listedMethods: [VerificationMethod]
    private let methods: [Text: VerificationMethod]
    private let purposes: [Purpose: Set<Text>]

    /// Returns the id of a stored document's subject; nil if the JSON is not a controller document. The metadata of a
    /// JWT VC issuer (SD-JWT VC, "JWT VC Issuer Metadata") has an `issuer`, an https URL, in place of an `id`. The keys
    /// must be in the metadata itself. Keys at a `jwks_uri` count only after the operator has copied them into the
    /// metadata.
    static func id(of document: JSON) -> Text? {
        if let id = document["id"]?.string { return id }
        guard let issuer = document["issuer"]?.string, issuer.hasPrefix("https://"),
            !issuer.utf8.contains(where: { $0 == UInt8(ascii: "?") || $0 == UInt8(ascii: "#") }),
            document["jwks"]?["keys"]?.array != nil
        else { return nil }
        return issuer
    }

    /// Reads a stored document; nil if the document has no ``id(of:)``.
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
        // A whole document may name a controller, too. Only a single key has key material at the top level.
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

    /// Creates the document of an identifier that contains its own key (did:key, did:jwk). The document has one method,
    /// and the identifier is a second name of the method. The method is listed for both purposes, or for none if the
    /// key is not for signatures.
    init(id: Text, method: Text, key: Result<PublicKey, PublicKey.Failure>, signs: Bool = true) {
        self.id = id
        isIssuerMetadata = false
        isSingleKey = false
        let only = VerificationMethod(id: method, controller: id, key: key, signs: signs)
        listedMethods = [only]
        methods = [id: only, method: only]
        purposes = signs ? [.assertionMethod: [method], .authentication: [method]] : [:]
    }

    /// Returns the method with the URL `id`; nil if the document has no such method.
    package func method(_ id: Text) -> VerificationMethod? { methods[id] }

    /// Returns whether the document lists the method `method` for `purpose`.
    package func lists(_ method: Text, for purpose: Purpose) -> Bool { purposes[purpose]?.contains(method) ?? false }

    private static func method(_ object: JSONObject, of document: Text) -> VerificationMethod? {
        guard let id = object["id"]?.string else { return nil }
        let key = Result { () throws(PublicKey.Failure) in try KeyEncoding.key(of: object) }
        // Treat an unreadable date as a past date.
        let ends = ["revoked", "expires"].compactMap { object.present($0) }.map { member in
            member.string.flatMap { Timestamp(rfc3339: $0.string, zoneRequired: false) } ?? Timestamp(seconds: 0)
        }
        return VerificationMethod(
            id: absolute(id, in: document), controller: object["controller"]?.string ?? document, key: key,
            keyID: object["publicKeyJwk"]?["kid"]?.string, end: ends.min(),
            signs: KeyEncoding.signs(object["publicKeyJwk"]?.object))
    }

    /// Reads a key of an issuer's metadata. The key is named by its `kid`, or else by its position.
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
