import Credentials
import Encoding
import Reasons
import TestKit
import Testing

/// Damaged credentials never trap. They are accepted only if the signed content is unchanged.
@Suite struct MutationTests {
    private static let fragments = [
        "{", "}", "[", "]", "\"", ":", ",", "null", "0", "-", "1e999", "10e9223372036854775807",
        "1.0e-9223372036854775808",
        "\\u0000", "\\ud800", "@context", "@id", "@type",
        "@graph", "@list", "@value", "~", ".", "eyJ", "z", "u",
    ]

    @Test(arguments: [
        ("vc/generated", "ed2020-undeclared-v2-employee-valid", 400), ("vc/generated", "ed2018-employee-valid", 400),
        ("vc/generated", "rsa2018-ps256-visitor-valid", 300), ("vc/generated", "envelope-inji", 300),
        ("vc/mosip", "mosipRevokedVC.list-before", 200),
        ("vc/generated", "k1-2019-employee-valid", 200), ("vc/generated", "jws2020-es384-employee-valid", 200),
        ("vc/generated", "ecdsa-jcs-2019-p256-employee-valid", 300),
        ("vc/generated", "eddsa-jcs-2022-visitor-valid", 300),
        ("vc/generated", "ecdsa-rdfc-2019-p256-visitor-valid", 200),
    ]) func mutated(folder: String, id: String, count: Int) throws {
        guard let fixture = try Fixture(id, in: folder) else { return }
        let payload = fixture.document.compactBytes
        let verifier = Verifier(trust: try TrustStore(fixture.material), policy: fixture.policy)
        let original = verifier.verify(payload, at: fixture.clock)
        #expect(original.isAccepted)
        var generator = FixedGenerator(state: 20_261_121)
        var rejected = 0
        for _ in 0..<count {
            let changed = Self.mutate(payload, &generator)
            let verdict = verifier.verify(changed, at: fixture.clock)
            #expect(!verdict.reasons.isEmpty && verdict.code != .internal)
            if verdict.isAccepted {
                #expect(verdict.credential.signedDigest == original.credential.signedDigest && verdict.unsigned.isEmpty)
            } else {
                rejected += 1
            }
        }
        #expect(rejected > count / 2)
    }

    private static func mutate(_ payload: [UInt8], _ generator: inout FixedGenerator) -> [UInt8] {
        var bytes = payload
        let at = Int.random(in: 0..<bytes.count, using: &generator)
        let to = min(bytes.count, at + Int.random(in: 1...40, using: &generator))
        switch Int.random(in: 0..<6, using: &generator) {
        case 0: bytes[at] ^= 1 << UInt8.random(in: 0..<8, using: &generator)
        case 1: bytes.removeSubrange(at..<to)
        case 2: bytes.replaceSubrange(at..<to, with: (fragments.randomElement(using: &generator) ?? "").utf8)
        case 3: bytes.insert(contentsOf: bytes[at..<to], at: at)
        case 4: bytes = Array(bytes.prefix(at))
        default: bytes[at] = UInt8(ascii: "a") + UInt8.random(in: 0..<26, using: &generator)
        }
        return bytes
    }
}
