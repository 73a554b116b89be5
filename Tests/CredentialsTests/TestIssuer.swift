import Crypto
import Encoding
import LinkedData
import Reasons

@testable import Credentials

/// An issuer that signs with Ed25519Signature2020 as a did:key, with a key of its own (a **test key**, from a
/// fixed seed).
struct TestIssuer {
    let key: Curve25519.Signing.PrivateKey
    let id: Text
    let method: Text

    init(seed: UInt8) throws {
        key = try Curve25519.Signing.PrivateKey(rawRepresentation: [UInt8](repeating: seed, count: 32))
        let value = Multibase.encodeBase58([0xED, 0x01] + key.publicKey.rawRepresentation)
        id = Text("did:key:" + value)
        method = Text(id.string + "#" + value)
    }

    static let clock = WallTime(utc: Timestamp(seconds: 1_790_000_000), provenance: .given)

    /// Trust data with credentials/v2 and the status context pinned, and this issuer trusted.
    var material: TrustMaterial {
        var contexts: [Text: [UInt8]] = [:]
        for url in Self.pinned { contexts[url] = BuiltInContexts.document(url)?.bytes }
        return TrustMaterial(issuers: [TrustedIssuer(id: id)], contexts: contexts)
    }

    private static let pinned: [Text] = [
        "https://www.w3.org/ns/credentials/v2", "https://w3id.org/security/suites/ed25519-2020/v1",
    ]

    /// A credential without a proof, for tests to change.
    var template: JSONObject {
        [
            "@context": .array(Self.pinned.map { .string($0) }), "type": ["VerifiableCredential"],
            "issuer": .string(id), "validFrom": "2026-01-01T00:00:00Z", "validUntil": "2027-01-01T00:00:00Z",
            "credentialSubject": ["id": "did:example:holder"],
        ]
    }

    /// Returns the document with a proof by this issuer. `contexts` are known in addition to its own;
    /// `changes` are made to the proof options before signing.
    func sign(
        _ document: JSONObject, purpose: ControllerDocument.Purpose = .assertionMethod,
        contexts: [Text: [UInt8]] = [:], changes: (inout JSONObject) -> Void = { _ in }
    ) throws -> JSON {
        var known = material
        known.contexts.merge(contexts) { $1 }
        let trust = try TrustStore(known)
        var proof: JSONObject = [
            "type": "Ed25519Signature2020", "created": "2026-01-01T00:00:00Z", "verificationMethod": .string(method),
            "proofPurpose": .string(purpose.rawValue),
        ]
        changes(&proof)
        let content = try LinkedDataDocument(document, processor: trust.processor)
        let options = ProofOptions(
            proof, of: .ed25519Signature2020, under: .document, documentContext: content.context, trust: trust)
        guard let dataset = options?.dataset else { throw Rejection(.internal) }
        let message = try dataset.canonicalDigest() + content.dataset.canonicalDigest()
        proof["proofValue"] = .text(Multibase.encodeBase58(try key.signature(for: message)))
        var signed = document
        signed["proof"] = .object(proof)
        return .object(signed)
    }

    /// Returns the document with an eddsa-jcs-2022 proof by this issuer. `repeating` are the contexts that
    /// the proof repeats and covers; with nil, the proof covers all of the document's contexts.
    func signText(_ document: JSONObject, repeating contexts: JSON? = nil) throws -> JSON {
        var proof: JSONObject = [
            "type": "DataIntegrityProof", "cryptosuite": "eddsa-jcs-2022", "created": "2026-01-01T00:00:00Z",
            "verificationMethod": .string(method), "proofPurpose": "assertionMethod",
        ]
        proof["@context"] = contexts
        var covered = document
        if let contexts { covered["@context"] = contexts }
        let message =
            Digest.sha256(try JSON.object(proof).canonicalized())
            + Digest.sha256(try JSON.object(covered).canonicalized())
        proof["proofValue"] = .text(Multibase.encodeBase58(try key.signature(for: message)))
        var signed = document
        signed["proof"] = .object(proof)
        return .object(signed)
    }

    /// Returns a status list credential with these bits set.
    func statusList(
        url: Text, purpose: Text = "revocation", set: [Int] = [], bytes: Int = 16 * 1024,
        changes: (inout JSONObject) -> Void = { _ in }
    ) throws -> [UInt8] {
        var bits = [UInt8](repeating: 0, count: bytes)
        for index in set { bits[index / 8] |= 0x80 >> UInt8(index % 8) }
        var document = template
        document["id"] = .string(url)
        document["type"] = ["VerifiableCredential", "BitstringStatusListCredential"]
        document["credentialSubject"] = [
            "id": .text(url.string + "#list"), "type": "BitstringStatusList", "statusPurpose": .string(purpose),
            "encodedList": .text("u" + Base64.encode(try Gzip.deflate(bits))),
        ]
        changes(&document)
        return try sign(document).compactBytes
    }
}
