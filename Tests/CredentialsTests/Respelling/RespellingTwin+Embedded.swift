import Encoding

@testable import Credentials

/// Twins that contain other credentials with contexts of their own and describe the issuer and the subject in
/// several places.
extension RespellingTwins {
    func embedding() throws -> [RespellingTwin] {
        let (clean, dirty) = (try list("clean", set: false), try list("dirty", set: true))
        let denying =
            "[[deny]]\nid = \"d\"\nwhen = [ { claim = \"/credentialSubject/level\", equals = 3 } ]\n"
            + "[[accept]]\nid = \"staff\"\n"
        return [
            twin("endorsed", try endorsed()),
            twin(
                "endorsed, expired", try endorsed { $0["validUntil"] = "2026-02-01T00:00:00Z" },
                code: "validity.expired"),
            twin(
                "endorsed, not revoked", try endorsed { $0["credentialStatus"] = Self.entry("clean") }, lists: [clean]),
            twin(
                "endorsed, revoked", try endorsed { $0["credentialStatus"] = Self.entry("dirty") },
                code: "status.revoked", lists: [dirty]),
            twin("endorsed, denied level", try endorsed(), code: "policy.d", rules: denying) {
                $0.pinsExchange = false
            },
        ]
    }

    /// Returns a credential whose achievement its issuer created and a stranger endorses.
    private func endorsed(_ changes: (inout JSONObject) -> Void = { _ in }) throws -> JSON {
        let endorsement: JSON = [
            "@context": issuer.heads(Self.terms), "id": "urn:uuid:9", "type": ["VerifiableCredential", "Endorsement"],
            "issuer": ["id": "https://accrediter.example/", "callName": "Accrediter"],
            "validFrom": "2025-01-01T00:00:00Z", "validUntil": "2025-06-01T00:00:00Z",
            "credentialSubject": ["id": .string(issuer.id), "grade": 1],
            "proof": [
                "type": "DataIntegrityProof", "cryptosuite": "eddsa-rdfc-2022", "created": "2025-01-01T00:00:00Z",
                "verificationMethod": "https://accrediter.example/#1", "proofPurpose": "assertionMethod",
                "proofValue": "zAAAA",
            ],
        ]
        return try signed { document in
            document["issuer"] = ["id": .string(issuer.id), "callName": "Works"]
            document["credentialSubject"] = .object(
                subject.with("creator", ["id": .string(issuer.id), "endorsement": [endorsement]]))
            changes(&document)
        }
    }
}
