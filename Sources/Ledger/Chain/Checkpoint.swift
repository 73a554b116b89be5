package import Encoding

/// What somebody kept of a ledger: how many entries it had and the hash of the last one, which binds all before.
///
/// The chain alone cannot show that its *end* was cut off together with the stored end. Whoever holds a checkpoint can:
/// every later state of the ledger must contain it (``ChainVerifier`` takes a list).
package struct Checkpoint: Hashable, Sendable {
    /// The ledger's id; nil when only the figures were kept.
    package var ledger: Text?
    /// Entries.
    package var count: Int
    /// Hash of the last one.
    package var hash: ChainHash

    /// A checkpoint of these parts.
    package init(ledger: Text?, count: Int, hash: ChainHash) {
        (self.ledger, self.count, self.hash) = (ledger, count, hash)
    }

    /// `N:HASH` as log and `gatehouse ledger head` write it; nil for anything else.
    package init?(_ text: Text) {
        let parts = text.string.split(separator: ":", omittingEmptySubsequences: false)
        guard parts.count == 2, let count = Int(parts[0]), (0...ChainPoint.countLimit).contains(count),
            let hash = Hex.decode(parts[1]).flatMap({ ChainHash($0) })
        else { return nil }
        self.init(ledger: nil, count: count, hash: hash)
    }

    /// `N:HASH`.
    package var text: Text { Text("\(count):\(hash.hex)") }
}
