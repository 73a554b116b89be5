import Encoding

/// A processed context (JSON-LD 1.1 API section 4.1): immutable, shared by every place of a document it governs.
final class ActiveContext: Sendable {
    let state: State
    /// Whether the cache may keep it and what is built on it.
    let isShared: Bool

    init(_ state: State, isShared: Bool) {
        self.state = state
        self.isShared = isShared
    }

    /// The parts of a context while it is processed.
    struct State: Sendable {
        var terms = TermTable()
        /// What relative IRIs are resolved against; nil leaves them relative.
        var base: Text?
        /// The base of the options, which a null context restores.
        var originalBase: Text?
        var vocabulary: Text?
        var language: Text?
        var direction: Direction?
        /// What nodes below return to when this context does not propagate.
        var previous: ActiveContext?

        /// Bytes that it takes beyond the context that it was made from, about and rather too many.
        func size(beyond parent: State) -> Int {
            256 + (base?.utf8.count ?? 0) + (vocabulary?.utf8.count ?? 0) + 64 * terms.entries(beyond: parent.terms)
        }
    }

    /// The definition of `term`.
    subscript(term: Text) -> TermDefinition? { state.terms[term] }
}

/// Terms with their definitions, in two layers: a large one that many contexts share and what was added on top.
struct TermTable: Sendable {
    private var root: Layer?
    private var overlay: [Text: TermDefinition?] = [:]
    /// The terms that stand for `@type`: looked for in every node.
    private(set) var typeAliases: Set<Text> = []
    /// The terms that stand for `@value`.
    private(set) var valueAliases: Set<Text> = []
    private var protectedTerms = 0

    private final class Layer: Sendable {
        let terms: [Text: TermDefinition]
        init(_ terms: [Text: TermDefinition]) { self.terms = terms }
    }

    /// The definition of `term`; setting nil removes it.
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

    /// Whether any term is protected. Asked for each context that removes all terms, of which a document may have many.
    var hasProtected: Bool { protectedTerms > 0 }

    /// Entries of what it does not share with `parent`; what a change copies counts whether there was one or not.
    func entries(beyond parent: TermTable) -> Int {
        let own = overlay.count + typeAliases.count + valueAliases.count
        return root === parent.root ? own : own + (root?.terms.count ?? 0)
    }

    /// Every term that is defined.
    var all: [Text: TermDefinition] {
        var terms = root?.terms ?? [:]
        for (term, definition) in overlay { terms[term] = definition }
        return terms
    }

    /// Moves everything into one layer once the overlay has grown beyond what a scoped context brings.
    ///
    /// A copy that is changed copies the overlay. The bound grows with the table so that neither those copies nor the
    /// flattening add up to more than a context's size should cost.
    mutating func flatten() {
        let bound = max(24, 4 * Int(Double(root?.terms.count ?? 0).squareRoot()))
        guard overlay.count > bound else { return }
        root = Layer(all)
        overlay = [:]
    }
}
