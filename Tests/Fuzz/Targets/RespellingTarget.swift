import Encoding
import LinkedData
import Reasons
import TestKit

@testable import Credentials

extension FuzzTarget {
    /// Linked data in other spellings. An input is a row of choices, which make a credential over a small
    /// vocabulary, a rule of the gate, and up to three other ways of writing the same signed statements. The
    /// verdict stays the same, or is a rejection.
    static let respelling = FuzzTarget(
        name: "respelling", longest: 96,
        seeds: {
            var generator = FixedGenerator(state: 20_261_122)
            return (0..<200).map { _ in (0..<64).map { _ in UInt8.random(in: 0...255, using: &generator) } }
        },
        check: { bytes in
            guard let maker else { return require(false, "a test key") }
            var choices = Choices(bytes)
            guard let plain = maker.document(choices.below(RespellingMaker.documents)) else { return }
            let (policy, clock) = (choices.below(maker.policies.count), choices.below(maker.clocks.count))
            var respeller = plain.respeller
            var tricks: [String] = []
            // One trick in most cases: a second one rarely makes a case harder, and always slower.
            for _ in 0..<[1, 1, 1, 1, 1, 2, 2, 3][choices.below(8)] {
                let candidates = respeller.candidates(at: choices.pick(respeller.sites))
                // Take the first of four neighbouring candidates that works there.
                let start = choices.below(candidates.count)
                for offset in 0..<4 {
                    let candidate = candidates[(start + offset) % candidates.count]
                    guard let changed = respeller.respelt(candidate) else { continue }
                    respeller = respeller.moved(to: changed)
                    tricks.append(candidate.name)
                    break
                }
            }
            guard !tricks.isEmpty else { return }
            let respelt = respeller.document
            guard let difference = maker.difference(plain, respelt, policy, clock) else { return }
            require(false, "\(difference)\n\(tricks)\n\(plain.document.compactText)\n\(respelt.compactText)")
        })

    /// This is safe because libFuzzer has one thread.
    nonisolated(unsafe) private static let maker = try? RespellingMaker()
}

/// Credentials over a small vocabulary, and the verifiers of the gates that judge them.
private final class RespellingMaker {
    private let signer: GraphSigner
    let setting: Respeller.Setting
    let policies: [VerificationPolicy]
    let clocks: [WallTime]
    /// For each policy, a verifier with both checks (statements and spelling) and one that checks the
    /// statements alone.
    private let verifiers: [(both: Verifier, first: Verifier)]
    private var made: [Int: Plain] = [:]

    /// The number of documents. Each is signed once.
    static let documents = 4096

    /// A signed document with the verdicts found about it so far.
    final class Plain {
        let document: JSON
        let respeller: Respeller
        private var verdicts: [[Int]: Verdict] = [:]

        init(_ document: JSON, _ setting: Respeller.Setting) {
            self.document = document
            respeller = Respeller(document, setting, inlineAllowed: true)
        }

        func verdict(_ place: [Int], _ make: () -> Verdict) -> Verdict {
            if let known = verdicts[place] { return known }
            let verdict = make()
            verdicts[place] = verdict
            return verdict
        }
    }

    private static let terms: Text = "https://works.example/ns/v1"
    private static let context: JSON = [
        "@context": [
            "works": "https://works.example/ns#", "people": "did:example:", "StaffPass": "works:StaffPass",
            "level": "works:level", "zones": "works:zone", "manager": ["@id": "works:manager", "@type": "@id"],
            "kind": ["@id": "works:kind", "@type": "@vocab"], "Visitor": "works:Visitor",
            "rooms": ["@id": "works:room", "@container": "@list"],
        ]
    ]

    init() throws {
        signer = try GraphSigner(.eddsaRDFC2022, contexts: [Self.terms: Self.context])
        clocks = [1_790_000_000, 1_769_000_000, 1_800_000_000].map {
            WallTime(utc: Timestamp(seconds: $0), provenance: .given)
        }
        let level = "{ claim = \"/credentialSubject/level\", "
        let rules = [
            "", "replay.key = \"subject\"", "[[deny]]\nid = \"d\"\nsubjects = [ \"did:example:lost\" ]",
            "[[deny]]\nid = \"d\"\nwhen = [ \(level)at-least = 3 } ]",
            "[[deny]]\nid = \"d\"\nwhen = [ { not = \(level)equals = 3 } } ]",
            "[[deny]]\nid = \"d\"\nwhen = [ { claim = \"/credentialSubject/zones\", contains = \"north\" } ]",
            "[[deny]]\nid = \"d\"\nwhen = [ { claim = \"/credentialSubject/rooms/0\", equals = \"a\" } ]",
            "[[deny]]\nid = \"d\"\nwhen = [ { claim = \"/credentialSubject/manager/level\", equals = 1 } ]",
            "[[deny]]\nid = \"d\"\nwhen = [ { claim = \"/credentialSubject/level\", exists = true } ]",
        ]
        policies =
            [VerificationPolicy()]
            + rules.compactMap { text in
                let file = "id = \"p\"\nversion = \"1\"\n\(text)\n[[accept]]\nid = \"r\"\n"
                return (try? GatePolicy.parse(Array(file.utf8), zones: { _ in nil })).map { VerificationPolicy($0) }
            }
        require(policies.count == rules.count + 1, "every rule is read")
        // A document with every member contains every property.
        var all = Choices([UInt8](repeating: 1, count: 64))
        let whole = try signer.sign(Self.document(&all, signer))
        let processor = JSONLDProcessor(contexts: ContextDocuments(signer.contexts))
        setting = Respeller.Setting(
            signer.contexts, second: SecondContext(for: SignedPart.all(of: whole), processor))
        var entry = TrustedIssuer(id: signer.id)
        entry.inlineContexts = true
        var material = TrustMaterial(issuers: [entry])
        material.contexts = signer.contexts.merging(setting.second.documents) { $1 }.mapValues(\.compactBytes)
        let trust = try TrustStore(material)
        verifiers = policies.map {
            let both = Verifier(trust: trust, policy: $0)
            return (both, Self.statementsOnly(both))
        }
    }

