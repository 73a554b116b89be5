import Encoding
import TestKit

@testable import Credentials

/// An SD-JWT with randomly chosen disclosable parts: claims, elements of lists, members of objects, also
/// nested, and sometimes dates, subjects and status.
struct WithheldToken {
    private let forge: TokenForge
    private let isVCDM: Bool
    private var generator: FixedGenerator
    /// The disclosures, each with those that contain it.
    private var disclosures: [(text: String, parents: UInt)] = []
    private static let most = 4

    static func trial(_ seed: Int) throws -> (WithheldTrial, [String]) {
        var token = try WithheldToken(seed)
        return try token.make(seed)
    }

    private init(_ seed: Int) throws {
        forge = try TokenForge()
        isVCDM = seed % 2 == 1
        generator = FixedGenerator(state: UInt64(seed))
    }

    private mutating func chance(_ one: Int) -> Bool { Int.random(in: 0..<one, using: &generator) == 0 }

    private mutating func make(_ seed: Int) throws -> (WithheldTrial, [String]) {
        var payload: JSONObject
        let claims = ChanceRules.claims(&generator)
        let decisive: [(Text, JSON)] = [
            ("exp", 1_790_000_000), ("exp", 1_799_136_000), ("nbf", 1_799_000_000), ("nbf", 1_767_600_000),
            ("status", ["status_list": ["idx": 7, "uri": "https://issuer.example/tokens/1dirty"]]),
        ]
        if isVCDM {
            let inside: [(Text, JSON)] = [
                ("validUntil", "2026-06-01T00:00:00Z"), ("validUntil", "2026-12-31T00:00:00Z"),
                ("validFrom", "2026-12-24T00:00:00Z"), ("credentialStatus", RespellingTwins.entry("dirty")),
                ("credentialStatus", [RespellingTwins.entry("clean"), RespellingTwins.entry("dirty")]),
            ]
            payload = forge.v2
            let first = JSONObject([.init("id", "did:example:emp-77")] + claims.members)
            payload["credentialSubject"] =
                chance(4) ? [.object(first), ["id": "did:example:lost", "level": 3]] : .object(first)
            if chance(2), let member = (decisive + inside).randomElement(using: &generator) {
                payload[member.0] = member.1
            }
            for name in ["validFrom", "validUntil"] as [Text] where chance(4) { payload[name] = nil }
        } else {
            payload = JSONObject(forge.claims.members + [.init("sub", "did:example:emp-77")] + claims.members)
            if chance(2), let member = decisive.randomElement(using: &generator) { payload[member.0] = member.1 }
        }
        let signed = conceal(.object(payload), within: 0, keeping: ["iss", "vct", "@context", "type", "issuer"])
        let token = try forge.sign(forge.header(isVCDM ? "vc+sd-jwt" : "dc+sd-jwt"), signed.object ?? [:])
        let parts = disclosures
        let rules = ChanceRules(
            root: isVCDM ? "/credentialSubject/" : "/", subject: "did:example:lost",
            type: isVCDM ? "EmployeePassCredential" : "https://credentials.example/employee-pass")
        let trial = WithheldTrial(
            name: "SD-JWT \(seed) \(JSON.object(payload).compactText)", parts: parts.count,
            material: try TokenTwins(isVCDM ? .vcdmSDJWT : .dcSDJWT).maker().material, clock: TokenForge.clock
        ) { mask in
            let shown = parts.indices.filter { mask >> UInt($0) & 1 == 1 }
            guard shown.allSatisfy({ parts[$0].parents & mask == parts[$0].parents }) else { return nil }
            return Array((([token] + shown.map { parts[$0].text }).joined(separator: "~") + "~").utf8)
        }
        return (trial, rules.make(12, &generator))
    }

    /// Returns the value with digests in place of the parts that the holder may withhold.
    private mutating func conceal(_ value: JSON, within parents: UInt, keeping kept: Set<Text> = []) -> JSON {
        switch value {
        case .object(let object):
            var (shown, digests) = (JSONObject(), [JSON]())
            for member in object.members {
                guard !kept.contains(member.name), disclosures.count < Self.most, chance(3) else {
                    shown[member.name] = conceal(member.value, within: parents)
                    continue
                }
                digests.append(
                    disclose(parents) {
                        Disclose.member(member.name, $0, salt: $1)
                    } of: { token, inner in
                        token.conceal(member.value, within: inner)
                    })
            }
            if !digests.isEmpty { shown["_sd"] = .array(digests) }
            return .object(shown)
        case .array(let elements):
            return .array(
                elements.map { element in
                    guard disclosures.count < Self.most, chance(3) else { return conceal(element, within: parents) }
                    return [
                        "...": disclose(parents) {
                            Disclose.element($0, salt: $1)
                        } of: { token, inner in
                            token.conceal(element, within: inner)
                        }
                    ]
                })
        default: return value
        }
    }

    /// Returns the digest of one more disclosure, whose own parts follow it.
    private mutating func disclose(
        _ parents: UInt, _ text: (JSON, Text) -> String, of value: (inout WithheldToken, UInt) -> JSON
    ) -> JSON {
        let index = disclosures.count
        disclosures.append(("", parents))
        let content = value(&self, parents | 1 << UInt(index))
        disclosures[index].text = text(content, Text("salt-\(index)"))
        return Disclose.digest(disclosures[index].text)
    }
}
