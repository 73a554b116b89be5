package import Encoding

/// The description of a replaced ledger in the first record of the ledger that replaced it: the last state that the
/// witness recorded or, without a witness, the state that the replaced ledger stated itself.
package struct Predecessor: Hashable, Sendable {
    /// The id of the replaced ledger.
    package var ledger: Text
    /// The number of entries in the replaced ledger.
    package var count: Int
    /// The hash of the last entry in the replaced ledger.
    package var hash: ChainHash

    /// Creates the description of a replaced ledger from its id and its end.
    package init(ledger: Text, count: Int, hash: ChainHash) {
        (self.ledger, self.count, self.hash) = (ledger, count, hash)
    }

    var json: JSON { ["ledger": .string(ledger), "count": .int(count), "hash": .text(hash.hex)] }

    init?(_ fields: RecordFields?) throws(RecordError) {
        guard let fields else { return nil }
        guard let hash = ChainHash(try fields.hex("hash")) else { throw RecordError(member: "hash") }
        self.init(ledger: try fields.text("ledger"), count: try fields.figure("count"), hash: hash)
    }
}
