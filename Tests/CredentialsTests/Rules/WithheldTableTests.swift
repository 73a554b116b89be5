import Encoding
import LinkedData
import Testing

@testable import Credentials

/// Tests every condition with every kind of value, for every suite with withholding. Whatever the holder withholds, the
/// result is that of the complete credential, or unknown.
@Suite struct WithheldTableTests {
    enum Truth: String { case yes, no, unknown }

    /// Values of one kind, and the conditions that apply to it.
    struct Kind: CustomTestStringConvertible, Sendable {
        let testDescription: String
        let values: [Value]
        let conditions: [String]
    }

    struct Value: Sendable {
        let term: Term
        /// The value in JSON; nil if JSON has no such value.
        var json: JSON?
    }

    private static func text(_ text: Text) -> Value { Value(term: .literal(Literal(text)), json: .string(text)) }
    private static func number(_ text: String) -> Value {
        let isWhole = !text.contains(".")
        let literal = Literal(Text(isWhole ? text : text + "E0"), datatype: isWhole ? XSD.integer : XSD.double)
        return Value(term: .literal(literal), json: .number(JSONNumber(validated: text)))
    }
    private static func flag(_ flag: Bool) -> Value {
        Value(term: .literal(Literal(flag ? "true" : "false", datatype: XSD.boolean)), json: .bool(flag))
    }

    /// Returns the conditions that apply to any value.
    private static func common(_ one: String, _ other: String, _ foreign: String) -> [String] {
        [one, other, foreign].flatMap { value in
            ["equals = \(value)", "contains = \(value)", "in = [\(value)]", "in = [\(value), \(other)]"]
        } + [
            "contains-any = [\(one), \(other)]", "contains-any = [\(foreign)]", "contains-all = [\(one), \(other)]",
            "contains-all = [\(one)]", "exists = true", "exists = false",
        ]
    }

    static let kinds = [
        Kind(
            testDescription: "texts", values: [text("n"), text("ne"), text("s")],
            conditions: common("\"n\"", "\"s\"", "\"x\"") + ["starts-with = \"n\"", "starts-with = \"x\""]),
        Kind(
            testDescription: "numbers", values: [number("3"), number("2.5"), number("7")],
            conditions: common("3", "7", "9")
                + ["at-least = 3", "at-most = 3", "above = 2.5", "below = 7", "above = 9"]),
        Kind(
            testDescription: "flags", values: [flag(true), flag(false)],
            conditions: common("true", "false", "\"true\"")),
        Kind(
            testDescription: "days", values: [text("2026-06-01"), text("2020-02-29"), text("2030-01-01")],
            conditions: ["before", "after", "on-or-before", "on-or-after"].map { "\($0) = 2026-06-01" }
                + ["exists = true", "exists = false"]),
        Kind(
            testDescription: "instants", values: [text("2026-06-01T10:00:00Z"), text("2020-02-29T00:00:00Z")],
            conditions: ["before", "after", "on-or-before", "on-or-after"].map { "\($0) = \"now\"" }),
        Kind(
            testDescription: "births", values: [text("1990-01-01"), text("2015-05-05"), text("2008-06-01")],
            conditions: ["at-least", "at-most", "above", "below"].map { "AGE \($0) = 18" }),
        Kind(
            testDescription: "IRIs",
            values: [Value(term: .iri("urn:a:1")), Value(term: .iri("urn:a:2")), text("urn:b")],
            conditions: common("\"urn:a:1\"", "\"urn:a:2\"", "\"urn:x\"") + ["starts-with = \"urn:a:\""]),
        Kind(
            testDescription: "objects",
            values: [Value(term: .blank("o1"), json: ["a": 1]), Value(term: .blank("o2"), json: ["a": 2])],
            conditions: common("\"a\"", "1", "true")),
        Kind(
            testDescription: "several kinds",
            values: [text("n"), number("3"), flag(true), Value(term: .blank("o"), json: nil)],
            conditions: common("\"n\"", "3", "true") + ["at-least = 3", "starts-with = \"n\""]),
    ]

    private static func subsets(of count: Int) -> [[Int]] {
        (0..<(1 << count)).map { mask in (0..<count).filter { mask & 1 << $0 != 0 } }
    }

    // MARK: - Truth tables of conditions

    private struct Condition {
        let text: String
        let straight: GatePolicy
        let negated: GatePolicy
        let denied: GatePolicy

        init(_ text: String, at place: String) throws {
            let isAge = text.hasPrefix("AGE ")
            let condition = "{ \(isAge ? "age" : "claim") = \(place), \(text.replacing("AGE ", with: "")) }"
            self.text = text
            straight = try PolicyFixture.requiring(condition)
            negated = try PolicyFixture.requiring("{ not = \(condition) }")
            denied = try PolicyFixture.parse(
                "[[deny]]\nid = \"d\"\nwhen = [ \(condition) ]\n[[accept]]\nid = \"r\"\n")
        }

        /// Returns the result of the condition, derived from the verdicts of three policies; nil if the verdicts are
        /// inconsistent.
        func truth(of claims: SignedClaims) -> Truth? {
            let found = [straight, negated, denied].map { PolicyFixture.ask($0, [PolicyCase(claims: claims)]).code }
            switch found {
            case ["ok", "policy.r", "policy.d"]: return .yes
            case ["policy.r", "ok", "ok"]: return .no
            case ["policy.r", "policy.r", "policy.d"]: return .unknown
            default: return nil
            }
        }
    }

    // MARK: - Statements

    private enum Choice: String, CaseIterable {
        /// The shown values had to be shown: the issuer made single elements mandatory.
        case mandatoryElements
        /// The holder chose the shown values.
        case open
        /// Mandatory and chosen values alternate.
        case mixed
    }

