import Encoding
import LinkedData
import Reasons
import Testing

@testable import Credentials

/// For a proof over JSON text, the canonical text counts, read under the signed contexts, with everything that it
/// states. A holder's other spelling does not count.
@Suite struct SignedTextTests {
    private let issuer: TestIssuer
    private var material: TrustMaterial

    private static let terms: Text = "https://works.example/ns/v1"
    private static let neighbour: Text = "https://neighbours.example/ns/v1"
    private static let accept = "[[accept]]\nid = \"r\"\n"
    private static let subject = "https://www.w3.org/2018/credentials#credentialSubject"
    private static let level = "[\"\(subject)\", \"https://works.example/ns#level\"]"

    init() throws {
        issuer = try TestIssuer(seed: 9)
        material = issuer.material
        let date: JSON = "http://www.w3.org/2001/XMLSchema#dateTime"
        let context: JSON = [
            "works": "https://works.example/ns#", "StaffPass": "works:StaffPass", "level": "works:level",
            "about": "works:about", "kind": "@type", "key": "@id",
            "ends": ["@id": "https://www.w3.org/2018/credentials#validUntil", "@type": date],
            "Entry": "https://www.w3.org/ns/credentials/status#BitstringStatusListEntry",
            "standing": ["@id": "https://www.w3.org/2018/credentials#credentialStatus", "@type": "@id"],
            "people": ["@id": "did:example:", "@prefix": true],
        ]
        material.contexts[Self.terms] = (["@context": context] as JSON).compactBytes
        material.contexts[Self.neighbour] =
            (["@context": ["StaffPass": "urn:master", "level": "urn:level"]] as JSON).compactBytes
    }

    private func document(_ changes: (inout JSONObject) -> Void = { _ in }) -> JSONObject {
        var document = issuer.template
        document["@context"] = .array((document["@context"]?.array ?? []) + [.string(Self.terms)])
        document["type"] = ["VerifiableCredential", "StaffPass"]
        document["credentialSubject"] = ["id": "did:example:holder", "level": 2]
        changes(&document)
        return document
    }

    private func verdict(
        _ document: JSON, _ rules: String? = nil, profile: Profile = .strict, recent: Set<[UInt8]> = [],
        changes: (inout TrustMaterial) -> Void = { _ in }
    ) throws -> Verdict {
        var material = material
        changes(&material)
        var policy = try rules.map { VerificationPolicy(try PolicyFixture.parse($0)) } ?? VerificationPolicy()
        policy.statedProfile = profile
        return Verifier(trust: try TrustStore(material), policy: policy)
            .verify(document.compactBytes, recent: recent, at: TestIssuer.clock)
    }

    // MARK: - Digits

    /// Other digits of the same number leave the signature valid and change nothing else.
    @Test(arguments: ["2.00000000000000000001", "2.0", "2e0", "0.2E1", "20e-1", "2.0000000000000000000"])
    func digitsOfANumber(digits: String) throws {
        let plain = try issuer.signText(document())
        let respelt = plain.replacing(
            JSONPlace() / "credentialSubject" / "level", by: .number(JSONNumber(validated: digits)))
        let (known, shown) = (try verdict(plain), try verdict(respelt))
        #expect(known.code == .ok && shown.code == .ok)
        let digest = try #require(known.credential.signedDigest)
        #expect(shown.credential.signedDigest == digest)
        #expect(shown.replayKeys == known.replayKeys && !known.replayKeys.isEmpty)
        #expect(try verdict(respelt, recent: Set(known.replayKeys)).code == .replaySeen)
        let deny = "[[deny]]\nid = \"d\"\ncredentials = [ \"sha256:\(Hex.encode(digest))\" ]\n" + Self.accept
        #expect(try verdict(respelt, deny).code.text == "policy.d")
        for condition in ["equals = 2", "contains = 2", "at-least = 2", "at-most = 2", "in = [2]"] {
            for claim in [Self.level, "\"/credentialSubject/level\""] {
                let rules = Self.accept + "require = [ { claim = \(claim), \(condition) } ]\n"
                #expect(try verdict(plain, rules).code == .ok, "\(condition)")
                #expect(try verdict(respelt, rules).code == .ok, "\(condition) \(claim)")
            }
        }
    }

    /// An entry's index in its list is a number or a string of digits.
    @Test func digitsOfAStatus() throws {
        let url: Text = "https://issuer.example/status/1"
        for set in [false, true] {
            let list = try issuer.statusList(url: url, set: set ? [7] : [])
            let plain = try issuer.signText(
                document {
                    $0["credentialStatus"] = [
                        "type": "BitstringStatusListEntry", "statusPurpose": "revocation", "statusListIndex": 7,
                        "statusListCredential": .string(url),
                    ]
                })
            for digits in ["7", "7.0", "70e-1"] {
                let shown = plain.replacing(
                    JSONPlace() / "credentialStatus" / "statusListIndex", by: .number(JSONNumber(validated: digits)))
                let found = try verdict(shown) { $0.statusLists[url] = list }
                #expect(found.code == (set ? .statusRevoked : .ok), "\(digits)")
            }
        }
    }

