import Encoding

/// The entries of the gate's ledger that the peer has, as evidence against this gate. The gate asks the peer
/// for the head of these entries at the start and daily. A head that this gate signed and that the ledger
/// does not contain shows that the ledger was restored from an older state or rewritten. A claim without such
/// a head is evidence about the peer only.
struct RemoteWitness: Sendable {
    private let limits: ReportSettings.Limits
    private var state = State.due
    /// Claims whose hashes in the gate's ledger are being looked up.
    private var compared: [Claim] = []

    private enum State: Sendable {
        case due
        case asked(Text)
        /// The question was sent. If it is not answered until the given instant, the next question waits
        /// from then on for the longest wait.
        case sent(until: Instant)
        /// The time of the next question: a day after an answer, sooner if the last question was not
        /// answered.
        case answered(next: Instant)
    }

    /// A point that the ledger is said to contain.
    struct Claim: Hashable, Sendable {
        let point: ReportPoint
        /// Whether this gate itself states the point, by its signature or in its own cursor.
        let isOurs: Bool
    }

    /// The result of comparing a point with the ledger.
    enum Finding: Hashable, Sendable {
        /// The ledger contains the claimed point, as far as can be determined.
        case contained
        /// The ledger does not contain the claimed point.
        case missing(Claim)
        /// The hash of the ledger's entry at the given position must be looked up.
        case look(Int)
    }

    /// Creates a witness that asks the peer for its head as soon as possible.
    init(_ limits: ReportSettings.Limits) { self.limits = limits }

    /// Whether the question is to be asked now.
    var isDue: Bool { if case .due = state { true } else { false } }

    /// Whether an answer is awaited, or a point is being compared. Nothing is delivered meanwhile.
    var isWaiting: Bool {
        if !compared.isEmpty { return true }
        return switch state {
        case .asked, .sent: true
        case .due, .answered: false
        }
    }

    /// When ``pass(_:)`` has an effect.
    var deadline: Instant? {
        switch state {
        case .due, .asked: nil
        case .sent(let time), .answered(let time): time
        }
    }

    /// Records that the question with the id `id` was passed to the connection.
    mutating func asked(_ id: Text) { state = .asked(id) }

    /// Records that the peer's server accepted a message. Returns whether it was the question.
    mutating func sent(_ id: Text, at now: Instant) -> Bool {
        guard case .asked(id) = state else { return false }
        state = .sent(until: now.advanced(by: limits.answer))
        return true
    }

    /// Starts over with a new connection: the question is asked again.
    mutating func restart() { self = RemoteWitness(limits) }

    /// Records that a message failed.
    mutating func failed(_ id: Text, at now: Instant) {
        if case .asked(id) = state { state = .answered(next: now.advanced(by: limits.longestWait)) }
    }

    /// Applies the time `now`.
    mutating func pass(_ now: Instant) {
        switch state {
        case .sent(let until) where now >= until:
            state = .answered(next: now.advanced(by: limits.longestWait))
        case .answered(let next) where now >= next: state = .due
        default: break
        }
    }

    /// Takes the peer's answer. `signed`: the head that the peer returned, if this gate signed it. Throws if
    /// no question is open.
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
        // If the gate's own statement is missing from the ledger, or equals the peer's, there is nothing more
        // to compare.
        if case .missing = ours { return [ours] }
        if head.position == signed.position, head.hash == signed.hash { return [ours] }
        return [ours, compare(Claim(point: head, isOurs: false), end: end)]
    }

    /// Compares a point with a ledger that ends with `end`.
    mutating func compare(_ claim: Claim, end: ReportPoint) -> Finding {
        let point = claim.point
        if point.position == 0 { return .contained }
        if point.position > end.position { return .missing(claim) }
        if point.position == end.position { return point.hash == end.hash ? .contained : .missing(claim) }
        compared.append(claim)
        return .look(point.position)
    }

    /// Takes the ledger's own hash at `position`; nil: the ledger no longer has that entry. Returns the
    /// peer's claim if the hash contradicts it.
    mutating func found(_ hash: [UInt8]?, at position: Int) -> Claim? {
        guard let index = compared.firstIndex(where: { $0.point.position == position }) else { return nil }
        let claim = compared.remove(at: index)
        guard let hash, hash != claim.point.hash else { return nil }
        if claim.isOurs { compared = [] }
        return claim
    }
}
