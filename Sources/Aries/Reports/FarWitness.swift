import Encoding

/// What a keeper has of our ledger, as evidence against this box: asked at the start and daily. A head that this box
/// signed and that the ledger does not contain shows that the ledger was put back or rewritten. A claim without such a
/// head says something about the peer only.
struct FarWitness: Sendable {
    private let limits: ReportSettings.Limits
    private var state = State.due
    /// Places whose hashes in our own ledger are wanted, one after the other.
    private var compared: [Claim] = []

    private enum State: Sendable {
        case due
        case asked(Text)
        /// The question is there; without answer nothing is known until the next one.
        case sent(until: Instant)
        /// The next question's time: a day behind an answer, sooner where there was none.
        case answered(next: Instant)
    }

    /// A place that the ledger is said to contain.
    struct Claim: Hashable, Sendable {
        let point: ReportPoint
        /// Whether this box itself says so, by its signature or in its own cursor.
        let isOurs: Bool
    }

    /// What comparing a place with the ledger says.
    enum Finding: Hashable, Sendable {
        /// The ledger contains it, as far as can be told.
        case contained
        /// It does not.
        case missing(Claim)
        /// The hash of that position has to be looked up.
        case look(Int)
    }

    /// Asks as soon as it may.
    init(_ limits: ReportSettings.Limits) { self.limits = limits }

    /// Whether the question is to be asked now.
    var isDue: Bool { if case .due = state { true } else { false } }

    /// Whether an answer is waited for, or a place is being compared: nothing is to be built on the ledger meanwhile.
    var isWaiting: Bool {
        if !compared.isEmpty { return true }
        return switch state {
        case .asked, .sent: true
        case .due, .answered: false
        }
    }

    /// When ``pass(_:)`` has something to do.
    var deadline: Instant? {
        switch state {
        case .due, .asked: nil
        case .sent(let time), .answered(let time): time
        }
    }

    /// The question of that id was handed to the connection.
    mutating func asked(_ id: Text) { state = .asked(id) }

    /// The peer's server took a message; whether it was the question.
    mutating func sent(_ id: Text, at now: Instant) -> Bool {
        guard case .asked(id) = state else { return false }
        state = .sent(until: now.advanced(by: limits.answer))
        return true
    }

    /// The connection begins anew: the question, too.
    mutating func restart() { self = FarWitness(limits) }

    /// A message did not get through.
    mutating func failed(_ id: Text, at now: Instant) {
        if case .asked(id) = state { state = .answered(next: now.advanced(by: limits.longestWait)) }
    }

    /// The time is `now`.
    mutating func pass(_ now: Instant) {
        switch state {
        case .sent(let until) where now >= until:
            state = .answered(next: now.advanced(by: limits.longestWait))
        case .answered(let next) where now >= next: state = .due
        default: break
        }
    }

    /// Takes the peer's answer. `signed`: the head that it gave back, if this box signed that. Throws if no question is
    /// open.
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
        // Where our own word is against us, or is the same as the peer's, there is no more to ask.
        if case .missing = ours { return [ours] }
        if head.position == signed.position, head.hash == signed.hash { return [ours] }
        return [ours, compare(Claim(point: head, isOurs: false), end: end)]
    }

    /// Compares a place with a ledger that ends with `end`.
    mutating func compare(_ claim: Claim, end: ReportPoint) -> Finding {
        let point = claim.point
        if point.position == 0 { return .contained }
        if point.position > end.position { return .missing(claim) }
        if point.position == end.position { return point.hash == end.hash ? .contained : .missing(claim) }
        compared.append(claim)
        return .look(point.position)
    }

    /// Takes the ledger's own hash at that position, nil if the entry is no longer kept. Returns the claim that the
    /// hash contradicts, if there is one.
    mutating func found(_ hash: [UInt8]?, at position: Int) -> Claim? {
        guard let index = compared.firstIndex(where: { $0.point.position == position }) else { return nil }
        let claim = compared.remove(at: index)
        guard let hash, hash != claim.point.hash else { return nil }
        if claim.isOurs { compared = [] }
        return claim
    }
}
