import Encoding
import LinkedData
import Testing

@testable import Credentials

/// Names in pointers are read like the JSON-LD engine reads them, with the same contexts at the same places.
@Suite struct ClaimNameTests {
    /// A claim of a document, under the context of the document.
    struct Row: CustomTestStringConvertible, Sendable {
        let name: String
        let context: JSON
        let subject: JSON
        let claim: String
        var values: [Text]?
        var testDescription: String { name }
    }

    private static let url: Text = "urn:c"

    static let rows = [
        Row(name: "a term", context: ["a": "urn:a"], subject: ["a": "x"], claim: "/a", values: ["x"]),
        Row(
            name: "a term of the type's context", context: ["T": ["@id": "urn:T", "@context": ["a": "urn:a"]]],
            subject: ["type": "T", "a": "x"], claim: "/a", values: ["x"]),
        Row(
            name: "a term that the type's context defines anew",
            context: ["a": "urn:other", "T": ["@id": "urn:T", "@context": ["a": "urn:a"]]],
            subject: ["type": "T", "a": "x"], claim: "/a", values: ["x"]),
        Row(
            name: "a term that two types define",
            context: [
                "T": ["@id": "urn:T", "@context": ["a": "urn:a"]], "U": ["@id": "urn:U", "@context": ["a": "urn:b"]],
            ], subject: ["type": ["U", "T"], "a": "x"], claim: "/a", values: ["x"]),
        Row(
            name: "a term of the property's context",
            context: ["p": ["@id": "urn:p", "@context": ["a": "urn:a"]]], subject: ["p": ["a": "x"]], claim: "/p/a",
            values: ["x"]),
        Row(
            name: "a type's context ends with its node",
            context: [
                "a": "urn:a", "p": "urn:p", "T": ["@id": "urn:T", "@context": ["a": "urn:other", "p": "urn:q"]],
            ], subject: ["type": "T", "p": ["a": "x"]], claim: "/p/a", values: ["x"]),
        Row(
            name: "a type's context that propagates",
            context: [
                "a": "urn:a", "p": "urn:p", "T": ["@id": "urn:T", "@context": ["@propagate": true, "a": "urn:other"]],
            ], subject: ["type": "T", "p": ["a": "x"]], claim: "/p/a", values: ["x"]),
        Row(
            name: "a term for nesting", context: ["more": "@nest", "a": "urn:a"], subject: ["more": ["a": "x"]],
            claim: "/more/a", values: ["x"]),
        Row(
            name: "a term for nesting with a context", context: ["more": ["@id": "@nest", "@context": ["a": "urn:a"]]],
            subject: ["more": ["a": "x"]], claim: "/more/a", values: ["x"]),
        Row(
            name: "another name for the type", context: ["kind": "@type", "T": "urn:T"], subject: ["kind": "T"],
            claim: "/kind", values: ["urn:T"]),
        Row(
            name: "another name for the id", context: ["self": "@id"], subject: ["self": "urn:s"], claim: "/self",
            values: ["urn:s"]),
        Row(name: "a vocabulary", context: ["@vocab": "urn:v:"], subject: ["a": "x"], claim: "/a", values: ["x"]),
        Row(
            name: "a vocabulary of a type", context: ["T": ["@id": "urn:T", "@context": ["@vocab": "urn:v:"]]],
            subject: ["type": "T", "a": "x"], claim: "/a", values: ["x"]),
        Row(
            name: "a prefix in the context", context: ["ex": "urn:ex:", "a": "ex:a"], subject: ["a": "x"], claim: "/a",
            values: ["x"]),
        Row(
            name: "texts by language", context: ["a": ["@id": "urn:a", "@container": "@language"]],
            subject: ["a": ["en": "x", "de": "y"]], claim: "/a/en", values: ["x"]),
        Row(
            name: "a language that is not there", context: ["a": ["@id": "urn:a", "@container": "@language"]],
            subject: ["a": ["de": "y"]], claim: "/a/en", values: []),
        Row(
            name: "an ordered list", context: ["a": ["@id": "urn:a", "@container": "@list"]],
            subject: ["a": ["x", "y"]], claim: "/a/1", values: ["y"]),
        Row(
            name: "JSON", context: ["a": ["@id": "urn:a", "@type": "@json"]], subject: ["a": ["b": ["x"]]],
            claim: "/a/b/0", values: ["x"]),
        Row(
            name: "the text of a value object", context: ["a": "urn:a", "value": "@value"],
            subject: ["a": ["value": "x"]], claim: "/a/value", values: ["x"]),
        Row(name: "a term that is not stated", context: ["a": "urn:a"], subject: [:], claim: "/a", values: []),
        // Claims without a value in the statements, or in a form that the statements do not preserve.
        Row(name: "a name that means nothing", context: ["a": "urn:a"], subject: ["a": "x"], claim: "/b"),
        Row(
            name: "a reverse property", context: ["a": ["@reverse": "urn:a"]], subject: ["a": ["id": "urn:x"]],
            claim: "/a"),
        Row(
            name: "nodes by an index", context: ["a": ["@id": "urn:a", "@container": "@index"], "b": "urn:b"],
            subject: ["a": ["one": ["b": "x"]]], claim: "/a/one/b"),
        Row(
            name: "nodes by their ids", context: ["a": ["@id": "urn:a", "@container": "@id"], "b": "urn:b"],
            subject: ["a": ["urn:x": ["b": "x"]]], claim: "/a/urn:x/b"),
    ]

