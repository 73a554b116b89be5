package import Encoding

/// A part of a JSON-LD document that does not reach the RDF dataset. No signature over the dataset covers it.
package struct DroppedTerm: Hashable, Sendable {
    /// Why a part of the document is not in the dataset.
    package enum Reason: String, Hashable, Sendable {
        /// The name of a member that expands to nothing: it is not a term, and the context has no vocabulary.
        case undefinedTerm
        /// An `@type` or datatype that does not expand to an absolute IRI.
        case undefinedType
        /// An `@id`, a reference or a property that stays a relative IRI or is not well-formed, so RDF cannot name it.
        case relativeIRI
        /// A property that expands to a blank node.
        case blankProperty
        /// A value that is `null`, or an array or object that expands to nothing.
        case emptyValue
        /// A value where RDF allows none: at the top of the document, directly in a graph, or as part of a dropped
        /// node.
        case freeFloating
        /// An `@index`, or a key of an index map. RDF has no indexes.
        case index
        /// The base direction of a text, because the options choose no `rdfDirection`.
        case direction
        /// A language tag that is not well-formed (BCP 47).
        case languageTag
    }

    /// The JSON pointer (RFC 6901) to the dropped member or element. All values inside it are dropped, too.
    package var pointer: String
    /// Why the part was dropped.
    package var reason: Reason

    /// Creates the description of a dropped part.
    package init(pointer: String, reason: Reason) {
        self.pointer = pointer
        self.reason = reason
    }
}

/// The result of expansion (JSON-LD 1.1 API section 5.1).
package struct Expansion: Sendable {
    /// The expanded document, which is always an array.
    package var value: JSON
    /// The parts of the document that do not reach RDF, in document order, without repeated pointers.
    package var dropped: [DroppedTerm]
}

/// A JSON-LD document as an RDF dataset, with facts about the document's JSON.
package struct DeserializedDocument: Sendable {
    /// The statements of the document.
    package let dataset: Dataset
    /// The parts of the document that are not in the dataset, in document order, without repeated pointers.
    package let dropped: [DroppedTerm]
    /// The node that the outermost object describes; nil if there are several outermost objects, or if RDF cannot name
    /// the node.
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
    /// For each node that several objects of one graph describe, all these descriptions, in document order.
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
