import Encoding
import Foundation
import LinkedData
import TestKit
import Testing

@testable import Credentials

/// The tables of `docs/policy.md` agree with the program: every cell is tested, for signed text and for
/// signed statements.
@Suite struct PolicyDocumentTests {
    /// A condition of the table, with values that fulfil it and values that do not.
    private struct Condition {
        let rule: String
        var fitting: [JSON] = ["n", "ne"]
        var others: [JSON] = ["s", "w"]
        var foreign: JSON = 5
    }

    private static let conditions: [String: Condition] = [
        "equals": Condition(rule: "claim = \"/p\", equals = \"n\""),
        "in": Condition(rule: "claim = \"/p\", in = [\"n\", \"ne\"]"),
        "starts-with": Condition(rule: "claim = \"/p\", starts-with = \"n\""),
        "at-least": Condition(rule: "claim = \"/p\", at-least = 3", fitting: [5, 7], others: [1, 2], foreign: "x"),
        "before": Condition(
            rule: "claim = \"/p\", before = 2026-06-01", fitting: ["2026-05-31", "2026-05-30"],
            others: ["2026-06-01", "2026-07-01"]),
        "age": Condition(
            rule: "age = \"/p\", at-least = 18", fitting: ["1990-01-01", "1991-01-01"],
            others: ["2020-01-01", "2021-01-01"]),
        "contains": Condition(rule: "claim = \"/p\", contains = \"n\""),
        "contains-any": Condition(rule: "claim = \"/p\", contains-any = [\"n\", \"x\"]"),
        "contains-all": Condition(rule: "claim = \"/p\", contains-all = [\"n\"]"),
        "exists = true": Condition(rule: "claim = \"/p\", exists = true"),
        "exists = false": Condition(rule: "claim = \"/p\", exists = false"),
    ]

    private static let columns = [
        "one value", "several values", "absent", "withheld", "some of several withheld", "of another kind",
        "several meanings",
    ]

    /// Returns the cells of the table with that first heading; the headings are the first row.
    private func table(_ heading: String) throws -> [[String]] {
        let file = Vectors.repository.appendingPathComponent("docs/policy.md")
        let lines = try String(contentsOf: file, encoding: .utf8).components(separatedBy: "\n")
        return lines.drop { !$0.hasPrefix("| \(heading) |") }.prefix { $0.hasPrefix("|") }
            .filter { !$0.hasPrefix("|---") }.map { line in
                line.split(separator: "|").map { $0.trimmingCharacters(in: CharacterSet(charactersIn: " `")) }
            }
    }

