import Crypto
import Encoding
import Foundation
import Reasons
import TestKit
import Testing

@testable import Credentials

/// Produces each reason code that this version can give, by one change of a valid credential.
@Suite struct ReasonTests {
    private let issuer: TestIssuer
    private let trusted: TrustMaterial

    init() throws {
        issuer = try TestIssuer(seed: 7)
        trusted = issuer.material
    }

    private func verdict(
        of payload: [UInt8], _ material: TrustMaterial? = nil, profile: Profile = .strict,
        demand: HolderDemand = .init(), recent: Set<[UInt8]> = [], at clock: WallTime = TestIssuer.clock,
        limits: Limits = .init()
    ) throws -> Verdict {
        let verifier = Verifier(
            trust: try TrustStore(material ?? trusted), policy: VerificationPolicy(profile: profile), limits: limits)
        return verifier.verify(payload, demand: demand, recent: recent, at: clock)
    }

    /// Returns the verdict on the template after a change that is made before signing.
    private func signed(
        _ material: TrustMaterial? = nil, profile: Profile = .strict, change: (inout JSONObject) -> Void
    ) throws -> Verdict {
        var document = issuer.template
        change(&document)
        return try verdict(of: try issuer.sign(document).compactBytes, material, profile: profile)
    }

    /// Returns the verdict on the signed template after a change that may invalidate the signature.
    private func changed(_ change: (inout JSONObject) throws -> Void) throws -> Verdict {
        guard var document = try issuer.sign(issuer.template).object else { throw Rejection(.internal) }
        try change(&document)
        return try verdict(of: JSON.object(document).compactBytes)
    }

    private func changedProof(_ name: Text, to value: JSON?) throws -> Verdict {
        try changed { document in
            var proof = document["proof"]?.object ?? [:]
            proof[name] = value
            document["proof"] = .object(proof)
        }
    }

    @Test func acceptsTheUnchanged() throws {
        let verdict = try signed { _ in }
        #expect(verdict.isAccepted && verdict.code == .ok && verdict.proofContext == .document)
        #expect(verdict.credential.issuer == issuer.id && verdict.credential.types == ["VerifiableCredential"])
        #expect(verdict.credential.signedDigest?.count == 32)
        #expect(verdict.credential.validUntil == Timestamp(rfc3339: "2027-01-01T00:00:00Z"))
    }

    @Test func inputAndSyntax() throws {
        var limits = Limits()
        limits.payloadBytes = 10
        #expect(try verdict(of: Array("{\"a\": 12345}".utf8), limits: limits).code == .inputTooLarge)
        #expect(try verdict(of: Array("{\"a\": }".utf8)).code == .jsonSyntax)
        #expect(try verdict(of: []).code == .jsonSyntax)
        #expect(try verdict(of: Array("{\"a\":1,\"\\u0061\":2}".utf8)).code == .jsonDuplicateKey)
        #expect(try verdict(of: Array(String(repeating: "[", count: 65).utf8)).code == .jsonTooDeep)
        #expect(try verdict(of: Array("{\"hello\":\"world\"}".utf8)).code == .envelopeUnknown)
        #expect(try verdict(of: Array("[1]".utf8)).code == .envelopeUnknown)
    }

    @Test func unsupportedFormats() throws {
        let envelope: JSON = ["type": "EnvelopedVerifiableCredential", "id": "data:application/vc+cose;base64,AAAA"]
        for payload in [envelope, .text(envelope.compactText), ["verifiableCredential": ["credential": envelope]]] {
            #expect(try verdict(of: payload.compactBytes).code == .formatUnsupported)
        }
    }

    @Test func shape() throws {
        #expect(try changed { $0["@context"] = ["https://example.org/first"] }.code == .shapeContext)
        #expect(try changed { $0["type"] = ["Other"] }.code == .shapeType)
        #expect(try changed { $0["issuer"] = "no url" }.code == .shapeIssuer)
        #expect(try changed { $0["credentialSubject"] = [:] }.code == .shapeCredentialSubject)
        #expect(try changed { $0["id"] = ["urn:a:b"] }.code == .shapeID)
        #expect(try changed { $0["validFrom"] = "2026-01-01T00:00:00" }.code == .shapeDates)
        #expect(try changed { $0["credentialStatus"] = ["id": "urn:a:b"] }.code == .shapeStatus)
        #expect(try changed { $0["evidence"] = ["id": "urn:a:b"] }.code == .shapeMember)
        #expect(try changed { $0["proof"] = ["text"] }.code == .shapeProof)
        #expect(try changed { $0["proof"] = nil }.code == .proofMissing)
        #expect(try changed { $0["proof"] = [] }.code == .proofMissing)
    }

