package import Encoding

/// A known state of a ledger, kept outside the ledger: the number of entries and the hash of the last one,
/// which binds all entries before it.
///
/// The chain alone cannot show that its *end* was cut off together with the stored end. A checkpoint can show
/// it: every later state of the ledger must contain it (``ChainVerifier`` takes a list).
package struct Checkpoint: Hashable, Sendable {
    /// The ledger's id; nil when only the figures were kept.
    package var ledger: Text?
    /// The number of entries in the ledger.
    package var count: Int
    /// The hash of the last entry.
    package var hash: ChainHash

    /// Creates a checkpoint from the values of its properties.
    package init(ledger: Text?, count: Int, hash: ChainHash) {
        (self.ledger, self.count, self.hash) = (ledger, count, hash)
    }

    /// Parses `N:HASH`, the form that the log and `gatehouse ledger head` print; nil for any other text.
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
