package import Encoding

/// What names stand for in pinned contexts, over all their scopes together, as the engine defines them.
///
/// A signature over statements leaves the choice of contexts to the holder. So it matters not only what a name means
/// under the contexts that a document lists, but also what it could mean under others that the holder may list
/// instead.
package final class DefinedNames: Sendable {
    private let found: Found

    init(_ found: Found) { self.found = found }

    /// What the scopes define.
    struct Found: Sendable {
        var meanings: [Text: Set<Text>] = [:]
        var names: [Text: Set<Text>] = [:]
        var vocabularies: Set<Text> = []
        /// The scopes in which a vocabulary makes IRIs of the names that they do not define.
        var open: [(vocabulary: Text, terms: TermTable)] = []
        var keywords: Set<Text> = []
        var prefixes: Set<Text> = []
        /// See ``DefinedNames/areUnknown``.
        var isUnknown = false
    }

    /// Whether any name may mean anything, because it took too much effort to find out.
    package var areUnknown: Bool { found.isUnknown }

    /// The vocabularies of all scopes.
    var vocabularies: Set<Text> { found.vocabularies }

    /// The IRIs that a name has in some scope.
    package func definitions(of name: Text) -> Set<Text> { found.meanings[name] ?? [] }

    /// The same, and what vocabularies make of the name in scopes that do not define it.
    package func meanings(of name: Text) -> Set<Text> {
        let vocabularies = found.open.lazy.filter { $0.terms[name] == nil }.map(\.vocabulary)
        return definitions(of: name).union(vocabularies.map { Text($0.string + name.string) })
    }

    /// Whether the name may stand for an IRI in some scope.
    package func mayMean(_ name: Text, _ iri: Text) -> Bool {
        found.isUnknown || meanings(of: name).contains(iri)
    }

    /// Whether some scope defines the name as another IRI than this one.
    package func defines(_ name: Text, otherwiseThan iri: Text) -> Bool {
        found.isUnknown || !definitions(of: name).subtracting([iri]).isEmpty
    }

    /// The same, or a vocabulary makes another IRI of it.
    package func means(_ name: Text, otherwiseThan iri: Text) -> Bool {
        found.isUnknown || !meanings(of: name).subtracting([iri]).isEmpty
    }

    /// Whether some scope gives an IRI another name than this one.
    package func names(_ iri: Text, otherwiseThan name: Text) -> Bool {
        if found.isUnknown { return true }
        if let names = found.names[iri], names.count > 1 || names.first != name { return true }
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

    /// Whether some scope makes the name another one for a keyword, such as `@id`, `@type` or `@nest`.
    package func isKeyword(_ name: Text) -> Bool { found.isUnknown || found.keywords.contains(name) }

    /// Whether compact IRIs may begin with the name.
    package func isPrefix(_ name: Text) -> Bool { found.isUnknown || found.prefixes.contains(name) }
}

extension DefinedNames.Found {
    /// Adds what one scope defines beyond the one around it.
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
            // The keys of an index map may stand for a property without a name for it.
            if let index = definition.fields.index, !index.hasPrefix("@"),
                case .iri(let iri) = state.expand(index, vocabulary: true, documentRelative: false)
            {
                names[iri, default: []].insert("@index")
            }
        }
    }
}
