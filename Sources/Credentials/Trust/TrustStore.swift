package import Encoding
import LinkedData

/// The trust data in force, read once and ready for use: no parsing, no key decoding and no context loading is left for
/// a verification. Immutable; a new bundle is a new store.
package struct TrustStore: Sendable {
    /// A part of the material that cannot be used.
    package enum Failure: Error, Hashable, Sendable {
        /// The document at this position is no JSON object with an `id`.
        case document(Int)
        /// The context of this URL is no JSON object with `@context`.
        case context(Text)
    }

    /// `sha256:` and the first 16 hexadecimal digits of ``TrustMaterial/digest``; names this trust data in verdicts.
    package let version: String
    let issuers: [Text: TrustedIssuer]
    let documents: [Text: ControllerDocument]
    let statusLists: [Text: [UInt8]]
    /// JSON-LD over the pinned contexts, for documents.
    let processor: JSONLDProcessor
    /// JSON-LD over the suites' contexts, for proof options only.
    let suiteProcessor: JSONLDProcessor

    /// Reads the material; throws at the first part that cannot be used.
    package init(_ material: TrustMaterial) throws(Failure) {
        version = "sha256:" + Hex.encode(material.digest.prefix(8))
        issuers = Dictionary(material.issuers.map { ($0.id, $0) }, uniquingKeysWith: { $1 })
        var documents: [Text: ControllerDocument] = [:]
        for (index, bytes) in material.documents.enumerated() {
            guard let json = try? JSON.parse(bytes), let document = ControllerDocument(json) else {
                throw .document(index)
            }
            documents[document.id] = document
        }
        self.documents = documents
        statusLists = material.statusLists
        var contexts: [Text: JSON] = [:]
        for (url, bytes) in material.contexts {
            guard let json = try? JSON.parse(bytes), json["@context"] != nil else { throw .context(url) }
            contexts[url] = json
        }
        processor = JSONLDProcessor(contexts: ContextDocuments(contexts))
        suiteProcessor = JSONLDProcessor(contexts: BuiltInContexts.suites)
    }

    /// Whether a context of that URL is pinned.
    package func pins(_ url: Text) -> Bool { processor.contexts.documents[url] != nil }

    /// The entry of a trusted issuer.
    package func issuer(_ id: Text) -> TrustedIssuer? { issuers[id] }

    /// The stored document of that id.
    package func document(_ id: Text) -> ControllerDocument? { documents[id] }
}
