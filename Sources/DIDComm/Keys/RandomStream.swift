import CSodium

/// An endless stream of random bytes that is derived from a 32-byte seed. A state machine that owns a stream needs no
/// other source of randomness.
///
/// The stream is ChaCha20 with fast key erasure: each draw derives a new seed and wipes the old one, so a later state
/// does not reveal earlier output. The stream is not copyable, because two copies would return the same nonces.
package struct RandomStream: ~Copyable, Sendable {
    private var seed: Secret

    /// Creates a stream from the 32 bytes of `seed`; nil for any other length.
    package init?(seed: Secret) {
        guard seed.count == seedLength, Sodium.isReady else { return nil }
        self.seed = seed
    }

    /// Returns the next `count` bytes.
    package mutating func draw(_ count: Int) -> [UInt8] {
        let secret = drawSecret(count)
        return secret.withBytes { Array($0) }
    }

    /// Returns the next `count` bytes as a secret.
    package mutating func drawSecret(_ count: Int) -> Secret {
        let length = max(count, 0)
        let block = Secret(count: seedLength + length) { output in
            seed.withBytes { seed in
                guard let key = seed.octets, let start = output.baseAddress else { return }
                randombytes_buf_deterministic(start, output.count, key)
            }
        }
        seed = block.withBytes { Secret($0.prefix(seedLength)) }
        return block.withBytes { Secret($0.dropFirst(seedLength)) }
    }
}

/// The length of a stream's seed, in bytes (libsodium's `randombytes_SEEDBYTES`).
private let seedLength = 32
