package import Encoding

/// A known state of a ledger, stored outside the ledger: the number of entries and the hash of the last entry, which
/// binds all entries.
///
/// If an attacker cuts off the end of the chain and changes the stored end, the chain alone cannot prove the loss. A
/// checkpoint can, because every later state of the ledger must contain it. ``ChainVerifier`` compares a list of
/// checkpoints.
package struct Checkpoint: Hashable, Sendable {
    /// The ledger's id; nil if only the figures are known.
    package var ledger: Text?
    /// The number of entries in the ledger.
    package var count: Int
    /// The hash of the last entry.
    package var hash: ChainHash

    /// Creates a checkpoint from the values of its properties.
    package init(ledger: Text?, count: Int, hash: ChainHash) {
        (self.ledger, self.count, self.hash) = (ledger, count, hash)
    }

    /// Parses `N:HASH`, as printed by the log and `gatehouse ledger head`; nil for any other text.
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
