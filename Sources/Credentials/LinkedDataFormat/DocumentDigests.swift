import Encoding
import LinkedData

/// The hashes of one document that its proofs ask for; no graph is canonicalised twice with the same hash.
struct DocumentDigests {
    let content: LinkedDataDocument
    private var graph: [HashAlgorithm: [UInt8]] = [:]
    private var members: CanonicalObject?

    init(_ content: LinkedDataDocument) { self.content = content }

    /// The hash of the canonical N-Quads, where RDFC-1.0 runs with the same algorithm.
    mutating func rdfc(_ algorithm: HashAlgorithm) throws(Rejection) -> [UInt8] {
        if let digest = graph[algorithm] { return digest }
        let digest = try LinkedDataDocument.digest(of: content.dataset, algorithm)
        graph[algorithm] = digest
        return digest
    }

    /// The hash of the canonical JSON, under the contexts that a proof covers instead of the document's own.
    mutating func jcs(_ algorithm: HashAlgorithm, under context: JSON?) throws(Rejection) -> [UInt8] {
        let members = try canonicalMembers()
        guard let context else { return Digest.hash(algorithm) { members.write($0) } }
        let value = try Self.jcs { () throws(JCSError) in try context.canonicalized() }
        return Digest.hash(algorithm) { members.write(setting: "@context", to: value[...], $0) }
    }

    /// The SHA-256 of the canonical JSON without its contexts.
    mutating func jcsWithoutContext() throws(Rejection) -> [UInt8] {
        let members = try canonicalMembers()
        return Digest.hash(.sha256) { members.write(setting: "@context", to: nil, $0) }
    }

    /// The hash of a proof's options in canonical form. Those contexts that are the document's own are not written anew.
    mutating func jcs(options: JCSProofOptions, _ algorithm: HashAlgorithm) throws(Rejection) -> [UInt8] {
        var proof = options.options
        let repeatsContext = options.context == nil && proof["@context"] != nil
        if repeatsContext { proof["@context"] = nil }
        let members = try Self.jcs { () throws(JCSError) in try CanonicalObject(proof) }
        guard repeatsContext else { return Digest.hash(algorithm) { members.write($0) } }
        let context = try canonicalMembers()["@context"]
        return Digest.hash(algorithm) { members.write(setting: "@context", to: context, $0) }
    }

    private mutating func canonicalMembers() throws(Rejection) -> CanonicalObject {
        if let members { return members }
        let content = content
        let members = try Self.jcs { () throws(JCSError) in try CanonicalObject(content.unsecured) }
        self.members = members
        return members
    }

    private static func jcs<Value>(_ work: () throws(JCSError) -> Value) throws(Rejection) -> Value {
        do throws(JCSError) { return try work() } catch { throw Rejection(.jsonNumber) }
    }
}
