import Encoding
import Reasons
import Testing

@testable import Credentials

/// Presentations: the credential inside must be valid without the presentation, and the holder must sign the gate's
/// request.
@Suite struct PresentationTests {
    private let issuer: TestIssuer
    private let holder: TestIssuer

    init() throws {
        issuer = try TestIssuer(seed: 7)
        holder = try TestIssuer(seed: 20)
    }

    private func presentation(
        of credential: JSON, by signer: TestIssuer? = nil, changes: (inout JSONObject) -> Void = { _ in }
    ) throws -> JSON {
        let document: JSONObject = [
            "@context": issuer.template["@context"] ?? .null, "type": ["VerifiablePresentation"],
            "holder": .string(holder.id), "verifiableCredential": [credential],
        ]
        return try (signer ?? holder).sign(document, purpose: .authentication) { proof in
            proof["created"] = .text(TestIssuer.clock.utc.advanced(by: .seconds(-300)).rfc3339)
            proof["challenge"] = "n-1"
            proof["domain"] = "gate.example"
            changes(&proof)
        }
    }

    private func verify(_ document: JSON, demand: HolderDemand = .init()) throws -> Verdict {
        Verifier(trust: try TrustStore(issuer.material)).verify(
            document.compactBytes, demand: demand, at: TestIssuer.clock)
    }

    @Test func signedByTheHolder() throws {
        let document = try presentation(of: issuer.sign(issuer.template))
        let verdict = try verify(document, demand: HolderDemand(nonce: "n-1", audience: "gate.example", required: true))
        #expect(verdict.code == .ok && verdict.credential.issuer == issuer.id)
    }

    @Test func challengeDomainAndAge() throws {
        let document = try presentation(of: issuer.sign(issuer.template))
        #expect(try verify(document, demand: HolderDemand(nonce: "n-2")).code == .holderInvalid)
        #expect(try verify(document, demand: HolderDemand(audience: "other.example")).code == .holderInvalid)
    }

    /// The holder's date counts in addition to the challenge. If no proof is required, an old proof counts as no proof.
    @Test func anAnsweredChallengeDoesNotReplaceTheDate() throws {
        let document = try presentation(of: issuer.sign(issuer.template))
        func code(_ seconds: Int, required: Bool) throws -> ReasonCode {
            let demand = HolderDemand(
                nonce: "n-1", audience: "gate.example", required: required, maxAge: .seconds(seconds))
            return try verify(document, demand: demand).code
        }
        #expect(try code(300, required: true) == .ok && code(299, required: true) == .holderInvalid)
        #expect(try code(299, required: false) == .ok)
    }

    /// A presentation may name its holder by the key of its signature, but not by another person's key.
    @Test func holderNamedByItsKey() throws {
        let stranger = try TestIssuer(seed: 21)
        var document = try #require(try presentation(of: issuer.sign(issuer.template)).object)
        document["proof"] = nil
        for (name, accepted) in [(holder.method, true), (stranger.method, false), (stranger.id, false)] {
            document["holder"] = .string(name)
            let signed = try holder.sign(document, purpose: .authentication)
            #expect(try verify(signed).isAccepted == accepted)
        }
    }

    @Test func signedByAnotherKey() throws {
        let document = try presentation(of: issuer.sign(issuer.template), by: TestIssuer(seed: 21))
        #expect(try verify(document).code == .holderInvalid)
    }

    @Test func notSigned() throws {
        var document = try #require(try presentation(of: issuer.sign(issuer.template)).object)
        document["proof"] = nil
        #expect(try verify(.object(document)).code == .holderProofMissing)
    }

    @Test func theCredentialInsideDecidesFirst() throws {
        var credential = try #require(try issuer.sign(issuer.template).object)
        credential["credentialSubject"] = ["id": "did:example:other"]
        let verdict = try verify(try presentation(of: .object(credential)))
        #expect(verdict.code == .proofInvalid && verdict.reasons[0].pointer == "/verifiableCredential/0/proof")
    }

    @Test func aSwappedCredentialBreaksTheHoldersSignature() throws {
        var document = try #require(try presentation(of: issuer.sign(issuer.template)).object)
        var other = issuer.template
        other["credentialSubject"] = ["id": "did:example:other"]
        document["verifiableCredential"] = [try issuer.sign(other)]
        #expect(try verify(.object(document)).code == .holderInvalid)
    }
}
