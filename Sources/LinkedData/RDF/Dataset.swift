package import Encoding

/// A node of an RDF 1.1 graph (RDF 1.1 Concepts section 3.1).
package enum Term: Hashable, Sendable {
    /// An absolute IRI.
    case iri(Text)
    /// A blank node, represented by its label without `_:`.
    case blank(Text)
    /// A literal with its datatype or language.
    case literal(Literal)
}

/// A literal (RDF 1.1 Concepts section 3.3): lexical form, datatype and, for `rdf:langString`, a language tag.
package struct Literal: Hashable, Sendable {
    /// The lexical form. A long form (a photo) shares its storage with the source document.
    package var value: Text
    /// The IRI of the datatype.
    package var datatype: Text
    /// The language tag as written. Only the datatype `rdf:langString` has a tag.
    package var language: Text?

    /// Creates a literal from its text, datatype and language.
    package init(_ value: Text, datatype: Text = XSD.string, language: Text? = nil) {
        self.value = value
        self.datatype = datatype
        self.language = language
    }
}

/// A triple, and the graph that contains the triple.
package struct Quad: Hashable, Sendable {
    /// An IRI or blank node.
    package var subject: Term
    /// An IRI; generalised RDF is not supported.
    package var predicate: Text
    /// The object of the quad: any term.
    package var object: Term
    /// An IRI or blank node; nil is the default graph.
    package var graph: Term?

    /// Creates a quad from its terms.
    package init(_ subject: Term, _ predicate: Text, _ object: Term, in graph: Term? = nil) {
        self.subject = subject
        self.predicate = predicate
        self.object = object
        self.graph = graph
    }
}

/// An RDF dataset (RDF 1.1 Concepts section 4): a set of quads. Order and duplicates in ``quads`` mean nothing.
package struct Dataset: Sendable {
    /// The quads of the dataset in their order of appearance.
    package var quads: [Quad]

    /// Creates a dataset from its quads.
    package init(_ quads: [Quad] = []) {
        self.quads = quads
    }
}
