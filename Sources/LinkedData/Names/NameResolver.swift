package import Encoding

/// Finds the meanings of names at the places of a document, under the contexts that the document lists.
///
/// The signature covers statements (a graph), and the holder chooses their spelling in the document. So code that reads
/// the graph must find the property that a name means at a node. The meaning depends on the contexts of the document,
/// the scoped context of the property that leads to the node, the scoped contexts of the node's types, and on contexts
/// that do not propagate. ``ContextSource`` makes these contexts both for the resolver and for an expansion, so a name
/// has the same meaning in both.
package struct NameResolver {
    private var contexts: ContextSource
    /// The active contexts after the scoped contexts of types, by the context before them and the types. Nil if the
    /// types are ambiguous.
    private var typed: [TypedKey: ActiveContext?] = [:]
    /// The terms of each active context, by IRI.
    private var scopes: [ObjectIdentifier: [Text: [Text]]] = [:]
    /// The place of the outermost object of the document.
    package let document: Place

    private struct TypedKey: Hashable {
        let scope: ObjectIdentifier
        let types: [Text]
    }

    /// The place of a node in a document: the active context around it, and the property that leads to it.
    package struct Place: Hashable, Sendable {
        fileprivate let active: ActiveContext
        fileprivate let property: TermDefinition?

        package static func == (left: Place, right: Place) -> Bool {
            left.active === right.active && left.property === right.property
        }

        package func hash(into hasher: inout Hasher) {
            hasher.combine(ObjectIdentifier(active))
            hasher.combine(property.map { ObjectIdentifier($0) })
        }
    }

    /// The contexts that apply inside a node.
    package struct Node: Sendable {
        fileprivate let active: ActiveContext
        /// The active context before the scoped contexts of the types. The types themselves are expanded with it.
        fileprivate let typeScope: ActiveContext
    }

    init(_ source: ContextSource, under urls: [Text]) throws(JSONLDError) {
        contexts = source
        var active = try contexts.initial(Options())
        active = try contexts.apply(.array(urls.map { .string($0) }), on: active)
        document = Place(active: active, property: nil)
    }

    /// Returns the contexts that apply inside a node with the types `types` at `place` (JSON-LD 1.1 API section 5.1.2,
    /// steps 7 to 11).
    ///
    /// - Parameter types: The IRIs of the node's types. The function finds the terms for each IRI, because only terms
    ///   have scoped contexts.
    /// - Returns: Nil if two terms for one type have different scoped contexts: the document may use either term.
    package mutating func node(at place: Place, types: [Text]) throws(JSONLDError) -> Node? {
        var scope = place.active.state.previous ?? place.active
        if let property = place.property {
            scope = try contexts.apply(scopeOf: property, on: scope, overrideProtected: true)
        }
        let key = TypedKey(scope: ObjectIdentifier(scope), types: types)
        let active: ActiveContext?
        if let known = typed[key] {
            active = known
        } else {
            active = try apply(types, on: scope)
            typed[key] = .some(active)
        }
        return active.map { Node(active: $0, typeScope: scope) }
    }

    private mutating func apply(_ types: [Text], on scope: ActiveContext) throws(JSONLDError) -> ActiveContext? {
        var terms: [Text] = []
        for type in Set(types) {
            let names = scopedTerms(of: scope)[type] ?? []
            // The document may use any term for a type, including one without a scoped context.
            guard let first = names.first(where: { scope[$0]?.fields.context != nil }) else { continue }
            let context = scope[first]?.fields.context?.value
            for name in names where scope[name]?.fields.context?.value != context { return nil }
            terms.append(first)
        }
        var active = scope
        for definition in terms.sorted().compactMap({ scope[$0] }) {
            active = try contexts.apply(scopeOf: definition, on: active, propagate: false)
        }
        return active
    }

    private mutating func scopedTerms(of active: ActiveContext) -> [Text: [Text]] {
        if let known = scopes[ObjectIdentifier(active)] { return known }
        var terms: [Text: [Text]] = [:]
        for (name, definition) in active.state.terms.all {
            if case .iri(let iri) = definition.fields.mapping { terms[iri, default: []].append(name) }
        }
        scopes[ObjectIdentifier(active)] = terms
        return terms
    }

    /// Returns the meaning of `name` if a member of the node has this name (step 13).
    package mutating func meaning(of name: Text, in node: Node) throws(JSONLDError) -> NameMeaning {
        let definition = node.active[name]
        let expanded =
            definition?.fields.mapping
            ?? node.active.state.expand(name, vocabulary: true, documentRelative: false)
        switch expanded {
        case .keyword(.id): return .id
        case .keyword(.type): return .types(TextMeaning(active: node.typeScope, coercion: .vocab))
        case .keyword(.value): return .value
        case .keyword(.nest):
            guard let definition else { return .nest(node) }
            let inner = try contexts.apply(scopeOf: definition, on: node.active, overrideProtected: true)
            return .nest(Node(active: inner, typeScope: node.typeScope))
        case .iri(let iri) where iri.utf8.contains(UInt8(ascii: ":")):
            guard definition?.isWellFormed ?? IRI.isWellFormed(iri) else { return .unreadable }
            return .property(try property(iri, name, definition, in: node))
        case .iri, .nothing: return .nothing
        case .keyword: return .unreadable
        }
    }

    private mutating func property(
        _ iri: Text, _ name: Text, _ definition: TermDefinition?, in node: Node
    ) throws(JSONLDError) -> PropertyMeaning {
        // A scalar value is read under the scoped context of its property, which may redefine the property.
        var (scope, scalar) = (node.active, definition)
        if let definition, definition.fields.context != nil {
            scope = try contexts.apply(scopeOf: definition, on: scope, overrideProtected: true)
            scalar = scope[name]
        }
        let container = definition?.fields.container ?? []
        return PropertyMeaning(
            iri: iri, isReverse: definition?.fields.isReverse ?? false,
            keys: container.contains(.language)
                ? .languages : container.isDisjoint(with: [.index, .id, .type]) ? .none : .others,
            values: Place(active: node.active, property: definition),
            texts: TextMeaning(active: scope, coercion: scalar?.fields.type))
    }
}