    /// Parsing the canonical text gives the original value, apart from the order of members, exactly if the
    /// shortcut `isVerbatim` is true.
    @Test func canonicalTextIsRecognised() throws {
        let numbers = [
            "0", "-0", "1", "-1", "10", "1.0", "1e3", "1e21", "1e+21", "1E+21", "0.1", "0.10", "1.5", "123456789012345",
            "1234567890123456", "12345678901234567", "9007199254740993", "9007199254740992", "1e-7", "0.0000001",
            "0.000001", "5e-324", "4.9e-324", "-2.50", "-2.5", "100000000000000000000", "1000000000000000000000",
            "2.00000000000000000001", "0.30000000000000004", "0.3000000000000000444", "-0.0", "0e5",
        ]
        for number in numbers {
            let value: JSON = ["a": [["b": .number(JSONNumber(validated: number))], nil, true, "x"]]
            let again = try JSON.parse(try value.canonicalized())
            #expect(try value.canonical().isVerbatim == (again == value), "\(number)")
            #expect(try again.canonical().isVerbatim)
        }
    }

    // MARK: - Contexts that are not signed

    /// A context that the holder appends neither changes nor removes the meaning of the issuer's types.
    @Test func typesUnderAnAppendedContext() throws {
        let contexts = document()["@context"] ?? .null
        let signed = try issuer.signText(document(), repeating: contexts)
        let shown = signed.replacing(
            JSONPlace() / "@context", by: .array((contexts.array ?? []) + [.string(Self.neighbour)]))
        func code(_ document: JSON, _ types: [Text], _ rules: String? = nil) throws -> String {
            try verdict(document, rules, profile: .compat) { $0.issuers[0].types = types }.code.text
        }
        for document in [signed, shown] {
            #expect(try code(document, ["https://works.example/ns#StaffPass"]) == "ok")
            #expect(try code(document, ["urn:master"]) == "issuer.not-for-type")
        }
        let rules =
            Self.accept + "types = [ \"https://works.example/ns#StaffPass\" ]\n"
            + "require = [ { claim = \(Self.level), equals = 2 } ]\n"
        #expect(try code(shown, ["https://works.example/ns#StaffPass"], rules) == "ok")
        let (known, found) = (try verdict(signed, profile: .compat), try verdict(shown, profile: .compat))
        #expect(known.credential.signedDigest == found.credential.signedDigest)
        #expect(try verdict(shown).code == .claimsUnsigned)
    }

    // MARK: - Other names

    struct Alias: CustomTestStringConvertible, Sendable {
        let testDescription: String
        let code: String
        var context: JSON?
        let changes: @Sendable (inout JSONObject) -> Void
    }

    private static let past: JSON = [
        "@value": "2026-02-01T00:00:00Z", "@type": "http://www.w3.org/2001/XMLSchema#dateTime",
    ]
    private static let entry: JSON = [
        "type": "BitstringStatusListEntry", "statusPurpose": "revocation", "statusListIndex": "7",
        "statusListCredential": "https://issuer.example/status/1",
    ]
    private static let credentials = "https://www.w3.org/2018/credentials#"

