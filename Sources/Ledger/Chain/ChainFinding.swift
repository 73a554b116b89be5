package import Encoding

/// A fault of a chain, and its place. Positions are those of the entries.
package enum ChainFinding: Hashable, Sendable {
    /// The entries at these positions are absent.
    case missing(ClosedRange<Int>)
    /// The entry at this position follows an entry with the same or a later position: it was repeated,
    /// inserted or moved.
    case misplaced(Int)
    /// The hash of the entry at this position does not match its body and the preceding hash: one of the
    /// three was changed.
    case altered(Int)
    /// The body of the entry at this position is not a record, or is not in the form that this program
    /// writes. `member`: the member that shows it.
    case unreadable(Int, member: String)
    /// The visit number `seq` of the entry at this position is not the next number, or not that of the
    /// visit's intent.
    case wrongNumber(Int, seq: Int)
    /// At this position, an intent with the id `visit` is open already, or more visits are open than the
    /// ledger permits.
    case repeated(Int, visit: Text)
    /// The outcome at this position names an intent that does not exist.
    case unknownIntent(Int, visit: Text)
    /// The last entry is at `found`, and not at `expected`, where the ledger states its end: the end was cut
    /// off or rewritten.
    case wrongEnd(expected: Int, found: Int)
    /// The ledger differs from what a checkpoint stated about its first `count` entries.
    case checkpoint(count: Int)
    /// A checkpoint belongs to another ledger; the value is the id of that ledger.
    case otherLedger(Text)
    /// The entry at this position is stored under another visit, number or kind than its record has.
    case misfiled(Int)
    /// A contradiction found by the ledger's seal or its witness. The text describes it.
    case witness(String)
    /// A contradiction between the store's own lists and the chain. The text describes it.
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
    /// The findings in the order of the chain, up to ``ChainVerifier/findingLimit``.
    package var findings: [ChainFinding] = []
    /// The number of findings beyond the limit of listed findings.
    package var moreFindings = 0
    /// The point where reading began: the number of entries evicted before it, and the hash of the last of
    /// them.
    package var start: ChainPoint
    /// The point where reading ended.
    package var end: ChainPoint
    /// The number of entries read.
    package var entries = 0
    /// The number of outcomes read, by result.
    package var results: [Outcome.Result: Int] = [:]
    /// Intents without an outcome, oldest first: visits in progress, or to be closed at the next start.
    package var openIntents: [OpenIntent] = []
    /// Visits whose gate opened without a durable intent; permitted only under `gate.whenLedgerFails =
    /// "open"`.
    package var opensWithoutIntent: [Text] = []
    /// The number of checkpoints that the ledger contains.
    package var checkpointsMet = 0
    /// The number of checkpoints that can no longer be compared, because their entries have been evicted.
    package var checkpointsEvicted = 0

    /// The ledger that this ledger replaced; nil if none is known.
    package var predecessor: Predecessor?
    /// The result of the comparison with the seal and the witness, in words; nil when neither was consulted.
    package var witness: String?

    /// Whether no entry was removed, changed, inserted or moved.
    package var isIntact: Bool { findings.isEmpty && moreFindings == 0 }
}
