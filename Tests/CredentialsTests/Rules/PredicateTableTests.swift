import Encoding
import Foundation
import LinkedData
import Testing

@testable import Credentials

/// Every condition with every kind of value: present once, several times, withheld, absent, and missing at one of
/// several nodes. The oracle lists the possible worlds. If the results in these worlds differ, the right result is
/// unknown.
@Suite struct PredicateTableTests {
    /// A value that a rule can compare.
    private enum Atom: Sendable {
        case text(String)
        case number(Decimal)
        case flag(Bool)
        case iri(String)
        case other
    }

    private struct Value: Sendable {
        let name: String
        let terms: [Term]
        let atoms: [Atom]
    }

    private static func typed(_ text: Text, _ type: Text) -> Term {
        .literal(Literal(text, datatype: Text("http://www.w3.org/2001/XMLSchema#\(type)")))
    }

    private static func value(_ name: String, _ term: Term, _ atom: Atom) -> Value {
        Value(name: name, terms: [term], atoms: [atom])
    }

    private static let values: [Value] = [
        value("text", .literal(Literal("n")), .text("n")),
        value("another text", .literal(Literal("west")), .text("west")),
        value("name as text", .literal(Literal("Admin")), .text("Admin")),
        value("text in a language", .literal(Literal("n", datatype: RDF.langString, language: "en")), .text("n")),
        value("text of an unknown type", .literal(Literal("n", datatype: "urn:type")), .text("n")),
        value("early day", typed("2026-05-31", "date"), .text("2026-05-31")),
        value("late day", .literal(Literal("2026-07-01")), .text("2026-07-01")),
        value("birth", typed("1990-01-01", "date"), .text("1990-01-01")),
        value("late birth", typed("2020-01-01", "date"), .text("2020-01-01")),
        value("digits", .literal(Literal("3")), .text("3")), value("integer", typed("3", "integer"), .number(3)),
        value("small integer", typed("2", "integer"), .number(2)),
        value("decimal", typed("3.0", "decimal"), .number(3)), value("double", typed("3.0E0", "double"), .number(3)),
        value("beyond doubles", typed("9007199254740993", "integer"), .number(9_007_199_254_740_993)),
        value("no number", typed("INF", "double"), .other), value("true", typed("true", "boolean"), .flag(true)),
        value("one", typed("1", "boolean"), .flag(true)), value("false", typed("0", "boolean"), .flag(false)),
        value("no boolean", typed("yes", "boolean"), .other), value("IRI", .iri("urn:n:Admin"), .iri("urn:n:Admin")),
        value("another IRI", .iri("urn:n:Guest"), .iri("urn:n:Guest")),
        value("IRI without a name", .iri("urn:m:1"), .iri("urn:m:1")), value("blank node", .blank("x"), .other),
        value("JSON", .literal(Literal("[\"n\"]", datatype: RDF.json)), .other),
        value("JSON null", .literal(Literal("null", datatype: RDF.json)), .other),
    ]

    // MARK: - Conditions

    /// The result of a test on one value; nil if unknown.
    private typealias Answer = @Sendable (Atom) -> Bool?

    /// A condition with its answers.
    private struct Condition: Sendable {
        enum Shape: Sendable { case one, some, every, existence(Bool) }
        let text: String
        let shape: Shape
        var answers: [Answer] = []
    }

    private static func equal(_ atom: Atom, _ wanted: PolicyValue) -> Bool? {
        switch (atom, wanted) {
        case (.text(let left), .text(let right)): left == right.string
        // No other number is used in conditions.
        case (.number(let left), .number): left == 3
        case (.flag(let left), .boolean(let right)): left == right
        case (.iri(let iri), .text(let right)):
            if right.string.contains(":") { iri == right.string } else { names[right.string].map { $0 == iri } }
        default: nil
        }
    }

    private static let names = ["Admin": "urn:n:Admin", "Guest": "urn:n:Guest", "cs": "urn:cs", "p": "urn:p"]

    /// Tests for one of several wanted values. Wanted values of another kind are ignored. The result is unknown if no
    /// wanted value has the value's kind, or if no comparison succeeds and one is unknown.
    private static func any(_ wanted: [PolicyValue]) -> Answer {
        { atom in
            let answers = wanted.filter { isSameKind(atom, $0) }.map { equal(atom, $0) }
            if answers.contains(true) { return true }
            return answers.isEmpty || answers.contains(nil) ? nil : false
        }
    }

    private static func isSameKind(_ atom: Atom, _ wanted: PolicyValue) -> Bool {
        switch (atom, wanted) {
        case (.text, .text), (.iri, .text), (.number, .number), (.flag, .boolean): true
        default: false
        }
    }

    private static func number(_ compare: @escaping @Sendable (Decimal) -> Bool) -> Answer {
        { if case .number(let number) = $0 { compare(number) } else { nil } }
    }

    private static func text(_ answers: [String: Bool]) -> Answer {
        { if case .text(let text) = $0 { answers[text] } else { nil } }
    }

