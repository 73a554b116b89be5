import Crypto
import Encoding
import Reasons
import Testing

@testable import Credentials

/// Proofs that name their key by a bare identifier. Such a name is valid only if the identifier contains its key.
@Suite struct BareKeyReferenceTests {
    private let issuer: TestIssuer
    private let id: Text = "did:web:issuer.example"

    init() throws { issuer = try TestIssuer(seed: 9) }

    private func code(of reference: Text, by name: Text? = nil, _ changes: (inout TrustMaterial) -> Void = { _ in })
        throws -> String
    {
        let document = issuer.template.with("issuer", .string(name ?? issuer.id))
        let signed = try issuer.sign(document) { $0["verificationMethod"] = .string(reference) }
        var material = issuer.material
        changes(&material)
        return Verifier(trust: try TrustStore(material)).verify(signed.compactBytes, at: TestIssuer.clock).code.text
    }

    @Test func identifiersThatAreTheirKey() throws {
        #expect(try code(of: issuer.id) == "ok")
        let other = try TestIssuer(seed: 10)
        #expect(try code(of: other.id) == "issuer.key-mismatch")
        #expect(try code(of: Text(issuer.id.string + "#")) == "key.unknown")
        // The key may be withdrawn by its full name or by the bare identifier.
        for key in [issuer.method, issuer.id] {
            let withdrawn = try code(of: issuer.id) {
                $0.revokedKeys = [RevokedKey(.method(key), since: Timestamp(seconds: 0))]
            }
            #expect(withdrawn == "key.revoked")
        }
    }

    /// A stored document may have one key today and two tomorrow, so a bare identifier never names its key.
    @Test func storedDocumentsNameTheirKeys() throws {
        func method(_ name: String, _ seed: UInt8) throws -> JSON {
            let key = Base64.encode(Array(try TestIssuer(seed: seed).key.publicKey.rawRepresentation))
            return [
                "id": .text("\(id)#\(name)"), "type": "JsonWebKey", "controller": .string(id),
                "publicKeyJwk": ["kty": "OKP", "crv": "Ed25519", "x": .text(key)],
            ]
        }
        func code(_ methods: [JSON]) throws -> String {
            let document: JSON = [
                "id": .string(id), "verificationMethod": .array(methods),
                "assertionMethod": [.text("\(id)#1")],
            ]
            return try self.code(of: id, by: id) { material in
                material.issuers = [TrustedIssuer(id: id)]
                material.documents = [document.compactBytes]
            }
        }
        #expect(try code([method("1", 9)]) == "key.unknown")
        #expect(try code([method("1", 9), method("2", 10)]) == "key.unknown")
    }
}
