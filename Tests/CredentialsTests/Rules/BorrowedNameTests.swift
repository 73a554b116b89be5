import Encoding
import LinkedData
import Testing

@testable import Credentials

/// A context may borrow the meaning of its names from earlier contexts: a prefix, a vocabulary, a term. A holder may
/// list other contexts in their place, or one more afterwards. The holder must not be able to give the issuer's
/// statements other names in this way.
@Suite struct BorrowedNameTests {
    private static let ns = "https://works.example/ns#"

    private static func iri(_ name: String) -> Text { Text(ns + name) }

    private static func term(_ name: String) -> JSON { .string(iri(name)) }

    /// The term for the role, whose values are names.
    private static let role: JSON = ["@id": term("role"), "@type": "@vocab"]

    private static let contexts: [Text: JSON] = [
        "urn:prefix": ["p": .text(ns)],
        "urn:vocabulary": ["@vocab": .text(ns)],
        // Contexts of the issuer that define terms with names from another context.
        "urn:by-prefix": ["role": ["@id": "p:role", "@type": "@vocab"], "Guest": "p:Guest"],
        "urn:by-vocabulary": ["role": ["@id": "role", "@type": "@vocab"], "Guest": ["@id": "Guest"]],
        "urn:by-coercion": ["role": role, "Guest": term("Guest"), "day": ["@id": "urn:day", "@type": "Day"]],
        "urn:by-compact-term": [
            "p:role": ["@id": term("role"), "@type": "@vocab"], "role": role, "Guest": term("Guest"),
        ],
        "urn:day": ["Day": "https://days.example/Day"],
        "urn:without-vocabulary": [
            "@vocab": nil, "role": role, "Guest": term("Guest"), "day": ["@id": "urn:x:day", "@type": "Day"],
        ],
        "urn:vocabulary-by-prefix": ["@vocab": "p:", "role": ["@id": "role", "@type": "@vocab"]],
        "urn:word": ["w": .text(ns)],
        "urn:vocabulary-by-term": ["@vocab": "w", "role": ["@id": "role", "@type": "@vocab"]],
        "urn:terms": ["t": term("role"), "g": term("Guest")],
        "urn:by-term": ["@vocab": "https://words.example/", "role": ["@id": "t", "@type": "@vocab"], "Guest": "g"],
        "urn:scheme": ["urn": .text(ns)],
        "urn:by-scheme": ["role": ["@id": "urn:role", "@type": "@vocab"], "Guest": "urn:Guest"],
        // Two scopes with the same text, below different prefixes.
        "urn:scopes": [
            "alpha": [
                "@id": "urn:x:alpha",
                "@context": [
                    "p": "https://other.example/", "inner": ["@id": "urn:x:i", "@context": ["Guest": "p:Guest"]],
                ],
            ],
            "beta": [
                "@id": "urn:x:beta",
                "@context": ["p": .text(ns), "inner": ["@id": "urn:x:i", "@context": ["Guest": "p:Guest"]]],
            ],
            "role": role,
        ],
        // Contexts of the issuer with vocabularies of their own.
        "urn:scoped": [
            "@vocab": .text(ns), "role": role,
            "team": ["@id": term("team"), "@context": ["Guest": "https://other.example/Guest"]],
        ],
        // Contexts of the issuer whose scopes borrow from each other and from later contexts.
        "urn:inherited": [
            "p": "https://other.example/", "info": ["@id": "urn:x:info", "@context": ["p": .text(ns)]],
            "inner": ["@id": "urn:x:inner", "@context": ["Guest": "p:Guest"]], "role": role,
        ],
        "urn:later": ["p": .text(ns)],
        "urn:inner": [
            "p": "https://other.example/", "inner": ["@id": "urn:x:inner", "@context": ["Guest": "p:Guest"]],
            "role": role,
        ],
        // Chains of prefixes, each of which needs the previous one.
        "urn:chain1": ["p1": "https://works.example/"], "urn:chain2": ["p2": ["@id": "p1:ns#", "@prefix": true]],
        "urn:chain3": ["p3": ["@id": "p2:r", "@prefix": true]],
        "urn:by-chain": ["role": ["@id": "p3:ole", "@type": "@vocab"], "Guest": "p2:Guest"],
        "urn:xsd1": ["xsd": "https://xsd.example/#"], "urn:xsd2": ["xsd": "https://xsd.example/#", "a2": "xsd:a"],
        "urn:xsd3": ["xsd": "https://xsd.example/#", "a3": "xsd:a"],
        "urn:by-both": [
            "role": ["@id": "p:role", "@type": "@vocab"], "Guest": ["@id": "Guest"], "xsd": "https://xsd.example/#",
        ],
        "urn:indexed": ["info": ["@id": "urn:x:info", "@container": "@index", "@index": "p:role"], "p": .text(ns)],
        "urn:other-vocabulary": ["@vocab": "https://words.example/", "role": role],
        // Contexts of other parties.
        "urn:named": ["role": role, "Admin": term("Guest")],
        "urn:named-with-vocabulary": ["@vocab": "https://more.example/", "role": role, "Admin": term("Guest")],
        "urn:renamed": ["Guest": "https://more.example/Guest", "Admin": term("Guest")],
        "urn:alias": ["category": "@type"],
        "urn:nest": ["box": "@nest", "role": role],
        "urn:box": ["box": "https://more.example/box"],
        "urn:category": ["category": "https://more.example/category"],
    ]

