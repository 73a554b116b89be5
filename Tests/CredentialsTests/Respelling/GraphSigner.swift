import Crypto
import Encoding
import LinkedData

@testable import Credentials

/// An issuer or holder that signs linked data as a did:key, with a **test key** from a fixed seed. Of the product, it
/// uses only the canonical N-Quads and the canonical JSON.
struct GraphSigner: Sendable {
    enum Suite: String, CaseIterable, Sendable {
        case ed25519Signature2018
        case ed25519Signature2020
        case jsonWebSignature2020
        case eddsaRDFC2022 = "eddsa-rdfc-2022"
        case ecdsaRDFC2019 = "ecdsa-rdfc-2019"
        case ecdsaRDFC2019P384 = "ecdsa-rdfc-2019 on P-384"
        case ecdsaSD2023 = "ecdsa-sd-2023"
        case eddsaJCS2022 = "eddsa-jcs-2022"
        case ecdsaJCS2019 = "ecdsa-jcs-2019"

        /// Whether the suite signs canonical JSON instead of statements.
        var isText: Bool { self == .eddsaJCS2022 || self == .ecdsaJCS2019 }

        /// One suite of each kind (text, statements, single statements), with old and new proof types.
        static let sample: [Suite] = [
            .ed25519Signature2020, .eddsaRDFC2022, .ecdsaRDFC2019, .ecdsaSD2023, .eddsaJCS2022,
        ]

        /// The type of the suite's proofs from the time before cryptosuites.
        fileprivate var type: Text? {
            switch self {
            case .ed25519Signature2018: "Ed25519Signature2018"
            case .ed25519Signature2020: "Ed25519Signature2020"
            case .jsonWebSignature2020: "JsonWebSignature2020"
            default: nil
            }
        }

        /// The context that defines the type.
        fileprivate var context: Text? {
            switch self {
            case .ed25519Signature2018: "https://w3id.org/security/suites/ed25519-2018/v1"
            case .ed25519Signature2020: "https://w3id.org/security/suites/ed25519-2020/v1"
            case .jsonWebSignature2020: "https://w3id.org/security/suites/jws-2020/v1"
            default: nil
            }
        }

        fileprivate var cryptosuite: Text { self == .ecdsaRDFC2019P384 ? "ecdsa-rdfc-2019" : Text(rawValue) }
        fileprivate var hash: HashAlgorithm { self == .ecdsaRDFC2019P384 ? .sha384 : .sha256 }
        fileprivate var isDetached: Bool { self == .ed25519Signature2018 || self == .jsonWebSignature2020 }
    }

    let suite: Suite
    let id: Text
    let method: Text
    private let edwards: Curve25519.Signing.PrivateKey
    private let p256: P256.Signing.PrivateKey
    private let p384: P384.Signing.PrivateKey
    /// The contexts that are known for signing, by URL.
    let contexts: [Text: JSON]
    private let processor: JSONLDProcessor
    /// Properties whose statements the holder of an ecdsa-sd-2023 credential may leave out.
    var optional: Set<Text> = []
    /// Single statements that the holder may also leave out.
    var isOptional: @Sendable (Quad) -> Bool = { _ in false }

    static let base: Text = "https://www.w3.org/ns/credentials/v2"

    init(_ suite: Suite, seed: UInt8 = 31, contexts: [Text: JSON] = [:]) throws {
        self.suite = suite
        edwards = try Curve25519.Signing.PrivateKey(rawRepresentation: [UInt8](repeating: seed, count: 32))
        p256 = try P256.Signing.PrivateKey(rawRepresentation: [UInt8](repeating: seed, count: 32))
        p384 = try P384.Signing.PrivateKey(rawRepresentation: [UInt8](repeating: seed, count: 48))
        let key: [UInt8]
        switch suite {
        case .ecdsaRDFC2019, .ecdsaSD2023, .ecdsaJCS2019: key = [0x80, 0x24] + p256.publicKey.compressedRepresentation
        case .ecdsaRDFC2019P384: key = [0x81, 0x24] + p384.publicKey.compressedRepresentation
        default: key = [0xED, 0x01] + edwards.publicKey.rawRepresentation
        }
        let value = Multibase.encodeBase58(key)
        id = Text("did:key:" + value)
        method = Text("did:key:" + value + "#" + value)
        var contexts = contexts
        for url in [Self.base, Suite.ed25519Signature2020.context, suite.context].compactMap(\.self) {
            contexts[url] = try BuiltInContexts.document(url).map { try JSON.parse($0.bytes) }
        }
        self.contexts = contexts
        processor = JSONLDProcessor(contexts: ContextDocuments(contexts))
    }

