import Encoding

/// The possible meanings of borrowed words. A pinned context *borrows* a word if it uses a prefix, a term or a
/// vocabulary without defining it, so that an earlier context defines it. A pinned context *lends* all terms that it
/// and its scoped contexts define.
struct BorrowedTerms: Sendable {
    /// The possible IRIs of each borrowed term or prefix.
    private var meanings: [Text: Set<Text>] = [:]
    private var vocabularies: Set<Text> = []
    /// Whether the meanings are unknown: after ``rounds`` rounds the search was still finding new ones.
    private var isUnknown = false

    /// The largest number of rounds of the search for the meanings of borrowed words. A context that lends a word may
    /// itself borrow words from another context, so each round can find further meanings.
    private static let rounds = 6
    /// The largest number of combinations of meanings for the borrowed words of one context.
    private static let most = 64

    /// Finds the possible meanings of the borrowed words of all pinned contexts.
    ///
    /// - Parameters:
    ///   - words: The words that each pinned context borrows and lends, by its URL.
    ///   - finder: Returns a new finder, which examines one context.
    init(of words: [Text: ContextVocabulary], _ finder: () -> NameFinder) {
        let free = words.values.reduce(into: Set<Text>()) { $0.formUnion($1.free.union($1.late)) }
        let usesVocabulary = words.values.contains { $0.usesVocabulary || $0.usesLateVocabulary }
        let lenders = words.filter { _, words in
            !words.lent.isDisjoint(with: free) || usesVocabulary && words.lendsVocabulary
        }
        for _ in 0..<Self.rounds {
            let (before, places) = (meanings.mapValues(\.count), vocabularies.count)
            for (url, words) in lenders {
                let names = finder().names(of: url, with: self)
                for word in words.lent.intersection(free) {
                    meanings[word, default: []].formUnion(names.definitions(of: word))
                }
                if usesVocabulary { vocabularies.formUnion(names.vocabularies) }
            }
            if meanings.mapValues(\.count) == before, vocabularies.count == places { return }
        }
        isUnknown = true
    }

    /// Returns contexts that represent all contexts that may precede a context with the words `words`. Each of them
    /// defines one combination of meanings of the borrowed words. The first is empty.
    ///
    /// - Returns: Nil if there are more than ``most`` combinations, or if the meanings are unknown.
    func contexts(before words: ContextVocabulary) -> [JSON]? { contexts(words.free, vocabulary: words.usesVocabulary) }

    /// Returns contexts that represent all contexts that may follow a context with the words `words`, in the form of
    /// ``contexts(before:)``.
    func contexts(after words: ContextVocabulary) -> [JSON]? {
        contexts(words.late, vocabulary: words.usesLateVocabulary)
    }

    private func contexts(_ free: Set<Text>, vocabulary: Bool) -> [JSON]? {
        if free.isEmpty, !vocabulary { return [[:]] }
        if isUnknown { return nil }
        let words: [(Text, [JSON])] =
            free.sorted().map { word in
                (word, (meanings[word] ?? []).sorted().map { ["@id": .string($0), "@prefix": true] })
            } + (vocabulary ? [(Text("@vocab"), vocabularies.sorted().map { .string($0) })] : [])
        var contexts: [JSONObject] = [[:]]
        for (word, found) in words {
            guard contexts.count * (found.count + 1) <= Self.most else { return nil }
            contexts += contexts.flatMap { context in
                found.map { value in JSONObject(context.members + [.init(word, value)]) }
            }
        }
        return contexts.map { .object($0) }
    }
}

/// The words that a context and its scoped contexts borrow from other contexts, and the words that they lend.
struct ContextVocabulary: Hashable {
    /// The terms and prefixes that the context uses but does not define.
    private(set) var free: Set<Text> = []
    /// Whether an IRI in the context may begin with the vocabulary of an earlier context.
    private(set) var usesVocabulary = false
    /// The words that the scoped contexts borrow. A later context may define these words, too, because scoped contexts
    /// are processed after it.
    private(set) var late: Set<Text> = []
    private(set) var usesLateVocabulary = false
    private var defined: Set<Text> = []
    private var hasVocabulary = false
    /// The terms that the context and its scoped contexts define.
    private(set) var lent: Set<Text> = []
    private(set) var lendsVocabulary = false

