import Crypto
import Encoding

@testable import Tuvali

/// The wallet's side for these tests: keys, encryption, division into chunks. The code follows the specification and is
/// independent of the verifier. Only CRC and gzip, which vectors check, are the verifier's code.
struct TestWallet {
    /// The value to write to Identify.
    let identify: [UInt8]
    private let key: SymmetricKey
    private let nonce: AES.GCM.Nonce

    /// Makes a wallet whose private key and nonce are taken from `random`.
    init(verifierKey: [UInt8], random: inout SplitMix64) throws {
        let privateKey = try Curve25519.KeyAgreement.PrivateKey(rawRepresentation: random.bytes(32))
        let nonceBytes = random.bytes(12)
        nonce = try AES.GCM.Nonce(data: nonceBytes)
        identify = nonceBytes + Array(privateKey.publicKey.rawRepresentation)
        let peer = try Curve25519.KeyAgreement.PublicKey(rawRepresentation: verifierKey)
        key = try privateKey.sharedSecretFromKeyAgreement(with: peer).hkdfDerivedSymmetricKey(
            using: SHA256.self, salt: Array("SHA-256".utf8), sharedInfo: Array("SKVerifier".utf8), outputByteCount: 32)
    }

    /// Compresses and encrypts the bytes.
    func seal(_ plain: [UInt8]) throws -> [UInt8] {
        let box = try AES.GCM.seal(Gzip.deflate(plain), using: key, nonce: nonce)
        return Array(box.ciphertext) + Array(box.tag)
    }

    /// Returns the value to write to Response Size.
    static func size(_ sealed: [UInt8]) -> [UInt8] {
        var value: [UInt8] = []
        value.appendBE(UInt32(sealed.count))
        return value
    }

    /// Divides `sealed` into chunks for a link that carries `maxData` bytes.
    static func cut(_ sealed: [UInt8], maxData: Int) -> [[UInt8]] {
        stride(from: 0, to: sealed.count, by: maxData - 4).enumerated().map { index, start in
            chunk(UInt16(index + 1), Array(sealed[start..<min(start + maxData - 4, sealed.count)]))
        }
    }

    /// Returns one chunk with a correct header.
    static func chunk(_ number: UInt16, _ payload: [UInt8]) -> [UInt8] {
        var chunk: [UInt8] = []
        chunk.appendBE(number)
        chunk.appendBE(CRC16.kermit(payload[...]))
        return chunk + payload
    }

    /// Returns the chunk numbers in a report: empty for SUCCESS, nil for a value that would break a wallet.
    static func missing(in report: [UInt8]) -> [Int]? {
        guard report.count >= 3, report[0] <= 1, report.count % 2 == 1 else { return nil }
        if report[0] == 1 { return report == [1, 0, 0] ? [] : nil }
        let numbers = stride(from: 3, to: report.count, by: 2).map { Int(report[$0]) << 8 | Int(report[$0 + 1]) }
        return numbers.isEmpty ? nil : numbers
    }
}

/// A small seeded generator (Steele, Lea, Flood: SplitMix64), so that a failing run can be repeated.
struct SplitMix64: RandomNumberGenerator {
    private var state: UInt64

    init(seed: UInt64) {
        state = seed
    }

    mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        var z = state
        z = (z ^ (z >> 30)) &* 0xBF58_476D_1CE4_E5B9
        z = (z ^ (z >> 27)) &* 0x94D0_49BB_1331_11EB
        return z ^ (z >> 31)
    }

    mutating func bytes(_ count: Int) -> [UInt8] { (0..<count).map { _ in UInt8(truncatingIfNeeded: next() >> 24) } }
}
