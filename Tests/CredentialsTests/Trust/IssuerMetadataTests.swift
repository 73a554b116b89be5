import Encoding
import Reasons
import Testing

@testable import Credentials

/// The metadata of JWT VC issuers as stored documents (SD-JWT VC, "JWT VC Issuer Metadata").
@Suite struct IssuerMetadataTests {
    private static let issuer: Text = "https://issuer.example/tenant/1"
    private let forge: TokenForge

    init() throws { forge = try TokenForge() }

    private func metadata(_ change: (inout JSONObject) -> Void = { _ in }) -> JSON {
        var key = forge.jwk.object ?? [:]
        key["kid"] = "key-1"
        var other = key
        (other["kid"], other["x"]) = ("key-2", "AAAA")
        var object: JSONObject = [
            "issuer": .string(Self.issuer), "jwks": ["keys": [.object(other), .object(key)]],
        ]
        change(&object)
        return .object(object)
    }

    private func code(_ document: JSON, kid: JSON? = "key-1") throws -> ReasonCode {
        var header: JSONObject = ["alg": "ES256", "typ": "dc+sd-jwt"]
        header["kid"] = kid
        var claims = forge.claims
        claims["iss"] = .string(Self.issuer)
        let material = TrustMaterial(
            issuers: [TrustedIssuer(id: Self.issuer)], documents: [document.compactBytes])
        return try forge.verify(forge.sign(header, claims) + "~", material: material).code
    }

    @Test("a token is verified by the key in its issuer's metadata that it names, or else by every fitting key")
    func keys() throws {
        #expect(try code(metadata()) == .ok)
        #expect(try code(metadata(), kid: nil) == .ok)
        #expect(try code(metadata(), kid: .text("\(Self.issuer)#key-1")) == .ok)
        #expect(try code(metadata(), kid: "key-3") == .keyUnknown)
        #expect(try code(metadata(), kid: "key-2") == .keyMalformed)
        // Metadata of another issuer, and keys that are not for signatures.
        #expect(try code(metadata { $0["issuer"] = "https://issuer.example/tenant/2" }) == .keyUnknown)
        let encryption = metadata {
            var key = forge.jwk.object ?? [:]
            (key["kid"], key["use"]) = ("key-1", "enc")
            $0["jwks"] = ["keys": [.object(key)]]
        }
        #expect(try code(encryption) == .keyNotAuthorised)
    }

    @Test("only the metadata of an https issuer counts, and only the keys inside it")
    func documents() throws {
        func id(_ change: (inout JSONObject) -> Void) -> Text? { ControllerDocument(metadata(change))?.id }
        #expect(id { _ in } == Self.issuer)
        #expect(
            id {
                $0["jwks"] = nil
                $0["jwks_uri"] = "https://issuer.example/keys"
            } == nil)
        #expect(id { $0["jwks"] = ["keys": "https://issuer.example/keys"] } == nil)
        for issuer in ["http://issuer.example", "did:web:issuer.example", "https://issuer.example/?a", ""] as [Text] {
            #expect(id { $0["issuer"] = .string(issuer) } == nil, "\(issuer)")
        }
        // A document with an id is a controller document, whatever else it contains.
        let both = try #require(ControllerDocument(metadata { $0["id"] = "did:web:issuer.example" }))
        #expect(both.id == "did:web:issuer.example" && both.listedMethods.isEmpty && !both.isIssuerMetadata)
        let issuer = try #require(ControllerDocument(metadata()))
        let signs = issuer.listedMethods.map { issuer.lists($0.id, for: .authentication) }
        #expect(!signs.isEmpty && !signs.contains(true), "it signs no presentations")
    }

    @Test("metadata is fetched from the address in the specification and replaces the old metadata")
    func refreshing() throws {
        for (issuer, url) in [
            ("https://issuer.example", "https://issuer.example/.well-known/jwt-vc-issuer"),
            ("https://issuer.example/", "https://issuer.example/.well-known/jwt-vc-issuer"),
            ("https://issuer.example/tenant/1", "https://issuer.example/.well-known/jwt-vc-issuer/tenant/1"),
            ("https://issuer.example:8443/a/", "https://issuer.example:8443/.well-known/jwt-vc-issuer/a"),
        ] as [(Text, Text)] {
            #expect(WebURL.metadata(of: issuer)?.url == url)
        }
        let entry = TrustedIssuer(id: Self.issuer)
        var material = TrustMaterial(issuers: [entry], documents: [metadata().compactBytes])
        let resource = try #require(TrustStore(material).refreshResources.first)
        #expect(resource.address.url == "https://issuer.example/.well-known/jwt-vc-issuer/tenant/1")
        let new = metadata { $0["more"] = true }.compactBytes
        let copy = try #require(
            RefreshedCopy(
                file: RefreshedCopy(resource, content: new, confirmed: Timestamp(seconds: 1_790_000_000)).file))
        #expect(copy.resource == resource)
        material.apply([copy], to: [resource])
        #expect(material.documents == [new])
        // A controller document of an https issuer is fetched from that URL, as before.
        let plain: JSON = ["id": .string(Self.issuer), "verificationMethod": []]
        let store = try TrustStore(TrustMaterial(issuers: [entry], documents: [plain.compactBytes]))
        #expect(store.refreshResources.map(\.address.url) == [Self.issuer])
    }
}
