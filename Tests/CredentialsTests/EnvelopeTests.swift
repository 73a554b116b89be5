import Encoding
import Reasons
import Testing

@testable import Credentials

/// Unwraps the payloads that wallets of all versions send.
@Suite struct EnvelopeTests {
    private let credential: JSON = ["@context": [], "type": ["VerifiableCredential"], "marker": 1]
    private let presentation: JSON = ["@context": [], "type": "VerifiablePresentation", "verifiableCredential": []]

    private func open(_ payload: JSON, claimed: CredentialFormat? = nil) throws -> Received {
        let envelope = Envelope(limits: Limits())
        return try envelope.open(envelope.parse(payload.compactBytes), claimed: claimed)
    }

    private func expect(
        _ payload: JSON, _ format: CredentialFormat, _ body: JSON, location: SourceLocation = #_sourceLocation
    ) throws {
        let received = try open(payload)
        #expect(received.format == format, sourceLocation: location)
        guard case .object(let object) = received.body else { throw Rejection(.envelopeUnknown) }
        #expect(JSON.object(object) == body, sourceLocation: location)
    }

    @Test func linkedData() throws {
        try expect(credential, .ldpVC, credential)
        try expect(["verifiableCredential": ["credential": credential], "isVerified": true], .ldpVC, credential)
        try expect(["verifiableCredential": credential, "vcMetadata": ["format": "ldp_vc"]], .ldpVC, credential)
        try expect(["credential": credential, "format": "ldp_vc"], .ldpVC, credential)
        try expect(["credential": nil, "verifiableCredential": ["credential": credential]], .ldpVC, credential)
        try expect(["verifiablePresentation": presentation], .ldpVP, presentation)
        try expect(presentation, .ldpVP, presentation)
    }

    @Test func jsonInText() throws {
        let text = JSON.text(credential.compactText)
        try expect(text, .ldpVC, credential)
        try expect(["verifiableCredential": ["credential": text]], .ldpVC, credential)
        try expect(.text(JSON.object(["credential": text]).compactText), .ldpVC, credential)
    }

    @Test func statementsOfTheRecordMustAgree() throws {
        for record in [
            ["verifiableCredential": ["credential": credential], "format": "mso_mdoc"],
            ["verifiableCredential": ["credential": credential, "format": "jwt_vc_json"], "format": "ldp_vc"],
            ["credential": credential, "format": "ldp_vc", "vcMetadata": ["format": "vc+sd-jwt"]],
            ["credential": presentation], ["verifiableCredential": presentation],
            ["verifiablePresentation": credential],
        ] as [JSON] {
            #expect(throws: Rejection(.kindDisagrees)) { try open(record) }
        }
        #expect(throws: Rejection(.kindDisagrees)) { try open(credential, claimed: .mdoc) }
        try expect(["credential": credential, "format": "some_other_name"], .ldpVC, credential)
    }

    @Test func tokens() throws {
        func token(_ claims: JSON) -> String { "eyJhIjoxfQ." + Base64.encode(claims.compactBytes) + ".AAAA" }
        let jwt = token(["vc": [:]])
        let sdJWT: JSON = [
            "verifiableCredential": ["credential": .text(token(["vct": "x"]) + "~")], "format": "dc+sd-jwt",
        ]
        #expect(try open(sdJWT).format == .dcSDJWT)
        #expect(try open(["verifiableCredential": ["credential": .text(jwt)]]).format == .jwtVC)
        #expect(try open(["verifiableCredential": .text(jwt)]).format == .jwtVC)
        let mdoc: JSON = ["verifiableCredential": ["credential": "omdk"], "vcMetadata": ["format": "mso_mdoc"]]
        #expect(try open(mdoc).format == .mdoc)
    }

    @Test func unknown() {
        let nested = (0..<6).reduce(credential) { inner, _ in .text(inner.compactText) }
        for payload in [
            [:], ["verifiableCredential": 7], ["verifiableCredential": nil], "text", 7, nil, ["credential": [1]],
            nested,
        ] as [JSON] {
            #expect(throws: Rejection(.envelopeUnknown)) { try open(payload) }
        }
    }

    @Test func brokenJSONInText() {
        #expect(throws: Rejection(.jsonSyntax)) { try open(["credential": "{\"a\":"]) }
        #expect(throws: Rejection(.jsonDuplicateKey)) { try open(["credential": "{\"a\":1,\"a\":2}"]) }
    }
}
