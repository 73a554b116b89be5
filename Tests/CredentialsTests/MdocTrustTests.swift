import Encoding
import Reasons
import SwiftASN1
import Testing

@testable import Credentials

/// The trust in an mdoc: pinned roots, the trust list's data about them, and the scope of verification.
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
        // An entry with another id does not concern this root.
        #expect(try code { $0 = TrustedIssuer(id: "did:example:other") }.0 == .ok)
    }

    /// The purposes of document signers: ISO's, EUDI's, and those that the entry of their root lists.
    @Test func purposesOfDocumentSigners() throws {
        let other: ASN1ObjectIdentifier = [1, 3, 6, 1, 4, 1, 99999, 1]
        func code(_ purposes: [ASN1ObjectIdentifier], _ listed: [Text] = []) throws -> ReasonCode {
            let issuer = try TestMdoc.Issuer { $0.purposes = purposes }
            var material = try issuer.material
            if !listed.isEmpty {
                var entry = TrustedIssuer(id: try issuer.rootID)
                entry.documentSignerUsages = listed.compactMap { KeyPurposeID($0) }
                material.issuers = [entry]
            }
            return try TestMdoc(issuer).verify(material).code
        }
        #expect(try code([[1, 0, 18013, 5, 1, 2]]) == .ok)
        #expect(try code([[1, 3, 130, 2, 0, 0, 1, 2]]) == .ok, "EUDI")
        #expect(try code([other]) == .chainInvalid)
        #expect(try code([other], ["1.3.6.1.4.1.99999.1"]) == .ok)
        #expect(try code([other], ["1.3.6.1.4.1.99999.2"]) == .chainInvalid)
        #expect(try code([[1, 0, 18013, 5, 1, 2]], ["1.3.6.1.4.1.99999.1"]) == .ok, "in addition")
        #expect(try code([]) == .chainInvalid)
        #expect(try code([[1, 3, 6, 1, 5, 5, 7, 3, 1]], ["1.3.6.1.5.5.7.3.1"]) == .chainInvalid, "a web server's")
    }

    @Test func issuingCountryOfARoot() throws {
        var foreign = mdoc
        foreign.items[0].items[2] = TestMdoc.item(2, "issuing_country", "GR")
        func code(_ change: (inout TrustedIssuer) -> Void) throws -> ReasonCode {
            var entry = TrustedIssuer(id: try issuer.rootID)
            change(&entry)
            var material = try issuer.material
            material.issuers = [entry]
            return try foreign.verify(material).code
        }
        #expect(try foreign.verify().code == .mdocCountry)
        #expect(try code { _ in } == .mdocCountry)
        #expect(try code { $0.anyIssuingCountry = true } == .ok)
        #expect(
            try code {
                $0.id = "did:web:other.example"
                $0.anyIssuingCountry = true
            } == .mdocCountry, "another's entry")
    }

    /// A refusal names the violated rule. A root without an entry may sign mdocs and nothing else.
    @Test func findingsSayWhichRule() throws {
        func reason(_ issuer: TestMdoc.Issuer, _ material: TrustMaterial? = nil) throws -> Reason? {
            try TestMdoc(issuer).verify(material).reasons.first
        }
        let place = "/issuerSigned/issuerAuth"
        #expect(
            try reason(TestMdoc.Issuer { $0.purposes = [] }) == Reason(.chainInvalid, .extendedKeyUsage, at: place))
        #expect(try reason(issuer, TrustMaterial()) == Reason(.chainUntrusted, .notPinned, at: place))
        #expect(
            try reason(TestMdoc.Issuer { $0.notAfter = "2026-02-01T00:00:00Z" })
                == Reason(.chainExpired, .dates, at: place))
        #expect(
            try reason(TestMdoc.Issuer { $0.notBefore = "2026-02-01T00:00:00Z" })
                == Reason(.chainExpired, .signingDate, at: place))
        var damaged = mdoc
        damaged.unprotected = [33: .bytes([0])]
        #expect(try damaged.verify().reasons.first == Reason(.chainInvalid, .encoding, at: place))
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

    /// The key of an authority above the signer may be revoked, too, including the key of the pinned root.
    @Test func revokedKeysOfAuthorities() throws {
        let authority = try TestPKI.issue(TestPKI.Template.authority("CA"), by: issuer.root)
        var template = try TestPKI.Template.documentSigner()
        template.key = issuer.signer.key
        let signer = try TestPKI.issue(template, by: authority)
        var chained = mdoc
        chained.unprotected = [33: [.bytes(try signer.der), .bytes(try authority.der)]]
        func code(_ member: TestPKI.Member, _ reason: RevokedKey.Reason, since: String) throws -> ReasonCode {
            let key = try CertificatePath.leaf(of: [member.der], limits: Limits()).key
            var material = try issuer.material
            material.revokedKeys = [
                RevokedKey(
                    .fingerprint(try #require(KeyFingerprint(key))), since: try #require(Timestamp(rfc3339: since)),
                    reason: reason)
            ]
            return try chained.verify(material).code
        }
        #expect(try chained.verify().code == .ok)
        for member in [authority, issuer.root] {
            #expect(try code(member, .compromised, since: "2026-06-01T00:00:00Z") == .keyRevoked)
            #expect(try code(member, .retired, since: "2026-06-01T00:00:00Z") == .ok)
            #expect(try code(member, .retired, since: "2024-06-01T00:00:00Z") == .keyRevoked)
        }
    }

    /// The laboratory mode verifies everything except the trust in the signer. A policy never gets the result of this
    /// mode.
    @Test func issuerDataOnly() throws {
        let nobody = TrustMaterial()
        #expect(try mdoc.verify(nobody).code == .chainUntrusted)
        #expect(try mdoc.verify(nobody, mode: .issuerDataOnly).code == .ok)
        let summary = try mdoc.verify(nobody, mode: .issuerDataOnly).credential
        #expect(summary.issuer == nil && summary.signedDigest != nil && summary.types == ["org.iso.18013.5.1.mDL"])
        let verificationContext = VerificationContext(
            trust: try TrustStore(nobody), policy: .init(), limits: .init(), clock: TestMdoc.clock, onStage: nil)
        var check = MdocCheck(
            try mdoc.letters(), verificationContext, mode: .issuerDataOnly,
            summary: CredentialSummary(format: .mdoc))
        try check.verify()
        #expect(check.evidence.credentials.allSatisfy { $0.claims == nil })

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

    /// The mode checks only syntax and structure. Trust, dates and a missing signature do not count, but a malformed
    /// signature does.
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

    /// An mdoc outside its own transport has no proof of its holder.
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

    /// A credential that names a status list is not accepted until its status has been checked.
    @Test func status() throws {
        var listed = mdoc
        listed.object = listed.object.with("status", ["status_list": ["idx": 7, "uri": "https://example.org/list"]])
        let verdict = try listed.verify()
        #expect(verdict.code == .statusUnavailable)
        #expect(verdict.reasons.first?.pointer?.hasPrefix("/issuerSigned/issuerAuth/status") ?? false)
        for (wrong, code) in [
            (CBOR(.simple(22)), ReasonCode.ok), (1, .shapeStatus), ([], .shapeStatus), ([:], .statusUnavailable),
            (["identifier_list": ["id": 1]], .statusUnavailable),
            (["status_list": ["idx": -1, "uri": "https://example.org/list"]], .shapeStatus),
            (["status_list": ["idx": 7]], .shapeStatus), (["status_list": 1], .shapeStatus),
        ] as [(CBOR, ReasonCode)] {
            listed.object = listed.object.with("status", wrong)
            #expect(try listed.verify().code == code)
        }
    }
}