    private static let conditions: [Condition] =
        [
            Condition(text: "claim = P, exists = true", shape: .existence(true)),
            Condition(text: "claim = P, exists = false", shape: .existence(false)),
            Condition(text: "claim = P, at-least = 3", shape: .one, answers: [number { $0 >= 3 }]),
            Condition(text: "claim = P, below = 3", shape: .one, answers: [number { $0 < 3 }]),
            Condition(
                text: "claim = P, above = \"9007199254740992\"", shape: .one,
                answers: [number { $0 > 9_007_199_254_740_992 }]),
            Condition(
                text: "claim = P, before = 2026-06-01", shape: .one,
                answers: [text(["2026-05-31": true, "2026-07-01": false, "1990-01-01": true, "2020-01-01": true])]),
            Condition(
                text: "age = P, at-least = 18", shape: .one,
                answers: [text(["1990-01-01": true, "2020-01-01": false, "2026-05-31": false])]),
        ] + prefixes + comparisons

    private static let prefixes = ["n", "Ad", "urn:n:", "3"].map { prefix in
        Condition(
            text: "claim = P, starts-with = \"\(prefix)\"", shape: .one,
            answers: [
                { atom in
                    switch atom {
                    case .text(let text): text.hasPrefix(prefix)
                    case .iri(let iri): prefix.contains(":") ? iri.hasPrefix(prefix) : nil
                    default: nil
                    }
                }
            ])
    }

    private static let comparisons: [Condition] = {
        let single: [PolicyValue] = [
            .text("n"), .text("Admin"), .text("urn:n:Admin"), .text("urn:x"), .text("unheard"),
            .number(DecimalNumber(3)),
            .boolean(true),
        ]
        let several: [[PolicyValue]] = [
            [.text("n"), .text("west")], [.text("unheard"), .text("urn:x")], [.text("Guest"), .text("urn:x")],
            [.text("n"), .number(DecimalNumber(3)), .boolean(false)],
        ]
        func write(_ value: PolicyValue) -> String {
            switch value {
            case .text(let text): "\"\(text)\""
            case .number: "3"
            case .boolean(let flag): "\(flag)"
            }
        }
        func write(_ values: [PolicyValue]) -> String { "[" + values.map { write($0) }.joined(separator: ", ") + "]" }
        return single.flatMap { value in
            [
                Condition(text: "claim = P, equals = \(write(value))", shape: .one, answers: [any([value])]),
                Condition(text: "claim = P, contains = \(write(value))", shape: .some, answers: [any([value])]),
            ]
        }
            + several.flatMap { values in
                [
                    Condition(text: "claim = P, in = \(write(values))", shape: .one, answers: [any(values)]),
                    Condition(text: "claim = P, contains-any = \(write(values))", shape: .some, answers: [any(values)]),
                    Condition(
                        text: "claim = P, contains-all = \(write(values))", shape: .every,
                        answers: values.map { any([$0]) }),
                ]
            }
    }()

    // MARK: - Oracle

    /// Returns the result of a condition if exactly these values are stated; nil if unknown.
    private static func answer(_ condition: Condition, _ atoms: [Atom], isList: Bool) -> Bool? {
        switch condition.shape {
        case .existence(let wanted): return (isList || !atoms.isEmpty) == wanted
        case .one: return atoms.count == 1 && !isList ? condition.answers[0](atoms[0]) : nil
        case .some, .every:
            if atoms.isEmpty { return isList ? false : nil }
            let answers = condition.answers.map { answer -> Bool? in
                let found = atoms.map(answer)
                return found.contains(true) ? true : found.contains(nil) ? nil : false
            }
            return answers.contains(false) ? false : answers.contains(nil) ? nil : true
        }
    }

    /// Returns the result if further values of any kind may be withheld.
    private static func answer(_ condition: Condition, _ atoms: [Atom], isList: Bool, mayHide: Bool) -> String {
        var worlds = [atoms]
        if mayHide { worlds += values.map { atoms + $0.atoms } + [atoms + [.other]] }
        let answers = Set(worlds.map { answer(condition, $0, isList: isList) })
        guard answers.count == 1, let answer = answers.first ?? nil else { return "unknown" }
        return answer ? "yes" : "no"
    }

    // MARK: - Statements

    private static let context: JSON = [
        "@context": [
            "cs": "urn:cs", "p": ["@id": "urn:p", "@type": "@vocab"], "Admin": "urn:n:Admin", "Guest": "urn:n:Guest",
            "id": "@id", "type": "@type",
        ]
    ]

    /// The form in which values occur in a credential.
    private enum Showing: CaseIterable {
        case plain, withheld, lackingElsewhere, list, withheldList
    }

    private static func graph(_ terms: [Term], _ showing: Showing) -> StatementGraph {
        let (root, subject) = (Term.blank("c"), Term.blank("s"))
        var quads = [Quad(root, "urn:cs", subject)]
        if showing == .lackingElsewhere { quads.append(Quad(root, "urn:cs", .blank("t"))) }
        if showing == .list || showing == .withheldList {
            let cells = terms.indices.map { Term.blank(Text("l\($0)")) } + [.iri(RDF.nil)]
            quads.append(Quad(subject, "urn:p", cells[0]))
            for (index, term) in terms.enumerated() {
                quads += [Quad(cells[index], RDF.first, term), Quad(cells[index], RDF.rest, cells[index + 1])]
            }
        } else {
            quads += terms.map { Quad(subject, "urn:p", $0) }
        }
        var graph = PolicyFixture.graph(quads, root: root)
        if showing == .withheld || showing == .withheldList { graph.mandatory = [] }
        return graph
    }

