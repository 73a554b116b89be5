import Encoding
import Reasons

@testable import Credentials

extension FuzzTarget {
    /// SD-JWT with a valid signature. An input is the payload's JSON and, line by line, disclosures. The
    /// target signs them, so that the code after the signature check is reached. The text `@2` in the payload
    /// is replaced with the digest of the second disclosure.
    static let sdJWT = FuzzTarget(
        name: "sd-jwt", longest: 2048,
        seeds: { samples.map { Array($0.utf8) } },
        check: { bytes in
            guard let bench else { return require(false, "a test key") }
            let lines = bytes.split(separator: 0x0A, omittingEmptySubsequences: false).prefix(12).map { Array($0) }
            let disclosures = lines.dropFirst().map { Base64.encode($0) }
            var payload = String(decoding: lines.first ?? [], as: UTF8.self)
            for (index, disclosure) in disclosures.enumerated().reversed() {
                let digest = Base64.encode(Digest.sha256(Array(disclosure.utf8)))
                payload = payload.replacing("@\(index + 1)", with: digest)
            }
            guard let token = try? bench.forge.sign(bench.header, payload) else { return require(false, "signs") }
            let input = ([token] + disclosures).joined(separator: "~") + "~"
            for verifier in bench.verifiers {
                let verdict = verifier.verify(Array(input.utf8), claimed: .dcSDJWT, at: TokenForge.clock)
                require(!verdict.reasons.isEmpty && verdict.code != .internal, "every verdict has a reason")
                require(
                    (try? JSON.parse(VerdictReport(file: "f", verdict: verdict).jsonLine)) != nil, "a report is JSON")
            }
        })

    private struct Bench: Sendable {
        let forge: TokenForge
        let header: String
        let verifiers: [Verifier]

        init() throws {
            forge = try TokenForge()
            header = JSON.object(forge.header("dc+sd-jwt")).compactText
            let trust = try TrustStore(forge.material)
            verifiers = [Profile.strict, .compat].map {
                Verifier(trust: trust, policy: VerificationPolicy(version: "fuzz", profile: $0))
            }
        }
    }

    private static let bench = try? Bench()

    private static var samples: [String] {
        let head = bench.map { String(JSON.object($0.forge.claims).compactText.dropLast()) } ?? ""
        return [
            head + "}",
            head + #","_sd":["@1","@2"]}"# + "\n" + #"["salt","name","x"]"# + "\n" + #"["s","address",{"_sd":["@2"]}]"#,
            head + #","_sd":["@1"],"a":[{"...":"@2"},{"...":"@3"},1],"_sd_alg":"sha-256"}"# + "\n"
                + #"["s","o",{"p":{"q":[null,true,1.5]}}]"# + "\n" + #"["s",{"_sd":[]}]"# + "\n"
                + #"["s",[{"...":"x"}]]"#,
            head
                + #","_sd_alg":"sha-384","cnf":{"jwk":{"kty":"EC"}},"status":{"status_list":{"idx":0,"uri":"https://a"}}}"#,
            head + #","sub":"s","aud":["a"],"jti":"j","_sd":["@1"],"x":{"_sd":["@1"]}}"# + "\n" + #"["s","...",1]"#,
        ]
    }
}
