import Encoding
import LinkedData
import Reasons
import Testing

@testable import Credentials

/// Credentials that contain other credentials with contexts of their own, and nodes that several places describe. The
/// tests show the permitted forms, and that a holder gains nothing by moving signed statements.
@Suite struct EmbeddedCredentialTests {
    private static let names: Text = "https://names.example/v1"
    private let twins: RespellingTwins
    private let issuer: GraphSigner

    init() throws {
        twins = try RespellingTwins(.eddsaRDFC2022)
        var contexts = twins.issuer.contexts
        // Names with the same meaning where the model's own contexts do not apply, and other names for the
        // same properties.
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

    /// Returns an endorsement by a stranger of the claims about `subject`.
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

    /// Returns a credential whose subject has that endorsement.
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

    /// Returns a signed document in another spelling. The statements are the same, so the signature stays valid.
    private func respelt(_ signed: JSONObject, as other: JSONObject) throws -> JSON {
        let processor = JSONLDProcessor(contexts: ContextDocuments(issuer.contexts))
        func canonical(_ document: JSONObject) throws -> [UInt8] {
            try RDFC10.canonicalize(processor.deserialize(.object(document)).dataset).nQuads
        }
        #expect(try canonical(signed) == canonical(other), "other statements")
        return .object(other.with("proof", try issuer.sign(signed)["proof"]))
    }

    /// Checks that a respelt document gets the plain verdict, with both lines of defence and with the first
    /// alone.
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

    // MARK: - Permitted forms

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
        // An issuer that issues the credential to itself.
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
        // The outer credential must not be the subject of the inner credential, which would then make statements about
        // the outer one.
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
        // Not a credential, or one that does not declare so with the terms of the data model.
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
        // If the issuer's entry lists the contexts, they may be anywhere.
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

    // MARK: - Statements that a holder moves

    private var listing: JSON { .array((heads.array ?? []) + [.string(Self.names)]) }

    /// The statements of an inner credential about the outer credential.
    private let service: JSONObject = ["id": "urn:uuid:1", "type": "works:Refresh"]

    private func leading(to service: JSONObject, _ changes: (inout JSONObject) -> Void = { _ in }) -> JSON {
        endorsement(of: ["grade": 1]) { document in
            document["refreshService"] = .object(service)
            changes(&document)
        }
    }

    /// The holder moves the end and the status of the credential into the inner credential's statements about it.
    @Test func endAndStatusMoveInside() throws {
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
        // If the inner credential states only the type of the status entry, the entry still counts.
        let typed = endorsed(endorsement(of: ["grade": 1]) { $0["credentialStatus"] = .object(kind) }) {
            $0["credentialStatus"] = .object(entry)
        }
        #expect(try verdict(issuer.sign(typed), lists: [revoked]).code == .statusRevoked)
    }

    /// The holder moves a denied claim into the inner credential's statements about the same subject, under
    /// another name.
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

    /// An inner credential's statement about the same subject is not a claim of the issuer, wherever the holder writes
    /// it.
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
        // The rule also covers other issuers' statements about a node that leads to the subject.
        let linked = holding(
            id, ["id": "urn:uuid:6", "manager": .object(["id": .string(twins.holder.id), "level": 9])])
        #expect(try verdict(issuer.sign(linked), rules: high).code.text == "policy.staff")
        #expect(try verdict(issuer.sign(linked), rules: property).code.text == "policy.staff")
        // A claim without any statement is absent. Statements about other subjects do not matter.
        let without = rules("{ claim = \"/credentialSubject/grade\", exists = false }")
        #expect(try verdict(issuer.sign(signed), rules: without).code == .ok)
        let other = holding(id.with("level", 9), ["id": "urn:uuid:5", "level": 1])
        #expect(try verdict(issuer.sign(other), rules: high).code == .ok)
        let subject = rules("{ claim = \"/credentialSubject/id\", equals = \"\(twins.holder.id)\" }")
        #expect(try verdict(issuer.sign(signed), rules: subject).code == .ok)
    }

    /// An inner credential's statements about the outer credential define neither its type nor its subject.
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

    /// An inner presentation, which its holder wrote, defines neither type nor subject of the outer credential.
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

    /// A second kind of the status entry, stated in an inner credential, does not make the entry one of an
    /// unknown kind.
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

    /// Inner statements do not turn a credential that never admits into another kind.
    @Test func kindsThatNeverAdmit() throws {
        let inside = endorsement(of: ["id": "urn:uuid:7", "manager": ["id": "urn:uuid:1"]])
        let list = endorsed(inside) {
            $0["type"] = [
                "VerifiableCredential", "https://www.w3.org/ns/credentials/status#BitstringStatusListCredential",
            ]
        }
        #expect(try verdict(issuer.sign(list), spelling: false).code == .kindNeverAdmits)
    }

    /// `embedded-claims` also applies to signed texts.
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

    /// Names in a signed text that mean no type, or the same type as another name.
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

    /// The claim moves together with the context that defines the rule's name.
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

    // MARK: - The outermost credential

    /// If credentials lead to each other, the holder can make another credential the outermost, but only if that
    /// credential is refused.
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
        // Three cases: the inner issuer is trusted, too; the inner issuer is the outer issuer; or there are two inner
        // issuers.
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

    // MARK: - Contradictory or unusual descriptions

    @Test func contradictionsAndUnusualPlaces() throws {
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
