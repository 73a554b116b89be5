import Crypto
import Encoding
import LinkedData
import Reasons
import Testing

@testable import Credentials

/// Additions by a holder or a careless issuer that leave the signature valid.
@Suite struct BesideTheSignatureTests {
    private let issuer: TestIssuer
    private static let inline: JSON = [
        "doors": ["@id": "urn:doors", "@container": "@index"], "badge": "urn:badge", "zones": "urn:zones",
        "pass": "urn:pass",
    ]

    init() throws { issuer = try TestIssuer(seed: 11) }

    private func signed(_ subject: JSON) throws -> JSONObject {
        var document = issuer.template
        document["@context"] = .array((document["@context"]?.array ?? []) + [Self.inline])
        document["credentialSubject"] = subject
        return try #require(try issuer.sign(document).object)
    }

    /// Returns the statements that rules may read, in canonical form.
    private func statements(_ document: JSONObject) throws -> [UInt8] {
        var material = issuer.material
        material.issuers = [TrustedIssuer(id: issuer.id, inlineContexts: true)]
        let verificationContext = VerificationContext(
            trust: try TrustStore(material), policy: .init(), limits: .init(), clock: TestIssuer.clock, onStage: nil)
        var check = CredentialCheck(document, verificationContext, summary: CredentialSummary())
        try check.verify()
        let claims = try #require(check.evidence.claims)
        #expect(claims.text == nil, "rules never see the letters")
        return try RDFC10.canonicalize(try #require(claims.deferred?.graph).dataset).nQuads
    }

    /// Index keys, base directions, nulls and empty sets never become RDF (JSON-LD 1.1 API section 8.1).
    @Test func rulesReadNothingThatStatesNothing() throws {
        let subject: JSON = ["id": "did:example:h", "pass": "E1", "doors": ["a": "x", "b": "y"]]
        let original = try signed(subject)
        let stated = try statements(original)
        for (name, value) in [
            ("doors", ["a": "y", "b": "x"]), ("doors", ["admin": "x", "b": "y"]), ("@index", "admin"),
            ("badge", nil), ("zones", []), ("zones", [nil]), ("badge", ["@set": []]),
            ("pass", ["@value": "E1", "@index": "admin"]),
        ] as [(Text, JSON)] {
            var changed = original
            var members = try #require(subject.object)
            members[name] = value
            changed["credentialSubject"] = .object(members)
            #expect(try statements(changed) == stated, "\(name)")
        }
    }

    @Test func thousandsOfThemAreHidden() throws {
        let count = 9_000
        let original = try signed(["id": "did:example:h", "doors": ["a": "x"]])
        let doors = JSONObject((0..<count).map { .init(Text("n\($0)"), "x") })
        var changed = original
        changed["credentialSubject"] = ["id": "did:example:h", "doors": .object(doors)]
        #expect(try statements(changed) == statements(original))
    }

    @Test func otherSignaturesInAProofAreNotCovered() throws {
        let original = try signed(["id": "did:example:h"])
        for name in ["jws", "signatureValue"] as [Text] {
            var (changed, proof) = (original, try #require(original["proof"]?.object))
            proof[name] = "x"
            changed["proof"] = .object(proof)
            var material = issuer.material
            material.issuers = [TrustedIssuer(id: issuer.id, inlineContexts: true)]
            let verdict = Verifier(trust: try TrustStore(material)).verify(
                JSON.object(changed).compactBytes, at: TestIssuer.clock)
            #expect(verdict.code == .claimsUnsigned)
            #expect(verdict.reasons.first?.pointer == Pointer.append("/proof", name))
        }
    }

    @Test func datesAreThoseOfXMLSchema() throws {
        for (text, isDate) in [
            ("2026-01-05T08:00:00Z", true), ("2026-01-05T08:00:00.5+14:00", true), ("2026-01-05T08:00:00-13:59", true),
            ("2026-01-05t08:00:00Z", false), ("2026-01-05T08:00:00z", false), ("2026-01-05T08:00:00+14:01", false),
            ("2026-01-05T08:00:00-15:00", false),
        ] {
            let members = Members(["validFrom": .text(text)], limits: .init())
            #expect(((try? members.date("validFrom", zoneRequired: true)) != nil) == isDate, "\(text)")
        }
    }

    /// Keys that have ended or have another use (Controlled Identifiers 1.0 section 2.2, RFC 7517 sections
    /// 4.2 and 4.3).
    @Test func keysThatEndedOrAreForSomethingElse() throws {
        let (id, method): (Text, Text) = ("did:web:issuer.example", "did:web:issuer.example#1")
        func code(_ changes: (inout JSONObject) -> Void) throws -> ReasonCode {
            let key = Base64.encode(Array(issuer.key.publicKey.rawRepresentation))
            var member: JSONObject = [
                "id": .string(method), "type": "JsonWebKey", "controller": .string(id),
                "publicKeyJwk": ["kty": "OKP", "crv": "Ed25519", "x": .text(key)],
            ]
            changes(&member)
            let document: JSON = [
                "id": .string(id), "assertionMethod": [.string(method)], "verificationMethod": [.object(member)],
            ]
            var template = issuer.template
            template["issuer"] = .string(id)
            let signed = try issuer.sign(template) { $0["verificationMethod"] = .string(method) }
            var material = issuer.material
            material.issuers = [TrustedIssuer(id: id)]
            material.documents = [document.compactBytes]
            return Verifier(trust: try TrustStore(material)).verify(signed.compactBytes, at: TestIssuer.clock).code
        }
        #expect(try code { _ in } == .ok)
        for name in ["revoked", "expires"] as [Text] {
            #expect(try code { $0[name] = "2026-02-01T00:00:00Z" } == .keyRevoked)
            #expect(try code { $0[name] = "yesterday" } == .keyRevoked)
            #expect(try code { $0[name] = 7 } == .keyRevoked)
            #expect(try code { $0[name] = "2036-02-01T00:00:00Z" } == .ok)
        }
        func jwk(_ name: Text, _ value: JSON) -> (inout JSONObject) -> Void {
            { member in
                var key = member["publicKeyJwk"]?.object ?? JSONObject()
                key[name] = value
                member["publicKeyJwk"] = .object(key)
            }
        }
        #expect(try code(jwk("use", "sig")) == .ok)
        #expect(try code(jwk("use", "enc")) == .keyNotAuthorised)
        #expect(try code(jwk("key_ops", ["verify"])) == .ok)
        #expect(try code(jwk("key_ops", ["encrypt"])) == .keyNotAuthorised)
    }
}
