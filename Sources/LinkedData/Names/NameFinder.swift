package import Encoding
import Synchronization

/// A cache of the names that pinned contexts define, so that each search is done only once.
final class DefinedNamesCache: Sendable {
    private struct State {
        var contexts: [Text: DefinedNames] = [:]
        var lists: [[Text]: DefinedNames] = [:]
        var words: [Text: ContextVocabulary]?
        var lendings: BorrowedTerms?
    }

    private let state = Mutex(State())
    /// The largest number of context lists whose names are cached. A limit is necessary because the holder chooses the
    /// lists. A full cache is emptied.
    private static let lists = 64

    func names(of url: Text, _ find: () -> DefinedNames) -> DefinedNames {
        known({ $0.contexts[url] }, find) { $0.contexts[url] = $1 }
    }

    func names(under list: [Text], _ find: () -> DefinedNames) -> DefinedNames {
        known({ $0.lists[list] }, find) { state, names in
            if state.lists.count >= Self.lists { state.lists = [:] }
            state.lists[list] = names
        }
    }

    func words(_ find: () -> [Text: ContextVocabulary]) -> [Text: ContextVocabulary] {
        known({ $0.words }, find) { $0.words = $1 }
    }

    func lendings(_ find: () -> BorrowedTerms) -> BorrowedTerms { known({ $0.lendings }, find) { $0.lendings = $1 } }

    /// Returns the cached value. A missing value is computed without holding the lock, because that takes long.
    private func known<Value: Sendable>(
        _ place: @Sendable (State) -> Value?, _ find: () -> Value, _ keep: @Sendable (inout State, Value) -> Void
    ) -> Value {
        if let known = state.withLock({ place($0) }) { return known }
        let found = find()
        state.withLock { keep(&$0, found) }
        return found
    }
}

extension JSONLDProcessor {
    /// Returns the names that each pinned context in `urls` defines, considering all pinned contexts that may precede
    /// or follow it. A context that is too large for any document has no names.
    package func definedNames(of urls: [Text]) -> [DefinedNames] {
        urls.map { url in
            names.names(of: url) {
                if isTooLarge(url) { return DefinedNames(.init()) }
                let lendings = names.lendings { BorrowedTerms(of: words) { finder(Self.effort) } }
                return finder(Self.effort).names(of: url, with: lendings)
            }
        }
    }

    /// Returns the names that the contexts `list` define when they are applied in this order.
    package func definedNames(under list: [Text]) -> DefinedNames {
        names.names(under: list) { finder(Self.effortForList).names(under: list) }
    }

    /// Returns whether the context alone exceeds the limits of a document, so that no document can list it.
    private func isTooLarge(_ url: Text) -> Bool {
        var contexts = source(.init(), Limits())
        do throws(JSONLDError) {
            _ = try contexts.apply(.string(url), on: contexts.initial(Options()))
            return false
        } catch { return error.code == .contextOverflow }
    }

    private var words: [Text: ContextVocabulary] { names.words { ContextVocabulary.all(of: contexts.documents) } }

    private func finder(_ effort: Int) -> NameFinder {
        var limits = Limits()
        limits.definitions = effort
        limits.contextBytes = .max
        return NameFinder(source(.init(), limits), words)
    }

    /// The largest number of term definitions that a search may make. `effort` is for one pinned context, which is
    /// examined once; `effortForList` for a list of contexts, which a holder chooses.
    private static let (effort, effortForList) = (200_000, 20_000)
}

/// Searches contexts and all their scoped contexts for names.
struct NameFinder {
    private var contexts: ContextSource
    private var found = DefinedNames.Found()
    private var reached = ReachedContexts()
    private let documents: [Text: ContextVocabulary]
    private var words: [ObjectIdentifier: ContextVocabulary] = [:]

    init(_ source: ContextSource, _ documents: [Text: ContextVocabulary]) {
        (contexts, self.documents) = (source, documents)
    }

