import Encoding
import Reasons
import Testing

@testable import Credentials

/// The result of a condition in each format: yes, no or *unknown*, observed at the gate. An unknown result fulfils no
/// condition, negated or not, and makes every deny rule match.
@Suite struct TruthTableTests {
    enum Truth: String { case yes, no, unknown }

    struct Row: CustomTestStringConvertible, Sendable {
        let condition: String
        let claims: JSONObject
        let truth: Truth
        var formats: [RuleFormat] = [.rdf, .jcs, .jwt, .sdJWT, .mdoc]
        var isMandatory = false
        var takesArraysWhole = false
        var testDescription: String { "\(condition) of \(JSON.object(claims).compactText)" }
    }

    private static let text: [RuleFormat] = [.jcs, .jwt, .sdJWT, .mdoc]
    private static let closed: [RuleFormat] = [.rdf, .jcs, .jwt]

    static let rows: [Row] =
        [
            // One value.
            Row(condition: "level, equals = 3", claims: ["level": 3], truth: .yes),
            Row(condition: "level, equals = 3", claims: ["level": 4], truth: .no),
            Row(condition: "level, equals = 3", claims: ["level": "3"], truth: .unknown),
            Row(condition: "level, at-least = 3", claims: ["level": 4], truth: .yes),
            Row(condition: "level, in = [3, 4]", claims: ["level": 4], truth: .yes),
            Row(condition: "code, starts-with = \"AB\"", claims: ["code": "AB-1"], truth: .yes),
            Row(condition: "day, before = 2026-06-01", claims: ["day": "2026-05-31"], truth: .yes),
            // Several values. A test on one value cannot know which value is meant.
            Row(condition: "level, equals = 3", claims: ["level": [3, 4]], truth: .unknown),
            Row(condition: "level, at-least = 3", claims: ["level": [4, 5]], truth: .unknown),
            Row(condition: "level, at-least = 3", claims: ["level": [1, 5]], truth: .unknown),
            Row(condition: "level, in = [3, 4]", claims: ["level": [3, 4]], truth: .unknown),
            Row(condition: "code, starts-with = \"AB\"", claims: ["code": ["AB-1", "AB-2"]], truth: .unknown),
            Row(condition: "day, before = 2026-06-01", claims: ["day": ["2020-01-01", "2021-01-01"]], truth: .unknown),
            Row(
                condition: "birth, AGE at-least = 18", claims: ["birth": ["1990-01-01", "1991-01-01"]], truth: .unknown),
            // Tests for some values of a list.
            Row(condition: "zones, contains = \"n\"", claims: ["zones": ["s", "n"]], truth: .yes),
            Row(condition: "zones, contains = \"n\"", claims: ["zones": ["s", "w"]], truth: .no),
            Row(condition: "zones, contains = \"n\"", claims: ["zones": ["s", 5]], truth: .unknown),
            Row(condition: "zones, contains = \"n\"", claims: ["zones": ["n", 5]], truth: .yes),
            Row(condition: "zones, contains-any = [\"n\", \"e\"]", claims: ["zones": ["s", "e"]], truth: .yes),
            Row(condition: "zones, contains-any = [\"n\", \"e\"]", claims: ["zones": ["s", "w"]], truth: .no),
            Row(condition: "zones, contains-all = [\"n\", \"s\"]", claims: ["zones": ["s", "n", "w"]], truth: .yes),
            Row(condition: "zones, contains-all = [\"n\", \"s\"]", claims: ["zones": ["s", "w"]], truth: .no),
            // Presence.
            Row(condition: "level, exists = true", claims: ["level": 3], truth: .yes),
            Row(condition: "level, exists = true", claims: ["code": "x"], truth: .no, formats: closed),
            Row(condition: "level, exists = false", claims: ["code": "x"], truth: .yes, formats: closed),
            Row(condition: "level, exists = false", claims: ["code": "x"], truth: .unknown, formats: [.sdJWT, .mdoc]),
            Row(condition: "level, equals = 3", claims: ["code": "x"], truth: .unknown),
            // Indexes of lists: RDF keeps the order of lists only.
            Row(condition: "rooms/0, equals = \"a\"", claims: ["rooms": ["a", "b"]], truth: .yes),
            Row(condition: "rooms/1, equals = \"a\"", claims: ["rooms": ["a", "b"]], truth: .no),
            Row(condition: "zones/0, equals = \"a\"", claims: ["zones": ["a", "b"]], truth: .yes, formats: text),
            Row(condition: "zones/0, equals = \"a\"", claims: ["zones": ["a", "b"]], truth: .unknown, formats: [.rdf]),
            Row(condition: "zones/0, equals = \"c\"", claims: ["zones": ["a", "b"]], truth: .unknown, formats: [.rdf]),
            // JCS numbers are ECMAScript numbers: these different digits are one signed number.
            Row(
                condition: "level, equals = 9007199254740992", claims: ["level": 9_007_199_254_740_993], truth: .yes,
                formats: [.jcs]),
            Row(
                condition: "level, equals = 9007199254740993", claims: ["level": 9_007_199_254_740_992], truth: .yes,
                formats: [.jcs]),
            Row(
                condition: "level, above = 9007199254740992", claims: ["level": 9_007_199_254_740_993], truth: .no,
                formats: [.jcs]),
        ] + named + mandatory + optional

