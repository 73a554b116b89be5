import Encoding

/// What the names of one pinned context mean, over all its scopes together.
///
/// A signature over RDF covers what names expand to, not the names, so that rules read what they expand to. Where two names have
/// one meaning (seen: a farmer's context that maps the type of land ownership, the crops and the farmer's id all to
/// `schema:Text`), whoever reads one of them is told what was said under the other, too.
struct ContextNames: Sendable {
    private var meanings: [Text: Set<Text>] = [:]
    private var names: [Text: Set<Text>] = [:]
    private var vocabularies: Set<Text> = []
    private var reversed: Set<Text> = []

    /// Contexts inside each other that are looked into.
    private static let depth = 16

    /// The names of a context document; `documents` are those that it may refer to.
    init(_ document: JSON, in documents: [Text: JSON]) {
        var scope = Scope()
        add(document["@context"] ?? .null, to: &scope, documents, depth: 0)
    }

    /// The IRIs that a name has in some scope of the context; empty where it defines none.
    func meanings(of name: Text) -> Set<Text> { meanings[name] ?? [] }

    /// The names of an IRI.
    func names(of meaning: Text) -> Set<Text> { names[meaning] ?? [] }

    /// What names that are not defined begin with.
    var vocabulary: Set<Text> { vocabularies }

    /// Whether the context defines the name as a property that is read backwards.
    func isReverse(_ name: Text) -> Bool { reversed.contains(name) }

    /// Whether another name has this meaning.
    func shares(_ meaning: Text, of name: Text) -> Bool {
        if !names(of: meaning).isSubset(of: [name]) { return true }
        // A name that no context defines takes its meaning from the vocabulary.
        return vocabularies.contains { meaning.hasPrefix($0) && meaning != Text($0.string + name.string) }
    }

    /// The definitions that IRIs in a context are expanded by.
    private struct Scope {
        var definitions: [Text: JSON] = [:]
        var vocabulary: Text?

        /// The IRI of a definition's `@id`; nil for keywords and what stays relative. Chains of prefixes end at `depth`.
        func expand(_ text: Text, as term: Text, depth: Int = 0) -> Text? {
            guard depth < 8, !text.hasPrefix("@") else { return nil }
            let bytes = text.utf8
            if let colon = bytes.firstIndex(of: UInt8(ascii: ":")) {
                let prefix = Text(String(decoding: bytes[..<colon], as: UTF8.self))
                let suffix = String(decoding: bytes[bytes.index(after: colon)...], as: UTF8.self)
                guard !suffix.hasPrefix("//"), let definition = definitions[prefix],
                    let stem = Self.id(of: definition).flatMap({ expand($0, as: prefix, depth: depth + 1) })
                else { return text }
                return Text(stem.string + suffix)
            }
            if text != term, let definition = definitions[text] {
                return Self.id(of: definition).flatMap { expand($0, as: text, depth: depth + 1) }
            }
            return vocabulary.map { Text($0.string + text.string) }
        }

        static func id(of definition: JSON) -> Text? {
            definition.string ?? definition["@id"]?.string ?? definition["@reverse"]?.string
        }
    }

    private mutating func add(_ context: JSON, to scope: inout Scope, _ documents: [Text: JSON], depth: Int) {
        guard depth < Self.depth else { return }
        switch context {
        case .array(let elements):
            for element in elements { add(element, to: &scope, documents, depth: depth + 1) }
        case .string(let url):
            add(documents[url]?["@context"] ?? .null, to: &scope, documents, depth: depth + 1)
        case .object(let object):
            if let url = object["@import"] { add(url, to: &scope, documents, depth: depth + 1) }
            for member in object.members where !member.name.hasPrefix("@") {
                scope.definitions[member.name] = member.value
            }
            if let vocabulary = object["@vocab"]?.string {
                let iri = scope.expand(vocabulary, as: "") ?? vocabulary
                scope.vocabulary = iri
                vocabularies.insert(iri)
            }
            for member in object.members where !member.name.hasPrefix("@") && !member.value.isNull {
                if member.value["@reverse"] != nil { reversed.insert(member.name) }
                let id = Scope.id(of: member.value) ?? member.name
                if let meaning = scope.expand(id, as: member.name) {
                    meanings[member.name, default: []].insert(meaning)
                    names[meaning, default: []].insert(member.name)
                }
                if let inner = member.value["@context"] {
                    var inside = scope
                    add(inner, to: &inside, documents, depth: depth + 1)
                }
            }
        case .null, .bool, .number: return
        }
    }
}