/// The meaning of a name as the name of a member of a node.
package enum NameMeaning: Sendable {
    /// The name has no meaning: it is not a term, and the context has no vocabulary.
    case nothing
    /// The member's value is the id of the node.
    case id
    /// The member's value contains the types of the node.
    case types(TextMeaning)
    /// The object is a value object, and the member's value is its value (`@value`).
    case value
    /// The member's value contains further members of the same node (`@nest`), to which the given contexts apply.
    case nest(NameResolver.Node)
    /// The member's value contains the values of the given property.
    case property(PropertyMeaning)
    /// The member cannot be read by itself: its name is another keyword, or a property that RDF cannot name.
    case unreadable
}

/// A property, as the meaning of a member's name.
package struct PropertyMeaning: Sendable {
    /// The meaning of the names in an object that is the property's value.
    package enum Keys: Sendable {
        /// The names are ordinary names of a node's members.
        case none
        /// The names are languages of texts.
        case languages
        /// The names are indexes, ids or types of nodes.
        case others
    }

    /// The IRI of the property.
    package let iri: Text
    /// Whether the property is a reverse property: its values are the subjects, and the node is the object.
    package let isReverse: Bool
    /// The meaning of the names in an object that is the property's value.
    package let keys: Keys
    /// The place of the nodes that are values of the property.
    package let values: NameResolver.Place
    /// The meaning of the strings that are values of the property.
    package let texts: TextMeaning
}

/// The meaning of the strings that are values of one property at one node.
package struct TextMeaning: Sendable {
    fileprivate let active: ActiveContext
    fileprivate let coercion: TermDefinition.Coercion?

    /// Returns the IRI that `name` means as a value here. Nil if the property takes no names as values, or if the name
    /// means no IRI.
    package func iri(named name: Text) -> Text? {
        guard coercion == .vocab,
            case .iri(let iri) = active.state.expand(name, vocabulary: true, documentRelative: true),
            IRI.isWellFormed(iri)
        else { return nil }
        return iri
    }
}

extension JSONLDProcessor {
    /// Returns a resolver for documents that list the contexts `urls`.
    ///
    /// - Throws: The error that an expansion of such a document throws because of these contexts.
    package func names(under urls: [Text]) throws(JSONLDError) -> NameResolver {
        try NameResolver(source(.init(), limits), under: urls)
    }
}
