package import Encoding

/// A term of RDF 1.1 (RDF 1.1 Concepts section 3.1): an IRI, a blank node or a literal.
package enum Term: Hashable, Sendable {
    /// An absolute IRI.
    case iri(Text)
    /// A blank node, with its label without `_:`.
    case blank(Text)
    /// A literal.
    case literal(Literal)
}

/// A literal (RDF 1.1 Concepts section 3.3): a lexical form, a datatype and, for `rdf:langString`, a language tag.
package struct Literal: Hashable, Sendable {
    /// The lexical form. A long one, such as a photo, shares its memory with the source document.
    package var value: Text
    /// The IRI of the datatype.
    package var datatype: Text
    /// The language tag as it is written. Nil unless the datatype is `rdf:langString`.
    package var language: Text?

    /// Creates a literal from its lexical form, datatype and language tag.
    package init(_ value: Text, datatype: Text = XSD.string, language: Text? = nil) {
        self.value = value
        self.datatype = datatype
        self.language = language
    }
}

/// A triple and the graph to which it belongs.
package struct Quad: Hashable, Sendable {
    /// The subject: an IRI or a blank node.
    package var subject: Term
    /// The predicate: an IRI.
    package var predicate: Text
    /// The object: any term.
    package var object: Term
    /// The graph's name: an IRI or a blank node. Nil for the default graph.
    package var graph: Term?

    /// Creates a quad from its terms.
    package init(_ subject: Term, _ predicate: Text, _ object: Term, in graph: Term? = nil) {
        self.subject = subject
        self.predicate = predicate
        self.object = object
        self.graph = graph
    }
}

/// An RDF dataset (RDF 1.1 Concepts section 4): a set of quads. The order of ``quads`` and repeated quads have no
/// meaning.
package struct Dataset: Sendable {
    /// The quads, in the order in which they were made.
    package var quads: [Quad]

    /// Creates a dataset from its quads.
    package init(_ quads: [Quad] = []) {
        self.quads = quads
    }
}
