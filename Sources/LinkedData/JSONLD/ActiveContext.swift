import Encoding

/// A processed context (JSON-LD 1.1 API section 4.1). A context is immutable, and all parts of a document to which the
/// context applies share one instance.
final class ActiveContext: Sendable {
    let state: State
    /// Whether the cache may keep this context and the contexts derived from it.
    let isShared: Bool

    init(_ state: State, isShared: Bool) {
        self.state = state
        self.isShared = isShared
    }

    /// The parts of a context while it is processed.
    struct State: Sendable {
        var terms = TermTable()
        /// The base IRI for relative IRIs; nil leaves them relative.
        var base: Text?
        /// The base IRI in the options. A null context restores this base.
        var originalBase: Text?
        var vocabulary: Text?
        var language: Text?
        var direction: Direction?
        /// The context to which nested nodes return if this context does not propagate.
        var previous: ActiveContext?

        /// Returns an upper estimate of the bytes that this state needs in addition to `parent`, from which it was
        /// made.
        func size(beyond parent: State) -> Int {
            256 + (base?.utf8.count ?? 0) + (vocabulary?.utf8.count ?? 0) + 64 * terms.entries(beyond: parent.terms)
        }
    }

    subscript(term: Text) -> TermDefinition? { state.terms[term] }
}

/// Terms with their definitions, in two layers. Many contexts share the large layer. The overlay has the later changes.
struct TermTable: Sendable {
    private var root: Layer?
    private var overlay: [Text: TermDefinition?] = [:]
    /// The terms that are aliases of `@type`. They are kept because every node is searched for its types.
    private(set) var typeAliases: Set<Text> = []
    /// The terms that are aliases of `@value`.
    private(set) var valueAliases: Set<Text> = []
    private var protectedTerms = 0

    private final class Layer: Sendable {
        let terms: [Text: TermDefinition]
        init(_ terms: [Text: TermDefinition]) { self.terms = terms }
    }

    /// The definition of `term`. The value nil removes the definition.
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

    /// Whether any term is protected. A counter gives the answer at once: each context that removes all terms needs the
    /// answer, and a document may have many such contexts.
    var hasProtected: Bool { protectedTerms > 0 }

    /// Returns the number of entries that are not shared with `parent`. An overlay that was copied counts in full, even
    /// if none of its entries was changed.
    func entries(beyond parent: TermTable) -> Int {
        let own = overlay.count + typeAliases.count + valueAliases.count
        return root === parent.root ? own : own + (root?.terms.count ?? 0)
    }

    /// All defined terms.
    var all: [Text: TermDefinition] {
        var terms = root?.terms ?? [:]
        for (term, definition) in overlay { terms[term] = definition }
        return terms
    }

    /// Moves all terms into one layer when the overlay is larger than the overlay of an ordinary scoped context.
    ///
    /// A change of a copied table copies the overlay. The threshold grows with the table, so that the cost of copying
    /// and flattening stays proportional to the size of the context.
    mutating func flatten() {
        let bound = max(24, 4 * Int(Double(root?.terms.count ?? 0).squareRoot()))
        guard overlay.count > bound else { return }
        root = Layer(all)
        overlay = [:]
    }
}
