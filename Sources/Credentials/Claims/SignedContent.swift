import Encoding
import LinkedData

/// The identity of an issuer's signed content: a SHA-256 that does not depend on which of the content's proofs are
/// shown.
///
/// For linked data, the hash covers the canonical N-Quads without the proofs. If all shown proofs are over the JSON
/// text, no signature needs the graph, so the graph is made only when the digest is read. Some texts contain members
/// that the graph does not state. No suite over graphs can have signed such a text as a whole, so the hash covers its
/// canonical JSON without contexts.
package struct SignedContent: Hashable, Sendable {
    private enum Source: Sendable {
        case digest([UInt8])
        case text(JSONObject, JSONLDProcessor)
    }

    private let source: Source

    /// Creates the identity with the given digest (32 bytes).
    package init(digest: [UInt8]) { source = .digest(digest) }

    /// Creates the identity of a signed text without its proofs, under the contexts that were signed.
    init(text: JSONObject, processor: JSONLDProcessor) { source = .text(text, processor) }

    /// The SHA-256, 32 bytes. Computed at each call for a text.
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
