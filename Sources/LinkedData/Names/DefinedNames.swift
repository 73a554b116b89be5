package import Encoding

/// The meanings of names in pinned contexts, over all their scoped contexts together, as the JSON-LD
/// processor defines them.
///
/// A signature over statements leaves the choice of contexts to the holder. A name therefore matters not only
/// with its meaning under the contexts that a document lists, but also with its possible meanings under other
/// contexts that the holder may list instead.
package final class DefinedNames: Sendable {
    private let found: Found

    init(_ found: Found) { self.found = found }

    /// The definitions in all scoped contexts.
    struct Found: Sendable {
        var meanings: [Text: Set<Text>] = [:]
        var names: [Text: Set<Text>] = [:]
        var vocabularies: Set<Text> = []
        /// The scoped contexts in which a vocabulary expands the names that they do not define.
        var open: [(vocabulary: Text, terms: TermTable)] = []
        var keywords: Set<Text> = []
        var prefixes: Set<Text> = []
        /// Whether the meanings are unknown; see ``DefinedNames/areUnknown``.
        var isUnknown = false
    }

    /// Whether the meanings are unknown, because finding them exceeded the effort limit. Every name may then
    /// mean anything.
    package var areUnknown: Bool { found.isUnknown }

    /// The vocabularies of all scoped contexts.
    var vocabularies: Set<Text> { found.vocabularies }

    /// Returns the IRIs to which any scoped context defines a name.
    package func definitions(of name: Text) -> Set<Text> { found.meanings[name] ?? [] }

    /// Returns ``definitions(of:)`` and the IRIs to which vocabularies expand the name in scoped contexts
    /// that do not define it.
    package func meanings(of name: Text) -> Set<Text> {
        let vocabularies = found.open.lazy.filter { $0.terms[name] == nil }.map(\.vocabulary)
        return definitions(of: name).union(vocabularies.map { Text($0.string + name.string) })
    }

    /// Whether the name may mean the IRI in any scoped context.
    package func mayMean(_ name: Text, _ iri: Text) -> Bool {
        found.isUnknown || meanings(of: name).contains(iri)
    }

    /// Whether any scoped context defines the name as another IRI.
    func defines(_ name: Text, otherwiseThan iri: Text) -> Bool {
        found.isUnknown || !definitions(of: name).subtracting([iri]).isEmpty
    }

    /// Returns whether any scoped context defines the name to mean another IRI than `iri`, or whether a
    /// vocabulary expands the name to another IRI.
    package func means(_ name: Text, otherwiseThan iri: Text) -> Bool {
        found.isUnknown || !meanings(of: name).subtracting([iri]).isEmpty
    }

    /// Whether any scoped context gives the IRI another name.
    package func names(_ iri: Text, otherwiseThan name: Text) -> Bool {
        if found.isUnknown { return true }
        if let names = found.names[iri], names.count > 1 || names.first != name { return true }
        return found.vocabularies.contains { vocabulary in
            iri.hasPrefix(vocabulary) && iri.utf8.count > vocabulary.utf8.count
                && iri != Text(vocabulary.string + name.string)
        }
    }

    /// Returns the only name of an IRI; nil if it has no name or several.
    package func name(of iri: Text) -> Text? {
        guard let names = found.names[iri], names.count == 1 else { return nil }
        return names.first
    }

    /// Returns whether any scoped context makes the name an alias of a keyword, such as `@id`, `@type` or
    /// `@nest`.
    package func isKeyword(_ name: Text) -> Bool { found.isUnknown || found.keywords.contains(name) }

    /// Whether compact IRIs may begin with the name as prefix.
    package func isPrefix(_ name: Text) -> Bool { found.isUnknown || found.prefixes.contains(name) }
}

extension DefinedNames.Found {
    /// Adds the definitions of one context that its parent does not have.
    mutating func add(_ state: ActiveContext.State, beyond parent: ActiveContext.State) {
        if let vocabulary = state.vocabulary, vocabulary != parent.vocabulary, IRI.hasScheme(vocabulary) {
            vocabularies.insert(vocabulary)
            open.append((vocabulary, state.terms))
        }
        for (name, definition) in state.terms.all where definition !== parent.terms[name] {
            switch definition.fields.mapping {
            case .iri(let iri):
                meanings[name, default: []].insert(iri)
                names[iri, default: []].insert(name)
                if definition.fields.isPrefix { prefixes.insert(name) }
            case .keyword: keywords.insert(name)
            case .nothing: break
            }
            // The keys of an index map may be values of a property that no member names.
            if let index = definition.fields.index, !index.hasPrefix("@"),
                case .iri(let iri) = state.expand(index, vocabulary: true, documentRelative: false)
            {
                names[iri, default: []].insert("@index")
            }
        }
    }
}