    @Test func everyCellIsWhatTheProgramSays() throws {
        let rows = try table("condition")
        #expect(rows.first == ["condition"] + Self.columns)
        #expect(Set(rows.dropFirst().map { $0[0] }) == Set(Self.conditions.keys))
        for row in rows.dropFirst() {
            let condition = try #require(Self.conditions[row[0]])
            for (column, cell) in zip(Self.columns, row.dropFirst()) {
                let wanted = cell.components(separatedBy: ", ")
                let pinned = Self.pinned(isAmbiguous: column == "several meanings")
                for (values, truth) in [(condition.fitting, wanted[0]), (condition.others, wanted.last ?? "")] {
                    for claims in Self.claims(column, values, foreign: condition.foreign) {
                        #expect(
                            try Self.truth(of: condition.rule, claims, pinned) == truth,
                            "\(row[0]), \(column), \(claims.text == nil ? "statements" : "text")")
                    }
                }
            }
        }
    }

    @Test func theEffectOfEachTruthValue() throws {
        let rows = try table("the condition is")
        #expect(rows.count == 4)
        let levels: [String: JSON] = ["yes": ["p": 3], "no": ["p": 4], "unknown": [:]]
        let words = ["ok": "fulfilled", "policy.r": "not fulfilled", "policy.d": "holds"]
        for row in rows.dropFirst() {
            let subject = PolicyCase(claims: PolicyFixture.claims(try #require(levels[row[0]])))
            let condition = "{ claim = \"/p\", equals = 3 }"
            let accept = "[[accept]]\nid = \"r\"\n"
            let found = try [condition, "{ not = \(condition) }"].flatMap { condition in
                try ["\(accept)require = [ \(condition) ]", "[[deny]]\nid = \"d\"\nwhen = [ \(condition) ]\n\(accept)"]
                    .map { PolicyFixture.ask(try PolicyFixture.parse($0), [subject]).code }
            }
            let denied = [found[1], found[3]].map { $0 == "ok" ? "does not hold" : words[$0] }
            #expect([words[found[0]], words[found[2]]] + denied == row.dropFirst().map { $0 }, "\(row[0])")
        }
    }

    // MARK: - Claims

    /// Returns credentials that present those values as the column specifies: by signed text, and by signed
    /// statements.
    private static func claims(_ column: String, _ values: [JSON], foreign: JSON) -> [SignedClaims] {
        switch column {
        case "one value": [text(["p": values[0]]), statements([values[0]])]
        case "several values": [text(["p": .array(values)]), statements(values)]
        case "absent": [text([:]), statements([])]
        case "withheld":
            [
                text([:], hidesMembers: true), text(["p": nil], withheld: ["/p"]), statements([], mandatory: []),
            ]
        case "some of several withheld":
            [
                text(["p": .array(values + [nil])], withheld: ["/p/2"], hidesMembers: true),
                statements(values, mandatory: []), statements([values[0]], mandatory: []),
            ]
        case "of another kind": [text(["p": foreign]), statements([foreign])]
        default: [statements(values, beside: values)]
        }
    }

    private static func text(_ document: JSON, withheld: Set<Text> = [], hidesMembers: Bool = false) -> SignedClaims {
        claims(.dcSDJWT, SignedText(document, withheld: withheld, hidesMembers: hidesMembers), nil)
    }

    private static func statements(_ values: [JSON], beside others: [JSON] = [], mandatory: Set<Int>? = nil)
        -> SignedClaims
    {
        let root = Term.blank("c")
        var graph = PolicyFixture.graph(
            values.map { Quad(root, "urn:p", literal($0)) } + others.map { Quad(root, "urn:q", literal($0)) },
            root: root)
        graph.mandatory = mandatory
        return claims(.ldpVC, nil, graph)
    }

    private static func literal(_ value: JSON) -> Term {
        .literal(value.string.map { Literal($0) } ?? Literal(Text(value.compactText), datatype: XSD.integer))
    }

    private static func claims(_ format: CredentialFormat, _ text: SignedText?, _ graph: StatementGraph?)
        -> SignedClaims
    {
        SignedClaims(
            format: format, issuer: PolicyFixture.issuer, types: [], text: text, graph: graph,
            contexts: ListedContexts("urn:c1"), validFrom: nil, validUntil: nil, signed: SignedContent(digest: []),
            subjects: CredentialSubjects([]))
    }

    /// Returns the contexts for `p`: it means one property, or another pinned context gives it a second
    /// meaning.
    private static func pinned(isAmbiguous: Bool) -> JSONLDProcessor {
        var pinned: [Text: JSON] = ["urn:c1": ["@context": ["p": "urn:p"]]]
        if isAmbiguous { pinned["urn:c2"] = ["@context": ["p": "urn:q"]] }
        return JSONLDProcessor(contexts: ContextDocuments(pinned))
    }

    private static func truth(of condition: String, _ claims: SignedClaims, _ pinned: JSONLDProcessor) throws -> String
    {
        let policy = try PolicyFixture.requiring("{ \(condition) }")
        let evaluation = PredicateEvaluation(
            claims: claims, names: ClaimNames(of: claims, listed: [], pinned: pinned, work: RuleWork(1_000)),
            now: PolicyFixture.noon, zone: policy.zone, skew: .zero,
            profile: .strict)
        return "\(evaluation.all(policy.accept[0].require).truth)"
    }
}