    @Test func endBeforeStartIsNoValidity() throws {
        #expect(try changed { $0["validUntil"] = "2025-01-01T00:00:00Z" }.code == .shapeDates)
    }

    @Test func validity() throws {
        let payload = try issuer.sign(issuer.template).compactBytes
        func code(_ date: String, _ provenance: WallTime.Provenance = .given) throws -> ReasonCode {
            let utc = try #require(Timestamp(rfc3339: date))
            return try verdict(of: payload, at: WallTime(utc: utc, provenance: provenance)).code
        }
        #expect(try code("2025-12-31T23:58:59Z") == .validityNotYet)
        #expect(try code("2025-12-31T23:59:00Z") == .ok)
        #expect(try code("2027-01-01T00:01:00Z") == .ok)
        #expect(try code("2027-01-01T00:01:01Z") == .validityExpired)
        #expect(try code("2026-06-01T00:00:00Z", .unset) == .clockUntrusted)
        #expect(try code("2026-06-01T00:00:00Z", .saved) == .clockUntrusted)
    }

    @Test func issuers() throws {
        var nobody = trusted
        nobody.issuers = []
        #expect(try signed(nobody) { _ in }.code == .issuerUntrusted)
        let other = try TestIssuer(seed: 8)
        var both = trusted
        both.issuers.append(TrustedIssuer(id: other.id))
        #expect(try signed(both) { $0["issuer"] = .string(other.id) }.code == .issuerKeyMismatch)
        both.issuers = [TrustedIssuer(id: other.id, controllers: [issuer.id])]
        #expect(try signed(both) { $0["issuer"] = .string(other.id) }.code == .ok)
    }

    @Test func contexts() throws {
        let inline: JSON = ["extra": "https://example.org/extra"]
        func add(_ context: JSON) -> (inout JSONObject) -> Void {
            { $0["@context"] = .array(($0["@context"]?.array ?? []) + [context]) }
        }
        #expect(try changed(add("https://example.org/unknown")).code == .contextNotPinned)
        #expect(try changed(add(inline)).code == .contextInlineForbidden)
        #expect(try signed(profile: .compat, change: add(inline)).code == .ok)
        var allowing = trusted
        allowing.issuers[0].inlineContexts = true
        #expect(try signed(allowing, change: add(inline)).code == .ok)
        let payload = try issuer.sign(issuer.template)
        func compat(_ context: JSON) throws -> ReasonCode {
            var document = try #require(payload.object)
            add(context)(&document)
            return try verdict(of: JSON.object(document).compactBytes, profile: .compat).code
        }
        #expect(try compat(["VerifiableCredential": "https://example.org/other"]) == .contextProtectedTerm)
        #expect(try compat(["@vocab": 7]) == .contextInvalid)
        #expect(try compat(7) == .shapeContext)
    }

    @Test func nestedContextsAreLookedAtToo() throws {
        let subject: JSON = ["@context": ["extra": "https://example.org/extra"], "id": "did:example:a", "extra": "b"]
        #expect(try changed { $0["credentialSubject"] = subject }.code == .contextInlineForbidden)
        let named: JSON = ["@context": "https://example.org/unknown", "id": "did:example:a"]
        let verdict = try changed { $0["credentialSubject"] = named }
        #expect(verdict.code == .contextNotPinned && verdict.reasons[0].pointer == "/credentialSubject/@context")
    }

