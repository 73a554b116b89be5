import Encoding
import Synchronization

/// Hashes texts that are passed in pieces, and remembers the hash state after the first piece. This saves
/// time because the canonical texts of a credential, of its proof's options and of the issuer's next
/// credential all begin with the same contexts.
///
/// The remembered states affect only the time of a hash.
package final class HashBeginnings: Sendable {
    private struct Entry {
        let algorithm: HashAlgorithm
        let piece: ArraySlice<UInt8>
        let hash: RunningDigest
    }

    private let entries = Mutex<(kept: [Entry], oldest: Int)>(([], 0))
    /// The number of first pieces that are kept; the oldest is replaced.
    private static let most = 8
    /// The sizes, in bytes, of pieces that are kept.
    private static let sizes = 512...16 * 1024

    /// Creates an instance that remembers no hash state yet.
    package init() {}

    /// Returns the hash of all pieces that `write` passes: 32 or 48 bytes.
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
