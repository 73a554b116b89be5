package import Encoding
import Synchronization

/// What names stand for in one pinned context, over all its scopes together, as the engine defines them.
///
/// A signature over statements leaves the choice of contexts to the holder. So it matters not only what a name means
/// under the contexts that a document lists, but also what it could mean under another one that the holder may list
/// instead.
///
/// A context may *borrow* from those before it. A name that is a compact IRI (`p:role`) with a prefix that the context does
/// not define may be any IRI that ends in `role`; one that is relative to a vocabulary which the context does not set, any
/// IRI at all. Not seen are a borrowed `@vocab` itself, a term of another context under a vocabulary of its own, and the
/// names of a context that cannot be processed without another.
package final class DefinedNames: Sendable {
    private let found: Found

    fileprivate init(_ found: Found) { self.found = found }

    /// What the scopes of a context define.
    fileprivate struct Found: Sendable {
        var meanings: [Text: Set<Text>] = [:]
        var names: [Text: Set<Text>] = [:]
        var vocabularies: Set<Text> = []
        /// The scopes in which a vocabulary makes IRIs of the names that they do not define.
        var open: [(vocabulary: Text, terms: TermTable)] = []
        /// The ends of the IRIs that names with a borrowed prefix have, and the names by these ends.
        var ends: [Text: Set<Text>] = [:]
        var borrowers: [Text: Set<Text>] = [:]
        /// Names that may have any IRI.
        var unbound: Set<Text> = []
        var keywords: Set<Text> = []
        var prefixes: Set<Text> = []
    }

    /// The IRIs that a name has in some scope.
    package func definitions(of name: Text) -> Set<Text> { found.meanings[name] ?? [] }

    /// The same, and what vocabularies make of the name in scopes that do not define it.
    package func meanings(of name: Text) -> Set<Text> {
        let vocabularies = found.open.lazy.filter { $0.terms[name] == nil }.map(\.vocabulary)
        return definitions(of: name).union(vocabularies.map { Text($0.string + name.string) })
    }

    /// The ends of the IRIs that the name has under a borrowed prefix.
    package func ends(of name: Text) -> Set<Text> { found.ends[name] ?? [] }

    /// Whether the name borrows its meaning from another context.
    package func borrows(_ name: Text) -> Bool { found.ends[name] != nil || found.unbound.contains(name) }

    /// Whether the name may stand for an IRI in some scope.
    package func mayMean(_ name: Text, _ iri: Text) -> Bool {
        found.unbound.contains(name) || meanings(of: name).contains(iri)
            || ends(of: name).contains(where: iri.hasSuffix)
    }

    /// Whether some scope defines the name as another IRI than this one, or may do so.
    package func defines(_ name: Text, otherwiseThan iri: Text) -> Bool {
        found.unbound.contains(name) || !definitions(of: name).subtracting([iri]).isEmpty
            || ends(of: name).contains { !iri.hasSuffix($0) }
    }

    /// Whether some scope gives an IRI another name than this one.
    package func names(_ iri: Text, otherwiseThan name: Text) -> Bool {
        func isOther(_ names: Set<Text>) -> Bool { names.count > 1 || names.first != name }
        if let names = found.names[iri], isOther(names) { return true }
        if !found.unbound.isEmpty, isOther(found.unbound) { return true }
        if found.borrowers.contains(where: { iri.hasSuffix($0.key) && isOther($0.value) }) { return true }
        return found.vocabularies.contains { vocabulary in
            iri.hasPrefix(vocabulary) && iri.utf8.count > vocabulary.utf8.count
                && iri != Text(vocabulary.string + name.string)
        }
    }

    /// The one name of an IRI; nil where it has none or several.
    package func name(of iri: Text) -> Text? {
        guard let names = found.names[iri], names.count == 1 else { return nil }
        return names.first
    }

    /// Whether some scope makes the name another one for `@id` or `@type`, or may do so.
    package func isKeyword(_ name: Text) -> Bool { found.keywords.contains(name) || found.unbound.contains(name) }

    /// Whether compact IRIs may begin with the name.
    package func isPrefix(_ name: Text) -> Bool { found.prefixes.contains(name) }
}

