import Encoding
import LinkedData

/// A context that is pinned for another credential. It gives the properties of this credential other names: new names,
/// and names with another meaning in this credential.
struct SecondContext: Sendable {
    static let aliasURL: Text = "https://second.example/ns/aliases/v1"
    static let exchangeURL: Text = "https://second.example/ns/exchange/v1"

    /// Property IRI → its name under ``aliasURL``.
    let aliases: [Text: Text]
    /// Two members of a subject whose meanings ``exchangeURL`` exchanges, or none.
    private let exchanged: [(name: Text, property: Text)]

    init(for parts: [SignedPart], _ processor: JSONLDProcessor) {
        var properties: Set<Text> = []
        for part in parts {
            let dataset = try? processor.deserialize(part.document(part.node)).dataset
            properties.formUnion((dataset?.quads ?? []).map(\.predicate))
        }
        properties.remove(RDF.type)
        aliases = Dictionary(
            uniqueKeysWithValues: properties.sorted().enumerated().map { ($1, Text("second\($0)")) })
        exchanged = parts.first { $0.kind == .credential }.map { Self.exchanged(in: $0, processor) } ?? []
    }

    /// The context documents by their URLs.
    var documents: [Text: JSON] {
        var names = JSONObject()
        for (property, name) in aliases { names[name] = .string(property) }
        var others = JSONObject()
        for (index, member) in exchanged.enumerated() {
            others[member.name] = .string(exchanged[(index + 1) % exchanged.count].property)
        }
        return [Self.aliasURL: ["@context": .object(names)], Self.exchangeURL: ["@context": .object(others)]]
    }

    /// Returns the credential with those members of its subject under each other's names; `meaning` finds
    /// what a member means there.
    func exchanging(_ credential: JSONObject, meaning: (Text) -> Meaning?) -> JSONObject? {
        guard exchanged.count == 2, let subject = credential["credentialSubject"]?.object,
            let (first, second) = meaning(exchanged[0].name).flatMap({ first in
                meaning(exchanged[1].name).map { (first, $0) }
            })
        else { return nil }
        let head: JSONObject = ["@context": .string(Self.exchangeURL)]
        let changed = subject.with(exchanged[0].name, second.value).with(exchanged[1].name, first.value)
        return credential.with("credentialSubject", .object(JSONObject(head.members + changed.members)))
    }

    static let subject = JSONPlace() / "credentialSubject"

    private static func exchanged(in part: SignedPart, _ processor: JSONLDProcessor) -> [(Text, Text)] {
        guard let node = JSON.object(part.node).value(at: subject)?.object else { return [] }
        var found: [(Text, Text)] = []
        for name in node.names where found.count < 2 && name != "id" && name != "type" {
            guard let meaning = Meaning(of: name, in: node, at: subject, of: part, processor) else { continue }
            found.append((name, meaning.property))
        }
        return found.count == 2 ? found : []
    }
}