    private func truth(of condition: Condition, _ path: String, _ claims: SignedClaims) throws -> String {
        let rule = condition.text.replacing("= P,", with: "= \(path),")
        let policy = try PolicyFixture.requiring("{ \(rule) }")
        let processor = JSONLDProcessor(contexts: ContextDocuments(["urn:c": Self.context]))
        let evaluation = PredicateEvaluation(
            claims: claims, names: ClaimNames(of: claims, listed: [], pinned: processor, work: RuleWork(1_000)),
            now: PolicyFixture.noon, zone: policy.zone, skew: .zero, profile: .strict)
        return "\(evaluation.all(policy.accept[0].require).truth)"
    }

    @Test(arguments: conditions.indices) func everyCellOfStatements(index: Int) throws {
        let condition = Self.conditions[index]
        let one = Self.values.map { Value(name: $0.name, terms: $0.terms, atoms: $0.atoms) }
        let two = zip(Self.values, Self.values.dropFirst() + Self.values.prefix(1)).map {
            Value(name: "\($0.name) and \($1.name)", terms: $0.terms + $1.terms, atoms: $0.atoms + $1.atoms)
        }
        for value in [Value(name: "nothing", terms: [], atoms: [])] + one + two {
            for showing in Showing.allCases {
                let isList = showing == .list || showing == .withheldList
                // If one node has the value and another has none, the missing value counts as a value about which
                // nothing is known.
                let isPartial = showing == .lackingElsewhere && !value.atoms.isEmpty
                let wanted = Self.answer(
                    condition, value.atoms + (isPartial ? [.other] : []), isList: isList,
                    mayHide: showing == .withheld || showing == .withheldList)
                let claims = PolicyFixture.claims(
                    ["@context": ["urn:c"]], format: .ldpVC, graph: Self.graph(value.terms, showing))
                let found = try truth(of: condition, "\"/cs/p\"", claims)
                #expect(found == wanted, "\(condition.text) of \(value.name), \(showing)")
                // A path of IRIs uses no names.
                let byIRI = try truth(of: condition, "[\"urn:cs\", \"urn:p\"]", claims)
                #expect(byIRI == wanted || byIRI == "unknown", "\(condition.text) of \(value.name), \(showing), by IRI")
            }
        }
    }

    // MARK: - Text

    private static let texts: [(JSON, [Atom], isList: Bool)] = [
        ("n", [.text("n")], false), ("west", [.text("west")], false), (3, [.number(3)], false),
        (JSON.number(JSONNumber(validated: "9007199254740993")), [.number(9_007_199_254_740_992)], false),
        (true, [.flag(true)], false), (nil, [.other], false), (["n": 1], [.other], false), ([], [], true),
        (["n"], [.text("n")], true), (["n", 3], [.text("n"), .number(3)], true), ([["n"]], [.other], true),
        (["west", nil], [.text("west"), .other], true), ("2026-05-31", [.text("2026-05-31")], false),
        ("1990-01-01", [.text("1990-01-01")], false),
    ]

    /// Returns the statements of a text without names for IRIs.
    private static func statements(_ atoms: [Atom]) -> StatementGraph {
        PolicyFixture.graph(
            atoms.enumerated().map { index, atom in
                let term: Term =
                    switch atom {
                    case .text(let text), .iri(let text): .literal(Literal(Text(text)))
                    case .number(let number): typed(Text("\(number)"), "double")
                    case .flag(let flag): typed(flag ? "true" : "false", "boolean")
                    case .other: .blank(Text("x\(index)"))
                    }
                return Quad(.blank("c"), "urn:p", term)
            })
    }

    /// Linked data whose text is signed: its numbers are doubles.
    @Test(arguments: conditions.indices) func everyCellOfText(index: Int) throws {
        let condition = Self.conditions[index]
        for (value, atoms, isList) in Self.texts {
            let claims = PolicyFixture.claims(
                ["@context": ["urn:c"], "p": value], format: .ldpVC, graph: Self.statements(atoms), hasText: true)
            let wanted = Self.answer(condition, atoms, isList: isList, mayHide: false)
            #expect(try truth(of: condition, "\"/p\"", claims) == wanted, "\(condition.text) of \(value.compactText)")
        }
        let absent = try truth(of: condition, "\"/p\"", PolicyFixture.claims([:], format: .ldpVC))
        #expect(absent == Self.answer(condition, [], isList: false, mayHide: false), "\(condition.text) of nothing")
        let withheld = PolicyFixture.claims([:], format: .dcSDJWT)
        #expect(try truth(of: condition, "\"/p\"", withheld) == "unknown", "\(condition.text), withheld")
    }
}
