import Encoding
import LinkedData

/// What an issuer signed, to know it again: by its SHA-256, whichever of its proofs are shown.
///
/// Of linked data that is the canonical N-Quads without the proofs. Where only proofs over the text are shown the graph is made
/// when somebody asks, as no signature needed it; a text that says more than its graph, which no other suite could have
/// signed, goes by its canonical JSON without contexts.
package struct SignedContent: Hashable, Sendable {
    private enum Source: Sendable {
        case digest([UInt8])
        case text(JSONObject, JSONLDProcessor)
    }

    private let source: Source

    /// Content with that digest (32 bytes).
    package init(digest: [UInt8]) { source = .digest(digest) }

    /// A signed text without its proofs, under the contexts that were signed.
    init(text: JSONObject, processor: JSONLDProcessor) { source = .text(text, processor) }

    /// 32 bytes. Computed each time for a text.
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
