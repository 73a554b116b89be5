import Crypto
import CryptoExtras
import Reasons
import SwiftASN1

/// The algorithm of a certificate's signature (RFC 3279, 4055, 5758, 8410). SHA-1 and MD5 are not supported.
enum CertificateSignatureScheme: Hashable, Sendable {
    /// The hash function of a signature.
    enum Hash: Sendable {
        case sha256
        case sha384
        case sha512
    }

    case ecdsa(Hash)
    case rsaPKCS1(Hash)
    case rsaPSS(Hash)
    case ed25519

    /// Reads an AlgorithmIdentifier. Returns nil if the algorithm or its parameters are not accepted.
    init?(_ node: ASN1Node) {
        guard let parts = try? X509Certificate.children(of: node), (1...2).contains(parts.count),
            let algorithm = try? ASN1ObjectIdentifier(derEncoded: parts[0])
        else { return nil }
        let parameters = parts.count == 2 ? parts[1] : nil
        if algorithm == Self.pssIdentifier {
            guard let hash = parameters.flatMap(Self.pssHash) else { return nil }
            self = .rsaPSS(hash)
            return
        }
        guard let scheme = Self.identifiers[algorithm] else { return nil }
        switch scheme {
        case .rsaPKCS1:
            // RFC 4055 section 5 requires NULL; some certificates omit it.
            guard parameters == nil || parameters?.identifier == .null else { return nil }
        default:
            guard parameters == nil else { return nil }
        }
        self = scheme
    }

    /// Returns whether `signature` is a valid signature of `key` over `message`. Throws if the key is weak, unreadable,
    /// or of a kind that this algorithm does not use.
    func verify(_ signature: [UInt8], over message: [UInt8], by key: CertifiedKey) throws(Rejection) -> Bool {
        switch (self, key) {
        case (_, .refused(.weak)): throw Rejection(.keyWeak)
        case (.ecdsa(let hash), .usable(.ellipticCurve(.p256, let point))):
            guard let key = try? P256.Signing.PublicKey(sec1: point) else { throw Rejection(.chainInvalid, .algorithm) }
            guard let signature = try? P256.Signing.ECDSASignature(derRepresentation: signature) else { return false }
            return key.isValidSignature(signature, for: hash.digest(of: message))
        case (.ecdsa(let hash), .usable(.ellipticCurve(.p384, let point))):
            guard let key = try? P384.Signing.PublicKey(sec1: point) else { throw Rejection(.chainInvalid, .algorithm) }
            guard let signature = try? P384.Signing.ECDSASignature(derRepresentation: signature) else { return false }
            return key.isValidSignature(signature, for: hash.digest(of: message))
        case (.ecdsa(let hash), .p521(let point)):
            guard let key = try? P521.Signing.PublicKey(x963Representation: point) else {
                throw Rejection(.chainInvalid, .algorithm)
            }
            guard let signature = try? P521.Signing.ECDSASignature(derRepresentation: signature) else { return false }
            return key.isValidSignature(signature, for: hash.digest(of: message))
        case (.rsaPKCS1(let hash), .usable(.rsa(let key))):
            return Self.verify(signature, over: message, by: key, hash, .insecurePKCS1v1_5)
        case (.rsaPSS(let hash), .usable(.rsa(let key))):
            return Self.verify(signature, over: message, by: key, hash, .PSS)
        case (.ed25519, .usable(.ed25519)):
            guard case .usable(let key) = key, signature.count == 64 else { return false }
            return try SignatureAlgorithm.edDSA.verify(signature, over: message, by: key, at: "")
        default: throw Rejection(.chainInvalid, .algorithm)
        }
    }

    private static func verify(
        _ signature: [UInt8], over message: [UInt8], by key: RSAPublicKey, _ hash: Hash,
        _ padding: _RSA.Signing.Padding
    ) -> Bool {
        guard signature.count == key.modulusBytes else { return false }
        return key.key.isValidSignature(
            _RSA.Signing.RSASignature(rawRepresentation: signature), for: hash.digest(of: message), padding: padding)
    }

    /// Reads RSASSA-PSS-params (RFC 4055 section 3.1). Message and mask must use the same hash, and the salt must have
    /// the length of the hash. All other parameters are refused, including the SHA-1 defaults.
    private static func pssHash(_ parameters: ASN1Node) -> Hash? {
        guard var fields = try? X509Certificate.children(of: parameters)[...],
            let hashNode = try? fields.popFirst(explicit: 0), let hash = hash(hashNode),
            let maskNode = try? fields.popFirst(explicit: 1),
            let mask = try? X509Certificate.children(of: maskNode), mask.count == 2,
            (try? ASN1ObjectIdentifier(derEncoded: mask[0])) == maskIdentifier, Self.hash(mask[1]) == hash,
            let saltNode = try? fields.popFirst(explicit: 2),
            (try? Int(derEncoded: saltNode)) == hash.bytes, fields.isEmpty
        else { return nil }
        return hash
    }

    private static func hash(_ node: ASN1Node) -> Hash? {
        guard let parts = try? X509Certificate.children(of: node), (1...2).contains(parts.count),
            parts.count == 1 || parts[1].identifier == .null,
            let algorithm = try? ASN1ObjectIdentifier(derEncoded: parts[0])
        else { return nil }
        return hashIdentifiers[algorithm]
    }

    private static let identifiers: [ASN1ObjectIdentifier: CertificateSignatureScheme] = [
        [1, 2, 840, 10045, 4, 3, 2]: .ecdsa(.sha256),
        [1, 2, 840, 10045, 4, 3, 3]: .ecdsa(.sha384),
        [1, 2, 840, 10045, 4, 3, 4]: .ecdsa(.sha512),
        [1, 2, 840, 113549, 1, 1, 11]: .rsaPKCS1(.sha256),
        [1, 2, 840, 113549, 1, 1, 12]: .rsaPKCS1(.sha384),
        [1, 2, 840, 113549, 1, 1, 13]: .rsaPKCS1(.sha512),
        [1, 3, 101, 112]: .ed25519,
    ]
    private static let hashIdentifiers: [ASN1ObjectIdentifier: Hash] = [
        [2, 16, 840, 1, 101, 3, 4, 2, 1]: .sha256,
        [2, 16, 840, 1, 101, 3, 4, 2, 2]: .sha384,
        [2, 16, 840, 1, 101, 3, 4, 2, 3]: .sha512,
    ]
    private static let pssIdentifier: ASN1ObjectIdentifier = [1, 2, 840, 113549, 1, 1, 10]
    private static let maskIdentifier: ASN1ObjectIdentifier = [1, 2, 840, 113549, 1, 1, 8]
}

extension CertificateSignatureScheme.Hash {
    /// The length of the hash in bytes.
    var bytes: Int {
        switch self {
        case .sha256: 32
        case .sha384: 48
        case .sha512: 64
        }
    }

    func digest(of message: [UInt8]) -> any Crypto.Digest {
        switch self {
        case .sha256: SHA256.hash(data: message)
        case .sha384: SHA384.hash(data: message)
        case .sha512: SHA512.hash(data: message)
        }
    }
}
