package import Encoding

/// The representation of base direction in RDF (JSON-LD 1.1 API, `rdfDirection`).
package enum RDFDirection: String, Sendable {
    /// Texts with a direction become literals with a datatype
    /// `https://www.w3.org/ns/i18n#language_direction`.
    case i18nDatatype = "i18n-datatype"
    /// Texts with a direction become blank nodes with `rdf:value`, `rdf:language` and `rdf:direction`.
    case compoundLiteral = "compound-literal"
}

/// The JSON-LD options (JSON-LD 1.1 API section 9.3) that concern expansion and RDF.
package struct Options: Hashable, Sendable {
    /// The version of JSON-LD. `json-ld-1.0` refuses features of 1.1, but it does not otherwise behave as a processor
    /// of 1.0.
    package enum ProcessingMode: String, Sendable {
        case v1_0 = "json-ld-1.0"
        case v1_1 = "json-ld-1.1"
    }

    /// The base IRI against which relative IRIs are resolved. Nil, as signature suites require: relative IRIs stay
    /// relative, and their triples are dropped.
    package var base: Text?
    /// The context that applies before the document's own contexts, or an object that contains it as `@context`; nil
    /// for none.
    package var expandContext: JSON?
    /// The representation of the base direction of texts in RDF; nil if the direction is dropped.
    package var rdfDirection: RDFDirection?
    /// The JSON-LD version whose features a context may use.
    package var processingMode: ProcessingMode
    /// Whether members are processed in the byte order of their names, in place of document order.
    package var ordered: Bool

    /// Creates the options that signature suites use by default: no base, no direction, JSON-LD 1.1.
    package init(
        base: Text? = nil, expandContext: JSON? = nil, rdfDirection: RDFDirection? = nil,
        processingMode: ProcessingMode = .v1_1, ordered: Bool = false
    ) {
        self.base = base
        self.expandContext = expandContext
        self.rdfDirection = rdfDirection
        self.processingMode = processingMode
        self.ordered = ordered
    }
}
