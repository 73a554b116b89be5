package import Encoding

/// JSON-LD 1.1 expansion and conversion to RDF over pinned contexts.
package struct JSONLDProcessor: Sendable {
    /// Bounds of one document.
    package struct Limits: Sendable {
        /// Quads of one dataset, as many as ``CanonicalizationLimits/quads`` accepts.
        package var quads = 12_000
        /// Named graphs of one document: a credential has one for each proof and each credential inside it.
        package var graphs = 1_000
        /// Contexts loaded inside each other or in one array.
        package var contexts = 64
        /// Objects inside each other.
        package var depth = 64
        /// Term definitions made, contexts read and contexts loaded for one document.
        package var definitions = 5_000
        /// Definitions that wait for each other: through the terms that they name and the contexts inside them.
        package var definitionDepth = 64
        /// Bytes, about, of all contexts that hold somewhere in a document.
        package var contextBytes = 16 * 1024 * 1024
        /// Bytes of a term, and of an IRI in a context: it is repeated wherever its term or prefix is used.
        package var iriLength = 2_048
        /// Objects and scalars of one document, contexts apart.
        package var items = 40_000
        /// Bytes of all IRIs that a document's names and references expand to.
        package var iriBytes = 16 * 1024 * 1024
        /// Powers of two and five that writing a document's fractional numbers in decimal takes: a number near 1 takes about
        /// 50, one near the ends of the range about 1,000.
        package var powers = 1_200_000

        /// The documented defaults.
        package init() {}
    }

    /// The contexts that exist.
    package let contexts: ContextDocuments
    /// The bounds.
    package let limits: Limits
    /// The one name of each property and type that decides; another name for one is an unusual spelling.
    package let standardNames: StandardNames
    let cache = ContextCache()
    let names = DefinedNamesCache()

    /// A processor over these contexts. Copies share what they find out about them.
    package init(contexts: ContextDocuments, limits: Limits = .init(), standardNames: StandardNames = .init()) {
        self.contexts = contexts
        self.limits = limits
        self.standardNames = standardNames
    }

    /// Expands a document (JSON-LD 1.1 API section 5.1).
    package func expand(_ document: JSON, options: Options = .init()) throws(JSONLDError) -> Expansion {
        var expander = expander(options, limits)
        let items = try expander.document(document)
        return Expansion(value: .array(items.map(\.json)), dropped: expander.log.dropped)
    }

    /// Expands a document and converts it to RDF (JSON-LD 1.1 API sections 5.1 and 8.1).
    ///
    /// Blank nodes are named `b0`, `b1` … in document order, whatever the document calls them. What cannot stand in RDF
    /// is left out and listed in `dropped`.
    package func deserialize(
        _ document: JSON, options: Options = .init()
    ) throws(JSONLDError) -> DeserializedDocument {
        var limits = limits
        // Nearly each item comes to a quad: a few more than there may be quads tell early that there are too many.
        limits.items = min(limits.items, limits.quads + limits.quads / 10)
        var expander = expander(options, limits)
        let items = try expander.document(document)
        var writer = QuadWriter(direction: options.rdfDirection, limits: limits)
        let roots = try writer.write(items)
        return DeserializedDocument(
            dataset: Dataset(writer.quads), dropped: expander.log.dropped, root: roots.count == 1 ? roots[0] : nil,
            unusualSpelling: expander.unusualSpelling,
            repeatedNodes: writer.repeatedNodes.isEmpty
                ? [] : NodeDescriptions(of: writer.repeatedNodes, in: items).found)
    }

    /// What is known of a document without ``deserialize(_:options:)``, which is then certain to succeed: its contexts are
    /// processed, its form holds nothing that JSON-LD has rules for, and what has a standard name is called by it. Nil says
    /// nothing.
    package func plain(_ document: JSONObject) -> PlainDocument? {
        var expander = expander(.init(), limits)
        return expander.plain(document)
    }

    private func expander(_ options: Options, _ limits: Limits) -> Expander {
        Expander(options: options, contexts: source(options, limits), limits: limits, standardNames: standardNames)
    }

    /// The contexts of one run.
    func source(_ options: Options, _ limits: Limits) -> ContextSource {
        let processor = ContextProcessor(
            documents: contexts, mode: options.processingMode, limits: limits, standardNames: standardNames)
        return ContextSource(cache: cache, processor: processor, base: options.base)
    }
}
