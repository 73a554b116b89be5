import Crypto
import Encoding
import Foundation
import SwiftASN1
import TestKit
import Testing

@testable import Credentials

/// Signatures in the forms of certificates: ECDSA in DER, RSA with further hashes, RSA-PSS with its
/// parameters.
@Suite struct CertificateSignatureTests {
    @Test(
        arguments: [
            ("ecdsa_secp256r1_sha256_test", CertificateSignatureScheme.ecdsa(.sha256)),
            ("rsa_signature_2048_sha256_test", .rsaPKCS1(.sha256)),
            ("rsa_pss_2048_sha256_mgf1_32_test", .rsaPSS(.sha256)),
        ])
    func wycheproof(name: String, scheme: CertificateSignatureScheme) throws {
        guard let file = Vectors.path("wycheproof/\(name).json") else { return }
        var tally = VectorTally("wycheproof/\(name), in certificates")
        for group in try JSON.parse(Vectors.bytes(file))["testGroups"]?.array ?? [] {
            let der = try #require((group["publicKeyDer"]?.string).flatMap { Hex.decode($0.string) })
            let key = CertifiedKey(try DER.parse(der))
            for test in group["tests"]?.array ?? [] {
                let message = try #require((test["msg"]?.string).flatMap { Hex.decode($0.string) })
                let signature = try #require((test["sig"]?.string).flatMap { Hex.decode($0.string) })
                let isValid = (try? scheme.verify(signature, over: message, by: key)) ?? false
                // "acceptable" marks legacy encodings that a verifier may accept or refuse.
                let result = test["result"]?.string?.string
                let isRight = result == "acceptable" ? !isValid : isValid == (result == "valid")
                tally.record("\(test["tcId"]?.int ?? 0)", isRight ? nil : "\(isValid) in place of \(result ?? "?")")
            }
        }
        #expect(tally.finish() == [])
    }

    /// Algorithms by their identifiers in DER; those that the type does not list are unknown.
    @Test func identifiers() throws {
        func scheme(_ hex: String) throws -> CertificateSignatureScheme? {
            CertificateSignatureScheme(try DER.parse(try #require(Hex.decode(hex))))
        }
        #expect(try scheme("300a06082a8648ce3d040302") == .ecdsa(.sha256))
        #expect(try scheme("300a06082a8648ce3d040303") == .ecdsa(.sha384))
        #expect(try scheme("300c06082a8648ce3d0403020500") == nil, "ECDSA has no parameters")
        #expect(try scheme("300906072a8648ce3d0401") == nil, "ECDSA with SHA-1")
        #expect(try scheme("300d06092a864886f70d01010b0500") == .rsaPKCS1(.sha256))
        #expect(try scheme("300b06092a864886f70d01010b") == .rsaPKCS1(.sha256))
        #expect(try scheme("300d06092a864886f70d0101050500") == nil, "SHA-1")
        #expect(try scheme("300d06092a864886f70d0101040500") == nil, "MD5")
        #expect(try scheme("300506032b6570") == .ed25519)
        #expect(try scheme("300506032b6571") == nil, "Ed448")

        let sha256 = "300d06096086480165030402010500"
        let mask = "a11c301a06092a864886f70d010108" + sha256
        #expect(try scheme("304106092a864886f70d01010a3034a00f" + sha256 + mask + "a203020120") == .rsaPSS(.sha256))
        #expect(
            try scheme("304106092a864886f70d01010a3034a00f" + sha256 + mask + "a203020114") == nil, "salt of 20 bytes")
        #expect(try scheme("303c06092a864886f70d01010a302fa00f" + sha256 + mask) == nil, "salt by default: 20 bytes")
        #expect(try scheme("300d06092a864886f70d01010a3000") == nil, "SHA-1 by default")
        #expect(try scheme("300b06092a864886f70d01010a") == nil)
    }

    /// Chains made with OpenSSL: RSA-PSS throughout, an explicit curve, SHA-1, a certificate of version 1.
    @Test func chainsByOpenSSL() throws {
        guard let folder = Vectors.path("x509") else { return }
        func der(_ name: String) throws -> [UInt8] {
            let text = try String(contentsOf: folder.appendingPathComponent(name + ".pem"), encoding: .utf8)
            let lines = text.split(separator: "\n").filter { !$0.hasPrefix("-----") }
            return try #require(Base64.decodeAny(lines.joined()))
        }
        func outcome(_ leaf: String, _ root: String, role: TestPKI.Role = .tokenSigner) throws -> String {
            var roots = CertificateRoots()
            try roots.add(pem: Vectors.bytes(folder.appendingPathComponent(root + ".pem")))
            let clock = try #require(Timestamp(rfc3339: "2028-01-01T00:00:00Z"))
            return TestPKI.outcome([try der(leaf)], roots, role: role, at: clock)
        }
        #expect(try outcome("pss-leaf", "pss-root") == "ok")
        #expect(try outcome("sha1-leaf", "rsa-root") == "chain.invalid")
        #expect(try outcome("v1-leaf", "rsa-root") == "ok")
        #expect(try outcome("v1-leaf", "rsa-root", role: .documentSigner) == "chain.invalid")
        #expect(try outcome("secp256k1-leaf", "rsa-root") == "ok")
        #expect(try outcome("explicit-curve-leaf", "rsa-root") == "key.malformed")
        #expect(try outcome("weak-leaf", "rsa-root") == "key.weak")
        #expect(try outcome("below-v1-leaf", "v1-root") == "chain.invalid", "version 1 cannot say that it is a CA")
        #expect(try outcome("brainpool-leaf", "brainpool-root") == "chain.invalid")
    }
}
