import Credentials
import Encoding
import Ledger
import Reasons

/// The priority of the record of a visit for which the gate did not open. `docs/retention.md` has the table of the
/// limits.
enum RecordPriority: Int, CaseIterable, Sendable {
    /// The visit ended before a whole payload had arrived. Every phone in range can make such visits.
    case junk
    /// A whole payload arrived, but it has no valid signature of a trusted issuer. Every phone in range can
    /// make such visits, too.
    case unproven
    /// The visit had a credential that its issuer made and that the gate refused: it is evidence.
    case proven

    /// The largest number of records of one kind in one ``window``. Further visits of the kind are counted.
    var each: Int {
        switch self {
        case .junk: 1
        case .unproven: 20
        case .proven: 5
        }
    }

    /// The period in which ``each`` limits the records of one kind. The next visit of the kind after the period has a
    /// record, which contains the number of counted visits.
    var window: Duration { self == .junk ? .seconds(60) : .seconds(600) }

    /// The largest number of kinds that are distinguished. Beyond it, visits are distinguished only by the
    /// reason code of the result: then there are at most as many kinds as the table of codes has rows.
    var kinds: Int { self == .proven ? 1024 : 64 }

    /// The limits of the texts in a record that the phone chose: `docs/retention.md` relies on these limits.
    var limits: LedgerLimits {
        var limits = LedgerLimits()
        (limits.reasons, limits.identifierBytes, limits.others, limits.otherTypes) = (4, 128, 1, 2)
        // Use tighter limits for visits whose content no trusted issuer signed.
        if self != .proven { (limits.types, limits.others) = (2, 0) }
        return limits
    }

    /// The number of records of all kinds together: the number at once, and the rate in the long run.
    var allowance: Allowance {
        switch self {
        case .junk: Allowance(burst: 30, period: .seconds(300))
        case .unproven: Allowance(burst: 60, period: .seconds(300))
        case .proven: Allowance(burst: 480, period: .seconds(180))
        }
    }
}

/// Chooses which visits without an opening have a separate record: the first visit of each kind in each
/// period, as far as the allowance of its ``RecordPriority`` permits. The other visits are counted, and the next
/// record of their kind contains their number and their times.
struct RecordTally: Sendable {
    /// A kind of visits: those that end in the same way, as far as a record shows.
    struct Kind: Hashable, Sendable {
        let worth: RecordPriority
        let result: Outcome.Result
        /// The codes of all reasons, see ``distinct(_:)``.
        let codes: [Text]
        /// For the priority ``RecordPriority/proven``: the digest of the credential's signed content, so that each
        /// credential is a separate kind; nil for other visits.
        let credential: [UInt8]?

        /// Returns each code once, in order: the phone can choose how often a code occurs.
        static func distinct(_ reasons: [Outcome.Reason]) -> [Text] {
            var seen: Set<Text> = []
            return reasons.map(\.code).filter { seen.insert($0).inserted }
        }
    }

    /// An outcome in the form in which it is recorded, with the digests that name its credentials.
    struct Entry: Sendable {
        var outcome: Outcome
        let signedDigests: [[UInt8]]
    }

    /// Visits that were only counted.
    private struct Counted {
        /// The last of the counted visits.
        let last: Entry
        let count: Int
        let span: ClosedRange<Instant>
    }

    private struct Tally {
        var began: Instant
        var recorded = 0
        var counted: Counted?
    }

    /// The waiting time after which counted visits are recorded before larger groups of counted visits.
    static let patience: Duration = .seconds(3600)

    private var kinds: [Kind: Tally] = [:]
    private var allowances = Dictionary(uniqueKeysWithValues: RecordPriority.allCases.map { ($0, $0.allowance) })

    /// Counts one more visit. Returns what to record of the visit, with the number of earlier visits of its kind that
    /// were only counted; nil when this visit is only counted, too. `isFull`: the ledger has no room for visits
    /// without an opening.
    mutating func take(_ entry: Entry, as kind: Kind, isFull: Bool = false, at now: Instant) -> Entry? {
        let kind = known(kind, at: now)
        var tally = kinds[kind] ?? Tally(began: now)
        if now >= tally.began.advanced(by: kind.worth.window) { (tally.began, tally.recorded) = (now, 0) }
        // Half of the allowance is reserved for kinds without a record in their period: repeating one kind suppresses
        // no record of another kind.
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

    /// Removes the counted visits of one kind and returns one record for them. The kind is the one with most counted
    /// visits, or the one that has waited longest if that is longer than ``patience``. The record is that of the
    /// kind's last visit, with the number of the other visits. Returns nil when no counted visits are left.
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

    /// When the oldest visit arrived that is counted and not recorded yet; nil when all are recorded.
    var waitsSince: Instant? { kinds.values.compactMap { $0.counted?.span.lowerBound }.min() }

    /// When a record that no visit requests may be written at the earliest. The record uses the allowance of junk.
    var nextUnasked: Instant { allowances[.junk]?.next ?? .zero }

    /// Uses the allowance of junk for a record that no visit requests.
    mutating func payUnasked(at now: Instant) { _ = allowances[.junk]?.take(at: now) }

    /// Returns the kind under which a visit is counted. Removes kinds with no visit left to record. If there
    /// are too many kinds, visits are distinguished only by the reason code of the result.
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
