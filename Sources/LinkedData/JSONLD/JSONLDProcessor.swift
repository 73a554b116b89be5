package import Encoding

/// A processor for JSON-LD 1.1: expansion and conversion to RDF. It uses only pinned contexts.
package struct JSONLDProcessor: Sendable {
    /// The limits of the work for one document.
    package struct Limits: Sendable {
        /// The largest number of quads of one dataset, equal to ``CanonicalizationLimits/quads``.
        package var quads = 12_000
        /// The largest number of named graphs of one document. A credential has one graph for each proof and for each
        /// nested credential.
        package var graphs = 1_000
        /// The largest nesting depth of contexts that load each other, and the largest number of contexts in one array.
        package var contexts = 64
        /// The largest nesting depth of objects in the document.
        package var depth = 64
        /// The largest work on the contexts of one document: term definitions made, contexts read and contexts loaded.
        package var definitions = 5_000
        /// The largest number of unfinished term definitions at the same time. A definition is unfinished while a term
        /// that it names is being defined, or while its scoped context is being checked.
        var definitionDepth = 64
        /// The largest total size, approximately and in bytes, of the contexts that apply in one document.
        var contextBytes = 16 * 1024 * 1024
        /// The largest length in bytes of a term, and of an IRI in a context. It is limited because each use of a term
        /// or prefix repeats its IRI.
        var iriLength = 2_048
        /// The largest number of objects and scalars of one document, without those inside contexts.
        package var items = 40_000
        /// The largest total length in bytes of the IRIs to which the names and references of one document expand.
        package var iriBytes = 16 * 1024 * 1024
        /// The largest work on writing the fractional numbers of one document in decimal, in powers of two and five. A
        /// number near 1 needs about 50 powers, a number near the ends of the range about 1,000.
        var powers = 1_200_000

        /// Creates a value whose properties have their defaults.
        package init() {}
    }

    /// The pinned contexts.
    package let contexts: ContextDocuments
    /// The limits of the work for one document.
    package let limits: Limits
    /// The standard name of each property and type on which a verdict may depend. Another name for such a property or
    /// type is an unusual spelling (``DeserializedDocument/unusualSpelling``).
    package let standardNames: StandardNames
    let cache = ContextCache()
    let names = DefinedNamesCache()

    /// Creates a processor with the given pinned contexts. Copies of a processor share one cache of processed contexts.
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
    /// Blank nodes have the labels `b0`, `b1`, … in document order, whatever their labels are in the document. Parts
    /// that RDF cannot express are listed in `dropped`.
    package func deserialize(
        _ document: JSON, options: Options = .init()
    ) throws(JSONLDError) -> DeserializedDocument {
        var limits = limits
        // Nearly every item becomes a quad, so an item limit slightly above the quad limit detects too many quads
        // early.
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

    /// Returns facts about a plain document, at lower cost than ``deserialize(_:options:)``. A document is plain if
    /// ``deserialize(_:options:)`` certainly succeeds for it: its contexts can be processed, it has no form for which
    /// JSON-LD has special rules, and each property and type with a standard name has that name.
    ///
    /// - Returns: Nil if the document is not plain, or if that is not certain.
    package func plain(_ document: JSONObject) -> PlainDocument? {
        var expander = expander(.init(), limits)
        return expander.plain(document)
    }

    private func expander(_ options: Options, _ limits: Limits) -> Expander {
        Expander(options: options, contexts: source(options, limits), limits: limits, standardNames: standardNames)
    }

    /// Returns the source of active contexts for one expansion.
    func source(_ options: Options, _ limits: Limits) -> ContextSource {
        let processor = ContextProcessor(
            documents: contexts, mode: options.processingMode, limits: limits, standardNames: standardNames)
        return ContextSource(cache: cache, processor: processor, base: options.base)
    }
}
