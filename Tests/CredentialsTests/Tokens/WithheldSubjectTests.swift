import Encoding
import Testing

@testable import Credentials

/// Whom an SD-JWT is about, where its holder withholds a part of that.
@Suite struct WithheldSubjectTests {
    private func subjects(_ claims: JSONObject) throws -> CredentialSubjects {
        let limits = Limits()
        let none = try Disclosures([], hash: .sha256, limits: limits)
        return try DisclosedPayload(claims, disclosures: none, limits: limits).subjects
    }

    private let digest: JSON = "w0I8EKcdCtUPkGCNUrfwVp2xEgNjtoIDlOxc9-PlOhs"

    /// The claim `sub` says nothing of the id of a subject that the credential describes.
    @Test func subDoesNotStandForAWithheldID() throws {
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
