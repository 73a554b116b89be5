import Encoding
import TestKit

@testable import Credentials

/// The cases of `Tests/Vectors` that are verified completely, both accepted and rejected ones.
struct ConfusionVectors {
    static let folders = [
        "vc/1edtech", "vc/citizenship", "vc/danubetech", "vc/di-ecdsa", "vc/di-eddsa", "vc/generated", "vc/jose-cose",
        "vc/mosip",
        "vc/ssi",
        "sd-jwt/rfc9901-examples", "sd-jwt/testcases", "mdoc/generated", "mdoc/iso18013-5-annex-d", "vc/neighbours",
        "vc/respelt",
    ]

    /// Vectors that add one part to a valid credential, each with the disguise that removes exactly that part.
    static let mended: Set<String> = [
        "vc/neighbours proof.purpose-array: /proof/proofPurpose its last alone",
        "vc/neighbours ed2020-v2.vp-added-vc: /verifiableCredential without its last",
        "vc/neighbours jws-es256.vp-added-vc: /verifiableCredential without its last",
        "vc/neighbours eddsa-jcs.vp-added-vc: /verifiableCredential without its last",
    ]

    /// The length of the longest payload that is disguised.
    private static let longest = 64 * 1024

    /// Returns the cases of a folder with payloads up to that length; nil if the folder is absent.
    static func cases(of folder: String) throws -> [PlainCase]? {
        guard let path = Vectors.path(folder) else { return nil }
        var gates: [JSON: (Verifier, DisguiseKit)] = [:]
        let cases = try VerdictCase.all(in: path).compactMap { item -> PlainCase? in
            guard item.outOfScope == nil, ["issuer-data-only", nil].contains(item.mode), let clock = item.clock,
                let payload = try? item.payload(), payload.count <= longest
            else { return nil }
            let members: [Text] = ["trust", "statusList", "holder", "profile", "keyPurpose", "clock", "format", "note"]
            let key = JSON.array(members.map { item.json[$0] ?? .null })
            let gate = try gates[key] ?? gate(of: item, at: clock)
            gates[key] = gate
            return PlainCase(
                "\(folder) \(item.id)", Showing(payload, label: item.claimed), gate.0, gate.1, clock: clock,
                mode: item.verifierMode)
        }
        let accepted = Set(cases.filter(\.plain.isAccepted).compactMap(\.plain.credential.signedDigest))
        return cases.map { item in
            var item = item
            item.accepted = accepted
            return item
        }
    }

    private static func gate(of item: VerdictCase, at clock: WallTime) throws -> (Verifier, DisguiseKit) {
        let material = try item.material().withStrangers
        let kit = try DisguiseKit(
            try material.contexts.mapValues { try JSON.parse($0) }, demand: item.demand, at: clock)
        return (Verifier(trust: try TrustStore(material), policy: item.policy), kit)
    }
}
