import Encoding
import Testing

@testable import Credentials

/// Whom an mdoc is believed: pinned roots, what the trust list adds about them, and how much is checked.
@Suite struct MdocTrustTests {
    private let issuer: TestMdoc.Issuer
    private let mdoc: TestMdoc

    init() throws {
        issuer = try TestMdoc.Issuer()
        mdoc = try TestMdoc(issuer)
    }

    private func code(_ change: (inout TrustedIssuer) throws -> Void) throws -> (ReasonCode, String?) {
        var material = try issuer.material
        var entry = TrustedIssuer(id: try issuer.rootID)
        try change(&entry)
        material.issuers = [entry]
        let verdict = try mdoc.verify(material)
        return (verdict.code, verdict.reasons.first?.pointer)
    }

    @Test func entryOfTheRoot() throws {
        #expect(try code { _ in }.0 == .ok)
        #expect(try code { $0.types = ["org.iso.18013.5.1.mDL"] }.0 == .ok)
        let wrongType = try code { $0.types = ["org.example.pass"] }
        #expect(wrongType == (.issuerNotForType, "/docType"))
        #expect(try code { $0.notAfter = Timestamp(seconds: 0) }.0 == .issuerUntrusted)
        #expect(try code { $0.notBefore = TestPKI.now.advanced(by: .seconds(100)) }.0 == .issuerUntrusted)
        let key = KeyFingerprint(try CertificatePath.leaf(of: [try issuer.signer.der], limits: Limits()).key)
        #expect(try code { $0.keys = [key].compactMap(\.self) }.0 == .ok)
        #expect(try code { $0.keys = [] }.0 == .keyNotAuthorised)
        // An entry of another id says nothing about this root.
        #expect(try code { $0 = TrustedIssuer(id: "did:example:other") }.0 == .ok)
    }

    @Test func entryWithoutRootIsNoTrust() throws {
        var material = TrustMaterial()
        material.issuers = [TrustedIssuer(id: try issuer.rootID)]
        #expect(try mdoc.verify(material).code == .chainUntrusted)
    }

    @Test func revokedKeys() throws {
        let key = try #require(
            KeyFingerprint(try CertificatePath.leaf(of: [try issuer.signer.der], limits: Limits()).key))
        func code(_ reason: RevokedKey.Reason, since: String) throws -> ReasonCode {
            var material = try issuer.material
            let since = try #require(Timestamp(rfc3339: since))
            material.revokedKeys = [RevokedKey(.fingerprint(key), since: since, reason: reason)]
            return try mdoc.verify(material).code
        }
        #expect(try code(.compromised, since: "2026-06-01T00:00:00Z") == .keyRevoked)
        #expect(try code(.retired, since: "2026-06-01T00:00:00Z") == .ok)
        #expect(try code(.retired, since: "2025-06-01T00:00:00Z") == .keyRevoked)
    }

    /// What a laboratory looks at: everything but who vouches for the signer. Never what a policy could act on.
    @Test func issuerDataOnly() throws {
        let nobody = TrustMaterial()
        #expect(try mdoc.verify(nobody).code == .chainUntrusted)
        #expect(try mdoc.verify(nobody, mode: .issuerDataOnly).code == .ok)
        let summary = try mdoc.verify(nobody, mode: .issuerDataOnly).credential
        #expect(summary.issuer == nil && summary.signedDigest != nil && summary.types == ["org.iso.18013.5.1.mDL"])
        let surroundings = Surroundings(
            trust: try TrustStore(nobody), policy: .init(), limits: .init(), clock: TestMdoc.clock, onStage: nil)
        var check = MdocCheck(
            surroundings, mode: .issuerDataOnly, summary: CredentialSummary(format: .mdoc, payloadDigest: []))
        try check.verify(try mdoc.letters())
        #expect(check.evidence.claims.isEmpty)

        var plain = try TestMdoc(TestMdoc.Issuer { $0.purposes = [] })
        #expect(try plain.verify(nobody, mode: .issuerDataOnly).code == .ok)
        plain.items[0].items[2] = TestMdoc.item(2, "issuing_country", "US")
        #expect(try plain.verify(nobody, mode: .issuerDataOnly).code == .mdocCountry)
        plain.setDate("validUntil", .tag(0, "2026-02-01T00:00:00Z"))
        #expect(try plain.verify(nobody, mode: .issuerDataOnly).code == .validityExpired)
        var broken = mdoc
        broken.unprotected = [:]
        #expect(try broken.verify(nobody, mode: .issuerDataOnly).code == .keyUnknown)
        broken.unprotected = [33: .bytes([0])]
        #expect(try broken.verify(nobody, mode: .issuerDataOnly).code == .chainInvalid)
        var forged = try TestMdoc(TestMdoc.Issuer())
        forged.unprotected = mdoc.unprotected
        #expect(try forged.verify(nobody, mode: .issuerDataOnly).code == .proofInvalid)
    }

    /// Syntax and structure only: trust, dates and a missing signature do not count, a malformed one does.
    @Test func shapeMode() throws {
        var changed = mdoc
        changed.setDate("validUntil", .tag(0, "2026-02-01T00:00:00Z"))
        changed.changeItem = { .embedded($0.with("elementValue", "x")) }
        #expect(try changed.verify(TrustMaterial(), mode: .shape).code == .ok)
        changed.changeIssuerSigned = { $0.with("issuerAuth", nil) }
        #expect(try changed.verify(TrustMaterial(), mode: .shape).code == .ok)
        changed.changeIssuerSigned = { $0.with("issuerAuth", 1) }
        #expect(try changed.verify(TrustMaterial(), mode: .shape).code == .proofMalformed)
        changed.changeIssuerSigned = { $0.with("nameSpaces", [:]) }
        #expect(try changed.verify(TrustMaterial(), mode: .shape).code == .shapeMember)
    }

    /// Nothing in an mdoc outside its own transport shows who holds it.
    @Test func holder() throws {
        var response = mdoc
        response.wrap = {
            [
                "documents": [
                    ["docType": "org.iso.18013.5.1.mDL", "issuerSigned": $0, "deviceSigned": ["deviceAuth": [:]]]
                ]
            ]
        }
        #expect(try response.verify().code == .ok)
        #expect(try response.verify(demand: .init(required: true)).code == .holderProofMissing)
        #expect(try response.verify(demand: .init(nonce: "n", audience: "a")).code == .ok)
    }

    /// A credential that names a status list is not accepted before somebody has looked.
    @Test func status() throws {
        var listed = mdoc
        listed.object = listed.object.with("status", ["status_list": ["idx": 7, "uri": "https://example.org/list"]])
        let verdict = try listed.verify()
        #expect(verdict.code == .statusUnavailable)
        #expect(verdict.reasons.first?.pointer?.hasPrefix("/issuerSigned/issuerAuth/status") ?? false)
        for (wrong, code) in [
            (1, ReasonCode.shapeStatus), ([], .shapeStatus), ([:], .statusUnavailable),
            (["identifier_list": ["id": 1]], .statusUnavailable),
            (["status_list": ["idx": -1, "uri": "https://example.org/list"]], .shapeStatus),
            (["status_list": ["idx": 7]], .shapeStatus), (["status_list": 1], .shapeStatus),
        ] as [(CBOR, ReasonCode)] {
            listed.object = listed.object.with("status", wrong)
            #expect(try listed.verify().code == code)
        }
    }
}
