import Encoding
import LinkedData
import TestKit
import Testing

@testable import Credentials

/// A name in a pointer has the meaning that the expansion of the document gives it, under any contexts of types and
/// properties. The oracle writes a member with the name into the document, expands the whole document, and finds the
/// place of the value.
@Suite struct ClaimNameOracleTests {
    /// Generates contexts and a document, always the same for the same seed.
    private struct Generator {
        var random: FixedGenerator
        private var issued = 0

        init(seed: UInt64) { random = FixedGenerator(state: seed &* 0x9E37_79B9_7F4A_7C15) }

        static let names: [Text] = ["a", "b", "c", "d", "e", "f"]
        static let types: [Text] = ["T", "U", "V"]
        /// A term that holds further members of the same node.
        static let nest: Text = "n"
        /// Names that are used only there.
        static let nested: [Text] = ["g", "h"]

        mutating func chance(_ part: Int) -> Bool { Int.random(in: 0..<part, using: &random) == 0 }

        mutating func iri() -> Text {
            issued += 1
            return Text(chance(3) ? "ex:\(issued)" : "urn:p:\(issued)")
        }

        mutating func context(_ depth: Int) -> JSON {
            var terms = JSONObject()
            if depth == 0 {
                terms = [
                    "@version": .number(JSONNumber(validated: "1.1")), "id": "@id", "type": "@type", "ex": "urn:ex:",
                ]
                if chance(3) { terms["kind"] = "@type" }
                terms[Self.nest] = chance(2) ? "@nest" : ["@id": "@nest", "@context": context(2)]
            }
            if chance(4) { terms["@vocab"] = chance(4) ? nil : .text("urn:v\(depth):") }
            if chance(5), depth > 0 { terms["@propagate"] = .bool(chance(2)) }
            for name in Self.names + Self.nested where chance(depth == 0 ? 2 : 3) { terms[name] = definition(depth) }
            for type in Self.types where chance(2) {
                var entry: JSONObject = ["@id": .text("urn:t:\(type)")]
                if depth < 2, chance(2) { entry["@context"] = context(depth + 1) }
                terms[type] = .object(entry)
            }
            return .object(terms)
        }

        private mutating func definition(_ depth: Int) -> JSON {
            switch Int.random(in: 0..<11, using: &random) {
            case 0: return .null
            case 1, 2: return .string(iri())
            case 3: return ["@id": .string(iri()), "@type": "@id"]
            case 4: return ["@id": .string(iri()), "@type": "@vocab"]
            case 5: return ["@id": .string(iri()), "@container": "@list"]
            case 6: return ["@id": .string(iri()), "@type": "@json"]
            default:
                var entry: JSONObject = ["@id": .string(iri())]
                if depth < 2 { entry["@context"] = context(depth + 1) }
                return .object(entry)
            }
        }

        mutating func node(_ depth: Int) -> JSONObject {
            var node: JSONObject = ["id": .string(value())]
            if chance(2) {
                let types = Self.types.filter { _ in chance(2) }.map { JSON.string($0) }
                if !types.isEmpty { node["type"] = .array(types) }
            }
            for member in members(Self.names, depth).members { node[member.name] = member.value }
            if depth < 3, chance(3) { node[Self.nest] = .object(members(Self.nested, depth + 1)) }
            return node
        }

        private mutating func members(_ names: [Text], _ depth: Int) -> JSONObject {
            var members = JSONObject()
            for name in names where chance(2) {
                members[name] = depth < 3 && !chance(3) ? .object(node(depth + 1)) : .string(value())
            }
            return members
        }

        private mutating func value() -> Text {
            issued += 1
            return Text("urn:value:\(issued)")
        }
    }

    private static let probe: Text = "urn:x:probe"

    /// Returns the property of the probe if a name at a place of the document has the probe as its value; nil if the
    /// name states nothing, or if no document can contain it there.
    private func property(
        of name: Text, at place: JSONPlace, in document: JSON, _ processor: JSONLDProcessor
    ) -> (property: Text, node: Term)?? {
        guard let node = document.value(at: place)?.object else { return .none }
        let changed = document.replacing(place, by: .object(node.with(name, .string(Self.probe))))
        guard let quads = try? processor.deserialize(changed).dataset.quads else { return .none }
        let found = quads.first { quad in
            switch quad.object {
            case .iri(let iri): iri == Self.probe
            case .literal(let literal): literal.value.string.contains(Self.probe.string)
            case .blank: false
            }
        }
        guard let found else { return .some(nil) }
        if found.predicate != RDF.first { return .some((found.predicate, found.subject)) }
        return .some(quads.first { $0.object == found.subject }.map { ($0.predicate, $0.subject) })
    }

    /// An object of the document, with the id of the node to which its members belong.
    private struct Place {
        var place = JSONPlace()
        var tokens: [Text] = []
        var node: Text?
    }

    private static func places(of object: JSONObject, at place: Place) -> [Place] {
        var here = place
        here.node = object["id"]?.string ?? place.node
        return [here]
            + object.members.flatMap { member -> [Place] in
                guard let inner = member.value.object, member.name != "@context" else { return [] }
                let below = Place(
                    place: here.place / member.name, tokens: here.tokens + [member.name], node: here.node)
                return places(of: inner, at: below)
            }
    }

    @Test(arguments: 0..<100) func namesAreThoseOfTheExpansion(seed: Int) throws {
        var generator = Generator(seed: UInt64(seed))
        let urls: [Text] = ["urn:c0", "urn:c1"]
        let documents = Dictionary(uniqueKeysWithValues: urls.map { ($0, ["@context": generator.context(0)] as JSON) })
        let processor = JSONLDProcessor(contexts: ContextDocuments(documents))
        var document = generator.node(0)
        document["@context"] = .array(urls.map { .string($0) })
        // Contexts may contradict each other, and some values are not allowed in some places: then there is
        // no such document.
        guard let deserialized = try? processor.deserialize(.object(document)), let root = deserialized.root else {
            return
        }
        let graph = StatementGraph(deserialized.dataset, root: root)
        let claims = PolicyFixture.claims(.object(document), format: .ldpVC, graph: graph)
        let names = ClaimNames(of: claims, listed: urls, pinned: processor, work: RuleWork(100_000))
        let dropped = Set(deserialized.dropped.map(\.pointer))
        for place in Self.places(of: document, at: Place()) {
            let (tokens, pointer) = (place.tokens, place.tokens.map { "/" + $0.string }.joined())
            if dropped.contains(where: { pointer == $0 || pointer.utf8.starts(with: ($0 + "/").utf8) }) { continue }
            // An object in a JSON literal is not a node.
            let node = place.node.map { Term.iri($0) }
            guard graph.dataset.quads.contains(where: { $0.subject == node || $0.object == node }) else { continue }
            for name in Generator.names + Generator.nested {
                guard let found = property(of: name, at: place.place, in: .object(document), processor) else {
                    continue
                }
                var reading = StatementReading(graph, names)
                let finding = reading.read(pointer: tokens + [name])
                let isStated = found.map { graph.states($0.property, at: $0.node) }
                switch (isStated, finding) {
                case (nil, .unknown), (true?, .value), (false?, .absent): continue
                case (_?, .unknown(let why)) where why.contains("list"): continue
                default:
                    Issue.record("\(seed) \(pointer) \(name): \(isStated.map(String.init) ?? "nothing"), \(finding)")
                }
            }
        }
    }
}
