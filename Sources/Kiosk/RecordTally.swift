import Credentials
import Encoding
import Ledger

/// What the record of a visit is worth for which nothing opened. `docs/retention.md` has the table of the bounds.
enum RecordWorth: Int, CaseIterable, Sendable {
    /// It ended before a whole payload had arrived. Every phone in range can make such visits.
    case junk
    /// A whole payload arrived, and no signature of a trusted issuer in it holds. Every phone in range can make these,
    /// too.
    case unproven
    /// A credential that its issuer made, and that was refused: evidence.
    case proven

    /// Records of one kind in one ``window``. Further visits of the kind are counted.
    var each: Int {
        switch self {
        case .junk: 1
        case .unproven: 20
        case .proven: 5
        }
    }

    /// The period of a kind: after it the next visit of the kind has a record, which tells how many were counted.
    var window: Duration { self == .junk ? .seconds(60) : .seconds(600) }

    /// Kinds that are told apart. Of more only the deciding code counts: there are as many as the table of codes has
    /// rows.
    var kinds: Int { self == .proven ? 1024 : 64 }

    /// How much a record keeps of the texts that the phone chose: `docs/retention.md` counts on it.
    var limits: LedgerLimits {
        var limits = LedgerLimits()
        (limits.reasons, limits.identifierBytes, limits.others, limits.otherTypes) = (4, 128, 1, 2)
        // No trusted issuer signed what is in these.
        if self != .proven { (limits.types, limits.others) = (2, 0) }
        return limits
    }

    /// Records of all kinds together: at once, and in the long run.
    var allowance: Allowance {
        switch self {
        case .junk: Allowance(burst: 30, period: .seconds(300))
        case .unproven: Allowance(burst: 60, period: .seconds(300))
        case .proven: Allowance(burst: 480, period: .seconds(180))
        }
    }
}

/// Which visits without an opening have a record of their own: the first of each kind in each period, as far as the
/// allowance of their ``RecordWorth`` reaches. The others are counted, and the next record of their kind tells how many
/// there were and when.
struct RecordTally: Sendable {
    /// Visits that end alike, as far as a record tells.
    struct Kind: Hashable, Sendable {
        let worth: RecordWorth
        let result: Outcome.Result
        /// The codes of all reasons, see ``distinct(_:)``.
        let codes: [Text]
        /// Of evidence, the digest of what the issuer signed: one credential does not hide another.
        let credential: [UInt8]?

        /// Each code once, in their order: how often a code is found is the choice of the phone.
        static func distinct(_ reasons: [Outcome.Reason]) -> [Text] {
            var seen: Set<Text> = []
            return reasons.map(\.code).filter { seen.insert($0).inserted }
        }
    }

    /// An outcome as it is recorded, with the digests that name its credentials.
    struct Entry: Sendable {
        var outcome: Outcome
        let signedDigests: [[UInt8]]
    }

    /// Visits that were only counted.
    private struct Counted {
        /// The last of them.
        let last: Entry
        let count: Int
        let span: ClosedRange<Instant>
    }

    private struct Tally {
        var began: Instant
        var recorded = 0
        var counted: Counted?
    }

    /// After this time counted visits are recorded before larger groups.
    static let patience: Duration = .seconds(3600)

    private var kinds: [Kind: Tally] = [:]
    private var allowances = Dictionary(uniqueKeysWithValues: RecordWorth.allCases.map { ($0, $0.allowance) })

    /// Takes one more visit. Returns what is recorded of it, with the number of those before it that were only counted;
    /// nil: it is only counted, too. `isFull`: the ledger has no room for visits without an opening.
    mutating func take(_ entry: Entry, as kind: Kind, isFull: Bool = false, at now: Instant) -> Entry? {
        let kind = known(kind, at: now)
        var tally = kinds[kind] ?? Tally(began: now)
        if now >= tally.began.advanced(by: kind.worth.window) { (tally.began, tally.recorded) = (now, 0) }
        // Half of the allowance is left to kinds that have no record in their period yet: repeating one kind hides no
        // other.
        let kept = tally.recorded == 0 ? 0 : kind.worth.allowance.burst / 2
        let isRecorded =
            !isFull && tally.recorded < kind.worth.each
            && allowances[kind.worth]?.take(keeping: kept, at: now) == true
        var recorded: Entry?
        if isRecorded {
            tally.recorded += 1
            var own = entry
            if let counted = tally.counted.take() {
                (own.outcome.repeated, own.outcome.repeatedSpan) = (counted.count, counted.span)
            }
            recorded = own
        } else {
            let since = tally.counted?.span.lowerBound ?? now
            tally.counted = Counted(last: entry, count: (tally.counted?.count ?? 0) + 1, span: min(since, now)...now)
        }
        kinds[kind] = tally
        return recorded
    }

    /// The kind of which most visits are only counted, or the one that has waited longest where that is longer than
    /// ``patience``, as one record: that of the last of them, with the number of the others. Nil when all have been
    /// told.
    mutating func takeNext(at now: Instant) -> Entry? {
        let waiting = kinds.compactMap { kind, tally in tally.counted.map { (kind: kind, counted: $0) } }
        let largest = waiting.max { left, right in
            (left.counted.count, right.counted.span.lowerBound) < (right.counted.count, left.counted.span.lowerBound)
        }
        let oldest = waiting.min { $0.counted.span.lowerBound < $1.counted.span.lowerBound }
        let isOverdue = oldest.map { $0.counted.span.lowerBound.advanced(by: Self.patience) < now } ?? false
        guard let (kind, counted) = isOverdue ? oldest : largest else { return nil }
        kinds[kind] = Tally(began: now, recorded: kind.worth.each)
        var entry = counted.last
        entry.outcome.repeated = counted.count - 1
        if counted.count > 1 { entry.outcome.repeatedSpan = counted.span }
        return entry
    }

    /// When the oldest visit came that was only counted; nil: all have been told.
    var waitsSince: Instant? { kinds.values.compactMap { $0.counted?.span.lowerBound }.min() }

    /// When a record that no visit asks for may be written at the earliest. It is paid for like junk.
    var nextUnasked: Instant { allowances[.junk]?.next ?? .zero }

    /// Pays for one.
    mutating func payUnasked(at now: Instant) { _ = allowances[.junk]?.take(at: now) }

    /// The kind under which one is kept: kinds are forgotten once they have nothing to tell, and where there are too
    /// many only the deciding code tells them apart.
    private mutating func known(_ kind: Kind, at now: Instant) -> Kind {
        let worth = kind.worth
        func hasRoom() -> Bool { kinds.keys.count { $0.worth == worth } < worth.kinds }
        if kinds[kind] != nil || hasRoom() { return kind }
        kinds = kinds.filter { kind, tally in
            tally.counted != nil || now < tally.began.advanced(by: kind.worth.window)
        }
        if hasRoom() { return kind }
        let decided = ReasonCode.counted(kind.codes)
        return Kind(worth: kind.worth, result: kind.result, codes: [Text(decided.text)], credential: nil)
    }
}
