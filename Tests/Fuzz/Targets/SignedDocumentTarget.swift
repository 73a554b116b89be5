import Crypto
import Encoding
import LinkedData
import Reasons

@testable import Credentials

extension FuzzTarget {
    /// Linked data with a valid signature, by JCS and by RDFC-1.0. An input is a credential without proof.
    /// The target signs it, so that the code after the signature check is reached: unsigned members, status
    /// lists, the view of the claims.
    static let signed = FuzzTarget(
        name: "signed", longest: 4096,
        seeds: {
            guard let signer = documentSigner else { return [] }
            let members: [JSONObject.Member] = [
                .init("evidence", [["type": "E", "x": [1, .number(.init(validated: "2.5")), nil]]]),
                .init("unknown", "dropped"),
                .init("credentialStatus", signer.status), .init("name", ["@value": "n", "@language": "en"]),
                .init("credentialSchema", ["id": "urn:s", "type": "JsonSchema"]),
                .init(
                    "@context",
                    .array([signer.context, ["a": "urn:a", "b": ["@id": "urn:b", "@container": "@list"]]])),
            ]
            let documents = members.map { member in
                var document = signer.template
                document[member.name] = member.value
                return document
            }
            return (documents + [signer.template]).map { JSON.object($0).compactBytes }
        },
        check: { bytes in
            guard let signer = documentSigner else { return require(false, "a test key") }
            guard let document = (try? JSON.parse(bytes))?.object else { return }
            for signed in [signer.signedText(document), signer.signedGraph(document)] {
                guard let signed else { continue }
                let payload = JSON.object(signed).compactBytes
                for verifier in signer.verifiers {
                    let verdict = verifier.verify(payload, at: signer.clock)
                    require(!verdict.reasons.isEmpty && verdict.code != .internal, "every verdict has a reason")
                    let report = VerdictReport(file: "f", verdict: verdict).jsonLine
                    require((try? JSON.parse(report)) != nil, "a report is JSON")
                    let again = VerdictReport(file: "f", verdict: verifier.verify(payload, at: signer.clock)).jsonLine
                    require(again == report, "what was remembered of it changes no verdict")
                }
            }
        })

    private static let documentSigner = try? DocumentSigner()
}

/// Signs documents with a **test key** from a fixed seed and verifies them with trust data that contains this
/// key.
private struct DocumentSigner: Sendable {
    private(set) var verifiers: [Verifier] = []
    let clock = WallTime(utc: Timestamp(seconds: 1_790_000_000), provenance: .given)
    let context: JSON = "https://www.w3.org/ns/credentials/v2"
    private let key: Curve25519.Signing.PrivateKey
    private let id: Text
    private let method: Text
    private let trust: TrustStore
    private static let list: Text = "https://issuer.example/status/1"

    init() throws {
        key = try Curve25519.Signing.PrivateKey(rawRepresentation: [UInt8](repeating: 5, count: 32))
        let value = Multibase.encodeBase58([0xED, 0x01] + key.publicKey.rawRepresentation)
        (id, method) = (Text("did:key:" + value), Text("did:key:" + value + "#" + value))
        var material = TrustMaterial(issuers: [TrustedIssuer(id: id, inlineContexts: true)])
        for url: Text in ["https://www.w3.org/ns/credentials/v2", "https://www.w3.org/2018/credentials/v1"] {
            material.contexts[url] = BuiltInContexts.document(url)?.bytes
        }
        trust = try TrustStore(material)
        material.statusLists[Self.list] = signedText(try statusList).map { JSON.object($0).compactBytes }
        let whole = try TrustStore(material)
        verifiers = [Profile.strict, .compat].map {
            Verifier(trust: whole, policy: VerificationPolicy(version: "fuzz", profile: $0))
        }
    }

    var template: JSONObject {
        [
            "@context": [context], "id": "urn:uuid:1", "type": ["VerifiableCredential"], "issuer": .string(id),
            "validFrom": "2026-01-01T00:00:00Z", "validUntil": "2027-01-01T00:00:00Z",
            "credentialSubject": ["id": "did:example:holder", "alumniOf": "x"],
        ]
    }

    var status: JSON {
        [
            "id": .text(Self.list.string + "#7"), "type": "BitstringStatusListEntry", "statusPurpose": "revocation",
            "statusListIndex": "7", "statusListCredential": .string(Self.list),
        ]
    }

    private var statusList: JSONObject {
        get throws {
            var document = template
            document["id"] = .string(Self.list)
            document["type"] = ["VerifiableCredential", "BitstringStatusListCredential"]
            let bits = [0x80] + [UInt8](repeating: 0, count: 16_383)
            document["credentialSubject"] = [
                "id": .text(Self.list.string + "#list"), "type": "BitstringStatusList", "statusPurpose": "revocation",
                "encodedList": .text("u" + Base64.encode(try Gzip.deflate(bits))),
            ]
            return document
        }
    }

    /// Returns the document with an eddsa-jcs-2022 proof; nil for a document that JCS cannot canonicalise.
    func signedText(_ document: JSONObject) -> JSONObject? {
        let proof = proof("eddsa-jcs-2022")
        guard let options = try? JSON.object(proof).canonicalized(),
            let content = try? JSON.object(document).canonicalized()
        else { return nil }
        return sign(document, proof, Digest.sha256(options) + Digest.sha256(content))
    }

    /// Returns the document with an eddsa-rdfc-2022 proof; nil for a document that is not linked data.
    func signedGraph(_ document: JSONObject) -> JSONObject? {
        let proof = proof("eddsa-rdfc-2022")
        guard let content = try? LinkedDataDocument(document, processor: trust.processor),
            let options = ProofOptions(
                proof, of: .eddsaRDFC2022, under: .document, documentContext: content.context, trust: trust)?.dataset,
            let first = try? options.canonicalDigest(),
            let second = try? content.dataset.canonicalDigest()
        else { return nil }
        return sign(document, proof, first + second)
    }

    private func proof(_ suite: Text) -> JSONObject {
        [
            "type": "DataIntegrityProof", "cryptosuite": .string(suite), "created": "2026-01-01T00:00:00Z",
            "verificationMethod": .string(method), "proofPurpose": "assertionMethod",
        ]
    }

    private func sign(_ document: JSONObject, _ proof: JSONObject, _ message: [UInt8]) -> JSONObject? {
        guard let signature = try? key.signature(for: message) else { return nil }
        var (document, proof) = (document, proof)
        proof["proofValue"] = .text(Multibase.encodeBase58(signature))
        document["proof"] = .object(proof)
        return document
    }
}