    /// Returns a signed document; nil for a number whose choices make no document that can be signed.
    func document(_ number: Int) -> Plain? {
        if let known = made[number] { return known }
        var generator = FixedGenerator(state: UInt64(number))
        var choices = Choices((0..<64).map { _ in UInt8.random(in: 0...255, using: &generator) })
        guard let document = try? signer.sign(Self.document(&choices, signer)) else { return nil }
        let plain = Plain(document, setting)
        made[number] = plain
        return plain
    }

    private static func document(_ choices: inout Choices, _ signer: GraphSigner) -> JSONObject {
        var document: JSONObject = [
            "@context": signer.heads(terms), "type": ["VerifiableCredential", "StaffPass"],
            "issuer": choices.pick([.string(signer.id), ["id": .string(signer.id)]]),
        ]
        document["id"] = choices.pick([nil, "urn:uuid:1"])
        document["validFrom"] = choices.pick(["2026-03-01T00:00:00Z", "2026-01-01T00:00:00Z", nil])
        document["validUntil"] = choices.pick([nil, "2026-12-01T00:00:00Z", "2026-12-01T00:00:00+02:00"])
        let first = subject(&choices)
        let second = subject(&choices)
        document["credentialSubject"] = choices.pick([
            .object(first), .object(first), [.object(first), .object(second)],
        ])
        return document
    }

    private static func subject(_ choices: inout Choices) -> JSONObject {
        var subject = JSONObject()
        subject["id"] = choices.pick([nil, "did:example:holder", "did:example:lost"])
        subject["level"] = choices.pick([nil, 3, [1, 5], 5, "3", [3, "x"]])
        subject["zones"] = choices.pick([nil, ["north", "south"], "north", ["south"], []])
        subject["rooms"] = choices.pick([nil, ["a", "b"], ["b", "a"]])
        subject["kind"] = choices.pick([nil, "Visitor", "https://works.example/ns#Visitor"])
        subject["manager"] = choices.pick([
            nil, "did:example:m", ["id": "did:example:m", "level": 1], ["level": [1, 2]], ["id": "did:example:holder"],
        ])
        if subject.isEmpty { subject["level"] = 1 }
        return subject
    }

    /// Returns how the verdicts on a respelt document, with both checks and with the statements alone, break
    /// the following property; nil if it holds. An accepted document is also accepted in its plain spelling,
    /// by the same rule of the policy and with the same signed content, issuer, types, dates and replay keys.
    /// A document accepted in its plain spelling may be rejected in another.
    func difference(_ plain: Plain, _ respelt: JSON, _ policy: Int, _ time: Int) -> String? {
        let ((both, first), clock) = (verifiers[policy], clocks[time])
        // The plain document may by chance have a spelling that is rejected for itself. Only its statements
        // count here.
        let wanted = plain.verdict([policy, time]) { first.verify(plain.document.compactBytes, at: clock) }
        let payload = respelt.compactBytes
        let found = first.verify(payload, at: clock)
        if let difference = Self.difference(found, wanted) { return difference }
        // The additional check of the spelling can only reject more.
        return found.isAccepted ? Self.difference(both.verify(payload, at: clock), wanted) : nil
    }

    private static func statementsOnly(_ verifier: Verifier) -> Verifier {
        var verifier = verifier
        verifier.checksSpelling = false
        return verifier
    }

    private static func difference(_ found: Verdict, _ wanted: Verdict) -> String? {
        if found.code == .internal || wanted.code == .internal { return "a verdict without a reason" }
        guard found.isAccepted else { return nil }
        guard wanted.isAccepted else { return "accepted, plain is \(wanted.code)" }
        let (left, right) = (found.credential, wanted.credential)
        if left.signedDigest != right.signedDigest { return "another signed digest" }
        if left.issuer != right.issuer || Set(left.types) != Set(right.types) { return "another issuer or other types" }
        if left.validFrom != right.validFrom || left.validUntil != right.validUntil { return "other dates" }
        if Set(found.replayKeys) != Set(wanted.replayKeys) { return "other replay keys" }
        return found.rule == wanted.rule ? nil : "another rule"
    }
}
