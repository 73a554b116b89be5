import CryptoExtras
import Reasons

/// A public key of a verification method.
package enum PublicKey: Sendable {
    /// An Ed25519 key (RFC 8032), 32 bytes.
    case ed25519([UInt8])
    /// An RSA key of 2048 to 8192 bits.
    case rsa(RSAPublicKey)
    /// A key that is a point on P-256, P-384 or secp256k1, in SEC 1 encoding (compressed or not).
    case ellipticCurve(Curve, point: [UInt8])

    /// The curves of ECDSA suites.
    package enum Curve: String, Sendable {
        case p256 = "P-256"
        case p384 = "P-384"
        case secp256k1

        /// The length of one coordinate in bytes.
        var coordinateBytes: Int { self == .p384 ? 48 : 32 }
    }

    /// The reason why a key cannot be used.
    package enum Failure: Error, Hashable, Sendable {
        /// The key is unreadable, or no suite uses keys of its kind.
        case malformed
        /// The key is an RSA key under 2048 bits or with the exponent 1.
        case weak

        var code: ReasonCode { self == .weak ? .keyWeak : .keyMalformed }
    }
}

/// An RSA public key that is ready for verification.
package struct RSAPublicKey: Sendable {
    let key: _RSA.Signing.PublicKey
    /// The length of the modulus, and of every signature, in bytes.
    let modulusBytes: Int

    /// Creates a key from modulus and exponent. Both begin with the most significant byte and have no leading zeros.
    init(modulus: [UInt8], exponent: [UInt8]) throws(PublicKey.Failure) {
        let bits = modulus.count * 8 - (modulus.first?.leadingZeroBitCount ?? 0)
        guard let last = exponent.last, last & 1 == 1, exponent.count <= 8, bits <= 8192, bits > 0 else {
            throw .malformed
        }
        guard bits >= 2048, exponent != [1] else { throw .weak }
        do { key = try _RSA.Signing.PublicKey(n: modulus, e: exponent) } catch { throw .malformed }
        modulusBytes = modulus.count
    }
}
