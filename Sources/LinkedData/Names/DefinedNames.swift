package import Encoding

/// The meanings of names in pinned contexts and in their scoped contexts at any depth, as the JSON-LD processor finds
/// them.
///
/// A signature over statements does not fix the contexts, so the holder can choose them. A check of a name must
/// therefore consider its meanings under the contexts that the document lists and under all other contexts that the
/// holder could list.
package final class DefinedNames: Sendable {
    private let found: Found

    init(_ found: Found) { self.found = found }

    /// The definitions in the contexts and in all their scoped contexts.
    struct Found: Sendable {
        var meanings: [Text: Set<Text>] = [:]
        var names: [Text: Set<Text>] = [:]
        var vocabularies: Set<Text> = []
        /// The contexts with a vocabulary, which expands each name that the context does not define.
        var open: [(vocabulary: Text, terms: TermTable)] = []
        var keywords: Set<Text> = []
        var prefixes: Set<Text> = []
        /// Whether the meanings are unknown (``DefinedNames/areUnknown``).
        var isUnknown = false
    }

    /// Whether the meanings are unknown, because the search exceeded its limit. If so, a name may mean anything.
    package var areUnknown: Bool { found.isUnknown }

    /// The vocabularies of all contexts and scoped contexts.
    var vocabularies: Set<Text> { found.vocabularies }

    /// Returns the IRIs that definitions in any context or scoped context give to a name.
    package func definitions(of name: Text) -> Set<Text> { found.meanings[name] ?? [] }

    /// Returns ``definitions(of:)``, and in addition the IRIs to which a vocabulary expands the name in contexts that
    /// do not define it.
    package func meanings(of name: Text) -> Set<Text> {
        let vocabularies = found.open.lazy.filter { $0.terms[name] == nil }.map(\.vocabulary)
        return definitions(of: name).union(vocabularies.map { Text($0.string + name.string) })
    }

    /// Returns whether the name means `iri` in at least one context; true if the meanings are unknown.
    package func mayMean(_ name: Text, _ iri: Text) -> Bool {
        found.isUnknown || meanings(of: name).contains(iri)
    }

    /// Returns whether the name means another IRI than `iri` in any context, by a definition or by a vocabulary; true
    /// if the meanings are unknown.
    package func means(_ name: Text, otherwiseThan iri: Text) -> Bool {
        found.isUnknown || !meanings(of: name).subtracting([iri]).isEmpty
    }

    /// Returns whether `iri` has another name than `name` in any context; true if the meanings are unknown.
    package func names(_ iri: Text, otherwiseThan name: Text) -> Bool {
        if found.isUnknown { return true }
        if let names = found.names[iri], names.count > 1 || names.first != name { return true }
        return found.vocabularies.contains { vocabulary in
            iri.hasPrefix(vocabulary) && iri.utf8.count > vocabulary.utf8.count
                && iri != Text(vocabulary.string + name.string)
        }
    }

    /// Returns the only name of `iri`; nil if it has no name or several.
    package func name(of iri: Text) -> Text? {
        guard let names = found.names[iri], names.count == 1 else { return nil }
        return names.first
    }

    /// Returns whether the name is an alias of a keyword, such as `@id`, `@type` or `@nest`, in any context; true if
    /// the meanings are unknown.
    package func isKeyword(_ name: Text) -> Bool { found.isUnknown || found.keywords.contains(name) }

    /// Returns whether the name is a prefix of compact IRIs in any context; true if the meanings are unknown.
    package func isPrefix(_ name: Text) -> Bool { found.isUnknown || found.prefixes.contains(name) }
}

extension DefinedNames.Found {
    /// Adds the definitions of the context `state` that its parent `parent` does not have.
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
            // The keys of an index map can be values of a property, although the document does not contain its name.
            if let index = definition.fields.index, !index.hasPrefix("@"),
                case .iri(let iri) = state.expand(index, vocabulary: true, documentRelative: false)
            {
                names[iri, default: []].insert("@index")
            }
        }
    }
}
