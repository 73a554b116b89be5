import Encoding
import LinkedData
import Testing

@testable import Credentials

/// A context may leave what its names mean to the contexts before it: a prefix, a vocabulary, another term. A holder who lists
/// others in their place, or one more after them, must not so give the issuer's statements other names.
@Suite struct BorrowedNameTests {
    private static let ns = "https://works.example/ns#"

    private static func iri(_ name: String) -> Text { Text(ns + name) }

    private static func term(_ name: String) -> JSON { .string(iri(name)) }

    /// The role, whose values are names.
    private static let role: JSON = ["@id": term("role"), "@type": "@vocab"]

    private static let contexts: [Text: JSON] = [
        "urn:prefix": ["p": .text(ns)],
        "urn:vocabulary": ["@vocab": .text(ns)],
        // The issuer's, which borrow.
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
        // Two scopes of one text, below other prefixes.
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
        // The issuer's, with vocabularies of their own.
        "urn:scoped": [
            "@vocab": .text(ns), "role": role,
            "team": ["@id": term("team"), "@context": ["Guest": "https://other.example/Guest"]],
        ],
        "urn:other-vocabulary": ["@vocab": "https://words.example/", "role": role],
        // Those of others.
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

    /// The code for statements that the holder shows under these contexts.
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

    /// The issuer's own document is read as it is meant.
    @Test(
        arguments: [
            ["urn:prefix", "urn:by-prefix"], ["urn:vocabulary", "urn:by-coercion"], ["urn:scoped"],
        ] as [[Text]]) func theIssuersOwnListIsRead(_ list: [Text]) throws
    {
        #expect(try code(deny("claim = \"/role\", equals = \"Guest\""), Self.guest, under: list) == "policy.d")
        #expect(try code(accept("claim = \"/role\", equals = \"Admin\""), Self.guest, under: list) != "ok")
        #expect(try code(accept("claim = \"/role\", exists = true"), Self.guest, under: list) == "ok")
    }

    /// The contexts under which an issuer wrote the role, and those under which the holder shows the same statements.
    private struct Choice: CustomTestStringConvertible {
        let issuers: [Text]
        let shown: [Text]
        /// Whether the issuer's contexts have the name `Guest` for what is signed.
        var hasName = true
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
        Choice(issuers: ["urn:other-vocabulary"], shown: ["urn:other-vocabulary", "urn:renamed"], hasName: false),
    ]

    @Test(arguments: choices, [false, true]) private func noOtherListGains(_ choice: Choice, listed: Bool) throws {
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

    /// A name that is a keyword in one context and a property in another is absent under none.
    @Test func aKeywordIsNoAbsentProperty() throws {
        for (name, list) in [("category", ["urn:alias", "urn:category"]), ("box/role", ["urn:nest", "urn:box"])] {
            let condition = "claim = \"/\(name)\", exists = true"
            let list = list.map { Text($0) }
            #expect(try code(deny(condition), Self.guest, under: list) == "policy.d", "\(name)")
            #expect(try code(accept("not = { \(condition) }"), Self.guest, under: list) != "ok", "\(name)")
        }
    }

    /// A list that cannot be processed after any other, and one whose document is not pinned.
    @Test func whatCannotBeProcessed() throws {
        let broken: JSON = ["p:role": Self.term("role")]
        let absent: JSON = ["role": ["@id": Self.term("role"), "@context": "urn:nowhere"]]
        let processor = JSONLDProcessor(
            contexts: ContextDocuments([
                "urn:broken": JSON.object(["@context": broken]), "urn:absent": JSON.object(["@context": absent]),
            ]))
        let names = processor.definedNames(of: ["urn:broken", "urn:absent", "urn:other"])
        #expect(names.map(\.areUnknown) == [true, false, false])
    }

    /// What the rule lists is certain.
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

    /// `policy check` tells of names that mean one thing alone and another after other contexts.
    @Test func borrowedNamesAreTold() throws {
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
