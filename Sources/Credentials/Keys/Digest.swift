import Crypto
import Encoding
import LinkedData

/// SHA-2 over byte arrays.
enum Digest {
    /// Returns the SHA-256 hash (32 bytes) of the concatenated parts.
    static func sha256(_ parts: [UInt8]...) -> [UInt8] {
        var hash = SHA256()
        for part in parts { part.withUnsafeBytes { hash.update(bufferPointer: $0) } }
        return Array(hash.finalize())
    }

    /// Returns the SHA-512 (64 bytes).
    static func sha512(_ bytes: [UInt8]) -> [UInt8] {
        var hash = SHA512()
        bytes.withUnsafeBytes { hash.update(bufferPointer: $0) }
        return Array(hash.finalize())
    }

    /// Returns the hash by the algorithm that a proof suite uses.
    static func hash(_ bytes: [UInt8], _ algorithm: HashAlgorithm) -> [UInt8] {
        switch algorithm {
        case .sha256: sha256(bytes)
        case .sha384: Array(sha384Value(bytes))
        }
    }

    /// Returns the SHA-256 hash in the type that signature checks require.
    static func sha256Value(_ bytes: [UInt8]) -> SHA256Digest {
        var hash = SHA256()
        bytes.withUnsafeBytes { hash.update(bufferPointer: $0) }
        return hash.finalize()
    }

    /// Returns the SHA-384 hash in the type that signature checks require.
    static func sha384Value(_ bytes: [UInt8]) -> SHA384Digest {
        var hash = SHA384()
        bytes.withUnsafeBytes { hash.update(bufferPointer: $0) }
        return hash.finalize()
    }
}
