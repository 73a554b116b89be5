import Encoding
import LinkedData
import Testing

@testable import Credentials

/// Credentials that hold others under contexts of their own, and nodes that are described in several places: what is
/// allowed, and that a holder who moves signed statements there gains nothing.
@Suite struct EmbeddedCredentialTests {
    private static let names: Text = "https://names.example/v1"
    private let twins: RespellingTwins
    private let issuer: GraphSigner

    init() throws {
        twins = try RespellingTwins(.eddsaRDFC2022)
        var contexts = twins.issuer.contexts
        // Names that mean the same where the model's own do not reach, and other names for the same.
        contexts[Self.names] = [
            "@context": [
                "credentialStatus": ["@id": "https://www.w3.org/2018/credentials#credentialStatus", "@type": "@id"],
                "validUntil": [
                    "@id": "https://www.w3.org/2018/credentials#validUntil",
                    "@type": "http://www.w3.org/2001/XMLSchema#dateTime",
                ],
                "until": [
                    "@id": "https://www.w3.org/2018/credentials#validUntil",
                    "@type": "http://www.w3.org/2001/XMLSchema#dateTime",
                ],
                "rank": "https://works.example/ns#level",
                "vouched": ["@id": "https://works.example/ns#endorsement", "@type": "@id"],
                "Pass": "https://works.example/ns#StaffPass",
            ]
        ]
        issuer = try GraphSigner(.eddsaRDFC2022, contexts: contexts)
    }

    // MARK: - Documents

    private var heads: JSON { issuer.heads(RespellingTwins.terms) }

    /// An endorsement of what `subject` says, by a stranger.
    private func endorsement(of subject: JSONObject, _ changes: (inout JSONObject) -> Void = { _ in }) -> JSON {
        var document: JSONObject = [
            "@context": heads, "id": "urn:uuid:9", "type": ["VerifiableCredential", "Endorsement"],
            "issuer": ["id": "https://accrediter.example/", "callName": "Accrediter"],
            "validFrom": "2025-01-01T00:00:00Z", "validUntil": "2025-06-01T00:00:00Z",
            "credentialSubject": .object(subject),
            "proof": [
                "type": "DataIntegrityProof", "cryptosuite": "eddsa-rdfc-2022", "created": "2025-01-01T00:00:00Z",
                "verificationMethod": "https://accrediter.example/#1", "proofPurpose": "assertionMethod",
                "proofValue": "zAAAA",
            ],
        ]
        changes(&document)
        return .object(document)
    }

    /// A credential whose subject has that endorsement.
    private func endorsed(_ endorsement: JSON, _ changes: (inout JSONObject) -> Void = { _ in }) -> JSONObject {
        var document = twins.template
        document["credentialSubject"] = .object(twins.subject.with("endorsement", [endorsement]))
        changes(&document)
        return document
    }

    private func verdict(
        _ document: JSON, spelling: Bool = true, rules: String? = nil, lists: [(Text, JSON)] = [],
        changes: (inout TrustMaterial) -> Void = { _ in }
    ) throws -> Verdict {
        var material = TrustMaterial(issuers: [TrustedIssuer(id: issuer.id)])
        material.contexts = issuer.contexts.mapValues(\.compactBytes)
        for (url, list) in lists { material.statusLists[url] = list.compactBytes }
        changes(&material)
        let policy = try rules.map { try VerificationPolicy(PolicyFixture.parse($0)) } ?? VerificationPolicy()
        var verifier = Verifier(trust: try TrustStore(material), policy: policy)
        verifier.checksSpelling = spelling
        return verifier.verify(document.compactBytes, at: RespellingTwin.clock)
    }

    /// What becomes of a signed document in other words; the words state the same, so that the signature holds.
    private func respelt(_ signed: JSONObject, as other: JSONObject) throws -> JSON {
        let processor = JSONLDProcessor(contexts: ContextDocuments(issuer.contexts))
        func canonical(_ document: JSONObject) throws -> [UInt8] {
            try RDFC10.canonicalize(processor.deserialize(.object(document)).dataset).nQuads
        }
        #expect(try canonical(signed) == canonical(other), "other statements")
        return .object(other.with("proof", try issuer.sign(signed)["proof"]))
    }