    /// Names for IRIs: under a proof over the text, another spelling may mean the same.
    private static let named: [Row] =
        [
            ("badge, equals = \"Guest\"", "Guest", Truth.yes, Truth.yes),
            ("badge, equals = \"Admin\"", "Guest", .no, .no),
            ("badge, equals = \"https://works.example/ns#Guest\"", "Guest", .yes, .unknown),
            ("badge, equals = \"https://works.example/ns#Admin\"", "Guest", .no, .no),
            ("badge, equals = \"Guest\"", "https://works.example/ns#Guest", .yes, .unknown),
            ("badge, in = [\"Admin\", \"https://works.example/ns#Guest\"]", "Guest", .yes, .unknown),
            ("badge, contains-any = [\"x\", \"https://works.example/ns#Guest\"]", "Guest", .yes, .unknown),
            ("badge, starts-with = \"https://works.example/\"", "Guest", .yes, .unknown),
            ("badge, starts-with = \"https://other.example/\"", "Guest", .no, .no),
            ("code, equals = \"https://works.example/ns#Guest\"", "Guest", .no, .no),
        ].flatMap { (condition: String, value: Text, graph: Truth, text: Truth) in
            let name = condition.hasPrefix("code") ? "code" : "badge" as Text
            return rows(condition, [name: .string(value)], graph, text)
        }
        // A value that is absent under one name may be present under another name of the same property.
        + [
            ("pin, exists = true", "brooch", Truth.unknown, Truth.unknown),
            ("pin, exists = false", "brooch", .unknown, .unknown),
            ("pin, equals = \"Guest\"", "brooch", .unknown, .unknown),
            ("pin, exists = true", "pin", .unknown, .yes), ("pin, exists = false", "pin", .unknown, .no),
            ("code, exists = true", "pin", .no, .no), ("code, exists = false", "pin", .yes, .yes),
        ].flatMap { (condition: String, name: Text, graph: Truth, text: Truth) in
            rows(condition, [name: "Guest"], graph, text)
        }

    private static func rows(_ condition: String, _ claims: JSONObject, _ graph: Truth, _ text: Truth) -> [Row] {
        [
            Row(condition: condition, claims: claims, truth: graph, formats: [.rdf]),
            Row(condition: condition, claims: claims, truth: text, formats: [.jcs]),
        ]
    }

    /// The mandatory values may be single elements of arrays, unless the issuer's entry states that its
    /// arrays are mandatory as a whole.
    private static let mandatory = [
        ("level, equals = 3", ["level": 3], Truth.yes, Truth.unknown),
        ("level, equals = 3", ["level": 4], .no, .unknown),
        ("level, at-least = 3", ["level": 4], .yes, .unknown),
        ("zones, contains = \"n\"", ["zones": ["s", "w"]], .no, .unknown),
        ("zones, contains = \"n\"", ["zones": ["s", "n"]], .yes, .yes),
        ("level, exists = true", ["level": 3], .yes, .yes),
    ].flatMap { (condition: String, claims: JSONObject, whole: Truth, part: Truth) in
        [(true, whole), (false, part)].map {
            Row(
                condition: condition, claims: claims, truth: $0.1, formats: [.disclosed], isMandatory: true,
                takesArraysWhole: $0.0)
        }
    }

    /// The optional values that are shown may be only a part.
    private static let optional = [
        Row(condition: "level, equals = 3", claims: ["level": 3], truth: .unknown),
        Row(condition: "level, equals = 3", claims: ["level": 4], truth: .unknown),
        Row(condition: "level, at-least = 3", claims: ["level": 4], truth: .unknown),
        Row(condition: "zones, contains = \"n\"", claims: ["zones": ["n", "s"]], truth: .yes),
        Row(condition: "zones, contains = \"n\"", claims: ["zones": ["w", "s"]], truth: .unknown),
        Row(condition: "zones, contains-all = [\"n\", \"s\"]", claims: ["zones": ["n", "s"]], truth: .yes),
        Row(condition: "zones, contains-all = [\"n\", \"s\"]", claims: ["zones": ["n", "w"]], truth: .unknown),
        Row(condition: "rooms, contains = \"x\"", claims: ["rooms": ["a", "b"]], truth: .unknown),
        Row(condition: "level, exists = true", claims: ["level": 3], truth: .yes),
        Row(condition: "level, exists = true", claims: ["code": "x"], truth: .unknown),
        Row(condition: "level, exists = false", claims: ["code": "x"], truth: .unknown),
    ].map { Row(condition: $0.condition, claims: $0.claims, truth: $0.truth, formats: [.disclosed]) }

    @Test(arguments: rows) func truth(of row: Row) throws {
        for format in row.formats {
            let pass = try RuleCredential(
                format, row.claims, isMandatory: row.isMandatory, takesArraysWhole: row.takesArraysWhole)
            try expect(row.truth, of: row.condition, pass, pass.full, "\(format.rawValue) \(row.testDescription)")
        }
    }