    private static let guest = [Quad(.blank("c"), iri("role"), .iri(iri("Guest")))]
    private static let visitor = [
        Quad(.blank("c"), RDF.type, .iri(iri("Employee"))),
        Quad(.blank("c"), iri("category"), .literal(Literal("Visitor"))),
    ]

    /// Returns the code for statements that the holder presents under these contexts.
    private func code(
        _ rules: String, _ statements: [Quad], under list: [Text], besides issuers: [Text] = [], listed: Bool = false
    ) throws -> String {
        let urls = Set(list + issuers)
        let pinned = Self.contexts.filter { urls.contains($0.key) }.mapValues { JSON.object(["@context": $0]) }
        let claims = SignedClaims(
            issuer: PolicyFixture.issuer, types: [], text: nil,
            graph: DeferredGraph(PolicyFixture.graph(statements)),
            contexts: ListedContexts(.array(list.map { .string($0) })),
            issuerContexts: listed ? urls.sorted() : nil, validFrom: nil, validUntil: nil,
            signed: SignedContent(digest: []), id: nil, subjects: CredentialSubjects([]))
        return PolicyFixture.ask(try PolicyFixture.parse(rules), [PolicyCase(claims: claims)], pinned: pinned).code
    }

    private func accept(_ condition: String) -> String { "[[accept]]\nid = \"r\"\nrequire = [ { \(condition) } ]\n" }

    private func deny(_ condition: String) -> String {
        "[[deny]]\nid = \"d\"\nwhen = [ { \(condition) } ]\n[[accept]]\nid = \"r\"\n"
    }

    /// The issuer's own document is read as the issuer intended.
    @Test(
        arguments: [
            ["urn:prefix", "urn:by-prefix"], ["urn:vocabulary", "urn:by-coercion"], ["urn:scoped"],
        ] as [[Text]]) func theIssuersOwnListIsRead(_ list: [Text]) throws
    {
        #expect(try code(deny("claim = \"/role\", equals = \"Guest\""), Self.guest, under: list) == "policy.d")
        #expect(try code(accept("claim = \"/role\", equals = \"Admin\""), Self.guest, under: list) != "ok")
        #expect(try code(accept("claim = \"/role\", exists = true"), Self.guest, under: list) == "ok")
    }

    /// The contexts under which an issuer wrote the role, and the contexts under which the holder presents the same
    /// statements.
    private struct Choice: CustomTestStringConvertible {
        let issuers: [Text]
        let shown: [Text]
        /// Whether the issuer's contexts have the name `Guest` for the signed value.
        var hasName = true
        /// Whether this is known only if the issuer's entry lists its contexts, because one of them is
        /// missing from the presented document.
        var lacks = false
        var testDescription: String { "\(issuers) as \(shown)" }
    }

