package import Encoding

/// What waits for the disk, and what is written next.
///
/// Intents come first, the newest before the others: a person stands at the gate for each. Decisions follow at once: a
/// gate was told to open for each, and a cut before they are written forgets for whom. What ends visits joins the same
/// transaction as far as there is room: those whose gate opened, then the others in their order. While the disk
/// refuses, outcomes go to the reserve, intents are still tried, so each has its answer, and decisions wait in memory,
/// for their outcomes soon say more. Every class is bounded, and what does not fit is counted.
///
/// One step is under way at a time: ``next(at:)`` gives it, an event tells how it ended.
package struct KeeperQueue: Sendable {
    /// Bounds and pauses.
    package struct Limits: Sendable {
        /// Intents that wait; beyond it the oldest is given up, whose visitor has waited longest in vain.
        package var intents = 64
        /// Outcomes of opened gates kept in memory while neither disk nor reserve takes them (about 1 KiB each).
        package var opened = 4096
        /// Other outcomes kept in memory meanwhile; phones that brought nothing give way first.
        package var ordinary = 2048
        /// Decisions that wait; beyond it the oldest are given up, with the names by which their credentials are known
        /// again.
        package var decisions = 1024
        /// Outcomes in one transaction: few enough that it costs hardly more than its sync.
        package var batch = 32
        /// Pause before a disk or reserve that failed is tried again.
        package var retryAfter: Duration = .seconds(1)
        /// How long the disk may take for one transaction before it counts as one that does not answer.
        package var stallAfter: Duration = .seconds(10)

        /// The documented defaults.
        package init() {}
    }

    /// What happened.
    package enum Event: Sendable {
        /// An intent is to be written.
        case intent(UnwrittenIntent)
        /// An outcome is to be written.
        case outcome(UnwrittenOutcome)
        /// The gate was told to open: what was decided is to be kept until the outcome comes.
        case decision(UnwrittenDecision)
        /// The records are durable, but for those of these visits, which the ledger's rules refuse for ever.
        case written(refused: Set<Text>)
        /// The disk did not take them.
        case writeFailed
        /// The reserve has the outcomes.
        case reserved
        /// The reserve did not take them.
        case reserveFailed
        /// Records of the reserve are in the ledger now, `left` remain; so many visits of them the ledger's rules refuse.
        case restored(left: Int, refused: Int)
        /// The reserve's records could not be read.
        case restoreFailed
        /// Nothing more will come: write what is there.
        case finish
    }

    /// What is to be done next.
    package enum Step: Hashable, Sendable {
        /// Write these into the ledger in one transaction, in this order; with the reserve's next records where it says
        /// so.
        case write([UnwrittenIntent], [UnwrittenDecision], [UnwrittenOutcome], restoring: Bool)
        /// Put these into the reserve.
        case reserve([UnwrittenOutcome])
        /// All is done that could be done.
        case end
    }

    private let limits: Limits
    private var intents: [UnwrittenIntent] = []
    private var opened: [UnwrittenOutcome] = []
    private var ordinary: [UnwrittenOutcome] = []
    private var decisions: [UnwrittenDecision] = []
    private var underWay: Step?
    /// When the disk was given what is under way.
    private var begun: Instant?
    private var retryAt: Instant?
    private var reserveRetryAt: Instant?
    private var restoreRetryAt: Instant?
    private var isFinishing = false
    private var hasEnded = false

    /// Records in the reserve.
    package private(set) var reserved: Int
    /// Visits whose outcome was given up, since the beginning.
    package private(set) var lost = 0
    /// Whether the disk has not answered for ``Limits/stallAfter``, as ``next(at:)`` found: until it does, no intent waits for it.
    package private(set) var isStalled = false

    /// An empty queue; `reserved` records wait in the reserve from an earlier run.
    package init(limits: Limits = Limits(), reserved: Int) {
        (self.limits, self.reserved) = (limits, reserved)
    }

    /// Records that the disk has refused so far: those in the reserve, and those in memory while it refuses or does not answer; 0
    /// when all is well. Decisions count where there is nothing else: the outcome of each comes within seconds.
    package var unwritten: Int {
        if retryAt == nil, reserved == 0, !isStalled { return 0 }
        let records = reserved + held.count
        return records > 0 ? records : undecided.count
    }

    /// Visits whose outcome is in memory alone.
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

    /// Takes note of what happened. Returns the intents that are given up and have to be answered so.
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
            // Each gets one more chance, without a pause.
            (retryAt, reserveRetryAt, restoreRetryAt) = (nil, nil, nil)
        }
        return []
    }

    /// What to do now; nil: nothing before ``deadline`` or the next event.
    package mutating func next(at now: Instant) -> Step? {
        if let stall = stallAt, now >= stall { isStalled = true }
        guard underWay == nil, !hasEnded else { return nil }
        let diskRefuses = isResting(retryAt, at: now)
        let restoring = !diskRefuses && reserved > 0 && !isResting(restoreRetryAt, at: now)
        if !intents.isEmpty || restoring || !diskRefuses && (hasOutcomes || !decisions.isEmpty) {
            // An intent is tried even where the disk has just refused. What ends visits joins it when the disk is known to
            // work, and behind what the reserve holds of earlier ones.
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

    /// When ``next(at:)`` has something to do again though nothing happens.
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

    // MARK: - The classes

    private var hasOutcomes: Bool { !opened.isEmpty || !ordinary.isEmpty }

    private mutating func add(_ intent: UnwrittenIntent) -> [Text] {
        guard !isFinishing, !isStalled else { return [intent.intent] }
        intents.append(intent)
        return intents.count > limits.intents ? [intents.removeFirst().intent] : []
    }

    private mutating func add(_ outcome: UnwrittenOutcome) -> [Text] {
        // A visit that has ended needs no intent any more.
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

    /// Whether something that failed is not to be tried again yet; at the end it is not tried again at all.
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
