import Encoding

@testable import Credentials

/// A document made for the tests, with its trust data. The correct verdict on the plain document is known.
struct RespellingTwin {
    let name: String
    /// The document that is respelt: the wallet's payload or, with ``list``, a status list.
    let document: JSON
    /// The code of the plain verdict.
    let code: String
    /// Rules of the gate as text; nil for none.
    var rules: String?
    var demand = HolderDemand()
    /// Status lists by URL.
    var lists: [Text: JSON] = [:]
    /// The URL of the list that is respelt, and the credential that refers to it.
    var list: (url: Text, credential: JSON)?
    /// Whether a pinned context exchanges the meanings of two of the subject's names.
    var pinsExchange = true
    let issuers: [TrustedIssuer]
    let contexts: [Text: JSON]

    static let clock = WallTime(utc: Timestamp(seconds: 1_790_000_000), provenance: .given)

    var respeller: Respeller { Respeller(document, contexts: contexts, inlineAllowed: true) }

    /// Returns the gate's trust data and its rules.
    func gate(_ second: SecondContext) throws -> (TrustMaterial, VerificationPolicy) {
        var material = TrustMaterial(issuers: issuers)
        material.contexts = contexts.mapValues(\.compactBytes)
        for (url, context) in second.documents where pinsExchange || url != SecondContext.exchangeURL {
            material.contexts[url] = context.compactBytes
        }
        material.statusLists = lists.mapValues(\.compactBytes)
        var policy = try TwinMaker.policy(rules)
        if rules == nil { policy.replay.key = .subject }
        return (material, policy)
    }

    func trial(_ second: SecondContext) throws -> RespellingTrial {
        let (material, policy) = try gate(second)
        guard let list else {
            let verifier = Verifier(trust: try TrustStore(material), policy: policy)
            return try RespellingTrial(name, verifier, document, demand: demand, clock: Self.clock)
        }
        let (fixed, rule) = (material, policy)
        return try RespellingTrial(
            name, Verifier(trust: TrustStore(fixed), policy: rule), document, clock: Self.clock
        ) { respelt in
            var material = fixed
            material.statusLists[list.url] = respelt.compactBytes
            return (Verifier(trust: try TrustStore(material), policy: rule), list.credential.compactBytes)
        }
    }
}

/// Makes twins, all signed with the same suite.
struct RespellingTwins {
    var issuer: GraphSigner
    let holder: GraphSigner
    private let contexts: [Text: JSON]

    static let terms: Text = "https://works.example/ns/v1"
    static let status: Text = "https://issuer.example/status/"

    init(_ suite: GraphSigner.Suite) throws {
        let terms: JSON = [
            "@context": [
                "works": "https://works.example/ns#", "people": "did:example:", "StaffPass": "works:StaffPass",
                "level": "works:level", "grade": "works:grade", "zones": "works:zone", "callName": "works:name",
                "manager": ["@id": "works:manager", "@type": "@id"],
                "kind": ["@id": "works:kind", "@type": "@vocab"], "Visitor": "works:Visitor",
                "birthDate": [
                    "@id": "works:birthDate", "@type": "http://www.w3.org/2001/XMLSchema#date",
                ],
                "rooms": ["@id": "works:room", "@container": "@list"],
                "endorsement": ["@id": "works:endorsement", "@type": "@id"], "Endorsement": "works:Endorsement",
                "creator": ["@id": "works:creator", "@type": "@id"],
            ]
        ]
        issuer = try GraphSigner(suite, contexts: [Self.terms: terms])
        // The holder also signs the content that the issuer signed, so it needs the same contexts.
        holder = try GraphSigner(.eddsaRDFC2022, seed: 32, contexts: issuer.contexts)
        contexts = holder.contexts
    }

    /// A credential without a proof; it contains every decisive member.
    var template: JSONObject {
        [
            "@context": issuer.heads(Self.terms), "id": "urn:uuid:1", "type": ["VerifiableCredential", "StaffPass"],
            "issuer": .string(issuer.id), "validFrom": "2026-01-01T00:00:00Z", "validUntil": "2027-01-01T00:00:00Z",
            "credentialSubject": .object(subject),
        ]
    }

    var subject: JSONObject {
        [
            "id": .string(holder.id), "level": 3, "zones": ["north", "south"], "kind": "Visitor",
            "manager": ["id": "did:example:manager", "grade": 5], "birthDate": "2000-05-05",
            "rooms": ["a", "b"],
        ]
    }

