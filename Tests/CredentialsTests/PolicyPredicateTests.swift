import Encoding
import LinkedData
import Testing

@testable import Credentials

/// Every kind of condition with four results: fulfilled, not fulfilled, claim missing, claim of another kind. An
/// unknown result admits no visitor, not even under `not`.
@Suite struct PolicyPredicateTests {
    /// A condition with documents that fulfil it, that do not fulfil it, and for which the result is unknown.
    struct Row: CustomTestStringConvertible {
        let condition: String
        let yes: [String]
        let no: [String]
        let untold: [String]
        var testDescription: String { condition }
    }

    static let rows = [
        Row(
            condition: #"claim = "/a", equals = "x""#, yes: [#"{"a":"x"}"#], no: [#"{"a":"X"}"#, #"{"a":""}"#],
            untold: ["{}", #"{"a":1}"#, #"{"a":null}"#, #"{"a":["x"]}"#, #"{"a":{"x":"x"}}"#, "[]", #""a""#]),
        // The composed and the decomposed letter are different texts.
        Row(
            condition: #"claim = "/a", equals = "é""#, yes: [#"{"a":"\u00e9"}"#], no: [#"{"a":"e\u0301"}"#], untold: []),
        Row(
            condition: #"claim = "/a", equals = 5"#, yes: [#"{"a":5}"#, #"{"a":5.0}"#, #"{"a":50e-1}"#],
            no: [#"{"a":5.0000000000000000000000001}"#, #"{"a":-5}"#], untold: [#"{"a":"5"}"#, #"{"a":true}"#, "{}"]),
        Row(
            condition: #"claim = "/a", equals = true"#, yes: [#"{"a":true}"#], no: [#"{"a":false}"#],
            untold: [#"{"a":"true"}"#, #"{"a":1}"#, "{}"]),
        Row(
            condition: #"claim = "/a", in = ["x", 2, false]"#, yes: [#"{"a":"x"}"#, #"{"a":2}"#, #"{"a":false}"#],
            no: [#"{"a":"y"}"#, #"{"a":3}"#, #"{"a":true}"#], untold: ["{}", #"{"a":["x"]}"#, #"{"a":null}"#]),
        Row(
            condition: #"claim = "/a", contains = "n""#, yes: [#"{"a":["s","n"]}"#, #"{"a":"n"}"#, #"{"a":[1,"n"]}"#],
            no: [#"{"a":["s"]}"#, #"{"a":"north"}"#, #"{"a":[]}"#],
            untold: ["{}", #"{"a":{"n":1}}"#, #"{"a":[1]}"#, #"{"a":[["n"]]}"#, #"{"a":null}"#]),
        Row(
            condition: #"claim = "/a", contains-any = ["n", "w"]"#, yes: [#"{"a":["w"]}"#, #"{"a":"n"}"#],
            no: [#"{"a":["s"]}"#, #"{"a":[]}"#], untold: ["{}", #"{"a":[2]}"#]),
        Row(
            condition: #"claim = "/a", contains-all = ["n", "w"]"#, yes: [#"{"a":["w","s","n"]}"#],
            no: [#"{"a":["n"]}"#, #"{"a":"n"}"#, #"{"a":[]}"#], untold: ["{}", #"{"a":[2]}"#, #"{"a":{}}"#]),
        Row(
            condition: #"claim = "/a", starts-with = "AB""#, yes: [#"{"a":"AB"}"#, #"{"a":"ABC"}"#],
            no: [#"{"a":"A"}"#, #"{"a":"xAB"}"#], untold: ["{}", #"{"a":["AB"]}"#, #"{"a":1}"#]),
        Row(
            condition: #"claim = "/a", exists = true"#, yes: [#"{"a":null}"#, #"{"a":[]}"#, #"{"a":"x"}"#],
            no: ["{}", #"{"b":1}"#, "[]"], untold: []),
        Row(condition: #"claim = "/a", exists = false"#, yes: ["{}"], no: [#"{"a":null}"#], untold: []),
        Row(
            condition: #"claim = "/a", at-least = 2.5"#, yes: [#"{"a":2.5}"#, #"{"a":25e-1}"#, #"{"a":1e3}"#],
            no: [#"{"a":2.4999999999999999999999}"#, #"{"a":-3}"#], untold: ["{}", #"{"a":"3"}"#, #"{"a":[3]}"#]),
        Row(
            condition: #"claim = "/a", at-most = 2"#, yes: [#"{"a":2}"#, #"{"a":-9}"#], no: [#"{"a":2.1}"#],
            untold: ["{}"]),
        Row(
            condition: #"claim = "/a", above = 2"#, yes: [#"{"a":2.1}"#], no: [#"{"a":2.0}"#], untold: [#"{"a":null}"#]),
        Row(
            condition: #"claim = "/a", below = -2"#, yes: [#"{"a":-2.1}"#], no: [#"{"a":-2}"#, #"{"a":0}"#],
            untold: ["{}"]),
        Row(
            condition: #"claim = "/a", at-least = 1, below = 3"#, yes: [#"{"a":1}"#, #"{"a":2.9}"#],
            no: [#"{"a":3}"#, #"{"a":0}"#], untold: ["{}"]),
        Row(
            condition: #"claim = "/a", above = "9007199254740992""#, yes: [#"{"a":9007199254740993}"#],
            no: [#"{"a":9007199254740992}"#], untold: []),
        Row(
            condition: #"claim = "/a", on-or-after = "today""#,
            yes: [#"{"a":"2026-06-01"}"#, #"{"a":"2026-06-01T00:00:00Z"}"#, #"{"a":"2026/06/02"}"#],
            no: [#"{"a":"2026-05-31"}"#, #"{"a":"2026-05-31T23:59:59Z"}"#],
            untold: [
                "{}", #"{"a":"2026-02-30"}"#, #"{"a":"1.6.2026"}"#, #"{"a":20260601}"#, #"{"a":"2026-06-01T12:00:00"}"#,
            ]),
        Row(
            condition: #"claim = "/a", after = "now""#,
            yes: [#"{"a":"2026-06-01T12:00:00.001Z"}"#, #"{"a":"2026-06-01T13:00:00+00:30"}"#, #"{"a":"2026-06-02"}"#],
            no: [#"{"a":"2026-06-01T12:00:00Z"}"#, #"{"a":"2026-06-01T13:00:00+02:00"}"#, #"{"a":"2026-06-01"}"#],
            untold: [#"{"a":"soon"}"#]),
        Row(
            condition: #"claim = "/a", before = 2026-01-01"#,
            yes: [#"{"a":"2025-12-31"}"#, #"{"a":"2025-12-31T23:59:59Z"}"#],
            no: [#"{"a":"2026-01-01"}"#, #"{"a":"2026-01-01T00:00:00Z"}"#], untold: [#"{"a":true}"#]),
        Row(
            condition: #"claim = "/a", on-or-before = 2026-01-01T00:00:00Z"#,
            yes: [#"{"a":"2026-01-01T00:00:00Z"}"#, #"{"a":"2026-01-01"}"#], no: [#"{"a":"2026-01-01T00:00:00.1Z"}"#],
            untold: ["{}"]),
        Row(
            condition: #"age = "/a", at-least = 18"#, yes: [#"{"a":"2008-06-01"}"#, #"{"a":"2008-06-01T23:00:00Z"}"#],
            no: [#"{"a":"2008-06-02"}"#, #"{"a":"2026-06-01"}"#],
            untold: ["{}", #"{"a":"2026-06-02"}"#, #"{"a":"2008"}"#, #"{"a":20080601}"#, #"{"a":"01-06-2008"}"#]),
        Row(
            condition: #"age = "/a", at-least = 6, below = 65"#, yes: [#"{"a":"1961/06/02"}"#, #"{"a":"2020-06-01"}"#],
            no: [#"{"a":"1961-06-01"}"#, #"{"a":"2020-06-02"}"#], untold: [#"{"a":null}"#]),
        Row(
            condition: #"any = [ { claim = "/a", equals = 1 }, { claim = "/b", equals = 1 } ]"#,
            yes: [#"{"b":1}"#, #"{"a":1,"b":"?"}"#], no: [#"{"a":2,"b":2}"#], untold: [#"{"a":2}"#, "{}"]),
        Row(
            condition: #"all = [ { claim = "/a", equals = 1 }, { claim = "/b", equals = 1 } ]"#,
            yes: [#"{"a":1,"b":1}"#], no: [#"{"a":2}"#, #"{"a":1,"b":2}"#, #"{"b":2}"#], untold: [#"{"a":1}"#, "{}"]),
        Row(
            condition: #"claim = "/a/1/b~1c~0d", equals = 1"#, yes: [#"{"a":[0,{"b/c~d":1}]}"#],
            no: [#"{"a":[0,{"b/c~d":2}]}"#], untold: [#"{"a":[{"b/c~d":1}]}"#, #"{"a":{"01":{"b/c~d":1}}}"#]),
        Row(condition: #"claim = "/a/01", equals = 1"#, yes: [], no: [], untold: [#"{"a":[0,1]}"#, #"{"a":{"b":1}}"#]),
        Row(condition: #"claim = "/", equals = 1"#, yes: [#"{"":1}"#], no: [], untold: ["{}"]),
    ]

    @Test(arguments: rows) func condition(_ row: Row) throws {
        let (plain, negated) = ("{ \(row.condition) }", "{ not = { \(row.condition) } }")
        for document in row.yes {
            #expect(try PolicyFixture.fulfils(plain, document), "\(document)")
            #expect(try !PolicyFixture.fulfils(negated, document), "not: \(document)")
        }
        for document in row.no {
            #expect(try !PolicyFixture.fulfils(plain, document), "\(document)")
            #expect(try PolicyFixture.fulfils(negated, document), "not: \(document)")
        }
        for document in row.untold {
            #expect(try !PolicyFixture.fulfils(plain, document), "\(document)")
            #expect(try !PolicyFixture.fulfils(negated, document), "not: \(document)")
        }
    }

    /// If the holder chooses the claims to show, or may write the same graph as another tree, a missing claim proves
    /// nothing.
    @Test func absence() throws {
        let graph = PolicyFixture.graph([
            Quad(.blank("c"), "https://www.w3.org/2018/credentials#issuer", .iri(PolicyFixture.issuer))
        ])
        var partial = graph
        partial.mandatory = []
        let pinned: [Text: JSON] = ["urn:c": ["@context": ["banned": "urn:banned"]]]
        let (pointer, properties) = (#"claim = "/banned""#, #"claim = ["urn:banned"]"#)
        for (format, graph, path, isTold) in [
            (.jwtVC, nil, pointer, true), (.vcJWT, nil, pointer, true), (.ldpVC, nil, pointer, true),
            (.ldpVC, graph, pointer, true), (.ldpVC, graph, properties, true),
            // Selective disclosure: a claim that is not shown may still be stated.
            (.ldpVC, partial, pointer, false), (.ldpVC, partial, properties, false),
            (.dcSDJWT, nil, pointer, false), (.sdJWT, nil, pointer, false), (.mdoc, nil, pointer, false),
            (.jwtVC, nil, properties, false),
        ] as [(CredentialFormat, StatementGraph?, String, Bool)] {
            let claims = PolicyFixture.claims(["@context": "urn:c"], format: format, graph: graph)
            func fulfils(_ condition: String) throws -> Bool {
                try PolicyFixture.fulfils(condition, claims, pinned: pinned)
            }
            #expect(try fulfils("{ \(path), exists = false }") == isTold, "\(format) \(path)")
            #expect(try fulfils("{ not = { \(path), exists = true } }") == isTold, "\(format)")
            #expect(try !fulfils("{ \(path), exists = true }"), "\(format)")
        }
    }

    /// Different digits of the same signed number are equal, so a holder gains nothing by choosing digits. The text of
    /// a JWT is signed as written. The text of linked data is signed in JCS form, with a double for each number (RFC
    /// 8785 section 3.2.2.3).
    @Test func numbersAreReadAsSigned() throws {
        for (format, isMore) in [(.jwtVC, true), (.ldpVC, false)] as [(CredentialFormat, Bool)] {
            let large = PolicyFixture.claims(try JSON.parse(#"{"a": 9007199254740993}"#), format: format)
            #expect(try PolicyFixture.fulfils(#"{ claim = "/a", above = 9007199254740992 }"#, large) == isMore)
            #expect(try PolicyFixture.fulfils(#"{ claim = "/a", equals = 9007199254740992 }"#, large) == !isMore)
            let small = PolicyFixture.claims(try JSON.parse(#"{"a": 0.1000000000000000055}"#), format: format)
            #expect(try PolicyFixture.fulfils(#"{ claim = "/a", above = 0.1 }"#, small) == isMore)
        }
    }

    // MARK: - Validity

    @Test func issuedWithin() throws {
        let rule = #"{ issued-within = "365d" }"#
        for (from, now, wanted) in [
            ("2026-01-01T00:00:00Z", "2027-01-01T00:00:00Z", true),
            // The skew of a minute is allowed for the issuer's clock.
            ("2026-01-01T00:00:00Z", "2027-01-01T00:01:00Z", true),
            ("2026-01-01T00:00:00Z", "2027-01-01T00:01:01Z", false),
            ("2026-01-01T00:00:00Z", "2025-12-31T23:59:30Z", true),
        ] {
            let claims = PolicyFixture.claims([:], from: from)
            #expect(try PolicyFixture.fulfils(rule, claims, at: now) == wanted, "\(now)")
            #expect(try PolicyFixture.fulfils("{ not = \(rule) }", claims, at: now) == !wanted, "\(now)")
        }
        let unknown = PolicyFixture.claims([:], from: nil)
        #expect(try !PolicyFixture.fulfils(rule, unknown))
        #expect(try !PolicyFixture.fulfils("{ not = \(rule) }", unknown))
        // A policy may set a wider skew.
        let late = PolicyFixture.claims([:], from: "2026-01-01T00:00:00Z")
        #expect(try PolicyFixture.fulfils(rule, late, top: "clock.skew = \"10min\"", at: "2027-01-01T00:10:00Z"))
    }

    @Test func remaining() throws {
        let rule = #"{ remaining = "1h" }"#
        let claims = PolicyFixture.claims([:], until: "2026-06-01T13:00:00Z")
        #expect(try PolicyFixture.fulfils(rule, claims, at: "2026-06-01T12:00:00Z"))
        #expect(try !PolicyFixture.fulfils(rule, claims, at: "2026-06-01T12:00:00.000000001Z"))
        #expect(try !PolicyFixture.fulfils(rule, PolicyFixture.claims([:], until: nil)), "no end is no promise")
    }

    // MARK: - Numbers

    @Test func numbersAreComparedExactly() throws {
        let ordered = [
            "-1e999999", "-1000000000000000000001", "-1e21", "-2", "-1.5", "-1.4999", "-1e-5", "0", "1e-999999", "0.1",
            "0.10000000000000000001", "0.2", "1", "1.0000000000000000000000000000001", "9.99", "10", "1e2", "1e999999",
        ]
        for (i, left) in ordered.enumerated() {
            for (j, right) in ordered.enumerated() {
                let (a, b) = (try #require(DecimalNumber(Text(left))), try #require(DecimalNumber(Text(right))))
                #expect((a < b) == (i < j), "\(left) \(right)")
                #expect((a == b) == (i == j), "\(left) \(right)")
            }
        }
        let same = ["100", "1e2", "100.000", "0.1E3", "+100", "00100", "1000e-1"]
        #expect(Set(same.map { DecimalNumber(Text($0)) }).count == 1)
        #expect(DecimalNumber("-0") == DecimalNumber("0e9"))
        for text in [
            "", "-", ".", "e5", "1e", "1e+", "1e1234567", "0x10", "1 ", "NaN", "INF", "1,5", "--1", "1.2.3", "٣",
        ] {
            #expect(DecimalNumber(Text(text)) == nil, "\(text)")
        }
        #expect(DecimalNumber(Text(String(repeating: "9", count: 1024))) != nil)
        #expect(DecimalNumber(Text(String(repeating: "9", count: 1025))) == nil)
    }

    // MARK: - Graphs

    @Test func propertiesAreReadFromTheGraph() throws {
        let (root, subject) = (Term.iri("urn:pass:1"), Term.blank("b0"))
        let xsd = "http://www.w3.org/2001/XMLSchema#"
        let quads = [
            Quad(root, RDF.type, .iri("https://www.w3.org/2018/credentials#VerifiableCredential")),
            Quad(root, "https://www.w3.org/2018/credentials#issuer", .iri(PolicyFixture.issuer)),
            Quad(root, "https://www.w3.org/2018/credentials#credentialSubject", subject),
            Quad(subject, "urn:p:zone", .literal(Literal("north"))),
            Quad(subject, "urn:p:zone", .literal(Literal("west"))),
            Quad(subject, "urn:p:level", .literal(Literal("3", datatype: XSD.integer))),
            Quad(subject, "urn:p:height", .literal(Literal("1.8", datatype: Text(xsd + "decimal")))),
            Quad(subject, "urn:p:active", .literal(Literal("true", datatype: XSD.boolean))),
            Quad(subject, "urn:p:born", .literal(Literal("2000-02-29", datatype: Text(xsd + "date")))),
            Quad(subject, "urn:p:site", .iri("urn:site:1")),
            Quad(.iri("urn:other"), "urn:p:zone", .literal(Literal("south"))),
            Quad(subject, "urn:p:hidden", .literal(Literal("x")), in: .iri("urn:graph")),
        ]
        let claims = PolicyFixture.claims(
            ["@context": ["urn:c"]], format: .ldpVC, graph: PolicyFixture.graph(quads, root: root))
        let path = { (iri: String) in "[\"https://www.w3.org/2018/credentials#credentialSubject\", \"\(iri)\"]" }
        for condition in [
            "{ claim = \(path("urn:p:zone")), contains = \"west\" }",
            "{ claim = \(path("urn:p:level")), at-least = 3 }",
            "{ claim = \(path("urn:p:height")), equals = 1.8 }", "{ claim = \(path("urn:p:active")), equals = true }",
            "{ age = \(path("urn:p:born")), at-least = 26 }",
            "{ claim = \(path("urn:p:site")), equals = \"urn:site:1\" }",
            "{ claim = \(path("urn:p:hidden")), exists = false }",
        ] {
            #expect(try PolicyFixture.fulfils(condition, claims), "\(condition)")
        }
        for condition in [
            "{ claim = \(path("urn:p:zone")), contains = \"south\" }",
            "{ claim = \(path("urn:p:zone")), equals = \"west\" }",
            "{ claim = \(path("urn:p:level")), equals = \"3\" }", "{ claim = [\"urn:p:zone\"], contains = \"west\" }",
            "{ claim = \(path("urn:p:none")), equals = \"x\" }",
        ] {
            #expect(try !PolicyFixture.fulfils(condition, claims), "\(condition)")
        }
        // Other formats have no graph.
        let plain = PolicyFixture.claims(["urn:p:zone": "west"])
        #expect(try !PolicyFixture.fulfils("{ claim = [\"urn:p:zone\"], equals = \"west\" }", plain))
    }

    /// A name has the meaning that the credential's contexts give it. If another pinned context disagrees, and the
    /// credential states a claim with that other meaning, the result is unknown.
    @Test func namesAreThoseOfTheCredentialsContexts() throws {
        let (zone, wish): (Text, Text) = ("urn:p:zone", "urn:p:wish")
        func claims(_ stated: [(Text, String)], under contexts: JSON = ["urn:c1"]) -> SignedClaims {
            PolicyFixture.claims(
                ["@context": contexts], format: .ldpVC,
                graph: PolicyFixture.graph(stated.map { Quad(.blank("c"), $0.0, .literal(Literal(Text($0.1)))) }))
        }
        let one: [Text: JSON] = ["urn:c1": ["@context": ["zones": "urn:p:zone"]]]
        let two = one.merging(["urn:c2": ["@context": ["zones": "urn:p:wish"]]]) { $1 }
        let condition = #"{ claim = "/zones", contains = "north" }"#
        #expect(try PolicyFixture.fulfils(condition, claims([(zone, "north")]), pinned: one))
        #expect(try !PolicyFixture.fulfils(condition, claims([(wish, "north")]), pinned: one))
        #expect(try !PolicyFixture.fulfils(condition, claims([(zone, "north")]), pinned: [:]), "not pinned")
        #expect(try !PolicyFixture.fulfils(condition, claims([(zone, "north")], under: []), pinned: one), "not listed")
        #expect(try PolicyFixture.fulfils(condition, claims([(zone, "north")]), pinned: two))
        #expect(try !PolicyFixture.fulfils(condition, claims([(wish, "north")]), pinned: two), "a foreign meaning")
        #expect(try PolicyFixture.fulfils(condition, claims([(wish, "north")], under: ["urn:c2"]), pinned: two))
        #expect(try !PolicyFixture.fulfils(condition, claims([(zone, "north"), (wish, "south")]), pinned: two))
        let absent = #"{ claim = "/zones", exists = false }"#
        #expect(try PolicyFixture.fulfils(absent, claims([(wish, "north")]), pinned: one))
        #expect(try !PolicyFixture.fulfils(absent, claims([(wish, "north")]), pinned: two))
        #expect(try !PolicyFixture.fulfils(absent, claims([(wish, "north")], under: []), pinned: [:]))
        // The text of a JWT, or of a credential whose text is signed, is read literally.
        for format in [CredentialFormat.jwtVC, .ldpVC] {
            let text = PolicyFixture.claims(["zones": ["north"]], format: format)
            #expect(try PolicyFixture.fulfils(condition, text))
        }
    }
}
