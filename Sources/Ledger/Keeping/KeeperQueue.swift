package import Encoding

/// The records that wait for the disk, and the choice of the next record to write.
///
/// Intents come first, the newest before the older, because a person waits at the gate for each intent. Decisions
/// follow at once: for each decision a gate was ordered to open, and a power cut before the write would lose the record
/// of the admission. Outcomes join the same transaction if there is room: first those of visits for which the gate
/// opened, then the others in order. While the disk refuses writes, outcomes are written to the reserve. Intents are
/// still tried, so that each gets an answer. Decisions wait in memory, because their outcomes follow soon and contain
/// more. The number of waiting records of each class is limited, and outcomes beyond the limit are counted as lost
/// visits.
///
/// One step is in progress at a time. ``next(at:)`` returns the step, and an event reports its result.
package struct KeeperQueue: Sendable {
    /// Bounds and pauses.
    package struct Limits: Sendable {
        /// The maximum number of waiting intents. Beyond it the oldest intent is given up, because its visitor has
        /// waited longest.
        package var intents = 64
        /// The maximum number of outcomes of visits with an opened gate in memory while neither disk nor reserve
        /// accepts them (about 1 KiB each).
        package var opened = 4096
        /// The maximum number of other outcomes in memory at such a time. Outcomes of phones without a usable payload
        /// are given up first.
        package var ordinary = 2048
        /// The maximum number of waiting decisions. Beyond it the oldest decisions are given up, together with the
        /// replay names of their credentials.
        package var decisions = 1024
        /// The maximum number of outcomes in one transaction. With so few outcomes, the sync is nearly the whole cost
        /// of a transaction.
        package var batch = 32
        /// The pause before the next attempt with a failed disk or reserve.
        package var retryAfter: Duration = .seconds(1)
        /// The duration after which an unfinished transaction means that the disk does not respond.
        package var stallAfter: Duration = .seconds(10)

        /// Creates the documented default limits.
        package init() {}
    }

    /// An event that changes the queue.
    package enum Event: Hashable, Sendable {
        /// The given intent is to be written.
        case intent(UnwrittenIntent)
        /// The given outcome is to be written.
        case outcome(UnwrittenOutcome)
        /// The gate was ordered to open. The given decision must be stored until the outcome follows.
        case decision(UnwrittenDecision)
        /// The records of the step are durable. The ledger's rules permanently refuse the records of the visits in
        /// `refused`.
        case written(refused: Set<Text>)
        /// The disk did not accept the records.
        case writeFailed
        /// The reserve has the outcomes.
        case reserved
        /// The reserve did not accept the outcomes.
        case reserveFailed
        /// Records of the reserve are now in the ledger. `left`: the number of records that remain in the reserve;
        /// `refused`: the number of records that the ledger's rules refuse.
        case restored(left: Int, refused: Int)
        /// The reserve's records could not be read.
        case restoreFailed
        /// No further events follow. The waiting records are to be written.
        case finish
    }

    /// The next action.
    package enum Step: Hashable, Sendable {
        /// Write these records into the ledger in one transaction, in this order. `restoring`: include the next records
        /// of the reserve.
        case write([UnwrittenIntent], [UnwrittenDecision], [UnwrittenOutcome], restoring: Bool)
        /// Write these outcomes into the reserve.
        case reserve([UnwrittenOutcome])
        /// The queue is finished: everything that can be stored is stored.
        case end
    }

    private let limits: Limits
    private var intents: [UnwrittenIntent] = []
    private var opened: [UnwrittenOutcome] = []
    private var ordinary: [UnwrittenOutcome] = []
    private var decisions: [UnwrittenDecision] = []
    private var underWay: Step?
    /// The time at which the disk received the step in progress; nil without a step.
    private var begun: Instant?
    private var retryAt: Instant?
    private var reserveRetryAt: Instant?
    private var restoreRetryAt: Instant?
    private var isFinishing = false
    private var hasEnded = false

    /// The number of records in the reserve.
    package private(set) var reserved: Int
    /// The number of visits whose outcome was lost since the start.
    package private(set) var lost = 0
    /// Whether the disk has not responded for ``Limits/stallAfter`` (``next(at:)`` determines this). Until the disk
    /// responds, no intent is queued.
    package private(set) var isStalled = false

    /// Creates an empty queue. `reserved`: the number of records that an earlier run left in the reserve.
    package init(limits: Limits = Limits(), reserved: Int) {
        (self.limits, self.reserved) = (limits, reserved)
    }

    /// The number of records that the disk has refused so far: those in the reserve, and those in memory while the disk
    /// refuses or does not respond; 0 for a working disk. Decisions count only if no other record is unwritten, because
    /// their outcomes follow within seconds.
    package var unwritten: Int {
        if retryAt == nil, reserved == 0, !isStalled { return 0 }
        let records = reserved + held.count
        return records > 0 ? records : undecided.count
    }

    /// The number of visits whose outcome exists only in memory.
    package var inMemory: Int { held.reduce(0) { $0 + $1.visits } }

    private var held: [UnwrittenOutcome] {
        switch underWay {
        case .write(_, _, let outcomes, _), .reserve(let outcomes): opened + ordinary + outcomes
        case .end, nil: opened + ordinary
        }
    }

    /// Decisions that are not on the disk.
    private var undecided: [UnwrittenDecision] {
        if case .write(_, let decisions, _, _) = underWay { decisions + self.decisions } else { decisions }
    }

    /// Applies an event. Returns the ids of the intents that are not written. The caller must report the failure for
    /// each of them.
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
            // Try the ledger and the reserve once more, without a pause.
            (retryAt, reserveRetryAt, restoreRetryAt) = (nil, nil, nil)
        }
        return []
    }

    /// Returns the next step; nil if there is no step before ``deadline`` or the next event.
    package mutating func next(at now: Instant) -> Step? {
        if let stall = stallAt, now >= stall { isStalled = true }
        guard underWay == nil, !hasEnded else { return nil }
        let diskRefuses = isResting(retryAt, at: now)
        let restoring = !diskRefuses && reserved > 0 && !isResting(restoreRetryAt, at: now)
        if !intents.isEmpty || restoring || !diskRefuses && (hasOutcomes || !decisions.isEmpty) {
            // Try an intent even if the disk has just refused a write. Outcomes join the intent only if the disk is
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

    /// The time at which ``next(at:)`` has a step without a further event; nil if there is none.
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
        // Drop the intent of an ended visit, because it is no longer needed.
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

    /// Whether a failed destination must not be tried again yet. After ``Event/finish`` it is not tried again at all.
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
