package import Encoding

/// A part of the document that does not reach the RDF dataset, so that no signature over the dataset covers it.
package struct DroppedTerm: Hashable, Sendable {
    /// The reason why a part of the source is not in the dataset.
    package enum Reason: String, Hashable, Sendable {
        /// The member's name expands to nothing: it is not a term, and there is no vocabulary.
        case undefinedTerm
        /// An `@type` or datatype that does not expand to an absolute IRI.
        case undefinedType
        /// An `@id`, a reference or a property that stays a relative IRI, or is not well-formed.
        case relativeIRI
        /// A property that expands to a blank node.
        case blankProperty
        /// The value is `null`, or an array or object that expands to nothing.
        case emptyValue
        /// A value where RDF does not allow one: at the top, directly in a graph, or with a node that is
        /// dropped itself.
        case freeFloating
        /// An `@index` or a key of an index map: it exists in JSON-LD but not in RDF.
        case index
        /// A base direction while no `rdfDirection` is chosen.
        case direction
        /// A language tag that is not well-formed (BCP 47).
        case languageTag
    }

    /// The JSON pointer (RFC 6901) of the dropped member or element. All values below it are dropped, too.
    package var pointer: String
    /// The reason why the part was dropped.
    package var reason: Reason

    /// Creates the description of a dropped part.
    package init(pointer: String, reason: Reason) {
        self.pointer = pointer
        self.reason = reason
    }
}

/// The result of expansion (JSON-LD 1.1 API section 5.1).
package struct Expansion: Sendable {
    /// The expanded document: always an array.
    package var value: JSON
    /// All parts of the source that do not reach RDF, in document order, each pointer once.
    package var dropped: [DroppedTerm]
}

/// A document as RDF, with facts about its tree.
package struct DeserializedDocument: Sendable {
    /// The statements of the document.
    package let dataset: Dataset
    /// The parts of the source that are not in the dataset, in document order, each pointer once.
    package let dropped: [DroppedTerm]
    /// The node of the outermost object; nil if there are several outermost objects, or if RDF cannot name
    /// the node.
    package let root: Term?
    /// The place (JSON pointer, RFC 6901) of the first unusual spelling: one that has the same meaning as the
    /// usual spelling, but that no data model needs. Such spellings are: a keyword instead of the term for
    /// it; `@nest`, `@graph`, `@included` or `@reverse`; an IRI or compact IRI as a name; in a context inside
    /// the document, a term for a keyword other than `id`, `type`, `value`, `language` and `direction` for
    /// the keywords of these names; a name other than the one in ``JSONLDProcessor/standardNames``; a name of
    /// ``JSONLDProcessor/standardNames`` inside a term for `@nest`. Nil if the document has no unusual
    /// spelling.
    package let unusualSpelling: String?
    /// The descriptions of every node that more than one object of the same graph describes, in document
    /// order.
    package let repeatedNodes: [NodeDescription]

    /// Creates a document from the values of its properties.
    package init(
        dataset: Dataset, dropped: [DroppedTerm], root: Term?, unusualSpelling: String?,
        repeatedNodes: [NodeDescription]
    ) {
        self.dataset = dataset
        self.dropped = dropped
        self.root = root
        self.unusualSpelling = unusualSpelling
        self.repeatedNodes = repeatedNodes
    }
}
