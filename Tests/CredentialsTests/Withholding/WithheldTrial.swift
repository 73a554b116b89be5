import Encoding
import Reasons

@testable import Credentials

/// One credential in parts, each of which its holder may show or withhold.
struct WithheldTrial {
    let name: String
    /// The number of parts.
    let parts: Int
    let material: TrustMaterial
    let clock: WallTime
    /// Returns the payload with the parts whose bits are set; nil if a part cannot be shown without another part.
    let payload: (UInt) throws -> [UInt8]?

    /// Returns descriptions of a holder's gains by withholding: the rule, the shown parts, and the verdict on a fuller
    /// showing.
    ///
    /// If a showing is accepted, every fuller showing must be accepted. Only an object with missing parts may be
    /// invalid for that reason.
    func gains(under rules: [String], counting count: inout Int) throws -> [String] {
        let payloads = try (0..<(1 << UInt(parts))).map(payload)
        let trust = try TrustStore(material)
        return try rules.flatMap { rule -> [String] in
            var verifier = Verifier(trust: trust, policy: try TwinMaker.policy(rule))
            // Other spellings of statements have their own refusal; this trial concerns withholding only.
            verifier.checksSpelling = false
            let verdicts = payloads.map { payload in payload.map { verifier.verify($0, at: clock) } }
            count += verdicts.count { $0 != nil }
            let shown = verdicts.indices.filter { verdicts[$0] != nil }
            return shown.flatMap { less -> [String] in
                guard verdicts[less]?.isAccepted ?? false else { return [] }
                return shown.compactMap { more -> String? in
                    guard more & less == less, more != less, let fuller = verdicts[more], !fuller.isAccepted else {
                        return nil
                    }
                    let (bits, code) = (String(less, radix: 2), fuller.code)
                    if code.text.hasPrefix("shape."), more != (1 << UInt(parts)) - 1 { return nil }
                    return "\(name): \(rule): \(bits) of \(parts) is accepted, \(String(more, radix: 2)) is \(code)"
                }
            }
        }
    }
}

/// Random rules about the claims that the trials have.
struct ChanceRules {
    /// The beginning of pointers to claims.
    let root: String
    let subject: Text
    let type: Text

    private static let conditions: [String: [String]] = [
        "level": [
            "equals = 3", "in = [3, 4]", "at-least = 3", "at-most = 3", "above = 2", "contains = 3",
            "contains-any = [3, 9]",
            "contains-all = [3, 5]",
        ],
        "zones": [
            "equals = \"north\"", "contains = \"north\"", "contains-any = [\"north\", \"east\"]",
            "contains-all = [\"north\", \"south\"]", "starts-with = \"no\"", "in = [\"north\", \"west\"]",
        ],
        "code": ["starts-with = \"AB\"", "equals = \"AB-1\"", "in = [\"AB-1\", \"AB-2\"]"],
        "day": ["on-or-after = 2026-06-01", "before = 2026-06-01"],
        "grade": ["equals = 3", "at-most = 2", "in = [3, 4]"],
        "callName": ["starts-with = \"AB\"", "equals = \"AB-1\""],
        "flag": ["equals = true", "equals = false"],
        "owner/level": ["equals = 3", "at-least = 3"],
    ]

    /// Returns `count` random rules.
    func make(_ count: Int, _ generator: inout some RandomNumberGenerator) -> [String] {
        (0..<count).map { _ in rule(&generator) }
    }

    private func rule(_ generator: inout some RandomNumberGenerator) -> String {
        let accept = "[[accept]]\nid = \"r\"\n"
        switch Int.random(in: 0..<10, using: &generator) {
        case 0: return accept
        case 1: return "[[deny]]\nid = \"d\"\nsubjects = [ \"\(subject)\" ]\n" + accept
        case 2: return "[[deny]]\nid = \"d\"\ntypes = [ \"\(type)\" ]\n" + accept
        case 3: return accept + "types = [ \"\(type)\" ]\n"
        case 4...6: return "[[deny]]\nid = \"d\"\nwhen = [ \(condition(2, &generator)) ]\n" + accept
        default: return accept + "require = [ \(condition(2, &generator)) ]\n"
        }
    }

    private func condition(_ depth: Int, _ generator: inout some RandomNumberGenerator) -> String {
        let kind = Int.random(in: 0..<(depth > 0 ? 10 : 6), using: &generator)
        switch kind {
        case 6...7: return "{ not = \(condition(depth - 1, &generator)) }"
        case 8, 9:
            let inner = (0..<2).map { _ in condition(depth - 1, &generator) }.joined(separator: ", ")
            return "{ \(kind == 8 ? "all" : "any") = [ \(inner) ] }"
        default:
            guard let name = Self.conditions.keys.sorted().randomElement(using: &generator),
                let test = Self.conditions[name]?.randomElement(using: &generator)
            else { return "{ claim = \"\(root)level\", exists = true }" }
            switch Int.random(in: 0..<8, using: &generator) {
            case 0: return "{ claim = \"\(root)\(name)\", exists = true }"
            case 1: return "{ claim = \"\(root)\(name)\", exists = false }"
            default: return "{ claim = \"\(root)\(name)\", \(test) }"
            }
        }
    }

    /// Returns random values that an issuer may sign for the claims.
    static func claims(_ generator: inout some RandomNumberGenerator) -> JSONObject {
        let values: [(Text, [JSON])] = [
            ("level", [3, 5, [3, 5], [1, 3], "3"]),
            ("zones", ["north", ["north", "south"], ["south", "west"], ["south", 5]]),
            ("code", ["AB-1", "ZZ", ["AB-1", "ZZ"]]), ("day", ["2026-06-01", "2020-01-01"]), ("flag", [true, false]),
            ("owner", [["level": 3], ["level": [2, 3], "code": "AB-1"]]),
        ]
        var claims = JSONObject()
        for (name, choices) in values where Int.random(in: 0..<5, using: &generator) < 2 {
            claims[name] = choices.randomElement(using: &generator)
        }
        if claims.isEmpty { claims["level"] = 3 }
        return claims
    }
}
