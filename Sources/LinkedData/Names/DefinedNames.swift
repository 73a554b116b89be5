package import Encoding

/// The meanings of names in pinned contexts and in all their scoped contexts, as defined by the JSON-LD processor.
///
/// A signature over statements leaves the choice of contexts to the holder. A check of a name must therefore consider
/// the meanings under the contexts that the document lists and under any other contexts that the holder may list
/// instead.
package final class DefinedNames: Sendable {
    private let found: Found

    init(_ found: Found) { self.found = found }

    /// The definitions in all scoped contexts.
    struct Found: Sendable {
        var meanings: [Text: Set<Text>] = [:]
        var names: [Text: Set<Text>] = [:]
        var vocabularies: Set<Text> = []
        /// The scoped contexts with a vocabulary. The vocabulary expands each name that the context does not define.
        var open: [(vocabulary: Text, terms: TermTable)] = []
        var keywords: Set<Text> = []
        var prefixes: Set<Text> = []
        /// Whether the meanings are unknown; see ``DefinedNames/areUnknown``.
        var isUnknown = false
    }

    /// Whether the meanings are unknown because the search exceeded the effort limit. A name with unknown meanings may
    /// mean anything.
    package var areUnknown: Bool { found.isUnknown }

    /// The vocabularies of all scoped contexts.
    var vocabularies: Set<Text> { found.vocabularies }

    /// Returns the IRIs to which any scoped context defines a name.
    package func definitions(of name: Text) -> Set<Text> { found.meanings[name] ?? [] }

    /// Returns ``definitions(of:)`` plus the IRIs to which vocabularies expand the name in scoped contexts that do not
    /// define the name.
    package func meanings(of name: Text) -> Set<Text> {
        let vocabularies = found.open.lazy.filter { $0.terms[name] == nil }.map(\.vocabulary)
        return definitions(of: name).union(vocabularies.map { Text($0.string + name.string) })
    }

    /// Whether the name means the IRI in at least one scoped context.
    package func mayMean(_ name: Text, _ iri: Text) -> Bool {
        found.isUnknown || meanings(of: name).contains(iri)
    }

    /// Returns whether any scoped context gives the name another IRI than `iri`, by a definition or by a vocabulary.
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

    /// Returns the only name of an IRI; nil if the IRI has no name or several names.
    package func name(of iri: Text) -> Text? {
        guard let names = found.names[iri], names.count == 1 else { return nil }
        return names.first
    }

    /// Returns whether any scoped context makes the name an alias of a keyword, such as `@id`, `@type` or `@nest`.
    package func isKeyword(_ name: Text) -> Bool { found.isUnknown || found.keywords.contains(name) }

    /// Whether the name may be the prefix of compact IRIs.
    package func isPrefix(_ name: Text) -> Bool { found.isUnknown || found.prefixes.contains(name) }
}

extension DefinedNames.Found {
    /// Adds the definitions of a context that are not in `parent`.
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
            // The keys of an index map may be values of a property that is not written as a member.
            if let index = definition.fields.index, !index.hasPrefix("@"),
                case .iri(let iri) = state.expand(index, vocabulary: true, documentRelative: false)
            {
                names[iri, default: []].insert("@index")
            }
        }
    }
}