    private static let choices = [
        Choice(issuers: ["urn:prefix", "urn:by-prefix"], shown: ["urn:by-prefix", "urn:named"]),
        Choice(issuers: ["urn:prefix", "urn:by-prefix"], shown: ["urn:named", "urn:by-prefix"]),
        Choice(issuers: ["urn:prefix", "urn:by-prefix"], shown: ["urn:prefix", "urn:by-prefix", "urn:named"]),
        Choice(
            issuers: ["urn:vocabulary", "urn:by-coercion"], shown: ["urn:named-with-vocabulary", "urn:by-coercion"]),
        Choice(
            issuers: ["urn:vocabulary", "urn:by-vocabulary"],
            shown: ["urn:named-with-vocabulary", "urn:by-vocabulary", "urn:named"]),
        Choice(issuers: ["urn:scoped"], shown: ["urn:scoped", "urn:renamed"]),
        Choice(
            issuers: ["urn:prefix", "urn:by-compact-term"], shown: ["urn:prefix", "urn:by-compact-term", "urn:renamed"]),
        Choice(
            issuers: ["urn:day", "urn:without-vocabulary"], shown: ["urn:day", "urn:without-vocabulary", "urn:renamed"]),
        Choice(
            issuers: ["urn:prefix", "urn:vocabulary-by-prefix"],
            shown: ["urn:prefix", "urn:vocabulary-by-prefix", "urn:renamed"]),
        Choice(
            issuers: ["urn:word", "urn:vocabulary-by-term"],
            shown: ["urn:word", "urn:vocabulary-by-term", "urn:renamed"]),
        Choice(issuers: ["urn:terms", "urn:by-term"], shown: ["urn:terms", "urn:by-term", "urn:renamed"]),
        Choice(issuers: ["urn:scheme", "urn:by-scheme"], shown: ["urn:scheme", "urn:by-scheme", "urn:renamed"]),
        Choice(issuers: ["urn:scheme", "urn:by-scheme"], shown: ["urn:by-scheme", "urn:named"]),
        Choice(issuers: ["urn:scopes"], shown: ["urn:scopes", "urn:renamed"]),
        Choice(issuers: ["urn:inherited"], shown: ["urn:inherited", "urn:renamed"]),
        Choice(issuers: ["urn:inner", "urn:later"], shown: ["urn:inner", "urn:later", "urn:renamed"]),
        Choice(issuers: ["urn:inner", "urn:later"], shown: ["urn:inner", "urn:renamed"], lacks: true),
        Choice(
            issuers: ["urn:chain1", "urn:chain2", "urn:chain3", "urn:by-chain"],
            shown: ["urn:chain1", "urn:chain2", "urn:chain3", "urn:renamed", "urn:by-chain", "urn:renamed"]),
        Choice(
            issuers: ["urn:chain1", "urn:chain2", "urn:chain3", "urn:by-chain", "urn:xsd1", "urn:xsd2", "urn:xsd3"],
            shown: ["urn:named"], lacks: true),
        Choice(
            issuers: ["urn:prefix", "urn:vocabulary", "urn:by-both"],
            shown: ["urn:prefix", "urn:vocabulary", "urn:renamed", "urn:by-both", "urn:renamed"]),
        Choice(issuers: ["urn:other-vocabulary"], shown: ["urn:other-vocabulary", "urn:renamed"], hasName: false),
    ]

    @Test(arguments: choices, [false, true]) private func noOtherListGains(_ choice: Choice, listed: Bool) throws {
        if choice.lacks, !listed { return }
        func code(_ rules: String) throws -> String {
            try self.code(rules, Self.guest, under: choice.shown, besides: choice.issuers, listed: listed)
        }
        for condition in ["equals = \"Admin\"", "in = [\"Admin\"]", "contains = \"Admin\""] {
            #expect(try code(accept("claim = \"/role\", \(condition)")) != "ok", "\(condition)")
        }
        let named = choice.hasName ? ["claim = \"/role\", equals = \"Guest\""] : []
        for condition in named + ["claim = \"/role\", exists = true"] {
            #expect(try code(deny(condition)) == "policy.d", "\(condition)")
            #expect(try code(accept("not = { \(condition) }")) != "ok", "\(condition)")
        }
    }

    @Test func aNameOfTheVocabularyIsNoAliasOfTheTypes() throws {
        let (employee, visitor) = (
            accept("claim = \"/category\", equals = \"Employee\""),
            accept("claim = \"/category\", equals = \"Visitor\"")
        )
        #expect(try code(visitor, Self.visitor, under: ["urn:vocabulary"]) == "ok")
        #expect(try code(employee, Self.visitor, under: ["urn:vocabulary"]) != "ok")
        #expect(try code(employee, Self.visitor, under: ["urn:vocabulary", "urn:alias"]) != "ok")
    }

    /// A name that is a keyword in one context and a property in another does not count as absent in either.
    @Test func aKeywordIsNoAbsentProperty() throws {
        for (name, list) in [("category", ["urn:alias", "urn:category"]), ("box/role", ["urn:nest", "urn:box"])] {
            let condition = "claim = \"/\(name)\", exists = true"
            let list = list.map { Text($0) }
            #expect(try code(deny(condition), Self.guest, under: list) == "policy.d", "\(name)")
            #expect(try code(accept("not = { \(condition) }"), Self.guest, under: list) != "ok", "\(name)")
        }
    }

