package import Encoding
import Synchronization

/// The names of pinned contexts, looked for once.
final class DefinedNamesCache: Sendable {
    private struct State {
        var contexts: [Text: DefinedNames] = [:]
        var lists: [[Text]: DefinedNames] = [:]
        var borrowings: Borrowings?
    }

    private let state = Mutex(State())
    /// Lists that are kept: the holder chooses among them.
    private static let lists = 64

    func names(of url: Text, _ find: () -> DefinedNames) -> DefinedNames {
        if let known = state.withLock({ $0.contexts[url] }) { return known }
        let names = find()
        state.withLock { $0.contexts[url] = names }
        return names
    }

    func names(under list: [Text], _ find: () -> DefinedNames) -> DefinedNames {
        if let known = state.withLock({ $0.lists[list] }) { return known }
        let names = find()
        state.withLock { state in
            if state.lists.count >= Self.lists { state.lists = [:] }
            state.lists[list] = names
        }
        return names
    }

    func borrowings(_ find: () -> Borrowings) -> Borrowings {
        if let known = state.withLock({ $0.borrowings }) { return known }
        let borrowings = find()
        state.withLock { $0.borrowings = borrowings }
        return borrowings
    }
}

extension JSONLDProcessor {
    /// The names of each of these pinned contexts: by itself, and after others that define what it borrows
    /// (``Borrowings``). None where a document that it needs is not pinned, as then no document can list it.
    package func definedNames(of urls: [Text]) -> [DefinedNames] {
        urls.map { url in
            names.names(of: url) {
                let borrowings = names.borrowings { Borrowings(contexts.documents) }
                var finder = NameFinder(source(.init(), Self.unbounded))
                return finder.names(of: url, after: borrowings.lists(before: url))
            }
        }
    }

    /// The names of the contexts of a list, each after those before it.
    package func definedNames(under list: [Text]) -> DefinedNames {
        names.names(under: list) {
            var finder = NameFinder(source(.init(), Self.unbounded))
            return finder.names(under: list)
        }
    }

    /// Whether the meaning of names in the context depends on contexts before it.
    package func borrows(_ url: Text) -> Bool {
        names.borrowings { Borrowings(contexts.documents) }.lists(before: url).count > 1
    }

    /// What is pinned was chosen by the operator, and is looked through once.
    private static let unbounded: Limits = {
        var limits = Limits()
        limits.definitions = .max
        limits.contextBytes = .max
        return limits
    }()
}

/// Which pinned contexts define what others leave to them: a context *borrows* a prefix, a vocabulary or another term where its
/// text has a word for one that it may not define itself.
struct Borrowings: Sendable {
    private var lenders: [Text: [Text]] = [:]
    /// Lists are made of so many lenders at most, in every order; of more lenders only one stands in each list.
    private static let (longest, most) = (3, 5)

    init(_ documents: [Text: JSON]) {
        let words = documents.mapValues { Words($0, among: documents) }
        for (url, borrower) in words {
            lenders[url] = words.filter { other, lender in
                other != url
                    && (!borrower.used.isDisjoint(with: lender.defined)
                        || borrower.usesVocabulary && lender.hasVocabulary)
            }.map(\.key).sorted()
        }
    }

    /// The lists after which a context may stand with another meaning of its names, the empty one first.
    func lists(before url: Text) -> [[Text]] {
        let direct = lenders[url] ?? []
        let all = Set(direct + direct.flatMap { lenders[$0] ?? [] }).subtracting([url]).sorted()
        guard all.count <= Self.most else { return [[]] + all.map { [$0] } }
        var (lists, longest): ([[Text]], [[Text]]) = ([[]], [[]])
        for _ in 0..<Self.longest {
            longest = longest.flatMap { list in all.filter { !list.contains($0) }.map { list + [$0] } }
            lists += longest
        }
        return lists
    }

    /// The words of a context, of all its scopes, and of the contexts that it loads.
    private struct Words {
        /// Words that stand for terms, or for prefixes.
        var used: Set<Text> = []
        var defined: Set<Text> = []
        /// Whether an IRI in it may begin with a vocabulary that is set before.
        var usesVocabulary = false
        var hasVocabulary = false
        private var seen: Set<Text> = []

