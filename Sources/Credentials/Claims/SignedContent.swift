import Encoding
import LinkedData

/// The identity of an issuer's signed content: a SHA-256 hash. The hash stays the same when the holder omits some of
/// the content's proofs.
///
/// For linked data, the hash covers the canonical N-Quads of the document without its proofs. If all proofs sign the
/// JSON text, no signature check needs the RDF graph; the graph is then computed only when the digest is read. Some
/// texts contain members that their graph cannot express. No proof over the graph can cover such a text completely, so
/// the hash covers the canonical JSON of the text without its contexts.
package struct SignedContent: Hashable, Sendable {
    private enum Source: Sendable {
        case digest([UInt8])
        case text(JSONObject, JSONLDProcessor)
    }

    private let source: Source

    /// Creates the identity with the given digest (32 bytes).
    package init(digest: [UInt8]) { source = .digest(digest) }

    /// Creates the identity of the signed text `text`, a document without its proofs. `processor` contains the contexts
    /// that were signed.
    init(text: JSONObject, processor: JSONLDProcessor) { source = .text(text, processor) }

    /// The SHA-256 hash, 32 bytes. For a text, each call computes the hash; the result is empty if the text has no
    /// canonical form.
    package var digest: [UInt8] {
        switch source {
        case .digest(let digest): digest
        case .text(let text, let processor): Self.graphDigest(text, processor) ?? Self.textDigest(text)
        }
    }

    private static func graphDigest(_ text: JSONObject, _ processor: JSONLDProcessor) -> [UInt8]? {
        guard let document = try? processor.deserialize(.object(text)),
            !document.dropped.contains(where: \.statesSomething)
        else { return nil }
        return try? document.dataset.canonicalDigest()
    }

    private static func textDigest(_ text: JSONObject) -> [UInt8] {
        var members = text
        members["@context"] = nil
        return (try? JSON.object(members).canonicalized()).map { Digest.sha256($0) } ?? []
    }

    package static func == (left: SignedContent, right: SignedContent) -> Bool { left.digest == right.digest }
    package func hash(into hasher: inout Hasher) { hasher.combine(digest) }
}