    /// Returns the meanings of the names of the context `url`, considering all contexts that may precede or follow it.
    consuming func names(of url: Text, with lendings: BorrowedTerms) -> DefinedNames {
        let words = ContextVocabulary(of: .string(url), among: documents)
        guard let around = lendings.contexts(before: words), let later = lendings.contexts(after: words) else {
            found.isUnknown = true
            return DefinedNames(found)
        }
        for before in around {
            // If the processor refuses the contexts in this order, no document can list them in this order.
            guard let initial = try? contexts.initial(Options()), let start = apply(before, on: initial),
                let active = apply(.string(url), on: start)
            else { continue }
            explore(active, beyond: start)
            // A later context may define the words that scoped contexts borrow.
            let own = Set(active.state.terms.all.values.map(ObjectIdentifier.init))
            for after in later.dropFirst() {
                guard let last = apply(after, on: active) else { continue }
                explore(last, beyond: active) { own.contains(ObjectIdentifier($0)) }
            }
        }
        return DefinedNames(found)
    }

    /// Returns the meanings of the names of the contexts `list`, applied in this order.
    consuming func names(under list: [Text]) -> DefinedNames {
        do throws(JSONLDError) {
            var before = try contexts.initial(Options())
            for url in list {
                let active = try contexts.apply(.string(url), on: before)
                explore(active, beyond: before)
                before = active
            }
        } catch { found.isUnknown = true }
        return DefinedNames(found)
    }

    /// Adds the definitions that `active` has and `before` does not have, and the definitions in the scoped contexts of
    /// `active`, at any depth.
    ///
    /// - Parameter isWanted: Returns whether the scoped context of a definition is searched; nil to search all. If it
    ///   is not nil, the definitions of `active` itself are not added.
    private mutating func explore(
        _ active: ActiveContext, beyond before: ActiveContext, of isWanted: ((TermDefinition) -> Bool)? = nil
    ) {
        if isWanted == nil { found.add(active.state, beyond: before.state) }
        guard isNew(active.state) else { return }
        var open = scopes(of: active, beyond: before).filter { isWanted?($0) ?? true }.map { (active, $0) }
        while let (parent, definition) = open.popLast() {
            // Apply each scoped context as that of a property, which may redefine protected terms. As the scoped
            // context of a type it could be refused, and its definitions would be missed.
            guard
                let inner = attempt({ (contexts) throws(JSONLDError) in
                    try contexts.apply(scopeOf: definition, on: parent, overrideProtected: true)
                })
            else { continue }
            found.add(inner.state, beyond: parent.state)
            guard isNew(inner.state) else { continue }
            open += scopes(of: inner, beyond: parent).map { (inner, $0) }
        }
    }

    /// Returns whether a search of the scoped contexts of `state` may find new definitions. Its result depends on the
    /// definitions that have a scoped context and on the meanings of the words that these borrow at any depth. Each
    /// such combination is searched once.
    private mutating func isNew(_ state: ActiveContext.State) -> Bool {
        var (names, usesVocabulary): (Set<Text>, Bool) = ([], false)
        for (name, definition) in state.terms.all {
            guard let words = words(of: definition) else { continue }
            names.insert(name)
            names.formUnion(words.free)
            if words.usesVocabulary { usesVocabulary = true }
        }
        return reached.isNew(
            names.compactMap { name in state.terms[name].map { (name, $0) } },
            vocabulary: usesVocabulary ? state.vocabulary : nil)
    }

    private mutating func apply(_ context: JSON, on active: ActiveContext) -> ActiveContext? {
        attempt { (contexts) throws(JSONLDError) in try contexts.apply(context, on: active) }
    }

    /// Runs the processor. Returns nil if it refuses the context. If the limit of the search is exceeded, marks the
    /// names as unknown.
    private mutating func attempt(
        _ work: (inout ContextSource) throws(JSONLDError) -> ActiveContext
    ) -> ActiveContext? {
        if found.isUnknown { return nil }
        do throws(JSONLDError) { return try work(&contexts) } catch {
            if error.code == .contextOverflow { found.isUnknown = true }
            return nil
        }
    }

