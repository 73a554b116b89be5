import Encoding

/// What the names of one pinned context mean, over all its scopes together.
///
/// A signature over RDF covers what names expand to, not the names: where two names have one meaning, or one name several, the
/// holder can exchange them and the signature stays right (seen: a farmer's context that maps the type of land ownership, the
/// crops and the farmer's id all to `schema:Text`). A JSON pointer then reads what the issuer never said.
struct ContextNames: Sendable {
    private var meanings: [Text: Set<Text>] = [:]
    private var names: [Text: Set<Text>] = [:]
    private var vocabularies: Set<Text> = []

    /// Contexts inside each other that are looked into.
    private static let depth = 16

    /// The names of a context document; `documents` are those that it may refer to.
    init(_ document: JSON, in documents: [Text: JSON]) {
        var scope = Scope()
        add(document["@context"] ?? .null, to: &scope, documents, depth: 0)
    }

    /// Whether a name that a document uses under these contexts could stand for something else.
    static func isAmbiguous(_ name: Text, under contexts: [ContextNames]) -> Bool {
        if name.hasPrefix("@") { return false }
        let vocabularies = contexts.reduce(into: Set<Text>()) { $0.formUnion($1.vocabularies) }
        var meanings = contexts.reduce(into: Set<Text>()) { $0.formUnion($1.meanings[name] ?? []) }
        if meanings.isEmpty { meanings = Set(vocabularies.map { Text($0.string + name.string) }) }
        guard meanings.count <= 1 else { return true }
        guard let meaning = meanings.first else { return false }
        if contexts.contains(where: { !($0.names[meaning] ?? []).isSubset(of: [name]) }) { return true }
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
