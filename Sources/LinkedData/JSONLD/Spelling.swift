package import Encoding

/// The names that data models give to properties and types, by IRI.
package struct StandardNames: Sendable {
    private let everywhere: [Text: Text]
    private let inline: [Text: Text]

    /// Creates a table of standard names by IRI. `everywhere`: names that no context may replace. `inline`: names that
    /// a pinned context may replace, but a context inside a document may not.
    package init(everywhere: [Text: Text] = [:], inline: [Text: Text] = [:]) {
        self.everywhere = everywhere
        self.inline = inline
    }

    func name(of iri: Text, isInline: Bool) -> Text? { everywhere[iri] ?? (isInline ? inline[iri] : nil) }

    /// Returns whether the data model has another name than `name` for `iri`.
    func renames(_ iri: Text, as name: Text) -> Bool { self.name(of: iri, isInline: true).map { $0 != name } ?? false }

    /// Returns whether any IRI in the table begins with `start`.
    func begin(with start: Text) -> Bool {
        everywhere.keys.contains { $0.hasPrefix(start) } || inline.keys.contains { $0.hasPrefix(start) }
    }
}

/// Finds unusual spellings. JSON-LD allows many spellings of one statement, and a signature over statements does not
/// fix the spelling, so the holder can choose it. Code that looks up members by name could therefore miss what the
/// issuer signed. No data model of credentials needs an unusual spelling.
enum Spelling {
    /// Returns whether a term that a context defines is an unusual spelling: it has the form of an IRI, or it differs
    /// from the standard name of its IRI. In a context inside a document (`isInline`) a term for a keyword is unusual,
    /// too, except `id`, `type`, `value`, `language` and `direction` for the keywords of these names, which issuers
    /// write in their own contexts.
    static func isUnusual(
        _ term: Text, _ fields: TermDefinition.Fields, isInline: Bool, _ standardNames: StandardNames
    ) -> Bool {
        switch fields.mapping {
        case .keyword(.id) where term == "id", .keyword(.type) where term == "type",
            .keyword(.value) where term == "value", .keyword(.language) where term == "language",
            .keyword(.direction) where term == "direction":
            false
        case .keyword: isInline
        case .iri(let iri):
            isCompact(term) || standardNames.name(of: iri, isInline: isInline).map { $0 != term } ?? false
        case .nothing: false
        }
    }

    /// Returns whether a name that no context defines is an unusual spelling: a keyword that does not belong to a
    /// value, list or set object, a name in the form of an IRI, or a name that the vocabulary expands to an IRI with
    /// another standard name.
    static func isUnusual(
        _ name: Text, meaning: TermDefinition.Expanded, in object: JSONObject, _ standardNames: StandardNames
    ) -> Bool {
        switch meaning {
        case .keyword(.value), .keyword(.language), .keyword(.direction), .keyword(.index), .keyword(.list),
            .keyword(.set):
            false
        case .keyword(.type): object[Keyword.value.text] == nil
        case .keyword: true
        case .iri(let iri): isCompact(name) || standardNames.renames(iri, as: name)
        case .nothing: false
        }
    }

    /// Returns whether a name has the form of an IRI or a compact IRI: it contains a colon.
    static func isCompact(_ name: Text) -> Bool { name.utf8.contains(UInt8(ascii: ":")) }
}

extension Expander {
    /// Records the current place in ``unusualSpelling`` if the name of its member is the first unusual spelling.
    mutating func checkSpelling(
        _ name: Text, _ definition: TermDefinition?, _ meaning: TermDefinition.Expanded, in object: JSONObject,
        isNested: Bool
    ) {
        guard unusualSpelling == nil else { return }
        var isUnusual =
            if let definition, name.utf8.first != UInt8(ascii: "@") {
                definition.isUnusual
            } else {
                Spelling.isUnusual(name, meaning: meaning, in: object, standardNames)
            }
        // A member with a standard name must not be inside `@nest`, because a verdict may depend on it. Other members
        // may.
        if isNested, case .iri(let iri) = meaning, standardNames.name(of: iri, isInline: true) != nil {
            isUnusual = true
        }
        if isUnusual { unusualSpelling = log.pointer }
    }
}
