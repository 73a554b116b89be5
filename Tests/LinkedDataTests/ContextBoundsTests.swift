import Encoding
import Testing

@testable import LinkedData

/// The cost of contexts that an attacker writes. Stack, memory and time must be limited for every use of such a
/// context.
@Suite(.timeLimit(.minutes(2))) struct ContextBoundsTests {
    private let processor = JSONLDProcessor(contexts: ContextDocuments([:]))

    private func code(_ document: JSON) -> JSONLDError.Code? {
        do throws(JSONLDError) {
            _ = try processor.deserialize(document)
            return nil
        } catch { return error.code }
    }

    private func object(_ count: Int, _ member: (Int) -> (String, JSON)) -> JSON {
        .object(
            JSONObject(
                (0..<count).map {
                    let (name, value) = member($0)
                    return .init(Text(name), value)
                }))
    }

    /// Returns nodes that each have a context of their own.
    private func nodes(_ count: Int, under context: JSON, _ own: (Int) -> JSON, _ more: JSONObject = [:]) -> JSON {
        let nodes = (0..<count).map { number -> JSON in
            var node = more
            node["@context"] = own(number)
            return .object(node)
        }
        return ["@context": context, "urn:nodes": .array(nodes)]
    }

    private func chain(_ count: Int, as spelling: (Int) -> JSON) -> JSON {
        var context = object(count) { ("t\($0)", spelling($0 + 1)) }.object ?? [:]
        context[Text("t\(count)")] = "urn:end"
        return ["@context": .object(context), "t0": "v"]
    }

    @Test func chainsOfTerms() {
        let spellings: [(Int) -> JSON] = [
            { .text("t\($0)") }, { ["@id": .text("t\($0)")] }, { .text("t\($0):x") },
            { ["@id": "urn:p", "@type": .text("t\($0)")] }, { ["@reverse": .text("t\($0)")] },
        ]
        for spelling in spellings {
            #expect(code(chain(7_000, as: spelling)) == .contextOverflow)
            #expect(code(chain(64, as: spelling)) == .contextOverflow)
        }
        #expect(code(chain(63) { .text("t\($0)") }) == nil)
    }

    /// Chains inside contexts inside definitions count together.
    @Test func chainsInsideEachOther() {
        func nested(_ levels: Int, _ length: Int) -> JSON {
            var context = object(length) { ("t\($0)", .text("t\($0 + 1)")) }.object ?? [:]
            context[Text("t\(length)")] =
                levels == 0 ? "urn:end" : ["@id": "urn:t", "@context": nested(levels - 1, length)]
            return .object(context)
        }
        #expect(code(["@context": nested(5, 7), "t0": "v"]) == nil)
        #expect(code(["@context": nested(5, 20), "t0": "v"]) == .contextOverflow)
    }

    @Test func growingBases() {
        let entry: JSON = ["@base": .text(String(repeating: "b", count: 1_000) + "/")]
        let start: JSON = ["@base": "https://box.example/"]
        #expect(code(["@context": .array([start, entry]), "@id": "a", "urn:p": 1]) == nil)
        #expect(code(["@context": .array([start, entry, entry, entry]), "@id": "a", "urn:p": 1]) == .limitExceeded)
    }

    /// Each node copies the whole table when the overlay has reached its limit.
    @Test(arguments: ["urn:t", "@value", "@type"]) func copiedTables(meaning: String) {
        let table: [JSON] = [
            object(3_600) { ("t\($0)", .text(meaning)) }, object(240) { ("u\($0)", .text(meaning)) },
        ]
        func document(_ count: Int) -> JSON {
            nodes(count, under: .array(table)) { [Text("own\($0)"): .text(meaning)] }
        }
        #expect(code(document(600)) == .contextOverflow)
        #expect(code(document(10)) == nil)
        #expect(code(nodes(1_000, under: [:]) { [Text("own\($0)"): "urn:own"] }) == nil)
    }

    /// A scoped context is processed again under each context of another language.
    @Test func elementsOfScopedContexts() {
        for element in [JSONObject().asJSON, .null] {
            func document(_ elements: Int, _ count: Int) -> JSON {
                let term: JSON = ["@id": "urn:p", "@context": .array(Array(repeating: element, count: elements))]
                return nodes(count, under: ["p": term], { ["@language": .text("a\($0)")] }, ["p": 1])
            }
            #expect(code(document(25_000, 1)) == .contextOverflow)
            #expect(code(document(64, 6_000)) == .contextOverflow)
            #expect(code(document(2, 1_000)) == nil)
        }
    }

    /// Each part of a scoped context has a length limit.
    @Test func partsOfScopedContexts() {
        let long = String(repeating: "a", count: 100_000)
        let parts: [JSON] = [
            [Text(long): "urn:q"], ["q": ["@id": "urn:q", "@type": .text("urn:" + long)]],
            ["q": ["@id": .text("@" + long)]], ["q": ["@id": "urn:q", "@nest": .text("@" + long)]],
            ["q": ["@id": "urn:q", "@language": .text(long)]],
            ["q": ["@id": "urn:q", "@container": .array(Array(repeating: "@set", count: 10_000))]],
            ["@version": .number(JSONNumber(validated: "1.1" + String(repeating: "0", count: 100_000)))],
        ]
        for part in parts { #expect(code(["@context": part, "urn:p": 1]) != nil) }
        for part in parts {
            #expect(code(["@context": ["p": ["@id": "urn:p", "@context": part]], "p": 1]) == .invalidScopedContext)
        }
    }

    @Test func namesForValues() {
        var aliases = object(4_900) { ("v\($0)", "@value") }.object ?? [:]
        aliases["@propagate"] = false
        let objects = JSON.array((0..<5_000).map { ["urn:n": .text("\($0)")] })
        #expect(code(["@context": .object(aliases), "urn:p": objects]) == nil)
        // All the aliases are still recognised: a value object keeps the context that does not propagate.
        let context: JSON = [
            "v1": "@value", "v2": "@value", "l": "@language", "@propagate": false, "v3": "@value",
        ]
        let dataset = try? processor.deserialize(["@context": context, "urn:p": ["v3": "x"]]).dataset
        #expect(dataset?.quads.map(\.object) == [.literal(Literal("x"))])
    }

    @Test func longLanguages() {
        let tag = String(repeating: "a-", count: 200_000) + "a"
        let texts = JSON.array((0..<11_000).map { .text("\($0)") })
        #expect(code(["@context": ["@language": .text(tag)], "urn:p": texts]) == nil)
        #expect(!LanguageTag.isWellFormed(Text(tag)))
        #expect(LanguageTag.isWellFormed("de-Latn-DE-1996-x-gate"))
    }

    /// A protected term prevents a null context, until a property-scoped context, which may override
    /// protected terms, defines the term again.
    @Test func protectedTerms() {
        let protected: JSON = ["@protected": true, "a": "urn:a", "b": "urn:b"]
        #expect(code(["@context": [protected, nil], "urn:p": 1]) == .invalidContextNullification)
        #expect(code(["@context": [protected, protected, nil], "urn:p": 1]) == .invalidContextNullification)
        let scoped: JSON = ["@protected": true, "p": ["@id": "urn:p", "@context": ["p": nil]]]
        #expect(code(["@context": scoped, "p": ["@context": nil, "urn:p": 1]]) == nil)
    }
}

extension JSONObject {
    fileprivate var asJSON: JSON { .object(self) }
}
