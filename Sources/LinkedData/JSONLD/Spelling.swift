package import Encoding

/// IRIs of properties and types, and the one name that their data model gives each.
package struct StandardNames: Sendable {
    private let everywhere: [Text: Text]
    private let inline: [Text: Text]

    /// IRI → name: `everywhere` those that no context may call otherwise, `inline` those that a pinned context may, but none
    /// that comes with a document.
    package init(everywhere: [Text: Text] = [:], inline: [Text: Text] = [:]) {
        self.everywhere = everywhere
        self.inline = inline
    }

    func name(of iri: Text, isInline: Bool) -> Text? { everywhere[iri] ?? (isInline ? inline[iri] : nil) }

    /// Whether the data model gives that IRI another name.
    func renames(_ iri: Text, as name: Text) -> Bool { self.name(of: iri, isInline: true).map { $0 != name } ?? false }

    /// Whether one of the IRIs begins so.
    func begin(with start: Text) -> Bool {
        everywhere.keys.contains { $0.hasPrefix(start) } || inline.keys.contains { $0.hasPrefix(start) }
    }
}

/// JSON-LD lets one statement be written in many ways. A signature over statements leaves the choice to whoever holds the
/// document, so that a reader who asks for members by their names can be shown less than what was signed. No data model of
/// credentials needs what is called unusual here.
enum Spelling {
    /// Whether a term looks like an IRI or is another name than the standard one; in a context that came with the document also
    /// whether it is another name for a keyword than `id` and `type` and, for values, `value`, `language` and `direction`, as
    /// issuers write whose contexts come with their credentials.
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

    /// Whether a name that no context defines is unusual: a keyword other than those of values and lists, something like an
    /// IRI, or what a vocabulary makes of it has another name.
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

    /// Whether a name has the form of an IRI, compact or not.
    static func isCompact(_ name: Text) -> Bool { name.utf8.contains(UInt8(ascii: ":")) }
}

extension Expander {
    /// Notes where the first member with an unusual name stands: here.
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
        // A term may stand for @nest, but what decides about the document stands in the open.
        if isNested, case .iri(let iri) = meaning, standardNames.name(of: iri, isInline: true) != nil {
            isUnusual = true
        }
        if isUnusual { unusualSpelling = log.pointer }
    }
}
