import Encoding
import Reasons
import Testing

@testable import Credentials

/// The compact JWS alone: encoding, header, algorithm.
@Suite struct CompactJWSTests {
    private let forge: TokenForge
    init() throws { forge = try TokenForge() }

    private func code(_ token: String, profile: Profile = .strict, claimed: CredentialFormat? = nil) throws
        -> ReasonCode
    {
        try forge.verify(token, profile: profile, claimed: claimed).code
    }

    @Test func accepted() throws {
        #expect(try code(forge.sign(forge.header("JWT"), forge.jwtClaims)) == .ok)
        #expect(try code(forge.sign(forge.header(), forge.jwtClaims)) == .ok)
        // `{` before a line end, as RFC 7515 section 3.3 writes headers.
        let header = "{\r\n \"alg\":\"ES256\"}"
        #expect(try code(forge.sign(header, JSON.object(forge.jwtClaims).compactText)) == .ok)
    }

    @Test func encoding() throws {
        let good = try forge.sign(forge.header("JWT"), forge.jwtClaims)
        let parts = good.split(separator: ".").map(String.init)
        #expect(try code(" \(good)\r\n") == .ok)
        for bad in [
            parts[0] + "=." + parts[1] + "." + parts[2], parts[0] + "." + parts[1] + "=." + parts[2], good + "=",
            good + ".", good + "." + parts[2], parts[0] + "." + parts[1], parts[0] + "..", parts[0] + ".." + parts[2],
            "." + parts[1] + "." + parts[2], parts[0] + "." + parts[1].dropLast() + "*." + parts[2],
            parts[0] + "." + parts[1] + "\n." + parts[2], parts[0] + "." + parts[1] + ".",
            parts[0] + "." + parts[1] + "." + parts[2].dropLast(), good + "A",
        ] {
            #expect(try code(bad, claimed: .jwtVC) == .proofMalformed, "\(bad.count)")
        }
    }

    /// 64 bytes take 86 characters; the last one has four unused bits, which must be zero.
    @Test func unusedBits() throws {
        let good = try forge.sign(forge.header("JWT"), forge.jwtClaims)
        let letters = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_")
        guard let last = good.last, let index = letters.firstIndex(of: last) else { return }
        for bits in 1..<16 {
            #expect(try code(good.dropLast() + String(letters[index + bits])) == .proofMalformed)
        }
    }

    @Test(arguments: [
        ("none", ReasonCode.proofAlgorithm), ("None", .proofAlgorithm), ("HS256", .proofAlgorithm),
        ("HS512", .proofAlgorithm), ("ES384", .proofAlgorithm), ("ES256K", .proofAlgorithm), ("EdDSA", .proofAlgorithm),
        ("RS256", .proofAlgorithm), ("ES512", .proofAlgorithm), ("es256", .proofAlgorithm), ("", .proofAlgorithm),
    ]) func algorithms(name: String, wanted: ReasonCode) throws {
        var header = forge.header("JWT")
        header["alg"] = .text(name)
        #expect(try code(forge.sign(header, forge.jwtClaims)) == wanted)
        header["typ"] = "dc+sd-jwt"
        #expect(try code(forge.sdJWT().replacingHeader(header, by: forge)) == wanted)
    }

