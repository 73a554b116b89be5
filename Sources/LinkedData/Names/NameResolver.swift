package import Encoding

/// What names mean at the places of a document under the contexts that it lists, as the expansion algorithm would find
/// it.
///
/// Readers of statements walk a graph, not a document: the signature covers the statements, and the holder chooses how
/// the document writes them. A reader still has to know which property a name stands for at a node. That takes what
/// expansion has there: the context of the document, the scoped context of the property that leads to the node, the
/// scoped contexts of the node's types, and the return from a context that does not propagate. All of these come from
/// the same processing and the same cache as in an expansion (``ContextSource``), so that no name has a second reader.
package struct NameResolver {
    private var contexts: ContextSource
    /// The scoped contexts of types that were applied before, by the context below and the types.
    private var typed: [TypedKey: ActiveContext?] = [:]
    /// The terms with scoped contexts by what they mean, by context.
    private var scopes: [ObjectIdentifier: [Text: [Text]]] = [:]
    /// Where the outermost object stands.
    package let document: Place

    private struct TypedKey: Hashable {
        let scope: ObjectIdentifier
        let types: [Text]
    }

    /// Where a node may stand: the contexts around it, and the property that leads there.
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

    /// The contexts inside a node.
    package struct Node: Sendable {
        fileprivate let active: ActiveContext
        /// The context before the scopes of the types: types are expanded by it.
        fileprivate let typeScope: ActiveContext
    }

    init(_ source: ContextSource, under urls: [Text]) throws(JSONLDError) {
        contexts = source
        var active = try contexts.initial(Options())
        active = try contexts.apply(.array(urls.map { .string($0) }), on: active)
        document = Place(active: active, property: nil)
    }

    /// The contexts inside a node of these types at a place (JSON-LD 1.1 API section 5.1.2, steps 7 to 11).
    ///
    /// - Parameter types: The IRIs of the node's types. Each stands for the term that means it, as only terms bring
    ///   contexts.
    /// - Returns: nil where two terms for one type bring different contexts: the document may use either.
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
            // Of several terms the document may use either, one without a context of its own among them.
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

    /// What a name stands for as the name of a member of a node (step 13).
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
        // A scalar is read under the scoped context of its property, which may define the property anew.
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

/// What a name of a member stands for.
package enum NameMeaning: Sendable {
    /// Nothing: no term, and no vocabulary.
    case nothing
    /// The id of the node.
    case id
    /// The types of the node.
    case types(TextMeaning)
    /// The value of a value object.
    case value
    /// Further members of the same node (`@nest`), where these contexts hold.
    case nest(NameResolver.Node)
    /// A property.
    case property(PropertyMeaning)
    /// Something that states nothing by itself: another keyword, or a property that RDF cannot name.
    case unreadable
}

/// A property as the name of a member.
package struct PropertyMeaning: Sendable {
    /// What the keys of an object are that is its value.
    package enum Keys: Sendable {
        /// Names of members.
        case none
        /// Languages of texts.
        case languages
        /// Indexes, ids or types of nodes.
        case others
    }

    /// The property.
    package let iri: Text
    /// Whether the node is its value, and the values are its nodes.
    package let isReverse: Bool
    /// What the keys of an object are that is its value.
    package let keys: Keys
    /// Where its values stand.
    package let values: NameResolver.Place
    /// What its texts mean.
    package let texts: TextMeaning
}

/// What texts mean that are values of one property at one node.
package struct TextMeaning: Sendable {
    fileprivate let active: ActiveContext
    fileprivate let coercion: TermDefinition.Coercion?

    /// The IRI that a name stands for as a value here: where the property, or the types of a node, take names. Nil
    /// where it stands for none.
    package func iri(named name: Text) -> Text? {
        guard coercion == .vocab,
            case .iri(let iri) = active.state.expand(name, vocabulary: true, documentRelative: true),
            IRI.isWellFormed(iri)
        else { return nil }
        return iri
    }
}

extension JSONLDProcessor {
    /// Finds what names mean in a document that lists these contexts.
    ///
    /// - Throws: what expanding such a document would throw for its contexts.
    package func names(under urls: [Text]) throws(JSONLDError) -> NameResolver {
        try NameResolver(source(.init(), limits), under: urls)
    }
}
