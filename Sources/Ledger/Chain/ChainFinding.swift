package import Encoding

/// A fault of a chain, and its place. The positions are positions of entries.
package enum ChainFinding: Hashable, Sendable {
    /// The entries at these positions are absent.
    case missing(ClosedRange<Int>)
    /// The entry at this position was repeated, inserted or moved: the preceding entry has the same or a later
    /// position.
    case misplaced(Int)
    /// The hash of the entry at this position does not match the body and the preceding hash. One of the three was
    /// changed.
    case altered(Int)
    /// The body of the entry at this position is not a record in the form that this program writes. `member`: the first
    /// wrong member.
    case unreadable(Int, member: String)
    /// The visit number `seq` of the entry at this position is not the next number, or differs from the number in the
    /// visit's intent.
    case wrongNumber(Int, seq: Int)
    /// The intent at this position has the id `visit` of an open intent, or exceeds the permitted number of open
    /// visits.
    case repeated(Int, visit: Text)
    /// The outcome at this position names an intent that does not exist.
    case unknownIntent(Int, visit: Text)
    /// The last entry is at `found`, but the ledger states its end at `expected`: the end was cut off or rewritten.
    case wrongEnd(expected: Int, found: Int)
    /// A checkpoint contradicts the first `count` entries.
    case checkpoint(count: Int)
    /// A checkpoint belongs to the ledger with the id in the value.
    case otherLedger(Text)
    /// The entry at this position is stored under another visit, number or kind than that in its record.
    case misfiled(Int)
    /// A contradiction in the ledger's seal or with its witness. The text describes the contradiction.
    case witness(String)
    /// A contradiction between the store's lists and the chain. The text describes the contradiction.
    case bookkeeping(String)

    /// The finding in plain words.
    package var text: String {
        switch self {
        case .missing(let range):
            range.count == 1
                ? "entry \(range.lowerBound) is missing"
                : "entries \(range.lowerBound) to \(range.upperBound) are missing"
        case .misplaced(let position): "entry \(position) is repeated or out of order"
        case .altered(let position): "entry \(position) was altered after it was written"
        case .unreadable(let position, let member):
            "entry \(position) is not a record" + (member.isEmpty ? "" : " (member \(member))")
        case .wrongNumber(let position, let seq): "entry \(position) has visit number \(seq) out of sequence"
        case .repeated(let position, let visit): "entry \(position) repeats visit \(visit)"
        case .unknownIntent(let position, let visit): "entry \(position) closes visit \(visit), which was never opened"
        case .wrongEnd(let expected, let found): "the chain should end with entry \(expected) but ends with \(found)"
        case .checkpoint(let count): "the first \(count) entries are not those of the checkpoint"
        case .otherLedger(let ledger): "the checkpoint is about another ledger, \(ledger)"
        case .misfiled(let position): "entry \(position) has an index that differs from its record"
        case .witness(let text): "the witness contradicts: \(text)"
        case .bookkeeping(let text): text
        }
    }
}

/// The result of reading a chain from its start to its end.
package struct ChainReport: Hashable, Sendable {
    /// The findings in the order of the chain, at most ``ChainVerifier/findingLimit``.
    package var findings: [ChainFinding] = []
    /// The number of findings beyond the limit of listed findings.
    package var moreFindings = 0
    /// The point where the reading began: the number of evicted entries, and the hash of the last evicted entry.
    package var start: ChainPoint
    /// The point where reading ended.
    package var end: ChainPoint
    /// The number of entries read.
    package var entries = 0
    /// The number of outcomes read, by result.
    package var results: [Outcome.Result: Int] = [:]
    /// The intents without an outcome, oldest first. Their visits are in progress, or the next start closes them.
    package var openIntents: [OpenIntent] = []
    /// The visits for which the gate opened without a durable intent. Only `gate.whenLedgerFails = "open"` permits such
    /// visits.
    package var opensWithoutIntent: [Text] = []
    /// The number of checkpoints that the ledger confirms.
    package var checkpointsMet = 0
    /// The number of checkpoints that cannot be compared because their entries were evicted.
    package var checkpointsEvicted = 0

    /// The ledger that this ledger replaced; nil if it is unknown.
    package var predecessor: Predecessor?
    /// The result of the comparison with the seal and the witness, in words; nil without such a comparison.
    package var witness: String?

    /// Whether no entry was removed, changed, inserted or moved.
    package var isIntact: Bool { findings.isEmpty && moreFindings == 0 }
}
