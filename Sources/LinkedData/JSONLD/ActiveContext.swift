import Encoding

/// An active context (JSON-LD 1.1 API section 4.1): the result of processing local contexts. It is immutable, and all
/// parts of a document to which it applies share one instance.
final class ActiveContext: Sendable {
    let state: State
    /// Whether the cache may store this context and the contexts that are derived from it.
    let isShared: Bool

    init(_ state: State, isShared: Bool) {
        self.state = state
        self.isShared = isShared
    }

    /// The values of an active context, which can change while the context is made.
    struct State: Sendable {
        var terms = TermTable()
        /// The base IRI against which relative IRIs are resolved. Nil: they stay relative.
        var base: Text?
        /// The base IRI from the options. A null context resets ``base`` to it.
        var originalBase: Text?
        var vocabulary: Text?
        var language: Text?
        var direction: Direction?
        /// The context that applies again to nested nodes if this context does not propagate; nil if it propagates.
        var previous: ActiveContext?

        /// Returns an upper estimate of the memory in bytes that this state uses beyond that of `parent`, from which it
        /// was derived.
        func size(beyond parent: State) -> Int {
            256 + (base?.utf8.count ?? 0) + (vocabulary?.utf8.count ?? 0) + 64 * terms.entries(beyond: parent.terms)
        }
    }

    subscript(term: Text) -> TermDefinition? { state.terms[term] }
}

/// Terms with their definitions, in two layers: a large layer, which many contexts share, and an overlay with the later
/// changes.
struct TermTable: Sendable {
    private var root: Layer?
    private var overlay: [Text: TermDefinition?] = [:]
    /// The terms that are aliases of `@type`. They are stored because every node is searched for its types.
    private(set) var typeAliases: Set<Text> = []
    /// The terms that are aliases of `@value`.
    private(set) var valueAliases: Set<Text> = []
    private var protectedTerms = 0

    private final class Layer: Sendable {
        let terms: [Text: TermDefinition]
        init(_ terms: [Text: TermDefinition]) { self.terms = terms }
    }

    /// The definition of `term`; nil if it has none. Setting nil removes the definition.
    subscript(term: Text) -> TermDefinition? {
        get {
            if !overlay.isEmpty, let entry = overlay[term] { return entry }
            return root?.terms[term]
        }
        set {
            if self[term]?.fields.isProtected == true { protectedTerms -= 1 }
            if newValue?.fields.isProtected == true { protectedTerms += 1 }
            overlay.updateValue(newValue, forKey: term)
            let mapping = newValue?.fields.mapping
            Self.note(term, in: &typeAliases, mapping == .keyword(.type))
            Self.note(term, in: &valueAliases, mapping == .keyword(.value))
        }
    }

    private static func note(_ term: Text, in aliases: inout Set<Text>, _ isAlias: Bool) {
        if isAlias {
            aliases.insert(term)
        } else if !aliases.isEmpty {
            aliases.remove(term)
        }
    }

    /// Whether any term is protected. The terms are counted when they change, because each null context needs this
    /// value and a document may have many null contexts.
    var hasProtected: Bool { protectedTerms > 0 }

    /// Returns the number of entries that this table does not share with `parent`. All entries of the overlay are
    /// counted, even if they were copied from `parent` without a change.
    func entries(beyond parent: TermTable) -> Int {
        let own = overlay.count + typeAliases.count + valueAliases.count
        return root === parent.root ? own : own + (root?.terms.count ?? 0)
    }

    /// All terms with their definitions, from both layers.
    var all: [Text: TermDefinition] {
        var terms = root?.terms ?? [:]
        for (term, definition) in overlay { terms[term] = definition }
        return terms
    }

    /// Moves all terms into one layer if the overlay is larger than that of a usual scoped context.
    ///
    /// A change of a copied table copies the overlay. The threshold grows with the number of terms, so that the cost of
    /// copying and of moving stays proportional to the size of the context.
    mutating func flatten() {
        let bound = max(24, 4 * Int(Double(root?.terms.count ?? 0).squareRoot()))
        guard overlay.count > bound else { return }
        root = Layer(all)
        overlay = [:]
    }
}