    static let aliases = [
        Alias(testDescription: "an end under its IRI", code: "validity.expired") {
            $0[Text(credentials + "validUntil")] = past
        },
        Alias(testDescription: "an end under its IRI alone", code: "validity.expired") {
            $0["validUntil"] = nil
            $0[Text(credentials + "validUntil")] = "2026-02-01T00:00:00Z"
        },
        Alias(testDescription: "an end under a name of a pinned context", code: "validity.expired") {
            $0["validUntil"] = nil
            $0["ends"] = "2026-02-01T00:00:00Z"
        },
        Alias(
            testDescription: "an end under a compact IRI", code: "validity.expired",
            context: ["cred": ["@id": .text(credentials), "@prefix": true]]
        ) {
            $0["validUntil"] = nil
            $0["cred:validUntil"] = past
        },
        Alias(
            testDescription: "an end under a name that a vocabulary completes", code: "validity.expired",
            context: ["@vocab": .text(credentials + "valid")]
        ) {
            $0["validUntil"] = nil
            $0["Until"] = "2026-02-01T00:00:00Z"
        },
        Alias(testDescription: "an end on the credential's node below", code: "validity.expired") {
            $0["id"] = "urn:uuid:1"
            $0["credentialSubject"] = [
                "id": "did:example:holder",
                "about": [
                    "id": "urn:uuid:1", "type": "VerifiableCredential", "validUntil": "2026-02-01T00:00:00Z",
                ],
            ]
        },
        Alias(
            testDescription: "an end on the credential's node below, by a compact IRI", code: "validity.expired",
            context: ["urns": ["@id": "urn:uuid:", "@prefix": true]]
        ) {
            $0["id"] = "urn:uuid:1"
            $0["credentialSubject"] = [
                "id": "did:example:holder",
                "about": [
                    "id": "urns:1", "type": "VerifiableCredential", "validUntil": "2026-02-01T00:00:00Z",
                ],
            ]
        },
        Alias(testDescription: "a start under its IRI", code: "validity.not-yet") {
            $0[Text(credentials + "validFrom")] = [
                "@value": "2026-12-01T00:00:00Z", "@type": "http://www.w3.org/2001/XMLSchema#dateTime",
            ]
        },
        Alias(testDescription: "an issuer under its IRI", code: "shape.issuer") {
            $0[Text(credentials + "issuer")] = ["@id": "did:example:other"]
        },
        Alias(testDescription: "a status under its IRI", code: "shape.spelling") {
            $0[Text(credentials + "credentialStatus")] = entry
        },
        Alias(testDescription: "a status under a name of a pinned context", code: "shape.spelling") {
            $0["standing"] = entry
        },
        Alias(testDescription: "a status next to one that is read", code: "shape.spelling") {
            $0["credentialStatus"] = .object(
                (entry.object ?? [:]).with("statusListCredential", "https://issuer.example/status/2"))
            $0["standing"] = entry
        },
        Alias(testDescription: "a status of a type by another name", code: "shape.spelling") {
            $0["credentialStatus"] = .object((entry.object ?? [:]).with("type", "Entry"))
        },
        Alias(testDescription: "another place in the list under its IRI", code: "shape.spelling") {
            $0["credentialStatus"] = .object(
                (entry.object ?? [:]).with("https://www.w3.org/ns/credentials/status#statusListIndex", "9"))
        },
        Alias(testDescription: "a second subject under its IRI", code: "policy.d") {
            $0[Text(credentials + "credentialSubject")] = ["id": "did:example:lost"]
        },
        Alias(testDescription: "a subject's id as a keyword", code: "policy.d") {
            $0["credentialSubject"] = ["@id": "did:example:lost", "level": 2]
        },
        Alias(testDescription: "a subject's id under a name of a pinned context", code: "policy.d") {
            $0["credentialSubject"] = ["key": "did:example:lost", "level": 2]
        },
        Alias(testDescription: "a subject's id as a compact IRI", code: "policy.d") {
            $0["credentialSubject"] = ["id": "people:lost", "level": 2]
        },
        Alias(testDescription: "a type as a keyword", code: "issuer.not-for-type") { $0["@type"] = "works:Master" },
        Alias(testDescription: "a type under a name of a pinned context", code: "issuer.not-for-type") {
            $0["kind"] = "works:Master"
        },
    ]

    /// A statement under another name, or in another description of the same node, counts as much as a statement under
    /// its usual name.
    @Test(arguments: aliases) func otherNames(alias: Alias) throws {
        let deny = "[[deny]]\nid = \"d\"\nsubjects = [ \"did:example:lost\" ]\n" + Self.accept
        let signed = try issuer.signText(
            document { document in
                if let context = alias.context {
                    document["@context"] = .array((document["@context"]?.array ?? []) + [context])
                }
                alias.changes(&document)
            })
        let found = try verdict(signed, deny) { material in
            material.issuers[0].inlineContexts = true
            material.issuers[0].types = ["https://works.example/ns#StaffPass"]
        }
        #expect(found.code.text == alias.code, "\(found.reasons)")
    }

    /// The issuer may use any name for inert members. Members without a meaning in RDF are read as text.
    @Test func otherNamesOfOtherClaims() throws {
        let half = JSON.number(JSONNumber(validated: "2.5"))
        let subjects: [JSON] = [
            ["id": "did:example:a", "https://schema.example/name": "A"], ["id": "did:example:a", "nickname": "A"],
            ["id": "did:example:a", "works:level": 2, "about": ["@type": "works:Thing", "@id": "urn:x"]],
            ["id": "did:example:a", "level": half],
            ["id": "did:example:a", "about": ["id": "did:example:a", "level": 3]],
        ]
        for subject in subjects {
            let signed = try issuer.signText(document { $0["credentialSubject"] = subject })
            #expect(try verdict(signed).code == .ok, "\(subject.compactText)")
        }
    }

    /// The issuer of a status list over text may use any name for inert members, too.
    @Test func otherNamesInAStatusList() throws {
        let url: Text = "https://issuer.example/status/1"
        let pass = try issuer.signText(document { $0["credentialStatus"] = Self.entry })
        func code(_ changes: (inout JSONObject) -> Void) throws -> ReasonCode {
            let list = try #require(try JSON.parse(try issuer.statusList(url: url)).object).without("proof")
            var changed = list
            changes(&changed)
            let signed = try issuer.signText(changed)
            return try verdict(pass) { $0.statusLists[url] = signed.compactBytes }.code
        }
        #expect(try code { _ in } == .ok)
        #expect(try code { $0[Text(Self.credentials + "validUntil")] = Self.past } == .statusStale)
        #expect(
            try code {
                $0["credentialSubject"] = .object(
                    ($0["credentialSubject"]?.object ?? [:]).with(
                        "https://www.w3.org/ns/credentials/status#encodedList", "uAAAA"))
            } == .statusInvalid)
    }
}