    /// The signature stays valid while an inline context gives the purpose another meaning.
    @Test func proofTermsKeepTheirMeaning() throws {
        var foreign = issuer.template
        foreign["@context"] = [
            "https://www.w3.org/ns/credentials/v2",
            [
                "Ed25519Signature2020": [
                    "@id": "https://w3id.org/security#Ed25519Signature2020",
                    "@context": [
                        "proofPurpose": ["@id": "https://w3id.org/security#proofPurpose", "@type": "@vocab"],
                        "assertionMethod": "https://example.org/nothing",
                        "verificationMethod": ["@id": "https://w3id.org/security#verificationMethod", "@type": "@id"],
                        "created": "http://purl.org/dc/terms/created",
                    ],
                ]
            ],
        ]
        let payload = try issuer.sign(foreign).compactBytes
        #expect(try verdict(of: payload, profile: .compat).code == .contextInvalid)
    }

    @Test func keys() throws {
        #expect(try changedProof("verificationMethod", to: "did:web:unknown.example#key-1").code == .keyUnknown)
        #expect(try changedProof("verificationMethod", to: "did:key:zAAAA#zAAAA").code == .issuerKeyMismatch)
        let id: Text = "did:web:issuer.example"
        let key = Hex.encode(issuer.key.publicKey.rawRepresentation)
        func code(_ members: JSONObject, assertion: JSON, purpose: TrustedIssuer.KeyPurpose = .strict) throws
            -> ReasonCode
        {
            var material = trusted
            material.issuers = [TrustedIssuer(id: id, keyPurpose: purpose)]
            var method: JSONObject = ["id": "#key-1", "type": "Ed25519VerificationKey2018", "controller": .string(id)]
            for member in members.members { method[member.name] = member.value }
            let document: JSON = [
                "id": .string(id), "verificationMethod": [.object(method)], "assertionMethod": assertion,
            ]
            material.documents = [document.compactBytes]
            var credential = issuer.template
            credential["issuer"] = .string(id)
            let signed = try issuer.sign(credential) { $0["verificationMethod"] = "did:web:issuer.example#key-1" }
            return try verdict(of: signed.compactBytes, material).code
        }
        #expect(try code(["publicKeyHex": .text(key)], assertion: ["#key-1"]) == .ok)
        #expect(try code(["publicKeyHex": .text(key)], assertion: []) == .keyNotAuthorised)
        #expect(try code(["publicKeyHex": .text(key)], assertion: [.string(id)]) == .keyNotAuthorised)
        #expect(try code(["publicKeyHex": .text(key)], assertion: [.string(id)], purpose: .didWide) == .ok)
        #expect(try code(["publicKeyHex": "00"], assertion: ["#key-1"]) == .keyMalformed)
        let weak: JSON = ["kty": "RSA", "e": "AQAB", "n": .text(Base64.encode([UInt8](repeating: 0xC1, count: 128)))]
        #expect(try code(["publicKeyJwk": weak], assertion: ["#key-1"]) == .keyWeak)
        #expect(
            try code(["publicKeyHex": .text(key), "controller": "did:web:other.example"], assertion: ["#key-1"])
                == .issuerKeyMismatch)
    }

    @Test func proofs() throws {
        #expect(try changedProof("type", to: "MadeUpSignature2030").code == .proofSuiteUnsupported)
        #expect(try changedProof("proofPurpose", to: "authentication").code == .proofPurpose)
        #expect(try changedProof("verificationMethod", to: nil).code == .proofMalformed)
        for value in ["", "z", "u00", "zO0Il", 7, .text("z" + String(repeating: "1", count: 64_000))] as [JSON] {
            #expect(try changedProof("proofValue", to: value).code == .proofMalformed)
        }
        #expect(try changedProof("created", to: "2026-01-02T00:00:00Z").code == .proofInvalid)
        #expect(try changed { $0["credentialSubject"] = ["id": "did:example:other"] }.code == .proofInvalid)
        let expired = try issuer.sign(issuer.template) { $0["expires"] = "2026-02-01T00:00:00Z" }
        #expect(try verdict(of: expired.compactBytes).code == .proofExpired)
    }

    @Test func algorithmBelongsToSuiteAndKey() throws {
        for header in ["none", "HS256", "RS256"] {
            let text = Base64.encode(Array("{\"alg\":\"\(header)\",\"b64\":false,\"crit\":[\"b64\"]}".utf8))
            let verdict = try changed { document in
                var proof = document["proof"]?.object ?? [:]
                proof["type"] = "Ed25519Signature2018"
                proof["jws"] = .text(text + ".." + Base64.encode([UInt8](repeating: 1, count: 64)))
                document["proof"] = .object(proof)
            }
            #expect(verdict.code == .proofAlgorithm)
        }
    }

    /// An additional proof of another party causes a warning and has no other effect.
    @Test func foreignProofs() throws {
        let stranger = try TestIssuer(seed: 9)
        let own = try #require(try issuer.sign(issuer.template)["proof"])
        let foreign = try #require(try stranger.sign(issuer.template)["proof"])
        let both = try changed { $0["proof"] = [own, foreign] }
        #expect(both.isAccepted)
        #expect(both.reasons.map(\.code) == [.ok, .issuerKeyMismatch] && both.reasons[1].severity == .warning)
        #expect(try changed { $0["proof"] = [foreign] }.code == .issuerKeyMismatch)
        guard var unknown = own.object else { return }
        unknown["verificationMethod"] = "did:web:notary.example#key-1"
        #expect(try changed { $0["proof"] = [.object(unknown), own] }.isAccepted)
        #expect(try changed { $0["proof"] = [.object(unknown)] }.code == .keyUnknown)
    }

    @Test func unsignedClaims() throws {
        let strict = try changed { $0["vip"] = true }
        #expect(strict.code == .claimsUnsigned && strict.reasons[0].pointer == "/vip")
        guard var document = try issuer.sign(issuer.template).object else { return }
        document["vip"] = true
        document["type"] = ["VerifiableCredential", "Unheard"]
        let compat = try verdict(of: JSON.object(document).compactBytes, profile: .compat)
        #expect(compat.isAccepted && Set(compat.unsigned) == ["/vip", "/type/1"])
        #expect(compat.credential.types == ["VerifiableCredential"])
        #expect(compat.reasons.dropFirst().allSatisfy { $0.code == .claimsUnsigned && $0.severity == .warning })
    }

    /// Names and texts of a stranger do not enlarge the verdict.
    @Test func verdictsStaySmall() throws {
        let long = String(repeating: "x", count: 100_000)
        let verdict = try changed { $0["credentialSubject"] = ["id": "did:example:a", Text(long): 1] }
        #expect(verdict.code == .proofInvalid || verdict.code == .claimsUnsigned)
        let unsigned = try changed { $0[Text(long)] = 1 }
        #expect(unsigned.code == .claimsUnsigned && unsigned.reasons[0].pointer == "")
        let issuers = try changed { $0["issuer"] = .text("did:example:" + String(repeating: "y", count: 15_000)) }
        #expect(issuers.code == .issuerUntrusted && issuers.credential.issuer == nil)
        let types = try changed { $0["type"] = .array(["VerifiableCredential", .text(long)]) }
        #expect(types.credential.types == ["VerifiableCredential"])
    }

    @Test func poisonGraph() throws {
        var subjects: [JSON] = []
        for node in 0..<7 {
            let others = (0..<7).filter { $0 != node }.map { JSON.text("_:b\($0)") }
            subjects.append(["id": .text("_:b\(node)"), "https://example.org/knows": .array(others.map { ["id": $0] })])
        }
        let subject: JSON = ["id": "did:example:a", "https://example.org/knows": .array(subjects)]
        let verdict = try changed { $0["credentialSubject"] = subject }
        #expect(verdict.code == .canonTooComplex)
    }

    @Test func holder() throws {
        let payload = try issuer.sign(issuer.template).compactBytes
        #expect(try verdict(of: payload, demand: HolderDemand(required: true)).code == .holderProofMissing)
    }

    @Test func replay() throws {
        let payload = try issuer.sign(issuer.template)
        let first = try verdict(of: payload.compactBytes)
        let digest = try #require(first.credential.signedDigest)
        let respelled = Array((" " + payload.compactText + "\n").utf8)
        #expect(try verdict(of: respelled, recent: [digest]).code == .replaySeen)
        #expect(try verdict(of: respelled).code == .ok)
    }
}