    static func entry(_ list: String, _ index: String = "7", purpose: JSON = "revocation") -> JSON {
        [
            "id": .text(status.string + list + "#" + index), "type": "BitstringStatusListEntry",
            "statusPurpose": purpose, "statusListIndex": .text(index),
            "statusListCredential": .text(status.string + list),
        ]
    }

    /// A status list with its seventh bit set or not.
    func list(
        _ name: String, set: Bool, changes: (inout JSONObject) -> Void = { _ in }
    ) throws -> (Text, JSON) {
        let url = Text(Self.status.string + name)
        var bits = [UInt8](repeating: 0, count: 16 * 1024)
        if set { bits[0] = 1 }
        var document = template
        document["@context"] = issuer.heads()
        document["id"] = .string(url)
        document["type"] = ["VerifiableCredential", "BitstringStatusListCredential"]
        document["credentialSubject"] = [
            "id": .text(url.string + "#list"), "type": "BitstringStatusList", "statusPurpose": "revocation",
            "encodedList": .text("u" + Base64.encode(try Gzip.deflate(bits))),
        ]
        changes(&document)
        return (url, try issuer.sign(document))
    }

    func twin(
        _ name: String, _ document: JSON, code: String = "ok", rules: String? = nil, lists: [(Text, JSON)] = [],
        changes: (inout RespellingTwin) -> Void = { _ in }
    ) -> RespellingTwin {
        var entry = TrustedIssuer(id: issuer.id)
        (entry.inlineContexts, entry.takesArraysWhole) = (true, true)
        var twin = RespellingTwin(
            name: "\(issuer.suite.rawValue) \(name)", document: document, code: code, rules: rules,
            issuers: [entry], contexts: contexts)
        twin.lists = Dictionary(uniqueKeysWithValues: lists)
        changes(&twin)
        return twin
    }

    func signed(_ changes: (inout JSONObject) -> Void = { _ in }) throws -> JSON {
        var document = template
        changes(&document)
        return try issuer.sign(document)
    }

    // MARK: - The twins

    func credentials() throws -> [RespellingTwin] {
        let (clean, dirty) = (try list("clean", set: false), try list("dirty", set: true))
        let entries: JSON = [Self.entry("clean", "7"), Self.entry("dirty", "7")]
        return [
            twin("good", try signed()),
            twin("good, blank subject", try signed { $0["credentialSubject"] = .object(subject.without("id")) }),
            twin("good, issuer as object", try signed { $0["issuer"] = ["id": .string(issuer.id)] }),
            twin("expired", try signed { $0["validUntil"] = "2026-02-01T00:00:00Z" }, code: "validity.expired"),
            twin("of the future", try signed { $0["validFrom"] = "2026-12-01T00:00:00Z" }, code: "validity.not-yet"),
            twin(
                "proof expired",
                try issuer.sign(template) { $0["expires"] = "2026-02-01T00:00:00Z" }, code: "proof.expired"),
            twin("not revoked", try signed { $0["credentialStatus"] = Self.entry("clean") }, lists: [clean]),
            twin(
                "revoked", try signed { $0["credentialStatus"] = Self.entry("dirty") }, code: "status.revoked",
                lists: [dirty]),
            twin(
                "second entry revoked", try signed { $0["credentialStatus"] = entries }, code: "status.revoked",
                lists: [clean, dirty]),
            twin("list unknown", try signed { $0["credentialStatus"] = entries }, code: "status.unavailable"),
            twin(
                "stranger", try GraphSigner(issuer.suite, seed: 35, contexts: contexts).sign(template),
                code: "issuer.key-mismatch"),
        ]
    }

