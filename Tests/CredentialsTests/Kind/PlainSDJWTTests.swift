import Encoding
import Reasons
import Testing

@testable import Credentials

/// An SD-JWT of no specific kind is a credential only if the operator allows it for its issuer.
@Suite struct PlainSDJWTTests {
    private let forge: TokenForge
    init() throws { forge = try TokenForge() }

    private func verdict(
        _ disclosures: [String] = [], allowed: Bool = true, type: Text? = "example+sd-jwt",
        _ changes: (inout JSONObject) -> Void = { _ in }
    ) throws -> Verdict {
        var material = forge.material
        material.issuers[0].plainSDJWT = allowed
        let token = try forge.sdJWT(disclosures, type: type) {
            $0["vct"] = nil
            changes(&$0)
        }
        return try forge.verify(token, material: material)
    }

    @Test func theIssuersEntryAllowsThem() throws {
        #expect(try verdict().code == .ok)
        let refused = try verdict(allowed: false)
        #expect(refused.code == .issuerNotForType && refused.reasons.first?.detail?.word == "plain-sd-jwt")
        #expect(refused.reasons.first?.detail?.remedy?.contains("plain-sd-jwt = true") == true)
    }

    /// Without a type in the header, the payload must show that the token is an SD-JWT.
    @Test func aTokenWithoutDigestsIsNoSDJWT() throws {
        #expect(try verdict(type: "JWT").code == .kindNeverAdmits)
        #expect(try verdict(type: nil).code == .kindNeverAdmits)
        #expect(try verdict(type: nil) { $0["_sd_alg"] = "sha-256" }.code == .ok)
        #expect(try verdict(type: "JWT") { $0["a"] = [["...": "d"]] }.code == .ok)
    }

    @Test(
        arguments: [
            ("expirationDate", "2026-02-01T00:00:00Z", ReasonCode.validityExpired),
            ("validUntil", "2026-02-01T00:00:00Z", .validityExpired), ("exp", 1_790_812_800, .validityExpired),
            ("issuanceDate", "2026-12-20T00:00:00Z", .validityNotYet),
            ("validFrom", "2026-12-20T00:00:00Z", .validityNotYet), ("validFrom", "tomorrow", .shapeDates),
            ("type", ["StatusList2021Credential"], .kindNeverAdmits),
            ("status", ["status_list": ["idx": 1, "uri": "https://issuer.example/1"]], .statusUnavailable),
            (
                "credentialStatus", ["type": "Other", "statusPurpose": "revocation"], .statusUnavailable
            ),
            ("holder", "did:example:x", .kindMember), ("aud", "https://other.example", .kindMember),
            ("vc", ["credentialStatus": [:]], .shapeHeader),
        ] as [(Text, JSON, ReasonCode)])
    func readsWhatDecidesOrRefusesIt(_ name: Text, _ value: JSON, _ wanted: ReasonCode) throws {
        #expect(try verdict { $0[name] = value }.code == wanted, "open")
        if wanted == .shapeHeader { return }
        let hidden = Disclose.member(name, value)
        #expect(
            try verdict([hidden]) {
                $0[name] = nil
                $0["_sd"] = Disclose.digests([hidden])
            }.code == wanted, "disclosed")
    }
}
