import Crypto
import Encoding
import Reasons
import Testing

@testable import Credentials

/// Status lists from the cache: every possible error, and the bit itself.
@Suite struct StatusTests {
    private let issuer: TestIssuer
    private let url: Text = "https://issuer.example/status/1"

    init() throws { issuer = try TestIssuer(seed: 7) }

    private func verdict(
        purpose: Text = "revocation", index: JSON = "42", list: [UInt8]?, issuers: [Text] = []
    ) throws -> Verdict {
        var document = issuer.template
        document["credentialStatus"] = [
            "type": "BitstringStatusListEntry", "statusPurpose": .string(purpose),
            "statusListIndex": index, "statusListCredential": .string(url),
        ]
        var material = issuer.material
        material.issuers[0].statusIssuers = issuers
        if let list { material.statusLists[url] = list }
        let payload = try issuer.sign(document).compactBytes
        return Verifier(trust: try TrustStore(material)).verify(payload, at: TestIssuer.clock)
    }

    @Test func bits() throws {
        let list = try issuer.statusList(url: url, set: [42, 131_071])
        #expect(try verdict(list: list).code == .statusRevoked)
        #expect(try verdict(index: "131071", list: list).code == .statusRevoked)
        for clear in ["41", "43", "0"] as [JSON] { #expect(try verdict(index: clear, list: list).code == .ok) }
        for wrong in ["131072", "-1", "x", ""] as [JSON] {
            #expect(try verdict(index: wrong, list: list).code == .statusInvalid)
        }
    }

    @Test func purposes() throws {
        let suspended = try issuer.statusList(url: url, purpose: "suspension", set: [42])
        #expect(try verdict(purpose: "suspension", list: suspended).code == .statusSuspended)
        #expect(try verdict(purpose: "revocation", list: suspended).code == .statusInvalid)
    }

    @Test func absent() throws {
        #expect(try verdict(list: nil).code == .statusUnavailable)
    }

    @Test func dates() throws {
        let old = try issuer.statusList(url: url) { $0["validUntil"] = "2026-02-01T00:00:00Z" }
        #expect(try verdict(list: old).code == .statusStale)
        let future = try issuer.statusList(url: url) { $0["validFrom"] = "2026-12-31T00:00:00Z" }
        #expect(try verdict(list: future).code == .statusStale)
    }

    @Test func substitution() throws {
        let otherURL = try issuer.statusList(url: "https://issuer.example/status/2")
        #expect(try verdict(list: otherURL).code == .statusInvalid)
        let other = try TestIssuer(seed: 8)
        let foreign = try other.statusList(url: url)
        #expect(try verdict(list: foreign).code == .statusInvalid)
        #expect(try verdict(list: foreign, issuers: [other.id]).code == .ok)
    }

    /// An optional id of a list equals the URL in the credential (Bitstring Status List 1.0 section 3). The operator
    /// may accept another id, but only for that issuer and that URL.
    @Test func aListIsTheOneThatIsNamed() throws {
        let alias: Text = "https://lists.example/1"
        func code(_ id: Text?, aliases: [Text: Text] = [:]) throws -> ReasonCode {
            let list = try issuer.statusList(url: url) { $0["id"] = id.map(JSON.string) }
            var document = issuer.template
            document["credentialStatus"] = [
                "type": "BitstringStatusListEntry", "statusPurpose": "revocation", "statusListIndex": "42",
                "statusListCredential": .string(url),
            ]
            var material = issuer.material
            material.statusLists[url] = list
            material.issuers[0].statusListAliases = aliases
            return Verifier(trust: try TrustStore(material))
                .verify(try issuer.sign(document).compactBytes, at: TestIssuer.clock).code
        }
        #expect(try code(url) == .ok)
        #expect(try code(nil) == .ok)
        #expect(try code(alias) == .statusInvalid)
        #expect(try code(alias, aliases: [url: alias]) == .ok)
        #expect(try code(url, aliases: [url: alias]) == .ok)
        #expect(try code(alias, aliases: ["https://issuer.example/status/2": alias]) == .statusInvalid)
        #expect(try code("https://lists.example/2", aliases: [url: alias]) == .statusInvalid)
    }

    @Test func damage() throws {
        let short = try issuer.statusList(url: url, bytes: 16 * 1024 - 1)
        #expect(try verdict(list: short).code == .statusInvalid)
        let list = try issuer.statusList(url: url)
        let text = String(decoding: list, as: UTF8.self)
            .replacing("2027-01-01T00:00:00Z", with: "2028-01-01T00:00:00Z")
        #expect(try verdict(list: Array(text.utf8)).code == .statusInvalid)
        #expect(try verdict(list: Array("{}".utf8)).code == .statusInvalid)
    }

    @Test func anUnknownKindOfEntryIsNoAnswer() throws {
        var document = issuer.template
        document["credentialStatus"] = [
            "id": "https://issuer.example/other", "type": "https://example.org/OtherStatus",
        ]
        let payload = try issuer.sign(document).compactBytes
        let verdict = Verifier(trust: try TrustStore(issuer.material)).verify(payload, at: TestIssuer.clock)
        #expect(verdict.code == .statusUnavailable && verdict.reasons[0].pointer == "/credentialStatus/type")
    }

    /// Under the compat profile, an index that the signature does not cover could be changed to that of a clear bit.
    @Test func anUnsignedEntryIsNoAnswer() throws {
        var document = issuer.template
        document["credentialStatus"] = [
            "id": "https://issuer.example/other", "type": "https://example.org/OtherStatus",
        ]
        guard var signed = try issuer.sign(document).object else { return }
        signed["credentialStatus"] = [
            "id": "https://issuer.example/other",
            "type": ["https://example.org/OtherStatus", "BitstringStatusListEntryX"], "statusListIndex": "3",
        ]
        let verifier = Verifier(trust: try TrustStore(issuer.material), policy: VerificationPolicy(profile: .compat))
        let verdict = verifier.verify(JSON.object(signed).compactBytes, at: TestIssuer.clock)
        #expect(verdict.code == .statusInvalid && verdict.reasons[0].pointer == "/credentialStatus")
    }

    @Test func multibaseIsOptional() throws {
        let bits = try Gzip.deflate([UInt8](repeating: 0x80, count: 16 * 1024))
        for text in ["u" + Base64.encode(bits), Base64.encode(bits)] {
            let list = try BitstringStatusList(encoded: Text(text))
            #expect(list.count == 131_072 && list[0] == true && list[1] == false && list[131_072] == nil)
        }
        #expect(throws: BitstringStatusList.Malformed.self) { try BitstringStatusList(encoded: "u!") }
        // Nothing may follow the single gzip member, not even a second one.
        let member = try Gzip.deflate([UInt8](repeating: 0, count: 16 * 1024))
        #expect(throws: Never.self) { try BitstringStatusList(encoded: Text("u" + Base64.encode(member))) }
        for rest in [[0], member, Array("more".utf8)] as [[UInt8]] {
            #expect(throws: BitstringStatusList.Malformed.self) {
                try BitstringStatusList(encoded: Text("u" + Base64.encode(member + rest)))
            }
        }
    }