    /// Returns the definitions whose scoped contexts must be searched: definitions that differ from those in `parent`,
    /// definitions whose borrowed words have another meaning in `inner`, and definitions whose scoped contexts lend
    /// words that other scoped contexts borrow.
    private mutating func scopes(of inner: ActiveContext, beyond parent: ActiveContext) -> [TermDefinition] {
        let terms = inner.state.terms.all
        let changed = reached.changes(from: parent.state, to: inner.state)
        let hasVocabulary = inner.state.vocabulary != parent.state.vocabulary
        let scoped = terms.compactMap { name, definition in
            words(of: definition).map { (name, definition, $0) }
        }
        let free = scoped.reduce(into: Set<Text>()) { $0.formUnion($1.2.free) }
        let usesVocabulary = scoped.contains { $0.2.usesVocabulary }
        return scoped.compactMap { name, definition, words in
            let isOther = changed.contains(name) || words.borrows(changed, vocabulary: hasVocabulary)
            let lends = usesVocabulary && words.lendsVocabulary || !free.isDisjoint(with: words.lent)
            return isOther || lends ? definition : nil
        }
    }

    /// Returns the words of the scoped context of a definition; nil if it has none. ``reached`` keeps a reference to
    /// the definition, so its identity stays unique.
    private mutating func words(of definition: TermDefinition) -> ContextVocabulary? {
        guard let scope = definition.fields.context?.value else { return nil }
        if let known = words[ObjectIdentifier(definition)] { return known }
        let found = ContextVocabulary(of: scope, among: documents)
        words[ObjectIdentifier(definition)] = found
        return found
    }
}

/// The active contexts that were searched, identified by the values on which their scoped contexts depend. Each is
/// searched once, because scoped contexts may lead to each other in cycles, and several paths may lead to one
/// definition.
private struct ReachedContexts {
    /// The parts of a definition on which other definitions and scoped contexts inside it depend.
    private struct Definition: Hashable {
        let name: Text
        let mapping: TermDefinition.Expanded
        let isPrefix, isProtected: Bool
        let index: Text?
        let scope: JSON?
        let base: Text?
    }

    private struct Context: Hashable {
        let vocabulary: Text?
        let definitions: Set<Int>
    }

    private var numbers: [Definition: Int] = [:]
    /// The number of each definition, by its identity. The definitions are kept, because a new object could otherwise
    /// have the identity of a freed one.
    private var known: [ObjectIdentifier: (TermDefinition, Int)] = [:]
    private var contexts: Set<Context> = []

    /// Returns whether no earlier call had these definitions and this vocabulary.
    mutating func isNew(_ terms: [(Text, TermDefinition)], vocabulary: Text?) -> Bool {
        var definitions: Set<Int> = []
        for (name, definition) in terms { definitions.insert(number(of: definition, name)) }
        return contexts.insert(Context(vocabulary: vocabulary, definitions: definitions)).inserted
    }

    /// Returns the terms whose definition differs between the two contexts.
    mutating func changes(from outer: ActiveContext.State, to inner: ActiveContext.State) -> Set<Text> {
        let (before, after) = (outer.terms.all, inner.terms.all)
        var changed = Set(before.keys.filter { after[$0] == nil })
        for (name, definition) in after where before[name] !== definition {
            if let old = before[name], number(of: old, name) == number(of: definition, name) { continue }
            changed.insert(name)
        }
        return changed
    }

    private mutating func number(of definition: TermDefinition, _ name: Text) -> Int {
        if let (_, number) = known[ObjectIdentifier(definition)] { return number }
        let fields = definition.fields
        let content = Definition(
            name: name, mapping: fields.mapping, isPrefix: fields.isPrefix, isProtected: fields.isProtected,
            index: fields.index, scope: fields.context?.value, base: fields.context?.base)
        let number = numbers[content] ?? numbers.count
        numbers[content] = number
        known[ObjectIdentifier(definition)] = (definition, number)
        return number
    }
}
