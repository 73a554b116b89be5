import Encoding
import Reasons
import Testing

@testable import Credentials

/// Credentials that no issuer makes to admit people: status lists, domain linkages, endorsements.
@Suite struct NeverAdmittingTests {
    private static let names = CredentialKind.neverAdmitting.sorted()

    @Test(arguments: names) func neitherInJWTsNorInSDJWTs(_ name: Text) throws {
        let forge = try TokenForge()
        let type: JSON = ["VerifiableCredential", .string(name)]
        var (claims, first, second) = (forge.jwtClaims, forge.v1, forge.v2)
        (first["type"], second["type"]) = (type, type)
        claims["vc"] = .object(first)
        let tokens = [
            try forge.sign(forge.header("JWT"), claims), try forge.sign(forge.header("vc+jwt"), second),
            try forge.sign(forge.header("vc+sd-jwt"), second) + "~",
            try forge.sdJWT { $0["vct"] = .string(name) }, try forge.sdJWT { $0["type"] = type },
            try forge.sdJWT { $0["vct"] = .text("https://lists.example/v1#" + name.string) },
        ]
        for token in tokens { #expect(try forge.verify(token).code == .kindNeverAdmits) }
    }

    /// In linked data the expanded type counts, whatever name the issuer's contexts give it. The same applies to
    /// presentations.
    @Test(arguments: [true, false]) func norInLinkedData(_ coversText: Bool) throws {
        let issuer = try TestIssuer(seed: 7)
        let url: Text = "https://issuer.example/context"
        let context: JSON = [
            "@context": [
                "Ledger": "https://www.w3.org/ns/credentials/status#BitstringStatusListCredential",
                "Praise": "https://purl.imsglobal.org/spec/vc/ob/vocab.html#EndorsementCredential",
                "Linkage":
                    "https://identity.foundation/.well-known/resources/did-configuration/#DomainLinkageCredential",
                "Pass": "https://issuer.example/ns#Pass",
            ]
        ]
        var material = issuer.material
        material.contexts[url] = context.compactBytes
        for (name, wanted) in [
            ("Pass", ReasonCode.ok), ("Ledger", .kindNeverAdmits), ("Praise", .kindNeverAdmits),
            ("Linkage", .kindNeverAdmits), ("BitstringStatusListCredential", .kindNeverAdmits),
        ] as [(Text, ReasonCode)] {
            var document = issuer.template
            document["@context"] = .array((document["@context"]?.array ?? []) + [.string(url)])
            document["type"] = ["VerifiableCredential", .string(name)]
            let signed =
                coversText ? try issuer.signText(document) : try issuer.sign(document, contexts: material.contexts)
            let verifier = Verifier(trust: try TrustStore(material))
            #expect(verifier.verify(signed.compactBytes, at: TestIssuer.clock).code == wanted, "\(name)")
            let presented: JSON = [
                "@context": ["https://www.w3.org/ns/credentials/v2"], "type": ["VerifiablePresentation"],
                "verifiableCredential": [signed], "proof": ["type": "Ed25519Signature2020"],
            ]
            let verdict = verifier.verify(presented.compactBytes, at: TestIssuer.clock)
            #expect(!verdict.isAccepted && (wanted == .ok) == (verdict.code != wanted))
        }
    }

    /// A status list is still valid for its own purpose.
    @Test func aListStillAnswers() throws {
        let issuer = try TestIssuer(seed: 7)
        let url: Text = "https://issuer.example/status/1"
        var document = issuer.template
        document["credentialStatus"] = [
            "type": "BitstringStatusListEntry", "statusPurpose": "revocation", "statusListIndex": "7",
            "statusListCredential": .string(url),
        ]
        let signed = try issuer.sign(document).compactBytes
        for (set, wanted) in [([], .ok), ([7], .statusRevoked)] as [([Int], ReasonCode)] {
            var material = issuer.material
            material.statusLists[url] = try issuer.statusList(url: url, set: set)
            let verifier = Verifier(trust: try TrustStore(material))
            #expect(verifier.verify(signed, at: TestIssuer.clock).code == wanted)
            let list = material.statusLists[url] ?? []
            #expect(verifier.verify(list, at: TestIssuer.clock).code == .kindNeverAdmits)
        }
    }
}