extension DefinedNames.Found {
    /// Adds what one scope defines beyond the one around it; the definitions that have scopes of their own.
    fileprivate mutating func add(_ state: ActiveContext.State, beyond parent: ActiveContext.State?) -> [TermDefinition]
    {
        if let vocabulary = state.vocabulary, vocabulary != Borrowed.vocabulary, IRI.hasScheme(vocabulary) {
            vocabularies.insert(vocabulary)
            open.append((vocabulary, state.terms))
        }
        var scoped: [TermDefinition] = []
        for (name, definition) in state.terms.all where definition !== parent?.terms[name] {
            switch definition.fields.mapping {
            case .iri(let iri):
                add(iri, as: name)
                if definition.fields.isPrefix { prefixes.insert(name) }
            case .keyword(.id), .keyword(.type): keywords.insert(name)
            case .keyword, .nothing: break
            }
            if definition.fields.context != nil { scoped.append(definition) }
        }
        return scoped
    }

    private mutating func add(_ iri: Text, as name: Text) {
        switch Borrowed(iri) {
        case .nothing:
            meanings[name, default: []].insert(iri)
            names[iri, default: []].insert(name)
        case .prefix(let end):
            ends[name, default: []].insert(end)
            borrowers[end, default: []].insert(name)
        case .all: unbound.insert(name)
        }
    }
}

/// What the IRI of a name leaves to the contexts before its own.
private enum Borrowed {
    case nothing
    /// The prefix: the IRI ends in this.
    case prefix(end: Text)
    case all

    /// Stands for the vocabulary that a context before may set.
    static let vocabulary: Text = "borrowed://"
    /// Schemes without an authority in which properties and types are named: they count as no borrowed prefixes.
    private static let schemes: Set<Text> = ["urn", "did"]

    init(_ iri: Text) {
        if iri.hasPrefix(Self.vocabulary) {
            self = .all
        } else if let (scheme, rest) = ActiveContext.State.splitCompact(iri), scheme != "_", !rest.hasPrefix("//"),
            !Self.schemes.contains(scheme)
        {
            self = .prefix(end: Text(String(rest)))
        } else {
            self = .nothing
        }
    }
}

/// The names of pinned contexts, looked for once.
final class DefinedNamesCache: Sendable {
    private let known = Mutex<[Text: DefinedNames]>([:])

    func names(of urls: [Text], _ find: (Text) -> DefinedNames) -> [DefinedNames] {
        let known = known.withLock { $0 }
        return urls.map { known[$0] ?? names(of: $0, find) }
    }

    private func names(of url: Text, _ find: (Text) -> DefinedNames) -> DefinedNames {
        let names = find(url)
        known.withLock { $0[url] = names }
        return names
    }
}

extension JSONLDProcessor {
    /// The names of each of these pinned contexts; none where the engine cannot process one, with some vocabulary before it
    /// and nothing else.
    package func definedNames(of urls: [Text]) -> [DefinedNames] {
        names.names(of: urls) {
            var finder = NameFinder(source(.init(), Self.unbounded))
            return finder.find($0)
        }
    }

    /// What is pinned was chosen by the operator, and is looked through once.
    private static let unbounded: Limits = {
        var limits = Limits()
        limits.definitions = .max
        limits.contextBytes = .max
        return limits
    }()
}

/// Goes through all scopes of a context.
private struct NameFinder {
    private var contexts: ContextSource
    private var names = DefinedNames.Found()
    /// The scoped contexts that were looked into: one that leads to itself has nothing new the second time.
    private var seen: Set<Scope> = []

    private struct Scope: Hashable {
        let value: JSON
        let base: Text?
    }

    init(_ source: ContextSource) { contexts = source }

    mutating func find(_ url: Text) -> DefinedNames {
        guard let empty = try? contexts.initial(Options()),
            let initial = try? contexts.apply(["@vocab": .string(Borrowed.vocabulary)], on: empty),
            let active = try? contexts.apply(.string(url), on: initial)
        else { return DefinedNames(names) }
        var open = names.add(active.state, beyond: nil).map { (active, $0) }
        while let (parent, definition) = open.popLast() {
            // A property's context may redefine protected terms, a type's may not: nothing is missed so.
            guard let context = definition.fields.context,
                seen.insert(Scope(value: context.value, base: context.base)).inserted,
                let inner = try? contexts.apply(scopeOf: definition, on: parent, overrideProtected: true)
            else { continue }
            open += names.add(inner.state, beyond: parent.state).map { (inner, $0) }
        }
        return DefinedNames(names)
    }
}
