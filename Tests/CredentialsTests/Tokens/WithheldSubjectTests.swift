import Encoding
import Testing

@testable import Credentials

/// The subject of an SD-JWT, if its holder withholds a part of it.
@Suite struct WithheldSubjectTests {
    private func subjects(_ claims: JSONObject, showing disclosures: [String] = []) throws -> CredentialSubjects {
        let limits = Limits()
        let shown = try Disclosures(disclosures.map { Array($0.utf8)[...] }, hash: .sha256, limits: limits)
        return try DisclosedPayload(claims, disclosures: shown, limits: limits).subjects
    }

    private let digest: JSON = "w0I8EKcdCtUPkGCNUrfwVp2xEgNjtoIDlOxc9-PlOhs"

    /// A `sub` that the holder chose to show may not be the only subject; another may be withheld.
    @Test func theHolderMayWithholdAnotherSubject() throws {
        let sub = Disclose.member("sub", "did:example:a")
        let other = Disclose.member("credentialSubject", ["id": "did:example:b"])
        let claims: JSONObject = ["_sd": Disclose.digests([sub, other])]
        #expect(try subjects(claims, showing: [sub, other]).areKnown)
        for shown in [[sub], [other], []] { #expect(try !subjects(claims, showing: shown).areKnown, "\(shown)") }
    }

    /// The claim `sub` does not determine the id of a subject that the credential describes.
    @Test func subDoesNotReplaceAWithheldID() throws {
        #expect(try subjects(["sub": "did:example:a"]).areKnown)
        #expect(try subjects(["sub": "did:example:a", "_sd": [digest]]).areKnown)
        let described: JSON = ["id": "did:example:a", "_sd": [digest]]
        #expect(try subjects(["sub": "did:example:a", "credentialSubject": described]).areKnown)
        let hidden: [JSON] = [
            ["_sd": [digest]], [["id": "did:example:a"], ["_sd": [digest]]],
            [["id": "did:example:a"], ["...": digest]],
        ]
        for subject in hidden {
            #expect(try !subjects(["sub": "did:example:a", "credentialSubject": subject]).areKnown, "\(subject)")
        }
    }
}
