package import Encoding

/// A state of a ledger that was written down outside the ledger: the number of entries, and the hash of the last entry,
/// which depends on all entries.
///
/// If an attacker cuts off the end of the chain and changes the stored end, the chain itself does not show the loss. A
/// checkpoint shows it, because every later state of the ledger must contain the state that it describes.
/// ``ChainVerifier`` compares a ledger with a list of checkpoints.
package struct Checkpoint: Hashable, Sendable {
    /// The ledger's id; nil if the checkpoint states only number and hash.
    package var ledger: Text?
    /// The number of entries in the ledger.
    package var count: Int
    /// The hash of the last entry.
    package var hash: ChainHash

    /// Creates a checkpoint from the values of its properties.
    package init(ledger: Text?, count: Int, hash: ChainHash) {
        (self.ledger, self.count, self.hash) = (ledger, count, hash)
    }

    /// Reads the text `N:HASH`, as the log and `gatehouse ledger head` print it; nil for any other text.
    package init?(_ text: Text) {
        let parts = text.string.split(separator: ":", omittingEmptySubsequences: false)
        guard parts.count == 2, let count = Int(parts[0]), (0...ChainPoint.countLimit).contains(count),
            let hash = Hex.decode(parts[1]).flatMap({ ChainHash($0) })
        else { return nil }
        self.init(ledger: nil, count: count, hash: hash)
    }

    /// The checkpoint as text: `N:HASH`.
    package var text: Text { Text("\(count):\(hash.hex)") }
}
