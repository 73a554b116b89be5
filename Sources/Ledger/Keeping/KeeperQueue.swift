package import Encoding

/// The queue of records that are not written yet. It determines which records are written next, and where.
///
/// Intents are written first, the newest before older ones, because a person waits at the gate for each. Decisions are
/// written in the same transaction: the gate was ordered to open for them, and a power cut before the write would lose
/// the record of the admission. Outcomes are added if there is room: first those of visits for which the gate opened,
/// then the others in their order. While the disk refuses writes, outcomes are written to the reserve. Intents are
/// still tried, so that each succeeds or fails. Decisions wait in memory, because their outcomes follow soon and
/// replace them. The number of waiting records of each kind is limited. Outcomes beyond the limit are counted as lost
/// visits.
///
/// One step is in progress at a time. ``next(at:)`` returns the step, and an event reports its result.
package struct KeeperQueue: Sendable {
    /// The limits and times of the queue.
    package struct Limits: Sendable {
        /// The largest number of waiting intents. Beyond it the oldest intent is given up, because its visitor has
        /// waited longest.
        package var intents = 64
        /// The largest number of outcomes in memory, for visits for which the gate opened, while neither the disk nor
        /// the reserve accepts them. Each needs about 1 KiB. Beyond it the oldest is lost.
        package var opened = 4096
        /// The largest number of other outcomes in memory while neither the disk nor the reserve accepts them. Beyond
        /// it outcomes of failed transfers without a credential are given up first.
        package var ordinary = 2048
        /// The largest number of waiting decisions. Beyond it the oldest is given up, and the gate may not recognise
        /// its credential after a restart.
        package var decisions = 1024
        /// The largest number of outcomes in one transaction. Up to this number, the sync is nearly the whole cost of
        /// the transaction.
        package var batch = 32
        /// The wait before the disk or the reserve is tried again after a failure.
        package var retryAfter: Duration = .seconds(1)
        /// The time after which a transaction that is not finished counts as a disk that does not respond.
        package var stallAfter: Duration = .seconds(10)

        /// Creates a value whose properties have their defaults.
        package init() {}
    }

    /// An event that changes the queue.
    package enum Event: Hashable, Sendable {
        /// An intent must be written.
        case intent(UnwrittenIntent)
        /// An outcome must be written.
        case outcome(UnwrittenOutcome)
        /// The gate was ordered to open. The decision must be stored until the outcome is written.
        case decision(UnwrittenDecision)
        /// The records of the step are durable, except those of the visits in `refused`, which the rules of the ledger
        /// do not permit.
        case written(refused: Set<Text>)
        /// The disk did not accept the records.
        case writeFailed
        /// The reserve has stored the outcomes of the step.
        case reserved
        /// The reserve did not accept the outcomes of the step.
        case reserveFailed
        /// Records of the reserve were written to the ledger. `left`: the number of records that are still in the
        /// reserve; `refused`: the number of records that the rules of the ledger do not permit.
        case restored(left: Int, refused: Int)
        /// The records of the reserve could not be read.
        case restoreFailed
        /// No further records follow. Write those that wait, and end.
        case finish
    }

    /// What the caller must do next.
    package enum Step: Hashable, Sendable {
        /// Write these records to the ledger in one transaction, in this order. `restoring`: also write the next
        /// records of the reserve.
        case write([UnwrittenIntent], [UnwrittenDecision], [UnwrittenOutcome], restoring: Bool)
        /// Write these outcomes to the reserve.
        case reserve([UnwrittenOutcome])
        /// The queue has ended: every record that could be stored is stored.
        case end
    }

    private let limits: Limits
    private var intents: [UnwrittenIntent] = []
    private var opened: [UnwrittenOutcome] = []
    private var ordinary: [UnwrittenOutcome] = []
    private var decisions: [UnwrittenDecision] = []
    private var underWay: Step?
    /// When the step in progress began; nil if no step is in progress.
    private var begun: Instant?
    private var retryAt: Instant?
    private var reserveRetryAt: Instant?
    private var restoreRetryAt: Instant?
    private var isFinishing = false
    private var hasEnded = false

    /// The number of records in the reserve.
    package private(set) var reserved: Int
    /// The number of visits whose outcome was lost since the queue was created.
    package private(set) var lost = 0
    /// Whether a step has been in progress for longer than ``Limits/stallAfter``, as of the last ``next(at:)``. While
    /// it is, no intent is accepted.
    package private(set) var isStalled = false

    /// Creates an empty queue. `reserved`: the number of records that an earlier run left in the reserve.
    package init(limits: Limits = Limits(), reserved: Int) {
        (self.limits, self.reserved) = (limits, reserved)
    }

    /// The number of records that the disk has not accepted: those in the reserve, and those in memory while the disk
    /// refuses writes or does not respond. 0 if the disk works. Decisions are counted only if there is no other such
    /// record, because their outcomes follow within seconds.
    package var unwritten: Int {
        if retryAt == nil, reserved == 0, !isStalled { return 0 }
        let records = reserved + held.count
        return records > 0 ? records : undecided.count
    }

    /// The number of visits whose outcome is only in memory.
    package var inMemory: Int { held.reduce(0) { $0 + $1.visits } }

    private var held: [UnwrittenOutcome] {
        switch underWay {
        case .write(_, _, let outcomes, _), .reserve(let outcomes): opened + ordinary + outcomes
        case .end, nil: opened + ordinary
        }
    }

    /// The decisions that are not on the disk yet.
    private var undecided: [UnwrittenDecision] {
        if case .write(_, let decisions, _, _) = underWay { decisions + self.decisions } else { decisions }
    }

    /// Applies an event. Returns the ids of the intents that will not be written. The caller must report a failure for
    /// each.
    package mutating func handle(_ event: Event, at now: Instant) -> [Text] {
        switch event {
        case .intent(let intent): return add(intent)
        case .outcome(let outcome): return add(outcome)
        case .decision(let decision): add([decision])
        case .written(let refused):
            guard case .write(_, _, let outcomes, _) = endStep() else { return [] }
            retryAt = nil
            for outcome in outcomes where refused.contains(outcome.visit) { lost += outcome.visits }
        case .writeFailed:
            guard case .write(_, let decisions, let outcomes, _) = endStep() else { return [] }
            retryAt = now.advanced(by: limits.retryAfter)
            putBack(outcomes)
            let later = self.decisions
            self.decisions = []
            add(decisions + later)
        case .reserved:
            guard case .reserve(let outcomes) = endStep() else { return [] }
            reserved += outcomes.count
            reserveRetryAt = nil
        case .reserveFailed:
            guard case .reserve(let outcomes) = endStep() else { return [] }
            reserveRetryAt = now.advanced(by: limits.retryAfter)
            putBack(outcomes)
        case .restored(let left, let refused):
            (reserved, restoreRetryAt) = (left, nil)
            lost += refused
        case .restoreFailed: restoreRetryAt = now.advanced(by: limits.retryAfter)
        case .finish:
            isFinishing = true
            // Try the ledger and the reserve once more, without waiting.
            (retryAt, reserveRetryAt, restoreRetryAt) = (nil, nil, nil)
        }
        return []
    }

    /// Returns the next step; nil if there is none before ``deadline`` or the next event.
    package mutating func next(at now: Instant) -> Step? {
        if let stall = stallAt, now >= stall { isStalled = true }
        guard underWay == nil, !hasEnded else { return nil }
        let diskRefuses = isResting(retryAt, at: now)
        let restoring = !diskRefuses && reserved > 0 && !isResting(restoreRetryAt, at: now)
        if !intents.isEmpty || restoring || !diskRefuses && (hasOutcomes || !decisions.isEmpty) {
            // An intent is tried even if the disk has just refused a write. Outcomes are added only if the disk is
            // known to work, and only after the older outcomes of the reserve.
            let outcomes = restoring || diskRefuses || retryAt != nil && !intents.isEmpty ? [] : takeOutcomes()
            let newestFirst = Array(intents.reversed())
            let decided = diskRefuses ? [] : decisions
            intents = []
            if !diskRefuses { decisions = [] }
            return begin(.write(newestFirst, decided, outcomes, restoring: restoring), at: now)
        }
        if hasOutcomes, !isResting(reserveRetryAt, at: now) { return begin(.reserve(takeOutcomes()), at: now) }
        guard isFinishing else { return nil }
        lost += (opened + ordinary).reduce(0) { $0 + $1.visits }
        (opened, ordinary, hasEnded) = ([], [], true)
        return .end
    }

    /// When ``next(at:)`` must be called again even if no event occurs; nil if it need not be.
    package var deadline: Instant? {
        if underWay != nil { return isStalled ? nil : stallAt }
        guard !hasEnded else { return nil }
        let retries = [
            reserved > 0 ? [retryAt, restoreRetryAt].compactMap { $0 }.max() : nil,
            hasOutcomes || !decisions.isEmpty ? retryAt : nil,
            hasOutcomes && retryAt != nil ? reserveRetryAt : nil,
        ]
        return retries.compactMap { $0 }.min()
    }

    // MARK: - Kinds of entries in the queue

    private var hasOutcomes: Bool { !opened.isEmpty || !ordinary.isEmpty }

    private mutating func add(_ intent: UnwrittenIntent) -> [Text] {
        guard !isFinishing, !isStalled else { return [intent.intent] }
        intents.append(intent)
        return intents.count > limits.intents ? [intents.removeFirst().intent] : []
    }

    private mutating func add(_ outcome: UnwrittenOutcome) -> [Text] {
        // The visit has ended, so its waiting intent is no longer needed.
        let waiting = intents.firstIndex { $0.intent == outcome.intent }
        if let waiting { intents.remove(at: waiting) }
        if hasEnded {
            lost += outcome.visits
        } else if outcome.outcome.weight == .opened {
            if opened.count >= limits.opened { lost += opened.removeFirst().visits }
            opened.append(outcome)
        } else {
            if ordinary.count >= limits.ordinary {
                let first = ordinary.firstIndex { $0.outcome.weight == .junk } ?? 0
                lost += ordinary.remove(at: first).visits
            }
            ordinary.append(outcome)
        }
        return waiting == nil ? [] : [outcome.intent]
    }

    private mutating func takeOutcomes() -> [UnwrittenOutcome] {
        let first = opened.prefix(limits.batch)
        let others = ordinary.prefix(limits.batch - first.count)
        opened.removeFirst(first.count)
        ordinary.removeFirst(others.count)
        return Array(first + others)
    }

    private mutating func putBack(_ outcomes: [UnwrittenOutcome]) {
        opened.insert(contentsOf: outcomes.filter { $0.outcome.weight == .opened }, at: 0)
        ordinary.insert(contentsOf: outcomes.filter { $0.outcome.weight != .opened }, at: 0)
    }

    /// Returns whether a destination that failed must not be tried yet. After ``Event/finish`` it is not tried a second
    /// time.
    private func isResting(_ until: Instant?, at now: Instant) -> Bool {
        until.map { isFinishing || $0 > now } ?? false
    }

    private mutating func add(_ comers: [UnwrittenDecision]) {
        decisions += comers
        decisions.removeFirst(max(0, decisions.count - limits.decisions))
    }

    private mutating func begin(_ step: Step, at now: Instant) -> Step {
        (underWay, begun) = (step, now)
        return step
    }

    private mutating func endStep() -> Step? {
        (begun, isStalled) = (nil, false)
        return underWay.take()
    }

    private var stallAt: Instant? { begun?.advanced(by: limits.stallAfter) }
}