    /// Holds a document in other words to its plain verdict, with both lines of defence and with the first alone.
    private func expectNothingGained(
        _ signed: JSONObject, as other: JSONObject, code: String, rules: String? = nil, lists: [(Text, JSON)] = []
    ) throws {
        let plain = try verdict(issuer.sign(signed), rules: rules, lists: lists)
        #expect(plain.code.text == code, "plain: \(plain.reasons)")
        let respelt = try respelt(signed, as: other)
        let both = try verdict(respelt, rules: rules, lists: lists)
        #expect([code, "shape.spelling"].contains(both.code.text), "\(both.reasons)")
        let statements = try verdict(respelt, spelling: false, rules: rules, lists: lists)
        #expect(statements.code.text == code, "\(statements.reasons)")
    }

    // MARK: - What is allowed

    @Test func aCredentialInsideBringsItsContexts() throws {
        let document = endorsed(endorsement(of: ["id": .string(issuer.id), "grade": 1]))
        #expect(try verdict(issuer.sign(document)).code == .ok)
        let deeper = endorsed(
            endorsement(of: [
                "id": "urn:uuid:7", "endorsement": endorsement(of: ["grade": 2]) { $0["id"] = "urn:uuid:8" },
            ]))
        #expect(try verdict(issuer.sign(deeper)).code == .ok)
    }

    @Test func issuerAndSubjectAreDescribedAgain() throws {
        let works: JSON = ["id": .string(issuer.id), "callName": "Works"]
        let document = endorsed(endorsement(of: twins.subject)) {
            $0["issuer"] = works
            let subject = $0["credentialSubject"]?.object ?? [:]
            $0["credentialSubject"] = .object(subject.with("creator", works))
        }
        #expect(try verdict(issuer.sign(document)).code == .ok)
        // Who issues it to himself.
        let own = twins.template.with("issuer", works).with(
            "credentialSubject", ["id": .string(issuer.id), "level": 1])
        #expect(try verdict(issuer.sign(own)).code == .ok)
    }

    /// Credentials that are their own refresh service.
    @Test func theCredentialIsNamedAgain() throws {
        let service = endorsed(endorsement(of: ["grade": 1])) {
            $0["refreshService"] = ["id": "urn:uuid:1", "type": "works:Refresh"]
        }
        #expect(try verdict(issuer.sign(service)).code == .ok)
        // But not as whom the one inside is about, whose word that would be.
        let about = endorsed(endorsement(of: ["id": "urn:uuid:1"]))
        let more = endorsed(endorsement(of: ["id": "urn:uuid:1", "grade": 1]))
        for spelling in [true, false] {
            #expect(try verdict(issuer.sign(about), spelling: spelling).code == .shapeSpelling)
            #expect(try verdict(issuer.sign(more), spelling: spelling).code == .shapeSpelling)
        }
    }

    // MARK: - Contexts

