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
        var members = try canonicalMembers()
        if let context {
            members["@context"] = try Self.jcs { () throws(JCSError) in try context.canonicalized() }
        }
        return Digest.hash(members, algorithm)
    }

    /// The SHA-256 of the canonical JSON without its contexts.
    mutating func jcsWithoutContext() throws(Rejection) -> [UInt8] {
        var members = try canonicalMembers()
        members["@context"] = nil
        return Digest.hash(members, .sha256)
    }

    /// The hash of a proof's options in canonical form. Those contexts that are the document's own are not written anew.
    mutating func jcs(options: JCSProofOptions, _ algorithm: HashAlgorithm) throws(Rejection) -> [UInt8] {
        var proof = options.options
        let repeatsContext = options.context == nil && proof["@context"] != nil
        if repeatsContext { proof["@context"] = nil }
        var members = try Self.jcs { () throws(JCSError) in try CanonicalObject(proof) }
        if repeatsContext { members["@context"] = try canonicalMembers()["@context"] }
        return Digest.hash(members, algorithm)
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
