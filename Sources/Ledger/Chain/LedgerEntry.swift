package import Encoding

/// One link of the chain as it is stored and exported.
package struct LedgerEntry: Hashable, Sendable {
    /// 1 for the ledger's first entry, without gaps.
    package var position: Int
    /// Binds `body` and everything before it.
    package var hash: ChainHash
    /// ``LedgerRecord/bytes``.
    package var body: [UInt8]

    /// An entry as it was read from somewhere; ``ChainVerifier`` tells whether it is genuine.
    package init(position: Int, hash: ChainHash, body: [UInt8]) {
        self.position = position
        self.hash = hash
        self.body = body
    }
}

/// A place in the chain: so many entries are before it, and this is their hash. Serves as the start of what is kept
/// after older entries were evicted, as the end that a complete chain must reach, and as the content of a
/// ``Checkpoint``.
package struct ChainPoint: Hashable, Sendable {
    /// No ledger grows beyond this: 2^53, what JSON readers keep exactly. Greater figures are damage.
    package static let countLimit = 1 << 53

    /// Entries up to here; the position of the last one.
    package var count: Int
    /// Hash of the last one, or the genesis hash when there is none.
    package var hash: ChainHash
    /// The number that the next new visit gets.
    package var nextSeq: Int

    /// A place by its figures.
    package init(count: Int, hash: ChainHash, nextSeq: Int) {
        self.count = count
        self.hash = hash
        self.nextSeq = nextSeq
    }
}

extension ChainPoint {
    /// Before the first entry of the ledger of that id.
    package static func genesis(ledger: Text) -> ChainPoint {
        ChainPoint(count: 0, hash: .genesis(ledger: ledger), nextSeq: 1)
    }
}