    /// No document can list a context that cannot be processed after any other, or that needs an unpinned context. A
    /// context with too many possible meanings may mean anything.
    @Test func contextsThatCannotBeProcessed() throws {
        let broken: JSON = ["p:role": Self.term("role")]
        let absent: JSON = ["role": ["@id": Self.term("role"), "@context": "urn:nowhere"]]
        let processor = JSONLDProcessor(
            contexts: ContextDocuments([
                "urn:broken": JSON.object(["@context": broken]), "urn:absent": JSON.object(["@context": absent]),
            ]))
        let names = processor.definedNames(of: ["urn:broken", "urn:absent", "urn:other"])
        #expect(names.allSatisfy { !$0.areUnknown && $0.meanings(of: "role").isEmpty })
        let words = (0..<7).map { "p\($0)" }
        let borrower = JSONObject(words.map { .init(Text($0 + "role"), .text($0 + ":role")) })
        let lender = JSONObject(words.map { .init(Text($0), .text("https://\($0).example/")) })
        let many = JSONLDProcessor(
            contexts: ContextDocuments([
                "urn:borrower": ["@context": .object(borrower)], "urn:lender": ["@context": .object(lender)],
            ]))
        #expect(many.definedNames(of: ["urn:borrower", "urn:lender"]).map(\.areUnknown) == [true, false])
        #expect(!many.definedNames(under: ["urn:lender", "urn:borrower"]).areUnknown)
    }

    /// Contexts whose scopes lead to each other are processed once each, not once for every path.
    @Test func scopesThatLeadToEachOther() throws {
        let count = 12
        let rings: [(Text, JSON)] = (0..<4).map { ring in
            let terms = (0..<count).map { term -> JSONObject.Member in
                .init(
                    Text("t\(ring)-\(term)"),
                    ["@id": .text("urn:\(ring):\(term)"), "@context": .text("urn:ring:\((ring + 1) % 4)")])
            }
            return (Text("urn:ring:\(ring)"), ["@context": .object(JSONObject(terms))])
        }
        let processor = JSONLDProcessor(contexts: ContextDocuments(Dictionary(uniqueKeysWithValues: rings)))
        // These are so wide that no document can list them.
        for names in processor.definedNames(of: rings.map(\.0)) { #expect(names.definitions(of: "t3-7").isEmpty) }
        let small = JSONLDProcessor(
            contexts: ContextDocuments([
                "urn:ring:0": [
                    "@context": [
                        "a": ["@id": "urn:a", "@context": "urn:ring:1"],
                        "b": ["@id": "urn:b", "@context": "urn:ring:1"],
                        "c": ["@id": "urn:c", "@context": "urn:ring:1"],
                    ]
                ],
                "urn:ring:1": [
                    "@context": [
                        "d": ["@id": "urn:d", "@context": "urn:ring:0"],
                        "e": ["@id": "urn:e", "@context": "urn:ring:0"],
                        "f": ["@id": "urn:f", "@context": "urn:ring:0"],
                    ]
                ],
            ]))
        for names in small.definedNames(of: ["urn:ring:0", "urn:ring:1"]) {
            #expect(!names.areUnknown && names.definitions(of: "e") == ["urn:e"])
        }
    }

    /// The contexts that a rule lists make the meaning certain.
    @Test func theContextsOfARuleSettleIt() throws {
        for list in [
            ["urn:prefix", "urn:by-prefix"], ["urn:scoped"], ["urn:vocabulary", "urn:by-vocabulary"],
            ["urn:scheme", "urn:by-scheme"],
        ] as [[Text]] {
            let contexts = "contexts = [\(list.map { "\"\($0)\"" }.joined(separator: ", "))]\n"
            let rules = "[[accept]]\nid = \"r\"\n\(contexts)require = [ { claim = \"/role\", equals = \"Guest\" } ]\n"
            #expect(try code(rules, Self.guest, under: list) == "ok", "\(list)")
        }
    }

    /// `policy check` reports names that have one meaning alone and another meaning after other contexts.
    @Test func borrowedNamesAreReported() throws {
        var material = TrustMaterial(issuers: [TrustedIssuer(id: PolicyFixture.issuer)])
        for url in ["urn:prefix", "urn:by-prefix"] as [Text] {
            material.contexts[url] = JSON.object(["@context": Self.contexts[url] ?? .null]).compactBytes
        }
        let policy = try PolicyFixture.parse(accept("claim = \"/role\", equals = \"Guest\""))
        let doubts = try TrustStore(material).namesInDoubt(in: policy)
        #expect(doubts.map(\.name) == ["role", "Guest"])
        #expect(doubts.first?.meanings == [Self.iri("role"), "p:role"])
    }
}
