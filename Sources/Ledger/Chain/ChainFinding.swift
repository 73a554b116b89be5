package import Encoding

/// A fault in a ledger's hash chain. All positions are positions of entries.
package enum ChainFinding: Hashable, Sendable {
    /// The entries at these positions are absent.
    case missing(ClosedRange<Int>)
    /// The entry at this position was repeated, inserted or moved: the entry before it has the same or a higher
    /// position.
    case misplaced(Int)
    /// The hash of the entry at this position does not match its body and the hash of the entry before. One of these
    /// three was changed.
    case altered(Int)
    /// The body of the entry at this position is not a record as this program writes it. `member`: the first wrong
    /// member; empty if no single member is wrong.
    case unreadable(Int, member: String)
    /// The visit number `seq` of the entry at this position is not the next number, or it differs from the number in
    /// the visit's intent.
    case wrongNumber(Int, seq: Int)
    /// The intent at this position has the id `visit` of an intent that is still open, or more visits are open than the
    /// ledger permits.
    case repeated(Int, visit: Text)
    /// The outcome at this position, of the visit `visit`, refers to an intent that does not exist.
    case unknownIntent(Int, visit: Text)
    /// The last entry is at position `found`, but the ledger states its end at `expected`: the end was cut off or
    /// rewritten.
    case wrongEnd(expected: Int, found: Int)
    /// The first `count` entries are not those that a checkpoint describes.
    case checkpoint(count: Int)
    /// A checkpoint belongs to another ledger, the one with the given id.
    case otherLedger(Text)
    /// The database stores the entry at this position under another visit, number or kind than its record states.
    case misfiled(Int)
    /// The ledger contradicts its seal or its witness, as the text describes.
    case witness(String)
    /// The other tables of the database contradict the chain, as the text describes.
    case bookkeeping(String)

    /// The finding as a sentence for people.
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

/// The result of reading a hash chain from its start to its end.
package struct ChainReport: Hashable, Sendable {
    /// The findings in the order of the chain, at most ``ChainVerifier/findingLimit``.
    package var findings: [ChainFinding] = []
    /// The number of findings that are not listed in ``findings``.
    package var moreFindings = 0
    /// The point at which the reading began: the number of evicted entries, and the hash of the last of them.
    package var start: ChainPoint
    /// The point at which the reading ended.
    package var end: ChainPoint
    /// The number of entries that were read.
    package var entries = 0
    /// The number of outcomes that were read, by result.
    package var results: [Outcome.Result: Int] = [:]
    /// The intents without an outcome, oldest first. Their visits are in progress, or the next start of the service
    /// writes their outcomes.
    package var openIntents: [OpenIntent] = []
    /// The ids of the visits for which the gate opened although no intent was durable. Only `gate.whenLedgerFails =
    /// "open"` permits such visits.
    package var opensWithoutIntent: [Text] = []
    /// The number of checkpoints that agree with the ledger.
    package var checkpointsMet = 0
    /// The number of checkpoints that cannot be compared because their entries were evicted.
    package var checkpointsEvicted = 0

    /// The earlier ledger that this ledger replaced; nil if there is none or if its entry was evicted.
    package var predecessor: Predecessor?
    /// The result of comparing the ledger with its seal and its witness, in words; nil if they were not compared.
    package var witness: String?

    /// Whether nothing was found: no entry was removed, changed, inserted or moved.
    package var isIntact: Bool { findings.isEmpty && moreFindings == 0 }
}