    @Test func noSignatureUnderNone() throws {
        let input =
            Base64.encode(Array(#"{"alg":"none"}"#.utf8)) + "."
            + Base64.encode(JSON.object(forge.jwtClaims).compactBytes)
        #expect(try code(input + ".") == .proofAlgorithm)
    }

    @Test(
        arguments: [
            ("crit", ["exp"] as JSON), ("crit", []), ("crit", "b64"), ("crit", ["b64"]), ("b64", false),
            ("b64", "true"),
            ("b64", nil), ("alg", 5), ("alg", ["ES256"]), ("kid", 5), ("kid", nil), ("kid", ["x"]),
        ] as [(Text, JSON)]) func header(name: Text, value: JSON) throws
    {
        var header = forge.header("JWT")
        header[name] = value
        let wanted: ReasonCode = name == "alg" ? .proofAlgorithm : .proofMalformed
        #expect(try code(forge.sign(header, forge.jwtClaims)) == wanted)
        // A kid that is not a text names nothing; under the compat profile the issuer's only key is tried.
        #expect(try code(forge.sign(header, forge.jwtClaims), profile: .compat) == (name == "kid" ? .ok : wanted))
    }

    @Test func headerKeysOfTheSenderAreIgnored() throws {
        let mallory = try TokenForge(seed: 9)
        var header: JSONObject = ["alg": "ES256", "jwk": mallory.jwk, "jku": "https://evil.example/keys"]
        #expect(try code(mallory.sign(header, forge.jwtClaims)) == .proofInvalid)
        #expect(try code(forge.sign(header, forge.jwtClaims)) == .ok)
        header["kid"] = .string(mallory.method)
        #expect(try code(mallory.sign(header, forge.jwtClaims)) == .issuerKeyMismatch)
    }

    @Test(arguments: [
        (#"{"alg":"ES256","alg":"none"}"#, ReasonCode.jsonDuplicateKey), (#"{"alg":"ES256""#, .proofMalformed),
        (#"["ES256"]"#, .proofMalformed), (#"{"alg":"ES256"} x"#, .proofMalformed),
        ("\u{FEFF}{}", .proofMalformed), (#"{"al\u0067":"ES256","alg":"ES256"}"#, .jsonDuplicateKey),
    ]) func headerJSON(text: String, wanted: ReasonCode) throws {
        #expect(try code(forge.sign(text, JSON.object(forge.jwtClaims).compactText), claimed: .jwtVC) == wanted)
    }

    @Test(arguments: [
        ("[]", ReasonCode.proofMalformed), ("null", .proofMalformed), ("", .proofMalformed), ("{", .proofMalformed),
        (#"{"iss":1,"iss":2}"#, .jsonDuplicateKey), (String(repeating: "{\"a\":", count: 65) + "1", .jsonTooDeep),
        ("{} {}", .proofMalformed),
    ]) func payloadJSON(text: String, wanted: ReasonCode) throws {
        #expect(try code(forge.sign(JSON.object(forge.header("JWT")).compactText, text)) == wanted)
    }

    @Test func sizes() throws {
        var header = forge.header("JWT")
        header["pad"] = .text(String(repeating: "x", count: 40_000))
        #expect(try code(forge.sign(header, forge.jwtClaims)) == .ok)
        header["pad"] = .text(String(repeating: "x", count: 50_000))
        #expect(try code(forge.sign(header, forge.jwtClaims)) == .inputTooLarge)
        let good = try forge.sign(forge.header("JWT"), forge.jwtClaims)
        #expect(try code(good + String(repeating: "A", count: 9_000)) == .inputTooLarge)
    }

    @Test func keyNames() throws {
        func check(_ kid: JSON, _ wanted: ReasonCode) throws {
            var header = forge.header("JWT")
            header["kid"] = kid
            #expect(try code(forge.sign(header, forge.jwtClaims)) == wanted, "\(kid)")
        }
        let fragment = String(forge.method.string.drop { $0 != "#" })
        try check(.text(fragment), .ok)
        try check(.text(String(fragment.dropFirst())), .ok)
        try check(.string(forge.id), .ok)
        try check("#other", .keyUnknown)
        try check("other", .keyUnknown)
        try check("did:example:unknown#1", .keyUnknown)
        try check("", .keyUnknown)
        let mallory = try TokenForge(seed: 9)
        try check(.string(mallory.id), .issuerKeyMismatch)
    }
}

extension String {
    /// Returns the SD-JWT with another header, signed again.
    func replacingHeader(_ header: JSONObject, by forge: TokenForge) throws -> String {
        let parts = split(separator: "~", omittingEmptySubsequences: false)
        let payload = parts[0].split(separator: ".")[1]
        let text = String(decoding: Base64.decodeURL(payload) ?? [], as: UTF8.self)
        let jwt = try forge.sign(JSON.object(header).compactText, text)
        return ([Substring(jwt)] + parts.dropFirst()).joined(separator: "~")
    }
}
