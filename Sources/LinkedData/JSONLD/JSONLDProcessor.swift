package import Encoding

/// JSON-LD 1.1 expansion and conversion to RDF over pinned contexts.
package struct JSONLDProcessor: Sendable {
    /// Bounds of one document.
    package struct Limits: Sendable {
        /// Quads of one dataset, as many as ``CanonicalizationLimits/quads`` accepts.
        package var quads = 20_000
        /// Contexts loaded inside each other or in one array.
        package var contexts = 64
        /// Objects inside each other.
        package var depth = 64
        /// Term definitions made and contexts loaded for one document beyond what the cache has.
        package var definitions = 20_000
        /// Bytes of an IRI in a context: it is repeated wherever its term or prefix is used.
        package var iriLength = 2_048
        /// Objects and scalars of one document, contexts apart.
        package var items = 40_000
        /// Bytes of all IRIs that a document's names and references expand to.
        package var iriBytes = 16 * 1024 * 1024

        /// The documented defaults.
        package init() {}
    }

    /// The contexts that exist.
    package let contexts: ContextDocuments
    /// The bounds.
    package let limits: Limits
    private let cache = ContextCache()

    /// A processor over these contexts. Copies share what they find out about them.
    package init(contexts: ContextDocuments, limits: Limits = .init()) {
        self.contexts = contexts
        self.limits = limits
    }

    /// Expands a document (JSON-LD 1.1 API section 5.1).
    package func expand(_ document: JSON, options: Options = .init()) throws(JSONLDError) -> Expansion {
        var expander = expander(options)
        let items = try expander.document(document)
        return Expansion(value: .array(items.map(\.json)), dropped: expander.log.dropped)
    }

    /// Expands a document and converts it to RDF (JSON-LD 1.1 API sections 5.1 and 8.1).
    ///
    /// Blank nodes are named `b0`, `b1` … in document order, whatever the document calls them. What cannot stand in RDF
    /// is left out and listed in `dropped`.
    package func dataset(
        _ document: JSON, options: Options = .init()
    ) throws(JSONLDError) -> (dataset: Dataset, dropped: [DroppedTerm]) {
        var expander = expander(options)
        let items = try expander.document(document)
        var writer = QuadWriter(direction: options.rdfDirection, limit: limits.quads)
        try writer.write(items)
        return (Dataset(writer.quads), expander.log.dropped)
    }

    private func expander(_ options: Options) -> Expander {
        let processor = ContextProcessor(documents: contexts, mode: options.processingMode, limits: limits)
        let source = ContextSource(cache: cache, processor: processor, base: options.base)
        return Expander(options: options, contexts: source, limits: limits)
    }
}
