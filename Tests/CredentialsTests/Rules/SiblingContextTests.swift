import Encoding
import LinkedData
import Testing

@testable import Credentials

/// A holder may list other pinned contexts and write the same statements under their names, because a signature over
/// statements does not cover the contexts. The holder gains nothing by this choice. A context that no credential lists
/// does not change the result of rules either.
@Suite struct SiblingContextTests {
    private static let works: Text = "https://works.example/v1"
    private static let twin: Text = "https://works.example/v2"
    private static let foreign: Text = "https://foreign.example/v1"
    private static let stranger: Text = "https://stranger.example/v1"
    private static let more: Text = "https://works.example/more/v1"

    /// Names and their meanings, by context: the issuer's own, its twin with names exchanged, a foreign one
    /// that gives the issuer's guests better names, a stranger's, and one with more names.
    private static let names: [Text: [Text: Text]] = [
        works: [
            "level": "works:level", "wish": "works:wish", "role": "works:role", "Admin": "works:Admin",
            "Guest": "works:Guest", "StaffPass": "works:StaffPass", "GuestPass": "works:GuestPass",
        ],
        twin: [
            "level": "works:wish", "wish": "works:level", "role": "works:role", "Admin": "works:Guest",
            "Guest": "works:Admin", "StaffPass": "works:GuestPass", "GuestPass": "works:StaffPass",
        ],
        foreign: [
            "level": "foreign:level", "wish": "foreign:wish", "role": "foreign:role", "Admin": "works:Guest",
            "Guest": "foreign:Guest", "StaffPass": "works:GuestPass",
        ],
        stranger: [
            "level": "foreign:level", "wish": "foreign:wish", "role": "foreign:role", "Admin": "foreign:Admin",
            "Guest": "foreign:Guest", "StaffPass": "foreign:StaffPass",
        ],
        more: ["grade": "works:level", "Chief": "works:Admin", "post": "works:role"],
    ]

    private static func context(_ names: [Text: Text]) -> JSON {
        var terms: JSONObject = ["works": "https://works.example/ns#", "foreign": "https://foreign.example/ns#"]
        for (name, meaning) in names {
            terms[name] = meaning.hasSuffix("role") ? ["@id": .string(meaning), "@type": "@vocab"] : .string(meaning)
        }
        return ["@context": .object(terms)]
    }

    private let issuer: TestIssuer
    private let known: [Text: [UInt8]]

    init() throws {
        issuer = try TestIssuer(seed: 9)
        known = Self.names.mapValues { Self.context($0).compactBytes }
    }

    /// The issuer's signed values of a subject, by property, such as `works:level`.
    private struct Signed: CustomTestStringConvertible {
        var type: Text = "works:StaffPass"
        var level: Int?
        var wish: Int?
        var role: Text?
        var testDescription: String { "\(type) \(level ?? 0) \(wish ?? 0) \(role ?? "")" }
    }

    private static let signed: [Signed] = [
        Signed(level: 5), Signed(wish: 9), Signed(level: 2, wish: 9), Signed(level: 5, role: "works:Admin"),
        Signed(level: 5, role: "works:Guest"), Signed(type: "works:GuestPass", level: 5), Signed(level: 5, wish: 1),
        Signed(role: "works:Guest"),
    ]

    /// Returns every way to write the values under a list of contexts.
    private func documents(_ signed: Signed, under list: [Text]) -> [JSONObject] {
        // A later context takes precedence.
        var meanings: [Text: Text] = [:]
        for url in list { meanings.merge(Self.names[url] ?? [:]) { $1 } }
        func spellings(_ meaning: Text) -> [Text] { meanings.filter { $0.value == meaning }.map(\.key).sorted() }
        func full(_ meaning: Text) -> Text {
            Text(meaning.string.replacing("works:", with: "https://works.example/ns#"))
        }
        var subjects: [JSONObject] = [["id": "did:example:holder"]]
        func add(_ property: Text, _ values: [JSON]) {
            subjects = subjects.flatMap { subject in
                spellings(property).flatMap { name in values.map { subject.with(name, $0) } }
            }
        }
        if let level = signed.level { add("works:level", [.number(JSONNumber(validated: String(level)))]) }
        if let wish = signed.wish { add("works:wish", [.number(JSONNumber(validated: String(wish)))]) }
        if let role = signed.role { add("works:role", (spellings(role) + [full(role)]).map { .string($0) }) }
        let heads = (issuer.template["@context"]?.array ?? []) + list.map { .string($0) }
        return subjects.flatMap { subject in
            (spellings(signed.type) + [full(signed.type)]).map { type in
                issuer.template.with("@context", .array(heads)).with("credentialSubject", .object(subject))
                    .with("type", ["VerifiableCredential", .string(type)])
            }
        }
    }

    /// Returns every list of some of the contexts, in every order.
    private static func lists(of contexts: [Text]) -> [[Text]] {
        [[]] + contexts.flatMap { first in lists(of: contexts.filter { $0 != first }).map { [first] + $0 } }
    }

    private static let conditions = [
        "claim = \"/credentialSubject/level\", at-least = 3", "claim = \"/credentialSubject/level\", exists = true",
        "claim = \"/credentialSubject/level\", exists = false", "claim = \"/credentialSubject/level\", equals = 9",
        "claim = \"/credentialSubject/role\", equals = \"Admin\"",
        "claim = \"/credentialSubject/role\", in = [\"Admin\", \"urn:x\"]",
        "claim = \"/credentialSubject/role\", equals = \"Guest\"",
        "claim = \"/credentialSubject/role\", starts-with = \"Ad\"",
        "claim = \"/credentialSubject/role\", exists = false",
        "claim = \"/type\", contains = \"StaffPass\"", "claim = \"/type\", contains = \"GuestPass\"",
    ]