    private func expect(
        _ truth: Truth, of text: String, _ pass: RuleCredential, _ showing: RuleShowing, _ name: String
    ) throws {
        let parts = text.split(separator: ",", maxSplits: 1)
        let (path, rest) = (parts[0], parts[1].replacing(" AGE ", with: " "))
        let key = rest.count == parts[1].count ? "claim" : "age"
        let condition = "{ \(key) = \"\(pass.format.root)\(path)\",\(rest) }"
        let trust = try TrustStore(pass.material)
        func code(_ rules: String) throws -> String {
            pass.verdict(showing, try PolicyFixture.parse(rules), trust).code.text
        }
        let straight = try code("[[accept]]\nid = \"r\"\nrequire = [ \(condition) ]\n")
        let negated = try code("[[accept]]\nid = \"r\"\nrequire = [ { not = \(condition) } ]\n")
        let denied = try code("[[deny]]\nid = \"d\"\nwhen = [ \(condition) ]\n[[accept]]\nid = \"r\"\n")
        let wanted =
            switch truth {
            case .yes: ["ok", "policy.r", "policy.d"]
            case .no: ["policy.r", "ok", "ok"]
            case .unknown: ["policy.r", "policy.r", "policy.d"]
            }
        #expect([straight, negated, denied] == wanted, "\(name)")
    }

    // MARK: - Withheld values

    /// A withheld element keeps its index and stays unknown. Other indexes do not shift, and the result for such a list
    /// is never "no".
    @Test func withheldElements() throws {
        let pass = try RuleCredential(.sdJWT, ["zones": ["a", "b", "c"]])
        // In the order of the disclosures: the claim, each element, all but one.
        let (withoutFirst, onlySecond) = (pass.choices[1], pass.choices[5])
        for (condition, truth) in [
            ("zones/0, equals = \"b\"", Truth.unknown), ("zones/0, equals = \"a\"", .unknown),
            ("zones/1, equals = \"b\"", .yes), ("zones/1, equals = \"c\"", .no),
            ("zones, contains = \"b\"", .yes), ("zones, contains = \"a\"", .unknown),
            ("zones, contains = \"x\"", .unknown), ("zones, contains-any = [\"x\", \"y\"]", .unknown),
            ("zones, contains-all = [\"b\", \"c\"]", .yes), ("zones, contains-all = [\"a\", \"c\"]", .unknown),
            ("zones, exists = true", .yes),
        ] {
            try expect(truth, of: condition, pass, withoutFirst, "without the first: \(condition)")
        }
        for (condition, truth) in [
            ("zones, equals = \"b\"", Truth.unknown), ("zones/0, equals = \"b\"", .unknown),
            ("zones/1, equals = \"b\"", .yes), ("zones, contains = \"x\"", .unknown),
        ] {
            try expect(truth, of: condition, pass, onlySecond, "only the second: \(condition)")
        }
    }

    // MARK: - The meaning of a name

    private static let works = "contexts = [\"\(GraphSigner.base)\", \"\(RuleCredential.terms)\"]"

    private func code(_ pass: RuleCredential, _ rules: String) throws -> String {
        pass.verdict(pass.full, try PolicyFixture.parse(rules), try TrustStore(pass.material)).code.text
    }

    /// Two pinned contexts give `level` different meanings. If a credential states only one of them, it is read. If the
    /// credential states both, the result is unknown, unless the rule names its contexts.
    @Test func aNameWithSeveralMeanings() throws {
        let rule = "[[accept]]\nid = \"r\"\nrequire = [ { claim = \"/credentialSubject/level\", equals = 3 } ]\n"
        let one = try RuleCredential(.rdf, ["level": 3], withStrangers: true)
        #expect(try code(one, rule) == "ok")
        let both = try RuleCredential(.rdf, ["level": 3, "grade": 9], withStrangers: true)
        #expect(try code(both, rule) == "policy.r")
        #expect(try code(both, rule + Self.works) == "ok")
        let other = try RuleCredential(.rdf, ["level": 9, "grade": 3], withStrangers: true)
        for contexts in ["", Self.works] { #expect(try code(other, rule + contexts) == "policy.r") }
        let deny = "[[deny]]\nid = \"d\"\nwhen = [ { claim = \"/credentialSubject/level\", equals = 7 } ]\n"
        #expect(try code(both, deny + rule + Self.works) == "policy.d")
        #expect(try code(one, deny + rule) == "ok")
    }

    /// If the rule names no contexts, those of the issuer's entry determine the meaning.
    @Test func theIssuersContexts() throws {
        let rule = "[[accept]]\nid = \"r\"\nrequire = [ { claim = \"/credentialSubject/level\", equals = 3 } ]\n"
        let both = try RuleCredential(.rdf, ["level": 3, "grade": 9], withStrangers: true)
        var material = both.material
        material.issuers[0].contexts = [GraphSigner.base, RuleCredential.terms]
        let verdict = both.verdict(both.full, try PolicyFixture.parse(rule), try TrustStore(material))
        #expect(verdict.isAccepted)
    }
}
