import Encoding
import LinkedData

/// A context that is pinned for some other credential and gives this one's properties other names: new ones, and ones that
/// mean something else here.
struct SecondContext {
    static let aliasURL: Text = "https://second.example/ns/aliases/v1"
    static let exchangeURL: Text = "https://second.example/ns/exchange/v1"

    /// Property IRI → its name under ``aliasURL``.
    let aliases: [Text: Text]
    private let exchange: [(name: Text, meaning: Meaning)]

    init(for parts: [SignedPart], under contexts: [Text: JSON]) {
        let processor = JSONLDProcessor(contexts: ContextDocuments(contexts))
        var properties: Set<Text> = []
        for part in parts {
            let dataset = try? processor.dataset(part.document(part.node)).dataset
            properties.formUnion((dataset?.quads ?? []).map(\.predicate))
        }
        properties.remove(RDF.type)
        aliases = Dictionary(
            uniqueKeysWithValues: properties.sorted().enumerated().map { ($1, Text("second\($0)")) })
        exchange = parts.first { $0.kind == .credential }.map { Self.exchange(in: $0, processor) } ?? []
    }

    /// The context documents by their URLs.
    var documents: [Text: JSON] {
        var names = JSONObject()
        for (property, name) in aliases { names[name] = .string(property) }
        var others = JSONObject()
        for (index, member) in exchange.enumerated() {
            others[member.name] = .string(exchange[(index + 1) % exchange.count].meaning.property)
        }
        return [Self.aliasURL: ["@context": .object(names)], Self.exchangeURL: ["@context": .object(others)]]
    }

    /// The credential with two members of its subject under each other's names.
    func exchanging(_ credential: JSONObject) -> JSONObject? {
        guard exchange.count == 2, var subject = credential["credentialSubject"]?.object else { return nil }
        for (index, member) in exchange.enumerated() {
            guard subject[member.name] != nil else { return nil }
            subject[member.name] = exchange[(index + 1) % 2].meaning.value
        }
        let head: JSONObject = ["@context": .string(Self.exchangeURL)]
        return credential.with("credentialSubject", .object(JSONObject(head.members + subject.members)))
    }

    private static func exchange(in part: SignedPart, _ processor: JSONLDProcessor) -> [(Text, Meaning)] {
        let place = JSONPlace() / "credentialSubject"
        guard let subject = JSON.object(part.node).value(at: place)?.object else { return [] }
        var found: [(Text, Meaning)] = []
        for name in subject.names where found.count < 2 && name != "id" && name != "type" {
            guard let meaning = Meaning(of: name, in: subject, at: place, of: part, processor) else { continue }
            found.append((name, meaning))
        }
        return found
    }
}