        init(_ document: JSON, among documents: [Text: JSON]) {
            add(context: document["@context"] ?? .null, documents)
        }

        private mutating func add(context: JSON, _ documents: [Text: JSON]) {
            switch context {
            case .array(let contexts): for context in contexts { add(context: context, documents) }
            case .string(let url): load(url, documents)
            case .object(let terms):
                for member in terms.members { add(member.name, member.value, documents) }
            default: break
            }
        }

        private mutating func load(_ url: Text, _ documents: [Text: JSON]) {
            guard let document = documents[url], seen.insert(url).inserted else { return }
            add(context: document["@context"] ?? .null, documents)
        }

        private mutating func add(_ name: Text, _ value: JSON, _ documents: [Text: JSON]) {
            if name == "@import", let url = value.string { return load(url, documents) }
            if name == "@vocab" {
                hasVocabulary = true
                return use(value)
            }
            if name.hasPrefix("@") { return }
            defined.insert(name)
            use(.string(name), isTerm: true)
            guard let entries = value.object else { return use(value) }
            if entries["@id"] == nil, entries["@reverse"] == nil { usesVocabulary = true }
            for key in ["@id", "@reverse", "@type", "@index"] as [Text] { use(entries[key] ?? .null) }
            add(context: entries["@context"] ?? .null, documents)
        }

        private mutating func use(_ value: JSON, isTerm: Bool = false) {
            guard let text = value.string, !text.hasPrefix("@") else { return }
            if let (prefix, rest) = ActiveContext.State.splitCompact(text) {
                if !rest.hasPrefix("//") { used.insert(prefix) }
            } else if !isTerm {
                used.insert(text)
                usesVocabulary = true
            }
        }
    }
}

/// Goes through all scopes of contexts.
struct NameFinder {
    private var contexts: ContextSource
    private var found = DefinedNames.Found()
    private var scopes = 0

    /// Scopes of one context, over all lists that it may stand after.
    private static let mostScopes = 100_000

    /// A scoped context and where its URLs begin: one inside itself has nothing new.
    private struct Scope: Hashable {
        let value: JSON
        let base: Text?
    }

    init(_ source: ContextSource) { contexts = source }

    /// What the names of a context mean after each of these lists.
    mutating func names(of url: Text, after lists: [[Text]]) -> DefinedNames {
        var (isRead, isRefused) = (false, false)
        for list in lists {
            guard let before = try? active(under: list) else { continue }
            do throws(JSONLDError) {
                try add(url, on: before)
                isRead = true
            } catch {
                if error.code != .loadingRemoteContextFailed { isRefused = true }
            }
        }
        if isRefused, !isRead { found.isUnknown = true }
        return DefinedNames(found)
    }

    /// What the names of the contexts of a list mean there.
    mutating func names(under list: [Text]) -> DefinedNames {
        do throws(JSONLDError) {
            var before = try contexts.initial(Options())
            for url in list { before = try add(url, on: before) }
        } catch { found.isUnknown = true }
        return DefinedNames(found)
    }

    private mutating func active(under list: [Text]) throws(JSONLDError) -> ActiveContext {
        var active = try contexts.initial(Options())
        for url in list { active = try contexts.apply(.string(url), on: active) }
        return active
    }

    @discardableResult
    private mutating func add(_ url: Text, on before: ActiveContext) throws(JSONLDError) -> ActiveContext {
        let active = try contexts.apply(.string(url), on: before)
        var open = found.add(active.state, beyond: before.state).map { (active, $0, Set<Scope>()) }
        while let (parent, definition, outer) = open.popLast() {
            guard let context = definition.fields.context else { continue }
            let scope = Scope(value: context.value, base: context.base)
            scopes += 1
            if outer.contains(scope) { continue }
            guard scopes <= Self.mostScopes else {
                found.isUnknown = true
                break
            }
            // A property's context may redefine protected terms, a type's may not: nothing is missed so.
            guard let inner = try? contexts.apply(scopeOf: definition, on: parent, overrideProtected: true) else {
                continue
            }
            open += found.add(inner.state, beyond: parent.state).map { (inner, $0, outer.union([scope])) }
        }
        return active
    }
}