    @Test func contextsElsewhereAreUnusual() throws {
        func code(_ endorsement: JSON, inline: Bool = true) throws -> String {
            try verdict(issuer.sign(endorsed(endorsement))) { $0.issuers[0].inlineContexts = inline }.code.text
        }
        let subject: JSONObject = ["id": "urn:uuid:7", "grade": 1]
        // No credential, or none that says so in the words of the data model.
        #expect(try code(endorsement(of: subject) { $0["type"] = "Endorsement" }) == "shape.spelling")
        #expect(try code(endorsement(of: subject.with("@context", heads))) == "shape.spelling")
        #expect(
            try code(endorsement(of: subject) { $0["@context"] = [.string(RespellingTwins.terms)] }) == "shape.spelling"
        )
        #expect(try code(endorsement(of: subject) { $0["@context"] = .string(GraphSigner.base) }) == "shape.spelling")
        #expect(
            try code(endorsement(of: subject) { $0["@context"] = [["works": "https://works.example/ns#"]] })
                == "shape.spelling")
        let evidence = twins.template.with("evidence", ["@context": heads, "type": "works:Report", "grade": 1])
        #expect(try verdict(issuer.sign(evidence)).code.text == "shape.spelling")
        // The issuer's entry lists the contexts: then they may stand anywhere.
        let listed = try verdict(issuer.sign(evidence)) {
            $0.issuers[0].contexts = [GraphSigner.base, RespellingTwins.terms]
        }
        #expect(listed.code == .ok)
    }

    @Test func contextsInsideAreHeldToTheSameRules() throws {
        let document = endorsed(endorsement(of: ["id": "urn:uuid:7", "grade": 1]))
        let signed = try #require(try issuer.sign(document)["proof"])
        func code(_ context: JSON, _ changes: (inout TrustMaterial) -> Void = { _ in }) throws -> String {
            let inside = endorsement(of: ["id": "urn:uuid:7", "grade": 1]) { $0["@context"] = context }
            return try verdict(.object(endorsed(inside).with("proof", signed)), changes: changes).code.text
        }
        let base = GraphSigner.base
        #expect(try code(heads) == "ok")
        #expect(try code(nil) == "context.inline-forbidden")
        #expect(try code([.string(base), nil]) == "context.inline-forbidden")
        #expect(try code([.string(base), ["grade": "https://works.example/ns#other"]]) == "context.inline-forbidden")
        #expect(try code([.string(base), "https://unknown.example/v1"]) == "context.not-pinned")
        #expect(try code(nil) { $0.issuers[0].inlineContexts = true } == "context.invalid")
        #expect(try code([.string(base), nil]) { $0.issuers[0].inlineContexts = true } == "context.invalid")
        #expect(
            try code([.string(base), ["VerifiableCredential": "https://works.example/ns#other"]]) {
                $0.issuers[0].inlineContexts = true
            } == "context.protected-term")
        #expect(try code(heads) { $0.issuers[0].contexts = [base] } == "context.not-pinned")
    }

    // MARK: - What a holder moves

    private var listing: JSON { .array((heads.array ?? []) + [.string(Self.names)]) }

    /// What a credential inside may say of the one outside.
    private let service: JSONObject = ["id": "urn:uuid:1", "type": "works:Refresh"]

    private func leading(to service: JSONObject, _ changes: (inout JSONObject) -> Void = { _ in }) -> JSON {
        endorsement(of: ["grade": 1]) { document in
            document["refreshService"] = .object(service)
            changes(&document)
        }
    }

    /// The end and the status of the credential itself, in what the credential inside says of it.
    @Test func whatDecidesMovesInside() throws {
        let revoked = try twins.list("list", set: true)
        let ends: [(JSONObject, String)] = [
            (["validUntil": "2026-02-01T00:00:00Z"], "validity.expired"),
            (["until": "2026-02-01T00:00:00Z"], "validity.expired"),
            (["credentialStatus": RespellingTwins.entry("list")], "status.revoked"),
        ]
        for (members, code) in ends {
            let signed = endorsed(leading(to: service) { $0["@context"] = listing }) { document in
                document["validUntil"] = nil
                for member in members.members {
                    document[member.name == "until" ? "validUntil" : member.name] = member.value
                }
            }
            var moved = service
            for member in members.members { moved[member.name] = member.value }
            let other = endorsed(leading(to: moved) { $0["@context"] = listing }) { $0["validUntil"] = nil }
            try expectNothingGained(signed, as: other, code: code, lists: [revoked])
            #expect(try verdict(respelt(signed, as: other), lists: [revoked]).code == .shapeSpelling)
        }
    }

    @Test func statusEntryMovesInside() throws {
        let revoked = try twins.list("list", set: true)
        let entry = RespellingTwins.entry("list").object ?? [:]
        let id: JSONObject = ["id": entry["id"] ?? nil]
        let named = endorsement(of: ["grade": 1]) { $0["credentialStatus"] = .object(id) }
        let signed = endorsed(named) { $0["credentialStatus"] = .object(entry) }
        let kind = id.with("type", "BitstringStatusListEntry")
        let other = endorsed(endorsement(of: ["grade": 1]) { $0["credentialStatus"] = .object(entry) }) {
            $0["credentialStatus"] = .object(kind)
        }
        try expectNothingGained(signed, as: other, code: "status.revoked", lists: [revoked])
        #expect(try verdict(respelt(signed, as: other), lists: [revoked]).code == .shapeSpelling)
        // Its type alone may stand there, too.
        let typed = endorsed(endorsement(of: ["grade": 1]) { $0["credentialStatus"] = .object(kind) }) {
            $0["credentialStatus"] = .object(entry)
        }
        #expect(try verdict(issuer.sign(typed), lists: [revoked]).code == .statusRevoked)
    }

    /// A claim that is denied, in what the credential inside says of the same subject, by another name.
    @Test func claimsMoveInside() throws {
        let deny = """
            [[deny]]
            id = "d"
            when = [ { claim = "/credentialSubject/level", equals = 3 } ]
            [[accept]]
            id = "staff"

            """
        let id: JSONObject = ["id": .string(twins.holder.id), "grade": 7]
        let signed = endorsed(endorsement(of: id) { $0["@context"] = listing })
        for name in ["level", "rank"] as [Text] {
            let other = endorsed(endorsement(of: id.with(name, 3)) { $0["@context"] = listing }) { document in
                let subject = document["credentialSubject"]?.object ?? [:]
                document["credentialSubject"] = .object(subject.without("level"))
            }
            try expectNothingGained(signed, as: other, code: "policy.d", rules: deny)
        }
    }

    /// What a credential inside says of the same subject is no claim of the issuer's, wherever the holder writes it.
    @Test func claimsOfOthersAreNotTheIssuers() throws {
        func rules(_ condition: String) -> String { "[[accept]]\nid = \"staff\"\nrequire = [ \(condition) ]\n" }
        let high = rules("{ claim = \"/credentialSubject/level\", at-least = 9 }")
        let id: JSONObject = ["id": .string(twins.holder.id)]
        func holding(_ own: JSONObject, _ others: JSONObject) -> JSONObject {
            twins.template.with("credentialSubject", .object(own.with("endorsement", [endorsement(of: others)])))
        }
        let signed = holding(id, id.with("level", 9))
        try expectNothingGained(signed, as: holding(id.with("level", 9), id), code: "policy.staff", rules: high)
        let path =
            "[ \"https://www.w3.org/2018/credentials#credentialSubject\", \"https://works.example/ns#level\" ]"
        let property = rules("{ claim = \(path), at-least = 9 }")
        #expect(try verdict(issuer.sign(signed), rules: property).code.text == "policy.staff")
        let vouched = try verdict(issuer.sign(signed), rules: high) { $0.issuers[0].vouchesForEmbedded = true }
        #expect(vouched.code == .ok)
        // Nor is it where what others state is about something that only leads to the subject.
        let linked = holding(
            id, ["id": "urn:uuid:6", "manager": .object(["id": .string(twins.holder.id), "level": 9])])
        #expect(try verdict(issuer.sign(linked), rules: high).code.text == "policy.staff")
        #expect(try verdict(issuer.sign(linked), rules: property).code.text == "policy.staff")
        // What nobody states is absent; others than the subject are told.
        let without = rules("{ claim = \"/credentialSubject/grade\", exists = false }")
        #expect(try verdict(issuer.sign(signed), rules: without).code == .ok)
        let other = holding(id.with("level", 9), ["id": "urn:uuid:5", "level": 1])
        #expect(try verdict(issuer.sign(other), rules: high).code == .ok)
        let subject = rules("{ claim = \"/credentialSubject/id\", equals = \"\(twins.holder.id)\" }")
        #expect(try verdict(issuer.sign(signed), rules: subject).code == .ok)
    }

    /// What a credential inside says of the outer one is neither its type nor its subject.
    @Test(arguments: [GraphSigner.Suite.eddsaRDFC2022, .eddsaJCS2022])
    func typesAndSubjectsOfOthersAreNotTheIssuers(_ suite: GraphSigner.Suite) throws {
        let signer = try GraphSigner(suite, contexts: issuer.contexts)
        let boss: Text = "https://works.example/ns#Boss"
        let other: Text = "did:example:other"
        let about: JSONObject = [
            "id": "urn:uuid:1", "type": "works:Boss",
            "https://www.w3.org/2018/credentials#credentialSubject": ["id": .string(other)],
        ]
        let inside = endorsement(of: ["id": "urn:uuid:7", "manager": .object(about)])
        let signed = try signer.sign(endorsed(inside))
        func code(_ rules: String?, vouches: Bool = false, types: [Text]? = nil) throws -> String {
            try verdict(signed, spelling: false, rules: rules) {
                $0.issuers = [TrustedIssuer(id: signer.id)]
                ($0.issuers[0].vouchesForEmbedded, $0.issuers[0].types) = (vouches, types)
            }.code.text
        }
        let pass = "[[accept]]\nid = \"pass\"\n"
        let types = "types = \"\(boss)\"\n"
        let admitted = try code(pass + types)
        #expect(admitted == "policy.no-match")
        let vouched = try code(pass + types, vouches: true)
        #expect(vouched == "ok")
        let subjects = [other, "did:example:nobody"].map { "subjects = \"\($0)\"\n" }
        for line in [types, "types = \"https://works.example/ns#Guest\"\n"] + subjects {
            let denied = try code("[[deny]]\nid = \"d\"\n" + line + pass)
            #expect(denied == "policy.d", "\(line)")
        }
        let all = [boss, "https://works.example/ns#StaffPass"]
        #expect(try code(nil, types: all) == "issuer.not-for-type")
        #expect(try code(nil, vouches: true, types: all) == "ok")
        #expect(try code(nil) == "ok")
    }

    /// The same in a presentation inside, which its holder wrote.
    @Test func presentationsInside() throws {
        func code(_ said: JSONObject, _ rule: String) throws -> String {
            let inside: JSON = ["type": "VerifiablePresentation", "holder": .object(said)]
            return try verdict(
                issuer.sign(endorsed(inside)), spelling: false, rules: "[[accept]]\nid = \"pass\"\n" + rule
            ).code.text
        }
        let level = "require = [ { claim = \"/credentialSubject/level\", at-least = 3 } ]\n"
        let other = try code(["id": "did:example:else", "level": 9], level)
        #expect(other == "ok")
        #expect(try code(["id": .string(twins.holder.id), "level": 9], level) == "policy.pass")
        let boss: JSONObject = ["id": "urn:uuid:1", "type": "works:Boss"]
        #expect(try code(boss, "types = \"https://works.example/ns#Boss\"\n") == "policy.no-match")
    }

    /// A second kind of the status entry, stated in a credential inside, does not make it an unknown kind.
    @Test func aSecondKindOfStatus() throws {
        let revoked = try twins.list("list", set: true)
        let entry = RespellingTwins.entry("list").object ?? [:]
        let again: JSON = [
            "id": entry["id"] ?? nil, "type": "https://www.w3.org/ns/credentials/status#StatusList2021Entry",
        ]
        let inside = endorsement(of: ["id": "urn:uuid:7", "manager": again])
        let document = endorsed(inside) { $0["credentialStatus"] = .object(entry) }
        let rules = "[[accept]]\nid = \"r\"\nstatus = { when-missing = \"accept\" }\n"
        let refused = try verdict(issuer.sign(document), spelling: false, rules: rules, lists: [revoked]).code
        #expect(["status.revoked", "status.invalid"].contains(refused.text), "\(refused)")
    }

    /// What never admits does not become something else by what is inside.
    @Test func whatNeverAdmits() throws {
        let inside = endorsement(of: ["id": "urn:uuid:7", "manager": ["id": "urn:uuid:1"]])
        let list = endorsed(inside) {
            $0["type"] = [
                "VerifiableCredential", "https://www.w3.org/ns/credentials/status#BitstringStatusListCredential",
            ]
        }
        #expect(try verdict(issuer.sign(list), spelling: false).code == .kindNeverAdmits)
    }

    /// `embedded-claims` holds for signed texts, too.
    @Test func textsAreVouchedFor() throws {
        let signer = try GraphSigner(.eddsaJCS2022, contexts: issuer.contexts)
        let inside = endorsement(of: ["id": "urn:uuid:7", "manager": .object(["id": .string(twins.holder.id)])])
        let signed = try signer.sign(endorsed(inside))
        let path =
            "[ \"https://www.w3.org/2018/credentials#credentialSubject\", \"https://works.example/ns#level\" ]"
        for vouches in [true, false] {
            let code = try verdict(
                signed, rules: "[[accept]]\nid = \"r\"\nrequire = [ { claim = \(path), equals = 3 } ]\n"
            ) {
                $0.issuers = [TrustedIssuer(id: signer.id)]
                $0.issuers[0].vouchesForEmbedded = vouches
            }.code.text
            #expect(code == (vouches ? "ok" : "policy.r"))
        }
    }

    /// Names of a signed text that stand for no type, or for the same as another.
    @Test(arguments: ["Undefined", "Alias"]) func typesOfATextAreAllNamed(_ name: String) throws {
        let signer = try GraphSigner(.eddsaJCS2022, contexts: issuer.contexts)
        let alias: JSON = ["Alias": "https://works.example/ns#StaffPass"]
        let document = twins.template.with("type", ["VerifiableCredential", "StaffPass", .text(name)])
            .with("@context", .array((heads.array ?? []) + [alias]))
        for (types, wanted) in [(["https://works.example/ns#StaffPass"], "issuer.not-for-type"), (nil, "ok")] {
            let code = try verdict(signer.sign(document), spelling: false) {
                $0.issuers = [TrustedIssuer(id: signer.id)]
                $0.issuers[0].inlineContexts = true
                $0.issuers[0].types = types?.map { Text($0) }
            }.code.text
            #expect(code == wanted)
        }
    }

    /// And with it the context that says what the rule's name means.
    @Test func contextsMoveInside() throws {
        let deny = """
            [[deny]]
            id = "d"
            when = [ { claim = "/credentialSubject/level", exists = true } ]
            [[accept]]
            id = "staff"

            """
        let without =
            "[[accept]]\nid = \"staff\"\nrequire = [ { claim = \"/credentialSubject/level\", exists = false } ]\n"
        let id: JSONObject = ["id": .string(twins.holder.id)]
        let signed = twins.template.with(
            "credentialSubject",
            .object(id.with("level", 3).with("endorsement", [endorsement(of: id.with("grade", 7))])))
        let other = twins.template.with("@context", issuer.heads(Self.names)).with(
            "type", ["VerifiableCredential", "Pass"]
        )
        .with(
            "credentialSubject",
            .object(id.with("vouched", [endorsement(of: id.with("grade", 7).with("level", 3))])))
        try expectNothingGained(signed, as: other, code: "policy.d", rules: deny)
        try expectNothingGained(signed, as: other, code: "policy.staff", rules: without)
    }

    // MARK: - Which credential it is

    /// Of credentials that lead to each other the holder chooses the outermost: only where the other is refused.
    @Test func theOtherOneIsNoChoice() throws {
        func circle(lasting: Bool) -> JSONObject {
            let inside = leading(to: service) { document in
                document["proof"] = nil
                if lasting { document["validUntil"] = nil }
            }
            return endorsed(inside) { $0["validUntil"] = "2026-02-01T00:00:00Z" }
        }
        func outermost(_ document: JSONObject) throws -> JSONObject {
            let root = document.without("@context").with(
                "type", ["VerifiableCredential", "StaffPass", "works:Refresh"])
            var subject = try #require(root["credentialSubject"]?.object)
            let other = try #require(subject["endorsement"]?.array?.first?.object)
            subject["endorsement"] = [["id": "urn:uuid:9"]]
            let whole = root.with("credentialSubject", .object(subject))
            return other.with("@context", heads).with("refreshService", .object(whole))
        }
        for (lasting, code) in [(false, ReasonCode.validityExpired), (true, .issuerUntrusted)] {
            let signed = circle(lasting: lasting)
            #expect(try verdict(issuer.sign(signed)).code == .validityExpired)
            #expect(try verdict(respelt(signed, as: outermost(signed))).code == code)
        }
        // Issuers that are trusted, the same one, or two.
        let known = endorsed(leading(to: service))
        #expect(try verdict(issuer.sign(known)).code == .ok)
        let both = try verdict(issuer.sign(known)) {
            $0.issuers.append(TrustedIssuer(id: "https://accrediter.example/"))
        }
        #expect(both.code == .shapeSpelling)
        for other in [.string(issuer.id), ["https://a.example/", "https://b.example/"]] as [JSON] {
            let document = endorsed(leading(to: service) { $0["issuer"] = other })
            for spelling in [true, false] {
                #expect(try verdict(issuer.sign(document), spelling: spelling).code == .shapeSpelling)
            }
        }
    }

    // MARK: - Descriptions that disagree or stand oddly

    @Test func whatDisagreesOrStandsOddly() throws {
        func code(_ subject: JSONObject) throws -> String {
            try verdict(issuer.sign(twins.template.with("credentialSubject", .object(subject)))).code.text
        }
        let first = endorsement(of: ["grade": 1])
        let other = endorsement(of: ["grade": 1]) { $0["issuer"] = "https://other.example/" }
        let later = endorsement(of: ["grade": 1]) { $0["validUntil"] = "2028-01-01T00:00:00Z" }
        let creator: JSONObject = ["id": "urn:uuid:3", "callName": "Works"]
        func twice(_ second: JSON) -> JSONObject {
            twins.subject.with("endorsement", first).with("creator", .object(creator.with("endorsement", second)))
        }
        #expect(try code(twice(first)) == "ok")
        #expect(try code(twice(other)) == "shape.spelling")
        #expect(try code(twice(later)) == "shape.spelling")
        // One node in two elements of a list, and nodes that only the document names.
        let works: JSONObject = ["id": "urn:uuid:3", "callName": "Works"]
        #expect(
            try code(twins.subject.with("creator", [.object(works), .object(works.with("grade", 1))]))
                == "shape.spelling")
        let blank: JSON = ["id": "_:works", "callName": "Works"]
        #expect(try code(twins.subject.with("creator", blank).with("manager", blank)) == "shape.spelling")
    }
}
