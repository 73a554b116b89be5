import Encoding
import Reasons
import Testing

@testable import Credentials

/// The kind of a token follows from its header and its members alone.
@Suite struct CredentialKindTests {
    private let forge: TokenForge
    init() throws { forge = try TokenForge() }

    private func kind(_ type: Text?, _ claims: JSONObject) throws(Rejection) -> CredentialKind {
        guard let token = try? forge.sign(forge.header(type), claims) else { throw Rejection(.internal) }
        return try CredentialKind(of: CompactJWS(token.utf8, limits: Limits()))
    }

    private static let context: JSON = ["https://www.w3.org/ns/credentials/v2"]

    @Test(
        arguments: [
            (nil, ["vc": [:]], .jwtCredential), ("JWT", ["vc": [:], "vp": [:], "vct": "x"], .jwtCredential),
            ("jwt", ["vp": [:], "vct": "x"], .jwtPresentation), (nil, ["vct": "x", "@context": context], .dcSDJWT),
            (nil, ["status_list": [:]], .statusListToken), ("JWT", ["verifiableCredential": []], .vpJWT),
            (nil, ["@context": context], .vcJWT), (nil, ["@context": context, "_sd_alg": "sha-256"], .vcdmSDJWT),
            (nil, ["@context": context, "credentialSubject": ["_sd": []]], .vcdmSDJWT),
            (nil, ["a": [["...": "d"]]], .plainSDJWT), ("JWT", ["_sd": []], .plainSDJWT),
            (nil, ["iss": "x", "scope": "read"], .otherToken), ("JWT", [:], .otherToken),
            ("vc+jwt", [:], .vcJWT), ("application/VC+JWT", ["@context": context], .vcJWT), ("vp+jwt", [:], .vpJWT),
            ("dc+sd-jwt", [:], .dcSDJWT), ("vc+sd-jwt", ["vct": "x", "@context": context], .oldSDJWT),
            ("vc+sd-jwt", [:], .oldSDJWT), ("vc+sd-jwt", ["@context": context], .vcdmSDJWT),
            ("example+sd-jwt", [:], .plainSDJWT), ("sd-jwt", ["@context": context], .plainSDJWT),
            ("statuslist+jwt", ["status_list": [:]], .statusListToken), ("kb+jwt", ["sd_hash": "x"], .keyBinding),
            ("at+jwt", ["scope": "read"], .otherToken), ("entity-statement+jwt", [:], .otherToken),
            ("secevent+jwt", ["events": [:]], .otherToken), ("", [:], .otherToken), ("JWT ", [:], .otherToken),
        ] as [(Text?, JSONObject, CredentialKind)])
    func isByWhatWasSigned(_ type: Text?, _ claims: JSONObject, _ wanted: CredentialKind) throws {
        #expect(try kind(type, claims) == wanted)
    }

    /// A token whose header names another kind than its members has neither kind.
    @Test(
        arguments: [
            ("at+jwt", ["vc": [:]]), ("statuslist+jwt", ["vct": "x"]), ("kb+jwt", ["vc": [:]]), ("", ["vc": [:]]),
            ("vc+jwt", ["vct": "x"]), ("vc+jwt", ["status_list": [:]]), ("vp+jwt", ["vc": [:]]),
            ("dc+sd-jwt", ["vc": [:]]), ("vc+sd-jwt", ["vp": [:]]), ("example+sd-jwt", ["vct": "x"]),
            ("example+sd-jwt", ["vc": [:]]), ("at+jwt", ["@context": context]),
        ] as [(Text, JSONObject)])
    func headerAndMembersAgree(_ type: Text, _ claims: JSONObject) {
        #expect(throws: Rejection(.shapeHeader)) { try kind(type, claims) }
    }

    @Test func aTypeThatIsNoTextIsRefused() throws {
        for type in [5, nil, ["JWT"]] as [JSON] {
            var header = forge.header()
            header["typ"] = type
            #expect(try forge.verify(forge.sign(header, forge.jwtClaims)).code == .shapeHeader)
        }
    }

    /// Each kind that can admit people has a name for a rule's `formats` and for records. Other kinds have none.
    @Test func kindsThatAdmitHaveANameInRecords() {
        let named = CredentialKind.allCases.compactMap(\.format)
        #expect(Set(named) == Set(CredentialFormat.allCases))
        #expect(CredentialKind.allCases.filter { $0.format == nil } == [.statusListToken, .keyBinding, .otherToken])
    }

    @Test func aDocumentIsACredentialOrAPresentation() throws {
        func kind(_ object: JSONObject, _ claimed: CredentialFormat? = nil) throws(Rejection) -> CredentialKind? {
            try CredentialKind(of: object, claimed: claimed)
        }
        #expect(try kind(["type": "VerifiablePresentation"], .ldpVC) == .linkedDataPresentation)
        #expect(try kind(["type": ["VerifiableCredential"]], .ldpVP) == .linkedDataCredential)
        #expect(try kind(["a": 1]) == nil)
        #expect(throws: Rejection(.shapeType, at: "/type")) {
            try kind(["type": ["VerifiableCredential", "VerifiablePresentation"]])
        }
    }
}
