import CryptoExtras
import Encoding
import Foundation
import Reasons
import TestKit
import Testing

@testable import Credentials

/// Key encodings and self-contained DIDs.
@Suite struct KeyTests {
    @Test(arguments: ["ed25519-x25519", "nist-curves", "rsa", "secp256k1"]) func didKeyVectors(name: String) throws {
        guard let file = Vectors.path("did/did-key/\(name).json") else { return }
        var tally = VectorTally("did/did-key/\(name)")
        let vectors = try JSON.parse(Vectors.bytes(file))
        for member in vectors.object?.members ?? [] {
            let document = SelfContainedDID.document(member.name)
            let value = String(member.name.string.dropFirst("did:key:".count))
            let method = document?.method(Text(member.name.string + "#" + value))
            // P-521 and X25519 keys sign nothing here.
            let supported = !value.hasPrefix("z2J9") && !value.hasPrefix("z6LS")
            switch method?.key {
            case .success(let key) where supported:
                tally.record(
                    value, document?.lists(method?.id ?? "", for: .assertionMethod) == true ? nil : "not listed")
                try Self.compare(key, with: member.value, &tally, value)
            case .failure where !supported: tally.record(value, nil)
            default: tally.record(value, "wrong support")
            }
        }
        #expect(tally.finish() == [])
    }

    /// Checks that the other form of the key in the vector gives the same key.
    private static func compare(_ key: PublicKey, with vector: JSON, _ tally: inout VectorTally, _ id: String) throws {
        let listed = vector["verificationKeyPair"] ?? vector["didDocument"]?["verificationMethod"]?.array?.first
        guard let other = listed?.object, let second = try? KeyEncoding.key(of: other) else { return }
        let same: Bool
        switch (key, second) {
        case (.ed25519(let a), .ed25519(let b)): same = a == b
        case (.rsa(let a), .rsa(let b)): same = a.key.derRepresentation == b.key.derRepresentation
        case (.ellipticCurve(let a, let p), .ellipticCurve(let b, let q)):
            same = a == b && p.dropFirst().prefix(a.coordinateBytes) == q.dropFirst().prefix(b.coordinateBytes)
        default: same = false
        }
        tally.record(id + " in two forms", same ? nil : "differ")
    }

    @Test func didJWK() throws {
        let x = Base64.encode([UInt8](repeating: 9, count: 32))
        let text = Base64.encode(Array("{\"kty\":\"OKP\",\"crv\":\"Ed25519\",\"x\":\"\(x)\"}".utf8))
        let document = try #require(SelfContainedDID.document(Text("did:jwk:" + text)))
        let method = try #require(document.method(Text("did:jwk:" + text + "#0")))
        guard case .success(.ed25519(let key)) = method.key else { throw Rejection(.keyMalformed) }
        #expect(key == [UInt8](repeating: 9, count: 32) && method.controller == document.id)
        // The identifier itself also names its only key.
        #expect(document.method(Text("did:jwk:" + text))?.id == method.id)
        #expect(document.method(Text("did:jwk:" + text + "#1")) == nil)
    }

    private let spki: [UInt8] =
        [0x30, 0x2A, 0x30, 0x05, 0x06, 0x03, 0x2B, 0x65, 0x70, 0x03, 0x21, 0x00] + [UInt8](repeating: 9, count: 32)

    private func pem(_ der: [UInt8], lineEnd: String = "\n", label: String = "PUBLIC KEY") -> Text {
        Text(
            "-----BEGIN \(label)-----\(lineEnd)" + Base64.encode(der, .standard)
                + "\(lineEnd)-----END \(label)-----\(lineEnd)")
    }

    @Test(arguments: ["\n", "\r\n", "", " \n  "]) func pemOfEd25519(lineEnd: String) throws {
        guard case .ed25519(let key) = try KeyEncoding.pem(pem(spki, lineEnd: lineEnd)) else {
            throw Rejection(.keyMalformed)
        }
        #expect(key == [UInt8](repeating: 9, count: 32))
    }

