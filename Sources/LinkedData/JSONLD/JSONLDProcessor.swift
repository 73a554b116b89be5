package import Encoding

/// JSON-LD 1.1 expansion and conversion to RDF, with pinned contexts only.
package struct JSONLDProcessor: Sendable {
    /// The limits of the work for one document.
    package struct Limits: Sendable {
        /// The maximum number of quads of one dataset, equal to ``CanonicalizationLimits/quads``.
        package var quads = 12_000
        /// The number of named graphs of one document: a credential has one for each proof and each
        /// credential inside it.
        package var graphs = 1_000
        /// The maximum nesting depth of contexts that load each other, and the maximum number of contexts in
        /// one array.
        package var contexts = 64
        /// The maximum nesting depth of objects.
        package var depth = 64
        /// The maximum number of term definitions made, contexts read and contexts loaded for one document.
        package var definitions = 5_000
        /// The maximum number of definitions that wait for each other because they name other terms or
        /// contain contexts.
        var definitionDepth = 64
        /// The maximum size in bytes, approximately, of all contexts that apply anywhere in a document.
        var contextBytes = 16 * 1024 * 1024
        /// The size in bytes of a term, and of an IRI in a context: it is repeated at each use of its term or
        /// prefix.
        var iriLength = 2_048
        /// The maximum number of objects and scalars of one document, contexts not counted.
        package var items = 40_000
        /// The size in bytes of all IRIs to which a document's names and references expand.
        package var iriBytes = 16 * 1024 * 1024
        /// The maximum number of powers of two and five that are needed to write a document's fractional
        /// numbers in decimal. A number near 1 needs about 50 powers, a number near the ends of the range
        /// about 1,000.
        var powers = 1_200_000

        /// Creates the documented default values.
        package init() {}
    }

    /// The available contexts.
    package let contexts: ContextDocuments
    /// The limits of the work for one document.
    package let limits: Limits
    /// The standard name of each property and type on which a verdict may depend. Any other name for one of
    /// these is an unusual spelling.
    package let standardNames: StandardNames
    let cache = ContextCache()
    let names = DefinedNamesCache()

    /// Creates a processor with the given contexts. Copies of a processor share a cache of processed
    /// contexts.
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
    /// Blank nodes are named `b0`, `b1` … in document order, whatever their names in the document. Parts that
    /// RDF cannot express are not in the dataset; they are listed in `dropped`.
    package func deserialize(
        _ document: JSON, options: Options = .init()
    ) throws(JSONLDError) -> DeserializedDocument {
        var limits = limits
        // Nearly every item becomes a quad, so an item limit slightly above the quad limit detects too many
        // quads early.
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

    /// Returns facts about a plain document without a call of ``deserialize(_:options:)``. For a plain
    /// document, that call would certainly succeed: the contexts can be processed, the document uses no form
    /// for which JSON-LD has special rules, and all properties and types with a standard name use that name.
    /// Nil means that it is unknown whether the document is plain.
    package func plain(_ document: JSONObject) -> PlainDocument? {
        var expander = expander(.init(), limits)
        return expander.plain(document)
    }

    private func expander(_ options: Options, _ limits: Limits) -> Expander {
        Expander(options: options, contexts: source(options, limits), limits: limits, standardNames: standardNames)
    }

    /// Returns the contexts for one run.
    func source(_ options: Options, _ limits: Limits) -> ContextSource {
        let processor = ContextProcessor(
            documents: contexts, mode: options.processingMode, limits: limits, standardNames: standardNames)
        return ContextSource(cache: cache, processor: processor, base: options.base)
    }
}