    /// Finds the words of the context `context`.
    ///
    /// - Parameter documents: The words of the documents that the context may load, by their URLs.
    init(of context: JSON, among documents: [Text: ContextVocabulary]) { add(context, documents) }

    /// Returns the words of each pinned document by its URL. Documents may load each other in cycles, so the search is
    /// repeated until a round finds no further words.
    static func all(of documents: [Text: JSON]) -> [Text: ContextVocabulary] {
        var words: [Text: ContextVocabulary] = [:]
        for _ in 0...documents.count {
            let known = words
            words = documents.mapValues { ContextVocabulary(of: $0["@context"] ?? .null, among: known) }
            if words == known { break }
        }
        return words
    }

    /// Returns whether the context's meaning depends on one of the given terms or, if `vocabulary` is true, on the
    /// vocabulary of an earlier context.
    func borrows(_ terms: Set<Text>, vocabulary: Bool) -> Bool {
        usesVocabulary && vocabulary || !free.isDisjoint(with: terms)
    }

    private mutating func add(_ context: JSON, _ documents: [Text: ContextVocabulary]) {
        switch context {
        case .array(let contexts): for context in contexts { add(context, documents) }
        case .string(let url): if let words = documents[url] { merge(words) }
        case .object(let context):
            if let imported = context["@import"] { add(imported, documents) }
            defined.formUnion(context.names.filter { !$0.hasPrefix("@") })
            if let vocabulary = context["@vocab"] {
                use(vocabulary)
                hasVocabulary = true
            }
            for member in context.members where !member.name.hasPrefix("@") {
                add(member.name, member.value, documents)
            }
            lent.formUnion(defined)
            lendsVocabulary = lendsVocabulary || hasVocabulary
        default: break
        }
    }

    /// Adds the words of the context that follows in a list of contexts.
    private mutating func merge(_ next: ContextVocabulary) {
        free.formUnion(next.free.subtracting(defined))
        if next.usesVocabulary { useVocabulary() }
        defined.formUnion(next.defined)
        hasVocabulary = hasVocabulary || next.hasVocabulary
        take(scopesOf: next)
    }

    private mutating func take(scopesOf inner: ContextVocabulary) {
        lent.formUnion(inner.lent)
        lendsVocabulary = lendsVocabulary || inner.lendsVocabulary
        late.formUnion(inner.late)
        usesLateVocabulary = usesLateVocabulary || inner.usesLateVocabulary
    }

    private mutating func add(_ name: Text, _ value: JSON, _ documents: [Text: ContextVocabulary]) {
        use(.string(name), isTerm: true)
        guard let entries = value.object else { return use(value, by: name) }
        if entries["@id"] == nil, entries["@reverse"] == nil { useVocabulary() }
        for key in ["@id", "@reverse", "@type", "@index"] as [Text] { use(entries[key] ?? .null, by: name) }
        guard let scope = entries["@context"] else { return }
        let inner = ContextVocabulary(of: scope, among: documents)
        free.formUnion(inner.free.subtracting(defined))
        if inner.usesVocabulary { useVocabulary() }
        late.formUnion(inner.free)
        usesLateVocabulary = usesLateVocabulary || inner.usesVocabulary
        take(scopesOf: inner)
    }

    private mutating func use(_ value: JSON, by name: Text = "", isTerm: Bool = false) {
        guard let text = value.string, !text.hasPrefix("@") else { return }
        // A term whose `@id` is the term itself is expanded with the vocabulary.
        if text == name, !isTerm { return useVocabulary() }
        if let (prefix, rest) = ActiveContext.State.splitCompact(text) {
            if !rest.hasPrefix("//"), !defined.contains(prefix) { free.insert(prefix) }
        } else if !isTerm, !defined.contains(text) {
            free.insert(text)
            useVocabulary()
        }
    }

    private mutating func useVocabulary() { usesVocabulary = usesVocabulary || !hasVocabulary }
}