    private static let subject: Text = "https://www.w3.org/2018/credentials#credentialSubject"

    private static func statements(_ shown: [Value], _ choice: Choice?, isWhole: Bool = false) -> SignedClaims {
        let (root, node) = (Term.blank("c"), Term.iri("did:example:holder"))
        let quads =
            [Quad(root, RDF.type, .iri(CredentialVocabulary.verifiableCredentialType)), Quad(root, subject, node)]
            + shown.map { Quad(node, "urn:p", $0.term) }
        var graph = PolicyFixture.graph(quads, root: root)
        graph.takesArraysWhole = isWhole
        switch choice {
        case nil: break
        case .mandatoryElements: graph.mandatory = Set(quads.indices)
        case .open: graph.mandatory = [0, 1]
        case .mixed: graph.mandatory = Set(quads.indices.filter { $0 < 2 || $0 % 2 == 0 })
        }
        return PolicyFixture.claims([:], format: .ldpVC, graph: graph)
    }

    @Test(arguments: kinds) func statements(of kind: Kind) throws {
        let conditions = try kind.conditions.map { try Condition($0, at: "[\"\(Self.subject)\", \"urn:p\"]") }
        var (count, wrong): (Int, [String]) = (0, [])
        for condition in conditions {
            for whole in Self.subsets(of: kind.values.count) {
                let truth = condition.truth(of: Self.statements(whole.map { kind.values[$0] }, nil))
                #expect(truth != nil, "\(condition.text)")
                for part in Self.subsets(of: whole.count) {
                    let shown = part.map { kind.values[whole[$0]] }
                    for choice in Choice.allCases {
                        count += 1
                        let found = condition.truth(of: Self.statements(shown, choice))
                        if found == nil || found != .unknown && found != truth {
                            wrong.append("\(condition.text), \(part.count) of \(whole.count), \(choice)")
                        }
                    }
                }
                // If the entry states that arrays are mandatory as a whole, the mandatory values are all values. If
                // none is shown, nothing is known.
                let all = Self.statements(whole.map { kind.values[$0] }, .mandatoryElements, isWhole: true)
                let wanted = whole.isEmpty ? Truth.unknown : truth
                if condition.truth(of: all) != wanted { wrong.append("\(condition.text), whole: \(whole.count)") }
            }
        }
        print("withheld: \(kind): \(count) cases of statements")
        #expect(wrong.isEmpty, "\(wrong.count): \(wrong.prefix(5))")
    }

    /// Values that are shown do prove something: that the claim exists, and that they are elements of its
    /// list.
    @Test func shownValuesCount() throws {
        for (text, values, truth) in [
            ("exists = true", ["n"], .yes), ("exists = false", ["n"], .no), ("contains = \"n\"", ["n"], .yes),
            ("contains = \"n\"", ["s"], .unknown), ("contains-any = [\"n\", \"x\"]", ["s", "n"], .yes),
            ("contains-all = [\"n\", \"s\"]", ["s", "n"], .yes), ("equals = \"n\"", ["n"], .unknown),
        ] as [(String, [Text], Truth)] {
            let condition = try Condition(text, at: "[\"\(Self.subject)\", \"urn:p\"]")
            for choice in Choice.allCases {
                #expect(condition.truth(of: Self.statements(values.map(Self.text), choice)) == truth, "\(text)")
            }
        }
    }

    // MARK: - Tokens and mdocs

    /// Returns the signed forms of the claim: one value alone, or a list of any number of values.
    private static func shapes(_ kind: Kind) -> [[Value]] {
        subsets(of: kind.values.count).map { $0.map { kind.values[$0] } }.filter { $0.allSatisfy { $0.json != nil } }
    }

    @Test(arguments: kinds) func disclosures(of kind: Kind) throws {
        let conditions = try kind.conditions.map { try Condition($0, at: "\"/p\"") }
        var (count, wrong): (Int, [String]) = (0, [])
        func check(_ condition: Condition, _ truth: Truth?, _ format: CredentialFormat, _ shown: SignedText) {
            count += 1
            let claims = SignedClaims(
                format: format, issuer: PolicyFixture.issuer, types: [PolicyFixture.staff], text: shown, validFrom: nil,
                validUntil: nil, signed: SignedContent(digest: []), subjects: CredentialSubjects([]))
            let found = condition.truth(of: claims)
            if found == nil || found != .unknown && found != truth {
                wrong.append("\(condition.text) of \(shown.document.compactText)")
            }
        }
        for condition in conditions {
            for values in Self.shapes(kind) {
                let all = values.compactMap(\.json)
                let written: [JSON] = all.count == 1 ? [.array(all), all[0]] : [.array(all)]
                for value in written {
                    let truth = condition.truth(of: PolicyFixture.claims(["p": value], format: .jwtVC))
                    // The claim as a whole is withheld.
                    check(condition, truth, .dcSDJWT, SignedText([:], hidesMembers: true))
                    check(condition, truth, .mdoc, SignedText([:]))
                    check(condition, truth, .dcSDJWT, SignedText(["p": value], hidesMembers: true))
                    guard let elements = value.array else { continue }
                    for part in Self.subsets(of: elements.count) {
                        let places = Set(elements.indices).subtracting(part)
                        let shown = elements.indices.map { places.contains($0) ? JSON.null : elements[$0] }
                        check(
                            condition, truth, .vcSDJWT,
                            SignedText(
                                ["p": .array(shown)], withheld: Set(places.map { Text("/p/\($0)") }), hidesMembers: true
                            ))
                    }
                }
            }
        }
        print("withheld: \(kind): \(count) cases of text")
        #expect(wrong.isEmpty, "\(wrong.count): \(wrong.prefix(5))")
    }
}

extension WithheldTableTests.Kind: CustomStringConvertible {
    var description: String { testDescription }
}
