package import Encoding

/// JSON-LD 1.1 expansion and conversion to RDF, with pinned contexts only.
package struct JSONLDProcessor: Sendable {
    /// The limits of the work for one document.
    package struct Limits: Sendable {
        /// The maximum number of quads of one dataset, equal to ``CanonicalizationLimits/quads``.
        package var quads = 12_000
        /// The maximum number of named graphs of one document. A credential has one graph for each proof and one for
        /// each nested credential.
        package var graphs = 1_000
        /// The maximum nesting depth of contexts that load each other. The same number limits the contexts in one
        /// array.
        package var contexts = 64
        /// The maximum nesting depth of objects.
        package var depth = 64
        /// The maximum number of term definitions made, contexts read and contexts loaded for one document.
        package var definitions = 5_000
        /// The maximum number of unfinished term definitions. A definition is unfinished while it waits for a term that
        /// it names or a context that it contains.
        var definitionDepth = 64
        /// The approximate maximum size, in bytes, of all contexts that apply anywhere in a document.
        var contextBytes = 16 * 1024 * 1024
        /// The maximum size in bytes of a term, and of an IRI in a context. Each use of a term or prefix repeats its
        /// IRI.
        var iriLength = 2_048
        /// The maximum number of objects and scalars of one document. Contexts are not counted.
        package var items = 40_000
        /// The maximum size in bytes of all IRIs to which the names and references of a document expand.
        package var iriBytes = 16 * 1024 * 1024
        /// The maximum number of powers of two and five for writing the fractional numbers of a document in decimal. A
        /// number near 1 needs about 50 powers. A number near the ends of the range needs about 1,000.
        var powers = 1_200_000

        /// Creates the documented default values.
        package init() {}
    }

    /// The available contexts.
    package let contexts: ContextDocuments
    /// The limits of the work for one document.
    package let limits: Limits
    /// The standard name of each property and type on which a verdict may depend. A document that uses another name for
    /// such a property or type has an unusual spelling.
    package let standardNames: StandardNames
    let cache = ContextCache()
    let names = DefinedNamesCache()

    /// Creates a processor with the given contexts. Copies of a processor share one cache of processed contexts.
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
    /// The result names blank nodes `b0`, `b1` … in document order and ignores their names in the document. The result
    /// lists in `dropped` the parts that RDF cannot express.
    package func deserialize(
        _ document: JSON, options: Options = .init()
    ) throws(JSONLDError) -> DeserializedDocument {
        var limits = limits
        // Nearly every item becomes a quad. An item limit slightly above the quad limit detects too many quads early.
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

    /// Returns facts about a plain document without the cost of ``deserialize(_:options:)``. For a plain document,
    /// deserialization would certainly succeed: its contexts can be processed, it uses no form for which JSON-LD has
    /// special rules, and each property and type with a standard name uses that name.
    ///
    /// - Returns: Nil if the document may not be plain.
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
