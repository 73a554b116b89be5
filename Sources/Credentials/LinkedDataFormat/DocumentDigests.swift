import Encoding
import LinkedData

/// The hashes of one document that its proofs ask for; no graph is canonicalised twice with the same hash.
struct DocumentDigests {
    let content: LinkedDataDocument
    private var graph: [HashAlgorithm: [UInt8]] = [:]

    init(_ content: LinkedDataDocument) { self.content = content }

    /// The hash of the canonical N-Quads, where RDFC-1.0 runs with the same algorithm.
    mutating func rdfc(_ algorithm: HashAlgorithm) throws(Rejection) -> [UInt8] {
        if let digest = graph[algorithm] { return digest }
        let digest = try LinkedDataDocument.digest(of: content.dataset, algorithm)
        graph[algorithm] = digest
        return digest
    }

    /// The hash of the canonical JSON, under the contexts that a proof covers instead of the document's own.
    func jcs(_ algorithm: HashAlgorithm, under context: JSON?) throws(Rejection) -> [UInt8] {
        var document = content.unsecured
        if let context { document["@context"] = context }
        return try Self.jcs(document, algorithm)
    }

    /// The hash of an object's canonical JSON (RFC 8785).
    static func jcs(_ object: JSONObject, _ algorithm: HashAlgorithm) throws(Rejection) -> [UInt8] {
        do throws(JCSError) {
            return Digest.hash(try JSON.object(object).canonicalized(), algorithm)
        } catch { throw Rejection(.jsonNumber) }
    }
}
