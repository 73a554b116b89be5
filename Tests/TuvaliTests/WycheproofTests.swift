import Crypto
import Encoding
import TestKit
import Testing

@testable import Tuvali

/// Runs Project Wycheproof's cases for the session's key agreement and encryption: X25519, HKDF-SHA-256 and
/// AES-256-GCM.
@Suite struct WycheproofTests {
    private struct Case {
        let group: JSON
        let test: JSON

        func bytes(_ name: Text) -> [UInt8] { Hex.decode(test[name]?.string?.string ?? "") ?? [] }
        func number(_ name: Text) -> Int { (test[name] ?? group[name])?.int ?? 0 }
        var flags: [Text] { (test["flags"]?.array ?? []).compactMap(\.string) }
    }

    /// Runs `body` on each case. `body` returns a description of the failure; nil for a success.
    private func run(_ name: String, _ body: (Case, Text) -> String?) throws {
        guard let file = Vectors.path("wycheproof/\(name).json") else { return }
        var tally = VectorTally("wycheproof/\(name)")
        for group in try JSON.parse(Vectors.bytes(file))["testGroups"]?.array ?? [] {
            for test in group["tests"]?.array ?? [] {
                let item = Case(group: group, test: test)
                tally.record(test["tcId"]?.number?.text ?? "?", body(item, test["result"]?.string ?? ""))
            }
        }
        #expect(tally.finish() == [])
    }

    /// A key that leads to an all-zero secret is refused. Every other key gives the secret in the case.
    @Test func keyAgreement() throws {
        try run("x25519_test") { item, _ in
            guard let key = try? Curve25519.KeyAgreement.PrivateKey(rawRepresentation: item.bytes("private")) else {
                return "no private key"
            }
            let wanted = item.bytes("shared")
            let secret = VerifierKey(key).sharedSecret(with: item.bytes("public")[...])
            guard wanted.contains(where: { $0 != 0 }) else { return secret == nil ? nil : "a secret of zeros" }
            return secret?.withUnsafeBytes({ Array($0) }) == wanted ? nil : "another secret"
        }
    }

    @Test func keyDerivation() throws {
        try run("hkdf_sha256_test") { item, result in
            let size = item.number("size")
            // RFC 5869 section 2.3 limits the size. The library would end the program at a larger size, so the test
            // does not request one.
            guard size <= 255 * 32 else { return result == "invalid" ? nil : "too long and valid" }
            let key = HKDF<SHA256>.deriveKey(
                inputKeyMaterial: SymmetricKey(data: item.bytes("ikm")), salt: item.bytes("salt"),
                info: item.bytes("info"), outputByteCount: size)
            return key.withUnsafeBytes { Array($0) } == item.bytes("okm") ? nil : "another key"
        }
    }

    @Test func sealing() throws {
        try run("aes_gcm_test") { item, result in
            // A session's nonce has 12 bytes. swift-crypto accepts longer nonces, too, but no shorter ones.
            guard let nonce = try? AES.GCM.Nonce(data: item.bytes("iv")),
                let box = try? AES.GCM.SealedBox(nonce: nonce, ciphertext: item.bytes("ct"), tag: item.bytes("tag")),
                let opened = try? AES.GCM.open(
                    box, using: SymmetricKey(data: item.bytes("key")), authenticating: item.bytes("aad"))
            else { return result == "valid" && item.number("ivSize") == 96 ? "refused" : nil }
            return result == "valid" && Array(opened) == item.bytes("msg") ? nil : "opened"
        }
    }
}
