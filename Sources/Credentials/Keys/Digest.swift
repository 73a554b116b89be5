import Crypto

/// SHA-2 over byte arrays.
enum Digest {
    /// The 32 bytes of the hash of all parts one after the other.
    static func sha256(_ parts: [UInt8]...) -> [UInt8] {
        var hash = SHA256()
        for part in parts { part.withUnsafeBytes { hash.update(bufferPointer: $0) } }
        return Array(hash.finalize())
    }

    /// The hash in the type that signature checks take.
    static func sha256Value(_ bytes: [UInt8]) -> SHA256Digest {
        var hash = SHA256()
        bytes.withUnsafeBytes { hash.update(bufferPointer: $0) }
        return hash.finalize()
    }
}