    @Test func aBombStaysWithinItsLimit() throws {
        let bomb = try Gzip.deflate([UInt8](repeating: 0, count: 17 * 1024 * 1024))
        #expect(throws: BitstringStatusList.Malformed.self) {
            try BitstringStatusList(encoded: Text("u" + Base64.encode(bomb)))
        }
    }

    // MARK: - Entries of several bits, other purposes

    private func entry(_ changes: (inout JSONObject) -> Void = { _ in }) -> JSONObject {
        var entry: JSONObject = [
            "type": "BitstringStatusListEntry", "statusPurpose": "revocation", "statusListIndex": "42",
            "statusListCredential": .string(url),
        ]
        changes(&entry)
        return entry
    }

    /// Looks up the entries without a credential around them.
    private func answers(
        _ entries: [JSONObject], list: [UInt8]?, rulesDecide: Bool = false
    ) throws -> (code: String, answers: [StatusAnswer]) {
        var material = issuer.material
        if let list { material.statusLists[url] = list }
        var policy = VerificationPolicy()
        policy.decidesOnStatus = rulesDecide
        let verificationContext = VerificationContext(
            trust: try TrustStore(material), policy: policy, limits: Limits(), clock: TestIssuer.clock, onStage: nil)
        var evidence = Evidence(CredentialSummary())
        let located = entries.enumerated().map {
            Located(value: $0.element, pointer: "/credentialStatus/\($0.offset)")
        }
        do throws(Rejection) {
            try StatusCheck(verificationContext: verificationContext, issuer: material.issuers[0])
                .check(located.map(StatusEntry.init), into: &evidence)
            return ("ok", evidence.status)
        } catch { return (error.reason.code.text, evidence.status) }
    }

    private static func messages(_ count: Int) -> JSON {
        .array((0..<count).map { ["status": .text("0x" + String($0, radix: 16)), "message": "m"] })
    }

    @Test func sizes() throws {
        // Entry 42 of three bits each is in bits 126 to 128, so it crosses a byte boundary.
        func list(_ purpose: Text = "message", set: [Int]) throws -> [UInt8] {
            try issuer.statusList(url: url, purpose: purpose, set: set, bytes: 3 * 16 * 1024)
        }
        func code(_ purpose: JSON, size: JSON, messages: JSON? = Self.messages(8), _ list: [UInt8]) throws -> String {
            let entry = entry {
                $0["statusPurpose"] = purpose
                $0["statusSize"] = size
                $0["statusMessage"] = messages
            }
            return try answers([entry], list: list).code
        }
        for bit in 126...128 {
            #expect(try code("message", size: 3, list(set: [bit])) == "ok")
            #expect(try code("revocation", size: 3, list("revocation", set: [bit])) == "status.revoked")
            #expect(try code("suspension", size: 3, list("suspension", set: [bit])) == "status.suspended")
        }
        #expect(try code("revocation", size: 3, list("revocation", set: [125, 129])) == "ok")
        #expect(try code("revocation", size: 3, list("message", set: [])) == "status.invalid")
        // The number of messages must equal the number of values; entries of more than one bit require
        // messages.
        #expect(try code("message", size: 3, messages: Self.messages(7), list(set: [])) == "status.invalid")
        #expect(try code("message", size: 3, messages: nil, list(set: [])) == "status.invalid")
        #expect(try code("message", size: 1, messages: nil, list(set: [])) == "ok")
        #expect(try code("message", size: 1, messages: Self.messages(2), list(set: [])) == "ok")
        #expect(try code("message", size: 1, messages: Self.messages(4), list(set: [])) == "status.invalid")
        #expect(
            try code("message", size: 1, messages: [["status": "0x0"], ["status": "0x1"]], list(set: []))
                == "status.invalid")
        for size in [0, -1, 9, "3", 64, .null] as [JSON] {
            #expect(try code("message", size: size, list(set: [])) == "status.invalid", "\(size)")
        }
        // The size that the list states must be the same. Only a JWT can state it, because the context has no
        // such term.
        for (size, wanted) in [(1, "status.revoked"), (2, "status.invalid")] {
            let list = try jwtList {
                guard var subject = $0["credentialSubject"]?.object else { return }
                subject["statusSize"] = .int(size)
                $0["credentialSubject"] = .object(subject)
            }
            #expect(try answers([entry()], list: list).code == wanted)
        }
        // With four bits each, there are too few entries to hide a holder among others.
        #expect(try code("message", size: 4, messages: Self.messages(16), list(set: [])) == "status.invalid")
    }

    @Test func valuesAreReadFromTheLeft() throws {
        let list = try BitstringStatusList(
            encoded: Text(
                "u"
                    + Base64.encode(
                        try Gzip.deflate(
                            [0b1000_0110, 0b0100_0001] + [UInt8](repeating: 0, count: 16 * 1024)))))
        #expect((0..<4).map { list.value(at: $0, size: 4) } == [8, 6, 4, 1])
        #expect((0..<5).map { list.value(at: $0, size: 3) } == [4, 1, 4, 4, 0])
        #expect(list.value(at: 0, size: 8) == 0x86 && list.value(at: 1, size: 8) == 0x41)
        for (index, size) in [(0, 0), (0, 9), (-1, 1), (16 * 1024 + 2, 8), (.max, 8), (.max, 1)] {
            #expect(list.value(at: index, size: size) == nil)
        }
    }

    @Test func otherPurposes() throws {
        func code(_ purpose: Text, set: [Int]) throws -> String {
            let list = try issuer.statusList(url: url, purpose: purpose, set: set)
            return try answers([entry { $0["statusPurpose"] = .string(purpose) }], list: list).code
        }
        #expect(try code("refresh", set: [42]) == "ok")
        #expect(try code("message", set: [42]) == "ok")
        // The meaning of the bit is unknown.
        #expect(try code("embargo", set: [42]) == "status.invalid")
        #expect(try code("embargo", set: [41, 43]) == "ok")
    }

    // MARK: - Lists in other formats

    /// Returns a list as a JWT credential of VCDM 2.0 (VC-JOSE-COSE), or in the claim `vc` as in VCDM 1.1.
    private func jwtList(inClaim: Bool = false, typ: JSON? = nil, changes: (inout JSONObject) -> Void = { _ in }) throws
        -> [UInt8]
    {
        guard var document = try JSON.parse(issuer.statusList(url: url, set: [42])).object else { return [] }
        document["proof"] = JSON?.none
        changes(&document)
        if inClaim {
            document["@context"] = ["https://www.w3.org/2018/credentials/v1"]
            document["issuanceDate"] = document["validFrom"]
            document["validFrom"] = JSON?.none
            document["validUntil"] = JSON?.none
        }
        let header: JSONObject = [
            "alg": "EdDSA", "typ": typ ?? (inClaim ? "JWT" : "vc+jwt"), "kid": .string(issuer.method),
        ]
        let claims: JSONObject = inClaim ? ["iss": .string(issuer.id), "vc": .object(document)] : document
        let input =
            Base64.encode(JSON.object(header).compactBytes) + "." + Base64.encode(JSON.object(claims).compactBytes)
        return Array((input + "." + Base64.encode(try issuer.key.signature(for: Array(input.utf8)))).utf8)
    }

    @Test func listsInTokens() throws {
        for inClaim in [false, true] {
            #expect(try answers([entry()], list: jwtList(inClaim: inClaim)).code == "status.revoked")
            let other = entry { $0["statusListIndex"] = "41" }
            #expect(try answers([other], list: jwtList(inClaim: inClaim)).code == "ok")
            #expect(try answers([entry()], list: Array(jwtList(inClaim: inClaim).dropLast())).code == "status.invalid")
        }
        #expect(
            try answers([entry()], list: jwtList { $0["validUntil"] = "2026-02-01T00:00:00Z" }).code == "status.stale")
        #expect(try answers([entry()], list: jwtList { $0["issuer"] = "did:example:x" }).code == "status.invalid")
        #expect(try answers([entry()], list: jwtList(typ: "statuslist+jwt")).code == "status.invalid")
        #expect(
            try answers([entry()], list: jwtList { $0["id"] = "https://issuer.example/status/2" }).code
                == "status.invalid")
        #expect(
            try answers(
                [entry()],
                list: jwtList {
                    $0["id"] = "https://issuer.example/status/2"
                    guard var subject = $0["credentialSubject"]?.object else { return }
                    subject["id"] = "https://issuer.example/status/2#list"
                    $0["credentialSubject"] = .object(subject)
                }
            ).code == "status.invalid")
    }

    @Test func theListSaysWhatItIs() throws {
        let list = try issuer.statusList(url: url) { $0["type"] = ["VerifiableCredential"] }
        #expect(try answers([entry()], list: list).code == "status.invalid")
    }

    // MARK: - Answers for the gate's rules

    @Test func answersForRules() throws {
        let fresh = try issuer.statusList(url: url)
        let place = "/credentialStatus/0"
        let clock = TestIssuer.clock.utc.seconds
        let age = Duration.seconds(clock - (Timestamp(rfc3339: "2026-01-01T00:00:00Z")?.seconds ?? 0))
        #expect(
            try answers([entry()], list: fresh).answers
                == [StatusAnswer(.valid, purpose: "revocation", pointer: place, age: age)])
        let until = Timestamp(seconds: clock - 600)
        func old(set: [Int] = []) throws -> [UInt8] {
            try issuer.statusList(url: url, set: set) { $0["validUntil"] = .text(until.rfc3339) }
        }
        #expect(try answers([entry()], list: old()).code == "status.stale")
        let stale = try answers([entry()], list: old(), rulesDecide: true)
        #expect(stale.code == "ok")
        #expect(
            stale.answers
                == [StatusAnswer(.valid, purpose: "revocation", pointer: place, age: age, overdue: .seconds(600))])
        #expect(try answers([entry()], list: old(set: [42]), rulesDecide: true).code == "status.revoked")
        let future = try issuer.statusList(url: url) { $0["validFrom"] = "2026-12-31T00:00:00Z" }
        #expect(try answers([entry()], list: future, rulesDecide: true).code == "status.stale")

        let absent = try answers([entry()], list: nil, rulesDecide: true)
        #expect(absent.code == "ok" && absent.answers.map(\.value) == [.unknown])
        let unknown = entry { $0["type"] = "OtherEntry" }
        let both = try answers([unknown, entry()], list: fresh, rulesDecide: true)
        #expect(both.code == "ok" && both.answers.map(\.value) == [.unknown, .valid])
        #expect(both.answers.map(\.pointer) == ["/credentialStatus/0", "/credentialStatus/1"])
        #expect(try answers([unknown, entry()], list: fresh).code == "status.unavailable")
        // The list is tampered with and old: no rule may accept it.
        let text = String(decoding: try old(), as: UTF8.self).replacing("2026-01-01T", with: "2026-01-02T")
        #expect(try answers([entry()], list: Array(text.utf8), rulesDecide: true).code == "status.invalid")
    }
}