    private static let rules: [(text: String, policy: GatePolicy)] = conditions.flatMap { condition in
        let (plain, negated) = ("{ \(condition) }", "{ not = { \(condition) } }")
        return [plain, negated].flatMap {
            [
                "[[accept]]\nid = \"r\"\nrequire = [ \($0) ]\n",
                "[[deny]]\nid = \"d\"\nwhen = [ \($0) ]\n[[accept]]\nid = \"r\"\n",
            ]
        }
    }.compactMap { text in (try? PolicyFixture.parse(text)).map { (text, $0) } }

    private func trust(_ contexts: [Text], areListed: Bool = false) throws -> TrustStore {
        var material = issuer.material
        for url in contexts { material.contexts[url] = known[url] }
        if areListed { material.issuers[0].contexts = material.contexts.keys.sorted() }
        return try TrustStore(material)
    }

    private func isAccepted(_ document: JSON, _ rules: GatePolicy?, _ trust: TrustStore) -> Bool {
        Verifier(trust: trust, policy: rules.map { VerificationPolicy($0) } ?? .init())
            .verify(document.compactBytes, at: TestIssuer.clock).isAccepted
    }

    // MARK: - The holder's choice

    /// Returns whether a rule admits the document as its issuer wrote it.
    private func isAdmitted(_ document: JSONObject, _ rules: GatePolicy) -> Bool {
        let claims = PolicyFixture.claims(.object(document), types: [], issuer: issuer.id)
        return PolicyFixture.ask(rules, [PolicyCase(claims: claims)]).code == "ok"
    }

    /// Whatever contexts the issuer listed, no other list and no other spelling fulfils a rule that the issuer's own
    /// document does not fulfil.
    @Test(arguments: [
        ([works, twin], false), ([works, foreign], false), ([works, twin, foreign], false), ([works, more], true),
    ])
    func noListOfContextsGains(pinned: [Text], areListed: Bool) throws {
        let trust = try trust(pinned, areListed: areListed)
        #expect(Self.rules.count == 4 * Self.conditions.count)
        var (count, accepted) = (0, 0)
        for signed in Self.signed {
            let all = Self.lists(of: pinned).flatMap { documents(signed, under: $0) }
            let first = try #require(documents(signed, under: [Self.works]).first)
            let proof = try #require(try issuer.sign(first, contexts: known)["proof"])
            let shown = all.filter { isAccepted(.object($0.with("proof", proof)), nil, trust) }
            #expect(shown.count > 1)
            let written = shown.filter { !JSON.object($0).compactText.contains("works.example/ns#") }
            for rule in Self.rules {
                guard let plain = written.first(where: { !isAdmitted($0, rule.policy) }) else { continue }
                let gained = shown.filter { isAccepted(.object($0.with("proof", proof)), rule.policy, trust) }
                (count, accepted) = (count + shown.count, accepted + gained.count)
                guard let gain = gained.first else { continue }
                let (from, to) = (JSON.object(plain).compactText, JSON.object(gain).compactText)
                Issue.record("\(rule.text) \(from) \(to)")
            }
        }
        print("sibling contexts: \(count) verdicts, \(accepted) accepted")
    }

    /// A context that is pinned for other issuers and that no credential lists neither gives a name a meaning
    /// nor removes one.
    @Test func aContextThatIsNotListedChangesNothing() throws {
        let alone = try trust([Self.works])
        var accepted = 0
        for other in [Self.stranger, Self.foreign] {
            let besides = try trust([Self.works, other])
            for signed in Self.signed {
                let document = try #require(documents(signed, under: [Self.works]).first)
                let shown = try issuer.sign(document, contexts: known)
                for rule in Self.rules {
                    let plain = isAccepted(shown, rule.policy, alone)
                    let found = isAccepted(shown, rule.policy, besides)
                    accepted += plain ? 1 : 0
                    // A context that gives this issuer's guests another name makes both names uncertain.
                    #expect(found == plain || plain && other == Self.foreign, "\(rule.text) \(signed)")
                }
            }
        }
        #expect(accepted > 100)
    }

    /// A name under the issuer's contexts is read although a dozen other contexts define it differently.
    @Test func manyContextsDefineTheName() throws {
        var material = issuer.material
        material.contexts[Self.works] = known[Self.works]
        for index in 0..<12 {
            let names: JSON = [
                "@context": [
                    "level": .text("https://schema.example/\(index)"), "role": "https://schema.example/Text",
                    "name": "https://schema.example/Text", "farmer": "https://schema.example/Text",
                ]
            ]
            material.contexts[Text("https://farm\(index).example/v1")] = names.compactBytes
        }
        let trust = try TrustStore(material)
        let document = try #require(documents(Signed(level: 5, role: "works:Admin"), under: [Self.works]).first)
        let shown = try issuer.sign(document, contexts: known)
        let rules =
            "[[accept]]\nid = \"r\"\nrequire = [ { claim = \"/credentialSubject/level\", at-least = 3 }, "
            + "{ claim = \"/credentialSubject/role\", equals = \"Admin\" } ]\n"
        let policy = try PolicyFixture.parse(rules)
        #expect(isAccepted(shown, policy, trust))
        let doubts = trust.namesInDoubt(in: policy)
        #expect(doubts.map(\.name) == ["level", "role"] && doubts[0].meanings.count == 13)
        material.issuers[0].contexts = (issuer.template["@context"]?.array ?? []).compactMap(\.string) + [Self.works]
        #expect(try TrustStore(material).namesInDoubt(in: policy).isEmpty)
    }
}
