import Crypto
import Encoding
import LinkedData

@testable import Credentials

/// An issuer or holder who signs linked data by a suite over RDF, with a **test key** from a fixed seed, as a did:key. Nothing
/// of the product is asked but the canonical N-Quads.
struct GraphSigner: Sendable {
    enum Suite: String, CaseIterable, Sendable {
        case ed25519Signature2020
        case eddsaRDFC2022 = "eddsa-rdfc-2022"
        case ecdsaRDFC2019 = "ecdsa-rdfc-2019"
        case ecdsaSD2023 = "ecdsa-sd-2023"
    }

    let suite: Suite
    let id: Text
    let method: Text
    private let edwards: Curve25519.Signing.PrivateKey
    private let p256: P256.Signing.PrivateKey
    /// The contexts that it signs under, by URL.
    let contexts: [Text: JSON]
    private let processor: JSONLDProcessor
    /// Properties whose statements the holder of an ecdsa-sd-2023 credential may leave out.
    var optional: Set<Text> = []

    static let base: Text = "https://www.w3.org/ns/credentials/v2"
    private static let suiteContext: Text = "https://w3id.org/security/suites/ed25519-2020/v1"

    init(_ suite: Suite, seed: UInt8 = 31, contexts: [Text: JSON] = [:]) throws {
        self.suite = suite
        edwards = try Curve25519.Signing.PrivateKey(rawRepresentation: [UInt8](repeating: seed, count: 32))
        p256 = try P256.Signing.PrivateKey(rawRepresentation: [UInt8](repeating: seed, count: 32))
        let key: [UInt8]
        switch suite {
        case .ed25519Signature2020, .eddsaRDFC2022: key = [0xED, 0x01] + edwards.publicKey.rawRepresentation
        case .ecdsaRDFC2019, .ecdsaSD2023: key = [0x80, 0x24] + p256.publicKey.compressedRepresentation
        }
        let value = Multibase.encodeBase58(key)
        id = Text("did:key:" + value)
        method = Text("did:key:" + value + "#" + value)
        var contexts = contexts
        for url in [Self.base, Self.suiteContext] {
            contexts[url] = try BuiltInContexts.document(url).map { try JSON.parse($0.bytes) }
        }
        self.contexts = contexts
        processor = JSONLDProcessor(contexts: ContextDocuments(contexts))
    }

    /// What a document of this issuer begins with.
    func heads(_ more: Text...) -> JSON {
        let own = suite == .ed25519Signature2020 ? [Self.base, Self.suiteContext] : [Self.base]
        return .array((own + more).map { .string($0) })
    }

    /// The document with a proof; `changes` are made to its options before signing.
    func sign(
        _ document: JSONObject, purpose: Text = "assertionMethod", changes: (inout JSONObject) -> Void = { _ in }
    ) throws -> JSON {
        var proof: JSONObject =
            suite == .ed25519Signature2020
            ? ["type": "Ed25519Signature2020"]
            : ["type": "DataIntegrityProof", "cryptosuite": .text(suite.rawValue)]
        proof["created"] = "2026-01-01T00:00:00Z"
        proof["verificationMethod"] = .string(method)
        proof["proofPurpose"] = .string(purpose)
        changes(&proof)
        let options = proof.with("@context", document["@context"])
        let optionsHash = Digest.sha256(
            try RDFC10.canonicalize(processor.deserialize(.object(options)).dataset).nQuads)
        let dataset = try processor.deserialize(.object(document)).dataset
        proof["proofValue"] = .text(try value(optionsHash, dataset))
        return .object(document.with("proof", .object(proof)))
    }

    private func value(_ options: [UInt8], _ dataset: Dataset) throws -> String {
        let canonical = try RDFC10.canonicalize(dataset)
        let message = options + Digest.sha256(canonical.nQuads)
        switch suite {
        case .ed25519Signature2020, .eddsaRDFC2022:
            return Multibase.encodeBase58([UInt8](try edwards.signature(for: message)))
        case .ecdsaRDFC2019:
            return Multibase.encodeBase58([UInt8](try p256.signature(for: message).rawRepresentation))
        case .ecdsaSD2023: return try disclosure(options, dataset, canonical)
        }
    }

    /// A derived proof that shows all of a document (VC Data Integrity ECDSA 1.0 section 3.5.7). A document with fewer
    /// members, signed so, is what a holder derives who leaves out the statements of those members.
    private func disclosure(_ options: [UInt8], _ dataset: Dataset, _ canonical: CanonicalDataset) throws -> String {
        let ephemeral = try P256.Signing.PrivateKey(rawRepresentation: [UInt8](repeating: 77, count: 32))
        let key = [0x80, 0x24] + [UInt8](ephemeral.publicKey.compressedRepresentation)
        // The labels that the issuer gave; those of a test are made of the canonical ones.
        var labels: [Text: [UInt8]] = [:]
        for label in Set(canonical.issued.values) { labels[label] = Digest.sha256(Array(label.utf8)) }
        func renamed(_ term: Term) -> Term {
            guard case .blank(let label) = term, let bytes = canonical.issued[label].flatMap({ labels[$0] }) else {
                return term
            }
            return .blank(Text("u" + Base64.encode(bytes)))
        }
        let statements = dataset.quads.map { quad in
            let renamed = Quad(
                renamed(quad.subject), quad.predicate, renamed(quad.object), in: quad.graph.map(renamed))
            return (line: Dataset([renamed]).nQuads, isOptional: optional.contains(quad.predicate))
        }
        var seen: Set<[UInt8]> = []
        let sorted = statements.filter { seen.insert($0.line).inserted }
            .sorted { $0.line.lexicographicallyPrecedes($1.line) }
        let mandatory = sorted.indices.filter { !sorted[$0].isOptional }
        let signed = options + key + Digest.sha256(mandatory.flatMap { sorted[$0].line })
        let pairs = labels.compactMap { label, bytes in
            UInt64(label.string.dropFirst(4)).map { CBOR.Pair(CBOR(.unsigned($0)), Self.item(bytes)) }
        }
        let content = CBOR(
            .array([
                Self.item([UInt8](try p256.signature(for: signed).rawRepresentation)), Self.item(key),
                CBOR(
                    .array(
                        try sorted.filter(\.isOptional).map {
                            Self.item([UInt8](try ephemeral.signature(for: $0.line).rawRepresentation))
                        })),
                CBOR(.map(pairs)), CBOR(.array(mandatory.map { CBOR(.unsigned(UInt64($0))) })),
            ]))
        return "u" + Base64.encode([0xD9, 0x5D, 0x01] + content.value.deterministicBytes)
    }

    private static func item(_ bytes: [UInt8]) -> CBOR { CBOR(.bytes(bytes[...])) }
}
