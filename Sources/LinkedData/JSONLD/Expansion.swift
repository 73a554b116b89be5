package import Encoding

/// A part of the document that does not reach the RDF dataset. No signature over the dataset covers a dropped part.
package struct DroppedTerm: Hashable, Sendable {
    /// The reason why a part of the source is not in the dataset.
    package enum Reason: String, Hashable, Sendable {
        /// The member's name expands to nothing: the name is not a term, and the context has no vocabulary.
        case undefinedTerm
        /// An `@type` or datatype that does not expand to an absolute IRI.
        case undefinedType
        /// An `@id`, a reference or a property that stays a relative IRI or is not well-formed.
        case relativeIRI
        /// A property that expands to a blank node.
        case blankProperty
        /// The value is `null`, or an array or object that expands to nothing.
        case emptyValue
        /// A value where RDF does not allow a value: at the top, directly in a graph, or with a dropped node.
        case freeFloating
        /// An `@index` or a key of an index map. JSON-LD has indexes; RDF has none.
        case index
        /// A base direction while no `rdfDirection` is chosen.
        case direction
        /// A language tag that is not well-formed (BCP 47).
        case languageTag
    }

    /// The JSON pointer (RFC 6901) of the dropped member or element. All values below the pointer are dropped, too.
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
    /// All parts of the source that do not reach RDF, in document order. Each pointer occurs once.
    package var dropped: [DroppedTerm]
}

/// A document as RDF, with facts about its tree.
package struct DeserializedDocument: Sendable {
    /// The statements of the document.
    package let dataset: Dataset
    /// The parts of the source that are not in the dataset, in document order. Each pointer occurs once.
    package let dropped: [DroppedTerm]
    /// The outermost node; nil if there are several outermost objects or RDF cannot name the node.
    package let root: Term?
    /// The JSON pointer (RFC 6901) of the first unusual spelling; nil if the document has none. An unusual spelling has
    /// the same meaning as the usual spelling, but no data model needs it. These spellings are unusual:
    /// - a keyword in place of the term for the keyword;
    /// - `@nest`, `@graph`, `@included` or `@reverse`;
    /// - an IRI or compact IRI as a name;
    /// - in a context inside the document, a term for a keyword, except `id`, `type`, `value`, `language` and
    ///   `direction` for the keywords of these names;
    /// - a name other than the name in ``JSONLDProcessor/standardNames``;
    /// - a name of ``JSONLDProcessor/standardNames`` inside a term for `@nest`.
    package let unusualSpelling: String?
    /// The descriptions of each node that several objects of one graph describe, in document order.
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
