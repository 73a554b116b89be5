import Encoding
import Reasons
import Testing

@testable import Credentials

/// Tokens at their limits, and large tokens that take linear work.
@Suite struct TokenLimitTests {
    private let forge: TokenForge
    init() throws { forge = try TokenForge() }

    @Test(arguments: [(1000, ReasonCode.ok), (1001, .inputTooLarge)]) func disclosures(count: Int, wanted: ReasonCode)
        throws
    {
        let disclosures = (0..<count).map { Disclose.member(Text("claim-\($0)"), .int($0)) }
        let token = try forge.sdJWT(disclosures) { $0["_sd"] = Disclose.digests(disclosures) }
        #expect(try forge.verify(token).code == wanted)
    }

    /// Each disclosure contains the digest of the next. The work is one step for each disclosure, and the depth is
    /// bounded.
    @Test(arguments: [(62, ReasonCode.ok), (63, .ok), (64, .jsonTooDeep), (999, .jsonTooDeep)])
    func chain(length: Int, wanted: ReasonCode) throws {
        var disclosures = [Disclose.member("last", 1)]
        for _ in 1..<(length + 1) {
            disclosures.append(Disclose.member("next", ["_sd": [Disclose.digest(disclosures[disclosures.count - 1])]]))
        }
        let token = try forge.sdJWT(disclosures) { $0["_sd"] = [Disclose.digest(disclosures[disclosures.count - 1])] }
        #expect(try forge.verify(token).code == wanted)
    }

    @Test(arguments: [(61, ReasonCode.ok), (62, .disclosureMalformed)]) func depthOfDisclosure(
        depth: Int, wanted: ReasonCode
    ) throws {
        // `[salt, name, value]` adds a level, and so does the payload around the value.
        let value = (0..<(depth + 2)).reduce(JSON.int(1)) { inner, _ in ["a": inner] }
        let disclosure = Disclose.member("deep", value)
        let token = try forge.sdJWT([disclosure]) { $0["_sd"] = [Disclose.digest(disclosure)] }
        #expect(try forge.verify(token).code == wanted)
    }

    @Test func tooManyValues() throws {
        let wide = JSON.array((0..<1000).map { .int($0) })
        let disclosures = (0..<60).map { Disclose.member(Text("claim-\($0)"), wide) }
        let token = try forge.sdJWT(disclosures) { $0["_sd"] = Disclose.digests(disclosures) }
        #expect(try forge.verify(token).code == .inputTooLarge)
        let fewer = Array(disclosures.prefix(45))
        let accepted = try forge.verify(forge.sdJWT(fewer) { $0["_sd"] = Disclose.digests(fewer) })
        #expect(accepted.code == .ok)
        // A text may contain any number of brackets and commas.
        let text = Disclose.member("text", .text(String(repeating: "[,{:", count: 50_000)))
        #expect(try forge.verify(forge.sdJWT([text]) { $0["_sd"] = [Disclose.digest(text)] }).code == .ok)
    }

    /// One megabyte at each place that can contain it.
    @Test func megabytes() throws {
        let megabyte = JSON.text(String(repeating: "x", count: 1 << 20))
        let photo = Disclose.member("portrait", megabyte)
        #expect(try forge.verify(forge.sdJWT([photo]) { $0["_sd"] = [Disclose.digest(photo)] }).code == .ok)
        #expect(try forge.verify(forge.sdJWT { $0["portrait"] = megabyte }).code == .ok)
        var claims = forge.jwtClaims
        claims["portrait"] = megabyte
        #expect(try forge.verify(forge.sign(forge.header("JWT"), claims)).code == .ok)
        let dots = String(repeating: ".", count: 1 << 20)
        #expect(try forge.verify("eyJ" + dots).code == .proofMalformed)
        let tildes = String(repeating: "~", count: 1 << 20)
        #expect(try forge.verify("eyJ." + tildes).code == .inputTooLarge)
        #expect(try forge.verify("eyJ." + String(repeating: "A", count: 1 << 20)).code == .proofMalformed)
    }

    @Test func manyDigestsWithoutDisclosures() throws {
        let token = try forge.sdJWT { $0["_sd"] = .array((0..<20_000).map { .text("decoy-\($0)") }) }
        #expect(try forge.verify(token).code == .ok)
        let same = try forge.sdJWT { $0["_sd"] = .array((0..<20_000).map { .text("decoy-\($0 % 19_999)") }) }
        #expect(try forge.verify(same).code == .disclosureDuplicate)
    }

    @Test func certificates() throws {
        var header = forge.header("dc+sd-jwt")
        header["x5c"] = .array(Array(repeating: "AAAA", count: 6))
        #expect(try forge.verify(forge.sdJWT().replacingHeader(header, by: forge)).code == .inputTooLarge)
        for wrong in ["AAAA", ["AAAA"], [5], ["!"], [nil], [:]] as [JSON] {
            header["x5c"] = wrong
            #expect(try forge.verify(forge.sdJWT().replacingHeader(header, by: forge)).code == .chainInvalid)
        }
        header["x5c"] = []
        #expect(try forge.verify(forge.sdJWT().replacingHeader(header, by: forge)).code == .keyUnknown)
    }

    /// Other modes skip some checks, but not those tested here.
    @Test func modes() throws {
        let name = Disclose.member("given_name", "Asha")
        let good = try forge.sdJWT([name]) { $0["_sd"] = [Disclose.digest(name)] }
        let jwt = try forge.sign(forge.header("JWT"), forge.jwtClaims)
        func code(_ token: String, _ mode: Verifier.Mode, trusted: Bool = true) throws -> ReasonCode {
            let trust = try TrustStore(trusted ? forge.material : TrustMaterial())
            return Verifier(trust: trust).verify(Array(token.utf8), at: TokenForge.clock, mode: mode).code
        }
        for token in [good, jwt] {
            #expect(try code(token, .shape, trusted: false) == .ok)
            #expect(try code(token, .issuerDataOnly, trusted: false) == .issuerUntrusted)
        }
        #expect(try code(good + name + "~", .shape, trusted: false) == .disclosureDuplicate)
        #expect(try code(String(jwt.dropLast(4)) + "AAAA", .issuerDataOnly) == .proofInvalid)
        var claims = forge.jwtClaims
        claims["sub"] = "did:example:other"
        #expect(try code(forge.sign(forge.header("JWT"), claims), .shape, trusted: false) == .claimsDisagree)
    }
}
