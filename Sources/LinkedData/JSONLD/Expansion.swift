package import Encoding

/// A part of the document that does not reach the RDF dataset, so that no signature over the dataset covers it.
package struct DroppedTerm: Hashable, Sendable {
    /// Why it is not in the dataset.
    package enum Reason: String, Hashable, Sendable {
        /// The member's name expands to nothing: no term, no vocabulary.
        case undefinedTerm
        /// An `@type` or datatype that does not expand to an absolute IRI.
        case undefinedType
        /// An `@id`, a reference or a property that stays a relative IRI, or is not well-formed.
        case relativeIRI
        /// A property that expands to a blank node.
        case blankProperty
        /// `null`, or an array or object that comes to nothing.
        case emptyValue
        /// A value where RDF has no place for it: at the top, directly in a graph, with a node that is dropped itself.
        case freeFloating
        /// An `@index` or a key of an index map: JSON-LD knows it, RDF does not.
        case index
        /// A base direction while no `rdfDirection` is chosen.
        case direction
        /// A language tag that is not well-formed (BCP 47).
        case languageTag
    }

    /// JSON pointer (RFC 6901) of the member or element; it covers all below it.
    package var pointer: String
    /// Why.
    package var reason: Reason

    /// A part and why it was dropped.
    package init(pointer: String, reason: Reason) {
        self.pointer = pointer
        self.reason = reason
    }
}

/// What expansion gives (JSON-LD 1.1 API section 5.1).
package struct Expansion: Sendable {
    /// The expanded document: always an array.
    package var value: JSON
    /// Everything of the source that RDF will not carry, in document order, each pointer once.
    package var dropped: [DroppedTerm]
}

/// A document as RDF, with what is known of its tree.
package struct DeserializedDocument: Sendable {
    /// What the document states.
    package let dataset: Dataset
    /// What of the source is not in the dataset, in document order, each pointer once.
    package let dropped: [DroppedTerm]
    /// The node of the outermost object; nil where there are several, or RDF cannot name it.
    package let root: Term?
    /// Where the document is first spelled as no data model needs it, though it means the same (JSON pointer, RFC 6901): a
    /// keyword in place of the term for it, `@nest`, `@graph`, `@included` or `@reverse`, an IRI or compact IRI as a name, a
    /// name for a keyword other than `id` and `type` in a context that came with the document, another name than one of
    /// ``JSONLDProcessor/standardNames``, or one of these inside a term for `@nest`. Nil where there is no such place.
    package let unusualSpelling: String?
    /// Every description of the nodes that more than one object of one graph describes, in document order.
    package let repeatedNodes: [NodeDescription]

    /// A document of these parts.
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