    func ruled() throws -> [RespellingTwin] {
        let staff = "[[accept]]\nid = \"staff\"\ntypes = \"https://works.example/ns#StaffPass\"\n"
        func needing(_ condition: String) -> String { staff + "require = [ \(condition) ]\n" }
        func denying(_ condition: String) -> String { "[[deny]]\nid = \"d\"\n\(condition)\n" + staff }
        let two: JSON = [.object(subject.without("id")), ["id": "did:example:lost", "level": 9]]
        let several: JSON = ["id": .string(holder.id), "level": [1, 5], "zones": ["north", "south"]]
        let claims: [(String, String, String, JSON?)] = [
            ("rule fulfilled", needing("{ claim = \"/credentialSubject/level\", equals = 3 }"), "ok", nil),
            ("level too low", needing("{ claim = \"/credentialSubject/level\", at-least = 4 }"), "policy.staff", nil),
            (
                "two levels", needing("{ claim = \"/credentialSubject/level\", at-least = 3 }"), "policy.staff",
                several
            ),
            (
                "zone missing", needing("{ claim = \"/credentialSubject/zones\", contains = \"east\" }"),
                "policy.staff", nil
            ),
            (
                "not that level", needing("{ not = { claim = \"/credentialSubject/level\", equals = 3 } }"),
                "policy.staff", nil
            ),
            (
                "no level", needing("{ claim = \"/credentialSubject/level\", exists = false }"), "policy.staff", nil
            ),
            (
                "too young", needing("{ age = \"/credentialSubject/birthDate\", at-least = 40 }"), "policy.staff", nil
            ),
            (
                "denied level", denying("when = [ { claim = \"/credentialSubject/level\", equals = 3 } ]"), "policy.d",
                nil
            ),
            (
                "denied zone", denying("when = [ { claim = \"/credentialSubject/zones\", contains = \"south\" } ]"),
                "policy.d", nil
            ),
            (
                "denied kind",
                denying(
                    "when = [ { claim = \"/credentialSubject/kind\", equals = \"https://works.example/ns#Visitor\" } ]"),
                "policy.d", nil
            ),
            (
                "denied manager", denying("when = [ { claim = \"/credentialSubject/manager/grade\", equals = 5 } ]"),
                "policy.d", nil
            ),
            (
                "denied room", denying("when = [ { claim = \"/credentialSubject/rooms/0\", equals = \"a\" } ]"),
                "policy.d", nil
            ),
            ("denied subject", denying("subjects = [ \"\(holder.id)\" ]"), "policy.d", nil),
            ("denied second subject", denying("subjects = [ \"did:example:lost\" ]"), "policy.d", two),
            (
                "no pass", "[[accept]]\nid = \"r\"\ntypes = [\"https://works.example/ns#Other\"]\n", "policy.no-match",
                nil
            ),
        ]
        return try claims.map { name, rules, code, subject in
            twin(name, try signed { if let subject { $0["credentialSubject"] = subject } }, code: code, rules: rules) {
                $0.pinsExchange = false
            }
        }
    }

    func presentations() throws -> [RespellingTwin] {
        func presented(_ credentials: JSON...) throws -> JSON {
            try holder.sign(
                [
                    "@context": holder.heads(), "type": ["VerifiablePresentation"], "holder": .string(holder.id),
                    "verifiableCredential": .array(credentials),
                ], purpose: "authentication"
            ) { proof in
                proof["challenge"] = "n-1"
                proof["domain"] = "gate.example"
                proof["created"] = .text(RespellingTwin.clock.utc.advanced(by: .seconds(-5)).rfc3339)
            }
        }
        let answered = HolderDemand(nonce: "n-1", audience: "gate.example", required: true)
        let expired = try signed { $0["validUntil"] = "2026-02-01T00:00:00Z" }
        let denying =
            "[[deny]]\nid = \"d\"\nsubjects = [ \"did:example:lost\" ]\n[[accept]]\nid = \"staff\"\nholder = \"required\"\n"
        let lost = try signed { $0["credentialSubject"] = ["id": "did:example:lost", "level": 1] }
        return [
            twin("presentation", try presented(signed())) { $0.demand = answered },
            twin("presentation of an expired one", try presented(expired), code: "validity.expired") {
                $0.demand = answered
            },
            twin("presentation for another challenge", try presented(signed()), code: "holder.invalid") {
                $0.demand = HolderDemand(nonce: "n-2")
            },
            twin("presentation with a denied subject", try presented(signed(), lost), code: "policy.d", rules: denying)
            {
                $0.demand = answered
                $0.pinsExchange = false
            },
            twin(
                "presentation of a stolen one", try presented(lost), code: "holder.proof-missing",
                rules: "[[accept]]\nid = \"staff\"\nholder = \"required\"\n"
            ) {
                $0.demand = answered
                $0.pinsExchange = false
            },
        ]
    }

    /// Returns twins whose status list is respelt.
    func statusLists() throws -> [RespellingTwin] {
        let credential = try signed { $0["credentialStatus"] = Self.entry("list") }
        let lists: [(String, String, (Text, JSON))] = [
            ("clean list", "ok", try list("list", set: false)),
            ("list with the bit", "status.revoked", try list("list", set: true)),
            ("old list", "status.stale", try list("list", set: false) { $0["validUntil"] = "2026-02-01T00:00:00Z" }),
            (
                "list of another purpose", "status.invalid",
                try list("list", set: false) { document in
                    document["credentialSubject"] = .object(
                        (document["credentialSubject"]?.object ?? [:]).with("statusPurpose", "suspension"))
                }
            ),
        ]
        return lists.map { name, code, list in
            twin(name, list.1, code: code, lists: [list]) { $0.list = (list.0, credential) }
        }
    }
}
