import Encoding

/// The comparison of the gate's ledger with the entries that the peer has. The gate asks the peer for the head of its
/// entries, at the start and then daily. If the peer returns a head that this gate signed and that the ledger does not
/// contain, the ledger was restored from an older state or rewritten. A claim without such a head says something about
/// the peer only.
struct RemoteWitness: Sendable {
    private let limits: ReportSettings.Limits
    private var state = State.due
    /// Claims for which the gate's ledger is being read, to compare the hashes.
    private var compared: [Claim] = []

    private enum State: Sendable {
        case due
        case asked(Text)
        /// The peer's server accepted the query. If no answer arrives until the given instant, the next query follows
        /// after the longest wait.
        case sent(until: Instant)
        /// The next query is due at the given instant: a day after an answer, or sooner if the last query was not
        /// answered.
        case answered(next: Instant)
    }

    /// A point of which the peer, or this gate itself, says that the ledger contains it.
    struct Claim: Hashable, Sendable {
        let point: ReportPoint
        /// Whether the point is this gate's own statement, proven by its signature or stored as its own cursor.
        let isOurs: Bool
    }

    /// The result of comparing a point with the ledger.
    enum Finding: Hashable, Sendable {
        /// The ledger contains the claimed point, as far as can be determined.
        case contained
        /// The ledger does not contain the claimed point.
        case missing(Claim)
        /// The ledger's hash at the given position must be looked up before the claim can be compared.
        case look(Int)
    }

    /// Creates the comparison, with a query for the peer's head due at once.
    init(_ limits: ReportSettings.Limits) { self.limits = limits }

    /// Whether the query for the peer's head must be sent now.
    var isDue: Bool { if case .due = state { true } else { false } }

    /// Whether an answer is awaited or a claim is being compared. Nothing is delivered in this state.
    var isWaiting: Bool {
        if !compared.isEmpty { return true }
        return switch state {
        case .asked, .sent: true
        case .due, .answered: false
        }
    }

    /// When ``pass(_:)`` must be called next; nil if time alone changes nothing.
    var deadline: Instant? {
        switch state {
        case .due, .asked: nil
        case .sent(let time), .answered(let time): time
        }
    }

    /// Records that the query with the message id `id` was passed to the connection.
    mutating func asked(_ id: Text) { state = .asked(id) }

    /// Records that the peer's server accepted the message `id`. Returns whether this message is the query.
    mutating func sent(_ id: Text, at now: Instant) -> Bool {
        guard case .asked(id) = state else { return false }
        state = .sent(until: now.advanced(by: limits.answer))
        return true
    }

    /// Starts the comparison again for a new connection: the query is due at once.
    mutating func restart() { self = RemoteWitness(limits) }

    /// Records that the message `id` could not be sent. If it is the query, the next query follows after the longest
    /// wait.
    mutating func failed(_ id: Text, at now: Instant) {
        if case .asked(id) = state { state = .answered(next: now.advanced(by: limits.longestWait)) }
    }

    /// Applies the time `now` to the state of the query.
    mutating func pass(_ now: Instant) {
        switch state {
        case .sent(let until) where now >= until:
            state = .answered(next: now.advanced(by: limits.longestWait))
        case .answered(let next) where now >= next: state = .due
        default: break
        }
    }

    /// Handles the peer's answer `head` to the query and returns the results. `signed`: the head that the peer returned
    /// with its answer, if this gate has signed it. `end`: the end of the gate's ledger. Throws `notAsked` if no query
    /// is open.
    mutating func answer(
        _ head: ReportPoint, signed: ReportPoint?, end: ReportPoint, at now: Instant
    ) throws(ReportError) -> [Finding] {
        guard head.ledger == end.ledger else { throw .otherLedger }
        switch state {
        case .asked, .sent: state = .answered(next: now.advanced(by: limits.headInterval))
        case .due, .answered: throw .notAsked
        }
        guard let signed else { return [compare(Claim(point: head, isOurs: false), end: end)] }
        let ours = compare(Claim(point: signed, isOurs: true), end: end)
        // If the signed head is missing from the ledger, that is the result. If it is the peer's head itself, one
        // comparison is enough.
        if case .missing = ours { return [ours] }
        if head.position == signed.position, head.hash == signed.hash { return [ours] }
        return [ours, compare(Claim(point: head, isOurs: false), end: end)]
    }

    /// Compares a claim with the ledger, which ends at `end`. A claim about an earlier entry needs that entry's hash
    /// first (``Finding/look(_:)``).
    mutating func compare(_ claim: Claim, end: ReportPoint) -> Finding {
        let point = claim.point
        if point.position == 0 { return .contained }
        if point.position > end.position { return .missing(claim) }
        if point.position == end.position { return point.hash == end.hash ? .contained : .missing(claim) }
        compared.append(claim)
        return .look(point.position)
    }

    /// Compares the open claim about `position` with the ledger's hash at that position. Returns the claim if the
    /// hashes differ; nil if they are equal or if `hash` is nil, because the ledger no longer has the entry.
    mutating func found(_ hash: [UInt8]?, at position: Int) -> Claim? {
        guard let index = compared.firstIndex(where: { $0.point.position == position }) else { return nil }
        let claim = compared.remove(at: index)
        guard let hash, hash != claim.point.hash else { return nil }
        if claim.isOurs { compared = [] }
        return claim
    }
}