    /// Every truncation and every changed byte of the header is refused or parsed. None traps.
    @Test func damagedDERNeverTraps() {
        for count in 0..<spki.count { #expect((try? KeyEncoding.pem(pem(Array(spki.prefix(count))))) == nil) }
        for index in 0..<12 {
            for value in [0x00, 0x7F, 0x80, 0x84, 0xFF] as [UInt8] where spki[index] != value {
                var der = spki
                der[index] = value
                #expect((try? KeyEncoding.pem(pem(der))) == nil)
            }
        }
    }

    @Test func rsaSizes() throws {
        func key(bits: Int, exponent: [UInt8] = [1, 0, 1]) throws(PublicKey.Failure) -> RSAPublicKey {
            var modulus = [UInt8](repeating: 0xFF, count: bits / 8)
            modulus[0] = 0x80
            return try RSAPublicKey(modulus: modulus, exponent: exponent)
        }
        #expect(throws: PublicKey.Failure.weak) { try key(bits: 1024) }
        #expect(throws: PublicKey.Failure.weak) { try key(bits: 2040) }
        #expect(throws: PublicKey.Failure.weak) { try key(bits: 2048, exponent: [1]) }
        #expect(throws: PublicKey.Failure.malformed) { try key(bits: 2048, exponent: [2]) }
        #expect(throws: PublicKey.Failure.malformed) { try key(bits: 8200) }
        #expect(throws: PublicKey.Failure.malformed) { try RSAPublicKey(modulus: [], exponent: []) }
        #expect(try key(bits: 2048).modulusBytes == 256 && key(bits: 4096).modulusBytes == 512)
    }

    @Test func wycheproofEd25519() throws {
        try wycheproof("ed25519_test") { group in
            .ed25519(Hex.decode(group["publicKey"]?["pk"]?.string?.string ?? "") ?? [])
        } algorithm: {
            .edDSA
        }
    }

    @Test func wycheproofRSA() throws {
        try wycheproof("rsa_signature_2048_sha256_test", key: Self.rsa) { .rs256 }
    }

    @Test func wycheproofPSS() throws {
        try wycheproof("rsa_pss_2048_sha256_mgf1_32_test", key: Self.rsa) { .ps256 }
    }

    @Test(arguments: [
        ("ecdsa_secp256r1_sha256_p1363_test", PublicKey.Curve.p256, SignatureAlgorithm.es256),
        ("ecdsa_secp384r1_sha384_p1363_test", .p384, .es384),
        ("ecdsa_secp256k1_sha256_p1363_test", .secp256k1, .es256k),
    ]) func wycheproofECDSA(name: String, curve: PublicKey.Curve, algorithm: SignatureAlgorithm) throws {
        try wycheproof(name) { group in
            // The key has three forms. The case must have the same result for each form.
            let key = group["publicKey"]
            let point = Hex.decode(key?["uncompressed"]?.string?.string ?? "") ?? []
            let jwk = try? KeyEncoding.jwk(group["publicKeyJwk"]?.object)
            let pem = try? KeyEncoding.pem(group["publicKeyPem"]?.string)
            for other in [jwk, pem].compactMap(\.self) {
                guard case .ellipticCurve(curve, point) = other else { throw Rejection(.keyMalformed) }
            }
            let size = curve.coordinateBytes
            let sign: UInt8 = (point.last ?? 0) & 1 == 0 ? 2 : 3
            return .ellipticCurve(curve, point: [sign] + point.dropFirst().prefix(size))
        } algorithm: {
            algorithm
        }
    }

    private static func rsa(_ group: JSON) throws -> PublicKey {
        func bytes(_ name: Text) -> [UInt8] {
            let text = group["publicKey"]?[name]?.string?.string ?? ""
            return Array((Hex.decode(text) ?? []).drop { $0 == 0 })
        }
        return .rsa(try RSAPublicKey(modulus: bytes("modulus"), exponent: bytes("publicExponent")))
    }

    private func wycheproof(
        _ name: String, key: (JSON) throws -> PublicKey, algorithm: () -> SignatureAlgorithm
    ) throws {
        guard let file = Vectors.path("wycheproof/\(name).json") else { return }
        var tally = VectorTally("wycheproof/\(name)")
        for group in try JSON.parse(Vectors.bytes(file))["testGroups"]?.array ?? [] {
            let key = try key(group)
            for test in group["tests"]?.array ?? [] {
                let id = test["tcId"]?.number?.text ?? "?"
                let message = Hex.decode(test["msg"]?.string?.string ?? "") ?? []
                let signature = Hex.decode(test["sig"]?.string?.string ?? "") ?? []
                let valid = (try? algorithm().verify(signature, over: message, by: key, at: "")) ?? false
                switch test["result"]?.string {
                case "valid": tally.record(id, valid ? nil : "refused")
                case "invalid": tally.record(id, valid ? "accepted" : nil)
                default: tally.skip(id, because: "acceptable")
                }
            }
        }
        #expect(tally.finish() == [])
    }
}
