import Encoding
import Reasons
import Testing

@testable import Credentials

/// A credential that its issuer made is distinguished from a forgery, even if its dates cause a refusal before the
/// check of its signature.
@Suite struct AuthenticityTests {
    private static let (days, late) = (86_400, 200 * 365 * 86_400)

    private func verify(_ fixture: Fixture, _ document: JSON? = nil, after seconds: Int = 0) throws -> Verdict {
        var fixture = fixture
        fixture.clock.utc = fixture.clock.utc.advanced(by: .seconds(seconds))
        return try fixture.verify(document)
    }

    @Test func aCredentialThatHasExpiredIsTheIssuersOwn() throws {
        guard let fixture = try Fixture() else { return }
        let good = try verify(fixture)
        try #require(good.isAccepted && good.isAuthentic)
        let name = try #require(good.credential.signedDigest)
        for (seconds, code) in [(Self.late, ReasonCode.validityExpired), (-30 * 365 * Self.days, .validityNotYet)] {
            let verdict = try verify(fixture, after: seconds)
            #expect(verdict.code == code && !verdict.isAccepted)
            // The name equals that of the same credential on a day within its validity.
            #expect(verdict.isAuthentic && verdict.authenticDigest == name)
            #expect(verdict.reasons.map(\.code) == [code], "no finding of the second look is reported")
        }
    }

    /// A payload with copies of an expired credential's dates and issuer does not count as that credential.
    @Test func aCopyWithoutTheSignatureIsNot() throws {
        guard let fixture = try Fixture() else { return }
        let forged = fixture.changing("name", to: "another name")
        let tampered = fixture.changing("validUntil", to: "2150-01-01T00:00:00Z")
        #expect(try verify(fixture, forged).isAccepted == false)
        for document in [forged, tampered] {
            let verdict = try verify(fixture, document, after: Self.late)
            #expect(verdict.code == .validityExpired && !verdict.isAuthentic && verdict.authenticDigest == nil)
        }
        var strange = fixture
        strange.material.issuers = []
        #expect(try verify(strange, after: Self.late).code == .validityExpired)
        #expect(try !verify(strange, after: Self.late).isAuthentic)
    }

    /// Stages after the signature refuse authentic credentials: the policy, the replay window, an untrusted clock.
    @Test func rejectionsAfterTheSignatureAreEvidence() throws {
        guard var fixture = try Fixture() else { return }
        let name = try #require(try verify(fixture).credential.signedDigest)
        let again = try fixture.verify(recent: [name])
        #expect(again.code == .replaySeen && again.authenticDigest == name)
        fixture.policy.rules = try PolicyFixture.requiring(#"{ claim = "/credentialSubject/badge", exists = false }"#)
        let denied = try verify(fixture)
        #expect(!denied.isAccepted && denied.authenticDigest == name)
        fixture.policy.rules = nil
        fixture.clock.provenance = .unset
        let untrusted = try verify(fixture)
        #expect(untrusted.code == .clockUntrusted && untrusted.authenticDigest == name)
    }

    /// An expired token counts as authentic only if its issuer signed it.
    @Test(arguments: [false, true]) func anExpiredTokenIsTheIssuersOwn(_ isForged: Bool) throws {
        let forge = try TokenForge()
        let signer = isForged ? try TokenForge(seed: 4) : forge
        var header = signer.header("dc+sd-jwt")
        header["kid"] = .string(forge.method)
        var claims = forge.claims
        claims["exp"] = 1_770_000_000
        let token = try signer.sign(header, claims) + "~"
        let verdict = Verifier(trust: try TrustStore(forge.material)).verify(Array(token.utf8), at: TokenForge.clock)
        #expect(verdict.code == .validityExpired && verdict.isAuthentic == !isForged)
    }
}