    private static func processor(_ contexts: [Text: JSON]) -> JSONLDProcessor {
        JSONLDProcessor(contexts: ContextDocuments(contexts))
    }

    private static func context(_ terms: JSON) -> JSON {
        let names: JSONObject = ["id": "@id", "type": "@type", "subject": "urn:subject"]
        return ["@context": .object(JSONObject(names.members + (terms.object?.members ?? [])))]
    }

    /// Returns the findings for a claim of the subject, for a rule that lists the contexts and for one that
    /// does not.
    private func read(_ claim: String, _ subject: JSON, _ contexts: [Text: JSON], under urls: [Text]) throws
        -> [ClaimFinding]
    {
        let processor = Self.processor(contexts)
        let document: JSON = ["@context": .array(urls.map { .string($0) }), "subject": subject]
        let deserialized = try processor.deserialize(document)
        let graph = StatementGraph(deserialized.dataset, root: try #require(deserialized.root))
        let claims = PolicyFixture.claims(document, format: .ldpVC, graph: graph)
        let tokens = ("subject" + claim).split(separator: "/").map { Text(String($0)) }
        return [urls, []].map { listed in
            let names = ClaimNames(of: claims, listed: listed, pinned: processor, work: RuleWork(1_000))
            return claims.read(.pointer("", tokens), names)
        }
    }

    @Test(arguments: rows) func namesAreReadAsTheEngineReadsThem(_ row: Row) throws {
        for finding in try read(row.claim, row.subject, [Self.url: Self.context(row.context)], under: [Self.url]) {
            switch (row.values, finding) {
            case (nil, .unknown): continue
            case ([]?, .absent): continue
            case (let wanted?, .value(let value)):
                let texts = (value.elements ?? []).map { element -> Text in
                    switch element {
                    case .text(let text): return text
                    case .iri(let iri): return iri.iri
                    default: return "?"
                    }
                }
                #expect(texts == wanted)
            default: Issue.record("\(finding)")
            }
        }
    }

    /// One property has two names, and the holder may exchange them.
    @Test func aNameThatSharesItsMeaningIsUnknown() throws {
        let contexts: [Text: JSON] = [
            "urn:c": Self.context(["a": "urn:one", "b": "urn:one", "c": "urn:two"]),
            "urn:d": ["@context": ["T": ["@id": "urn:T", "@context": ["d": "urn:two"]]]],
            "urn:e": ["@context": ["@vocab": "urn:"]],
        ]
        for (urls, isTold) in [(["urn:c"], true), (["urn:c", "urn:d"], false), (["urn:c", "urn:e"], false)] {
            let urls = urls.map { Text($0) }
            let pinned = contexts.filter { urls.contains($0.key) }
            for finding in try read("/c", ["c": "x"], pinned, under: urls) {
                if case .value = finding { #expect(isTold) } else { #expect(!isTold) }
            }
            for finding in try read("/a", ["a": "x"], pinned, under: urls) {
                guard case .unknown(let why) = finding else {
                    Issue.record("\(finding)")
                    continue
                }
                #expect(why.contains("use property IRIs"))
            }
        }
    }

    /// If a step leads to several nodes and some have no value, the values of the other nodes are not the complete
    /// list.
    @Test func propertiesThatSomeNodesLack() throws {
        let contexts: [Text: JSON] = [Self.url: Self.context(["a": "urn:a", "b": "urn:b"])]
        let subjects: JSON = [["id": "did:example:a", "a": ["b": "x"]], ["a": ["b": "y"]], ["a": "z"]]
        for (claim, count) in [("/id", 2), ("/a/b", 3), ("/a", 4)] {
            for finding in try read(claim, subjects, contexts, under: [Self.url]) {
                guard case .value(.list(let values)) = finding else {
                    Issue.record("\(claim): \(finding)")
                    continue
                }
                #expect(values.count == (claim == "/a" ? 3 : count), "\(claim)")
                let isOpen = values.contains { if case .other = $0, claim != "/a" { true } else { false } }
                #expect(isOpen == (claim != "/a"), "\(claim)")
            }
        }
    }

    /// If a type has two terms, the document may use either, including one without contexts of its own.
    @Test func aTypeWithTwoTerms() throws {
        let contexts: [Text: JSON] = [
            Self.url: Self.context([
                "T": ["@id": "urn:T", "@context": ["a": "urn:other"]], "U": "urn:T", "a": "urn:a", "b": "urn:b",
            ])
        ]
        for type in ["T", "U"] as [JSON] {
            for finding in try read("/a", ["type": type, "b": "x"], contexts, under: [Self.url]) {
                guard case .unknown = finding else {
                    Issue.record("\(type): \(finding)")
                    continue
                }
            }
        }
    }

    /// A node is described twice, with its type in one description only. Under that type, the name in the other
    /// description has another meaning.
    @Test func aTypeThatIsStatedElsewhere() throws {
        let contexts: [Text: JSON] = [
            Self.url: Self.context([
                "T": ["@id": "urn:T", "@context": ["a": "urn:other"]], "a": "urn:a", "about": "urn:about",
            ])
        ]
        let again: JSON = ["id": "urn:s", "type": "T"]
        for finding in try read("/a", ["id": "urn:s", "a": "x", "about": again], contexts, under: [Self.url]) {
            guard case .unknown = finding else {
                Issue.record("\(finding)")
                continue
            }
        }
        for finding in try read("/a", ["id": "urn:s", "about": again], contexts, under: [Self.url]) {
            guard case .absent = finding else {
                Issue.record("\(finding)")
                continue
            }
        }
    }

    /// A document whose inner objects list other contexts, or the same contexts in another order, does not match the
    /// list of a rule.
    @Test func contextsOfInnerObjects() {
        let (a, b): (JSON, JSON) = ("urn:a", "urn:b")
        let cases: [(JSON, Bool)] = [
            (["x": ["y": 1]], true), (["x": [["@context": [a, b], "y": 1]]], true), (["proof": ["@context": b]], true),
            (["x": ["@context": b]], false), (["x": [["z": ["@context": [b, a]]]]], false),
            (["x": ["@context": [a, b, [:]]]], false),
            (["x": ["proof": ["@context": b]]], false),
        ]
        for (members, isOne) in cases {
            let document = JSONObject([.init("@context", [a, b])] + (members.object?.members ?? []))
            let listed = ListedContexts(of: document)
            #expect(listed.are(["urn:a", "urn:b"]) == isOne && listed.begin(with: ["urn:a", "urn:b"]), "\(members)")
            #expect(!listed.begin(with: ["urn:a"]))
        }
    }

    /// A text that a context selects by its language may not be readable under another context.
    @Test func aLanguageIsNoAbsentPart() throws {
        let contexts: [Text: JSON] = [
            Self.url: Self.context(["a": "urn:a", "b": "urn:b", "de": "urn:de"]),
            "urn:d": Self.context(["a": ["@id": "urn:a", "@container": "@language"]]),
        ]
        let subject: JSON = ["a": ["@value": "x", "@language": "de"]]
        for (claim, isAbsent) in [("/a/de", [true, false]), ("/a/b", [true, true])] {
            let findings = try read(claim, subject, contexts, under: [Self.url])
            let found = findings.map { if case .absent = $0 { true } else { false } }
            #expect(found == isAbsent, "\(claim): \(findings)")
        }
    }

    /// Another name for a keyword; in the issuer's document it may have had another meaning.
    @Test func aliasesOfKeywords() throws {
        let contexts: [Text: JSON] = ["urn:c": Self.context(["a": "urn:a"]), "urn:d": ["@context": ["kind": "@type"]]]
        let findings = try read("/kind", ["a": "x"], contexts, under: ["urn:c", "urn:d"])
        let isUnknown = findings.map { if case .unknown = $0 { true } else { false } }
        #expect(isUnknown == [false, true])
    }

    /// The contexts of proofs have many types with scopes of their own, which borrow from each other.
    @Test func contextsOfProofs() throws {
        let first: Text = "https://www.w3.org/2018/credentials/v1"
        let suites: [Text] = [
            "https://w3id.org/security/suites/ed25519-2020/v1", "https://w3id.org/security/suites/jws-2020/v1",
            "https://w3id.org/security/data-integrity/v2",
        ]
        var documents: [Text: JSON] = [Self.url: Self.context(["a": "urn:a", "T": ["@id": "urn:T", "@context": [:]]])]
        for url in suites + [first] {
            documents[url] = try JSON.parse(try #require(BuiltInContexts.document(url), "\(url)").bytes)
        }
        for suite in suites {
            for finding in try read("/a", ["a": "x"], documents, under: [first, suite, Self.url]) {
                guard case .value = finding else {
                    Issue.record("\(suite): \(finding)")
                    continue
                }
            }
        }
    }

    /// In the standard contexts, the names that rules commonly read have one meaning.
    @Test func standardContexts() throws {
        for url in ["https://www.w3.org/2018/credentials/v1", "https://www.w3.org/ns/credentials/v2"] as [Text] {
            let document = try JSON.parse(try #require(BuiltInContexts.document(url)).bytes)
            let names = try #require(Self.processor([url: document]).definedNames(of: [url]).first)
            for name in [
                "credentialSubject", "issuer", "issuanceDate", "validFrom", "validUntil", "expirationDate",
                "credentialStatus", "evidence", "holder", "termsOfUse",
            ] as [Text] {
                // credentials/v2 does not have the dates of version 1.
                let meanings = names.definitions(of: name)
                guard let meaning = meanings.first else { continue }
                #expect(meanings.count == 1 && !names.names(meaning, otherwiseThan: name), "\(name) in \(url)")
            }
        }
    }

    // MARK: - Cost

    /// Rules examine thousands of nodes once each, and no more nodes than the limit of statements.
    @Test func manyNodes() throws {
        let (root, count) = (Term.blank("c"), 6_000)
        let quads = (0..<count).flatMap { index -> [Quad] in
            let node = Term.blank(Text("n\(index)"))
            return [Quad(root, "urn:p", node), Quad(node, "urn:a", .literal(Literal(Text("\(index)"))))]
        }
        let pinned: [Text: JSON] = [Self.url: ["@context": ["p": "urn:p", "a": "urn:a"]]]
        let claims = PolicyFixture.claims(
            ["@context": .string(Self.url)], format: .ldpVC, graph: PolicyFixture.graph(quads, root: root))
        let work = RuleWork(Limits().ruleNodes)
        let names = ClaimNames(of: claims, listed: [], pinned: Self.processor(pinned), work: work)
        guard case .value(.list(let values)) = claims.read(.pointer("", ["p", "a"]), names) else {
            Issue.record("not read")
            return
        }
        #expect(values.count == count)
        guard case .unknown(let why) = claims.read(.pointer("", ["p", "a"]), names) else {
            Issue.record("not counted")
            return
        }
        #expect(why.contains("too many"))
        // One rule may read them; ten rules exceed the limit, so the result is unknown.
        let condition = #"{ claim = "/p/a", contains = "5999" }"#
        #expect(try PolicyFixture.fulfils(condition, claims, pinned: pinned))
        let ten = "{ all = [ \(Array(repeating: condition, count: 10).joined(separator: ", ")) ] }"
        #expect(try !PolicyFixture.fulfils(ten, claims, pinned: pinned))
        #expect(try !PolicyFixture.fulfils("{ not = \(ten) }", claims, pinned: pinned))
    }
}