    /// Returns the contexts at the beginning of this issuer's documents.
    func heads(_ more: Text...) -> JSON {
        .array(([Self.base] + [suite.context].compactMap(\.self) + more).map { .string($0) })
    }

    /// Returns the document with a proof; `changes` are made to the proof options before signing.
    func sign(
        _ document: JSONObject, purpose: Text = "assertionMethod", changes: (inout JSONObject) -> Void = { _ in }
    ) throws -> JSON {
        var proof: JSONObject =
            suite.type.map { ["type": .string($0)] }
            ?? ["type": "DataIntegrityProof", "cryptosuite": .string(suite.cryptosuite)]
        proof["created"] = "2026-01-01T00:00:00Z"
        proof["verificationMethod"] = .string(method)
        proof["proofPurpose"] = .string(purpose)
        changes(&proof)
        let hashes = try suite.isText ? texts(proof, document) : statements(proof, document)
        if suite.isDetached {
            let header = Base64.encode(Array(#"{"alg":"EdDSA","b64":false,"crit":["b64"]}"#.utf8))
            let signature = try edwards.signature(for: Array((header + ".").utf8) + hashes.flatMap(\.self))
            proof["jws"] = .text(header + ".." + Base64.encode(signature))
        } else if suite == .ecdsaSD2023 {
            let dataset = try processor.deserialize(.object(document)).dataset
            proof["proofValue"] = .text(
                try disclosure(of: document["id"]?.string, hashes[0], dataset, RDFC10.canonicalize(dataset)))
        } else {
            proof["proofValue"] = .text(Multibase.encodeBase58(try signature(hashes.flatMap(\.self))))
        }
        return .object(document.with("proof", .object(proof)))
    }

    /// Returns the hashes of the options and of the document, as canonical JSON.
    private func texts(_ proof: JSONObject, _ document: JSONObject) throws -> [[UInt8]] {
        try [proof, document].map { Digest.sha256(try JSON.object($0).canonicalized()) }
    }

    /// Returns the same hashes for canonical N-Quads.
    private func statements(_ proof: JSONObject, _ document: JSONObject) throws -> [[UInt8]] {
        try [proof.with("@context", document["@context"]), document].map { object in
            let dataset = try processor.deserialize(.object(object)).dataset
            return Digest.hash(try RDFC10.canonicalize(dataset, hash: suite.hash).nQuads, suite.hash)
        }
    }

    private func signature(_ message: [UInt8]) throws -> [UInt8] {
        switch suite {
        case .ecdsaRDFC2019, .ecdsaSD2023, .ecdsaJCS2019:
            [UInt8](try p256.signature(for: message).rawRepresentation)
        case .ecdsaRDFC2019P384: [UInt8](try p384.signature(for: message).rawRepresentation)
        default: [UInt8](try edwards.signature(for: message))
        }
    }

    /// Returns a derived proof that shows all of a document (VC Data Integrity ECDSA 1.0 section 3.5.7). Signing a
    /// document with fewer members gives the same result as a holder's derivation without the statements of the missing
    /// members.
    private func disclosure(
        of id: Text?, _ options: [UInt8], _ dataset: Dataset, _ canonical: CanonicalDataset
    ) throws -> String {
        // Each credential has a key of its own (Data Integrity ECDSA Cryptosuites section 3.4.2), whatever part is
        // shown.
        let ephemeral = try P256.Signing.PrivateKey(rawRepresentation: Digest.sha256(Array((id ?? "").utf8)))
        let key = [0x80, 0x24] + [UInt8](ephemeral.publicKey.compressedRepresentation)
        // The labels that the issuer assigned; in tests they are derived from the canonical labels.
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
            return (line: Dataset([renamed]).nQuads, isOptional: optional.contains(quad.predicate) || isOptional(quad))
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
