import Encoding
import Synchronization

/// A hash function that caches hash states. A caller passes a text in pieces, and the hash state after the first piece
/// is cached. Most canonical texts of one issuer begin with the same contexts, so hashing them begins with a cached
/// state. The cache does not change any hash.
package final class HashBeginnings: Sendable {
    private struct Entry {
        let algorithm: HashAlgorithm
        let piece: ArraySlice<UInt8>
        let hash: RunningDigest
    }

    private let entries = Mutex<(kept: [Entry], oldest: Int)>(([], 0))
    /// The largest number of cached hash states. A further state replaces the oldest.
    private static let most = 8
    /// The sizes in bytes of those first pieces after which the hash state is cached.
    private static let sizes = 512...16 * 1024

    /// Creates a hash function with an empty cache.
    package init() {}

    /// Returns the hash, 32 or 48 bytes, of the concatenation of all pieces that `write` passes to its argument.
    package func hash(_ algorithm: HashAlgorithm, _ write: ((ArraySlice<UInt8>) -> Void) -> Void) -> [UInt8] {
        var hash: RunningDigest?
        write { piece in
            if hash == nil {
                hash = self.beginning(algorithm, piece)
            } else {
                piece.withUnsafeBytes { hash?.update($0) }
            }
        }
        return (hash ?? RunningDigest(algorithm)).finish()
    }

    private func beginning(_ algorithm: HashAlgorithm, _ piece: ArraySlice<UInt8>) -> RunningDigest {
        let isWorthKeeping = Self.sizes.contains(piece.count)
        if isWorthKeeping, let known = known(algorithm, piece) { return known }
        var hash = RunningDigest(algorithm)
        piece.withUnsafeBytes { hash.update($0) }
        guard isWorthKeeping else { return hash }
        let entry = Entry(algorithm: algorithm, piece: piece, hash: hash)
        entries.withLock { entries in
            if entries.kept.count < Self.most { return entries.kept.append(entry) }
            entries.kept[entries.oldest] = entry
            entries.oldest = (entries.oldest + 1) % Self.most
        }
        return hash
    }

    private func known(_ algorithm: HashAlgorithm, _ piece: ArraySlice<UInt8>) -> RunningDigest? {
        entries.withLock { entries in
            entries.kept.first { $0.algorithm == algorithm && ByteOrder.areEqual($0.piece, piece) }?.hash
        }
    }
}
