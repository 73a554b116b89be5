import Encoding
import Testing

@testable import Credentials

/// Status lists from the cache: every way in which they can be wrong, and the bit itself.
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

    /// Under compat an index that the signature does not cover could be moved to a clear bit.
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
    }

    @Test func aBombStaysWithinItsLimit() throws {
        let bomb = try Gzip.deflate([UInt8](repeating: 0, count: 17 * 1024 * 1024))
        #expect(throws: BitstringStatusList.Malformed.self) {
            try BitstringStatusList(encoded: Text("u" + Base64.encode(bomb)))
        }
    }
}
