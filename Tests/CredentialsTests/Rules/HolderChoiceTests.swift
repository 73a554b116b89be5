import Encoding
import Reasons
import Testing

@testable import Credentials

/// For every condition, every format and every value, no choice of the holder turns a refusal into an acceptance.
///
/// The holder may respell the content of RDF suites, write JCS numbers in other digits, and withhold as much as the
/// format allows. The reference is the verdict on the complete credential.
@Suite struct HolderChoiceTests {
    /// A condition with its claim as `/CLAIM`, and values that an issuer may sign for it.
    struct Row: CustomTestStringConvertible, Sendable {
        let claim: Text
        let conditions: [String]
        let values: [JSON?]
        var testDescription: String { claim.string }
    }

    static let rows = [
        Row(
            claim: "level",
            conditions: [
                "equals = 3", "in = [3, 4]", "at-least = 3", "at-most = 3", "above = 2", "below = 4",
                "contains = 3", "contains-any = [3, 9]", "contains-all = [3, 5]", "exists = true", "exists = false",
            ],
            values: [3, 5, [3, 5], [1, 5, 9], "3", nil]),
        Row(
            claim: "zones",
            conditions: [
                "equals = \"north\"", "contains = \"north\"", "contains-any = [\"north\", \"east\"]",
                "contains-all = [\"north\", \"south\"]", "starts-with = \"no\"", "exists = true", "exists = false",
            ],
            values: ["north", ["north", "south"], ["south", "west"], ["south", 5], nil]),
        Row(
            claim: "code", conditions: ["starts-with = \"AB\"", "equals = \"AB-1\"", "in = [\"AB-1\", \"AB-2\"]"],
            values: ["AB-1", "ZZ", ["AB-1", "ZZ"], nil]),
        Row(
            claim: "day",
            conditions: [
                "on-or-after = 2026-06-01", "on-or-before = 2026-06-01", "before = 2026-06-01", "after = 2026-06-01",
            ],
            values: ["2026-06-01", "2020-01-01", ["2020-01-01", "2030-01-01"], nil]),
        Row(
            claim: "flag", conditions: ["equals = true", "equals = false", "exists = true"],
            values: [true, false, nil]),
        Row(
            claim: "birth", conditions: ["AGE at-least = 18", "AGE below = 18"],
            values: ["2000-05-05", "2020-05-05", ["2000-05-05", "2020-05-05"], nil]),
    ]

    @Test(arguments: rows, RuleFormat.allCases) func nothingIsGained(by row: Row, in format: RuleFormat) throws {
        var (count, failures): (Int, [String]) = (0, [])
        for value in row.values {
            for isMandatory in format == .disclosed ? [true, false] : [false] {
                var claims: JSONObject = ["rooms": ["a", "b"]]
                claims[row.claim] = value
                let pass = try RuleCredential(format, claims, isMandatory: isMandatory, respellings: 16)
                let trust = try TrustStore(pass.material)
                for rule in try Self.rules(row, format) {
                    let plain = pass.verdict(pass.full, rule.policy, trust)
                    count += pass.choices.count
                    if plain.isAccepted { continue }
                    for choice in pass.choices where pass.verdict(choice, rule.policy, trust).isAccepted {
                        failures.append("\(choice.name), \(rule.text), \(value?.compactText ?? "absent")")
                    }
                    #expect(plain.code.text.hasPrefix("policy."), "\(plain.reasons) \(rule.text)")
                }
            }
        }
        print("rules: \(format.rawValue) \(row.claim): \(count) cases")
        #expect(failures.isEmpty, "\(failures.count): \(failures.prefix(8))")
    }

    /// Returns each condition as a requirement and as a deny rule: straight, negated and combined.
    private static func rules(_ row: Row, _ format: RuleFormat) throws -> [(text: String, policy: GatePolicy)] {
        let room = "{ claim = \"\(format.root)rooms\", contains = \"a\" }"
        let texts = row.conditions.flatMap { text -> [String] in
            let isAge = text.hasPrefix("AGE ")
            let rest = isAge ? String(text.dropFirst(4)) : text
            let condition = "{ \(isAge ? "age" : "claim") = \"\(format.root)\(row.claim)\", \(rest) }"
            let not = "{ not = \(condition) }"
            return [condition, not].map { "[[accept]]\nid = \"r\"\nrequire = [ \($0) ]\n" }
                + [condition, not, "{ all = [ \(condition), \(room) ] }"].map {
                    "[[deny]]\nid = \"d\"\nwhen = [ \($0) ]\n[[accept]]\nid = \"r\"\n"
                }
                + ["[[accept]]\nid = \"r\"\nrequire = [ { any = [ \(not), { not = \(room) } ] } ]\n"]
        }
        return try texts.map { ($0, try PolicyFixture.parse($0)) }
    }
}
