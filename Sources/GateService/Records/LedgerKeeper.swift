package import Clocks
import Encoding
package import Kiosk
package import Ledger
import LinuxIO
import Reasons
package import Store
import Synchronization

/// Writes the kiosk's records into the database. The thread of the radio only adds the records to a queue.
///
/// The ``KeeperQueue`` chooses the steps, and the keeper carries out one step after another. Outcomes that the
/// database refuses are written to the ``Reserve``. From there they are copied into the ledger when the disk works
/// again, or at the next start. Outcomes that are accepted by neither the database nor the reserve are counted and
/// reported as lost.
package final class LedgerKeeper: VisitLedger {
    /// The numbers of records that are not in the ledger.
    package struct Shortfall: Hashable, Sendable {
        /// The number of records in the reserve, which the next start of the program writes into the ledger.
        package var reserved = 0
        /// The number of visits whose record is lost.
        package var lost = 0
        /// The number of visits whose record is only in memory; zero after ``run()`` has returned.
        package var inMemory = 0

        /// The value without any such record: all records are in the ledger.
        package static let none = Shortfall()
    }

    /// The state of the queue as it was last reported.
    private struct Reported {
        var unwritten = 0
        var lost = 0
        var isStalled = false
    }

    private struct State {
        var queue: KeeperQueue
        var answers: [Text: @Sendable (LedgerFailure?) -> Void] = [:]
        var waiting: [CheckedContinuation<Void, Never>] = []
        var hasEnded = false
        /// The last reported error about a replaced database; nil if the database is in its place.
        var replaced: StoreError?
    }

    private let store: Store
    /// The reserve; nil if there is none. Unsafe, because a reserve has no lock: only one step of the queue uses it
    /// at a time.
    private nonisolated(unsafe) let reserve: Reserve?
    private let siteKey: SiteKey
    private let limits: KeeperQueue.Limits
    private let clock: Clock
    private let spawner: Spawner
    private let stamp: @Sendable () -> RecordStamp
    private let report: HealthReporter
    private let onChange: @Sendable (Int) -> Void
    private let state: Mutex<State>
    private let signals: AsyncStream<Void>
    private let signal: AsyncStream<Void>.Continuation

    /// Creates a keeper for an open store and, if there is one, the reserve. `stamp` returns the gate's name and the
    /// time for a record. `report` receives faults: records that wait or are lost, and a database that was replaced.
    /// `onChange` is called with the number of outcomes just written, so that their reports are sent at once.
    package init(
        store: Store, reserve: Reserve? = nil, siteKey: SiteKey,
        limits: KeeperQueue.Limits = KeeperQueue.Limits(), clock: Clock, spawner: Spawner,
        stamp: @escaping @Sendable () -> RecordStamp, report: @escaping HealthReporter = { _ in },
        onChange: @escaping @Sendable (_ outcomes: Int) -> Void
    ) {
        (self.store, self.reserve) = (store, reserve)
        (self.siteKey, self.limits, self.clock, self.spawner) = (siteKey, limits, clock, spawner)
        (self.stamp, self.report, self.onChange) = (stamp, report, onChange)
        state = Mutex(
            State(queue: KeeperQueue(limits: limits, reserved: reserve?.count ?? 0)))
        (signals, signal) = AsyncStream.makeStream(bufferingPolicy: .bufferingNewest(1))
    }

    /// The records that are not in the ledger.
    package var shortfall: Shortfall {
        state.withLock {
            Shortfall(reserved: $0.queue.reserved, lost: $0.queue.lost, inMemory: $0.queue.inMemory)
        }
    }

    // MARK: - Methods for the radio's thread

    /// Queues an intent. `answer` gets nil when the intent is durable. If the intent is already durable, the store
    /// only checks that the database is still in its place.
    package func recordIntent(_ intent: IntentID, answer: @escaping @Sendable (_ failure: LedgerFailure?) -> Void) {
        let intent = UnwrittenIntent(intent: Text(intent.text), stamp: stamp())
        let givenUp: [@Sendable (LedgerFailure?) -> Void] = state.withLock { state in
            guard state.answers[intent.intent] == nil else { return [answer] }
            state.answers[intent.intent] = answer
            return handle(.intent(intent), &state)
        }
        for answer in givenUp { answer(.tooManyIntents) }
        signal.yield()
    }

    /// Queues the decision to admit a visitor, to be written as soon as possible. The written decision contains the
    /// names of the credentials under the site key.
    package func recordDecision(_ record: VisitRecord, names: [ReplayName]) {
        let decision = UnwrittenDecision(UnwrittenOutcome(record, stamp: stamp()), names: names)
        _ = state.withLock { handle(.decision(decision), &$0) }
        signal.yield()
    }

    /// Queues an outcome, to be written as soon as the disk allows. The written outcome contains the names of the
    /// credentials under the site key. If the outcome is not written, the replay names in `forgetting` stay stored,
    /// and after a restart the credential counts as used.
    package func recordOutcome(_ record: VisitRecord, forgetting: [ReplayName] = []) {
        var outcome = UnwrittenOutcome(record, stamp: stamp())
        outcome.forgotten = forgetting
        for answer in state.withLock({ handle(.outcome(outcome), &$0) }) { answer(.visitEnded) }
        signal.yield()
    }

    /// Makes ``run()`` return when each queued record is in the ledger, in the reserve or lost.
    package func finish() {
        _ = state.withLock { handle(.finish, &$0) }
        signal.yield()
    }

    /// Returns when the loop of ``run()`` has made its next pass, which shows that the keeper is not blocked.
    package func breathe() async {
        await withCheckedContinuation { continuation in
            let isOver = state.withLock { state in
                if !state.hasEnded { state.waiting.append(continuation) }
                return state.hasEnded
            }
            if isOver { continuation.resume() } else { signal.yield() }
        }
    }

    private func handle(_ event: KeeperQueue.Event, _ state: inout State) -> [@Sendable (LedgerFailure?) -> Void] {
        state.queue.handle(event, at: clock.now()).compactMap { state.answers.removeValue(forKey: $0) }
    }

    // MARK: - Writing to the disk

    /// Writes records until ``finish()`` is called and no record waits.
    package func run() async {
        var told = Reported()
        var signals = signals.makeAsyncIterator()
        var (step, writing): (KeeperQueue.Step?, Task<Void, Never>?)
        repeat {
            step = state.withLock { $0.queue.next(at: clock.now()) }
            if let step, step != .end {
                // Write in a separate task. While a disk does not respond, this loop must still report that and
                // answer the liveness probes.
                await writing?.value
                writing = spawner.start("a step of the keeper of the records") { [self] in
                    await carryOut(step)
                    signal.yield()
                }
            }
            tell(&told)
            breatheOut(hasEnded: step == .end)
            if step == nil { await pause(&signals) }
        } while step != .end
        await writing?.value
    }

    private func carryOut(_ step: KeeperQueue.Step) async {
        switch step {
        case .write(let intents, let decisions, let outcomes, let restoring):
            await write(intents, decisions, outcomes, restoring: restoring)
        case .reserve(let outcomes): await putAside(outcomes)
        case .end: break
        }
    }

    private func write(
        _ intents: [UnwrittenIntent], _ decisions: [UnwrittenDecision], _ outcomes: [UnwrittenOutcome],
        restoring: Bool
    ) async {
        let found: [UnwrittenOutcome]? = restoring ? await firstOfReserve() : nil
        let restored = found ?? []
        do {
            let refused = try await store.append(
                intents, restored + outcomes.map { $0.named(under: siteKey) },
                decisions: decisions.map { $0.named(under: siteKey) })
            // The intents are durable. Report this now, so that the visitors do not also wait for the reserve's disk.
            answer(intents) { intent in refused[intent].map { .database("\($0)") } }
            // Update the reserve before the queue learns the end of this step, because the next step may then begin.
            if restoring { await restore(found, refused) }
            handle(.written(refused: Set(refused.keys)))
            tellReplaced(nil)
            if !(restored.isEmpty && outcomes.isEmpty) { onChange(restored.count + outcomes.count) }
        } catch {
            handle(.writeFailed)
            if case .replaced = error { tellReplaced(error) }
            answer(intents) { _ in .database("\(error.text); \(error.remedy)") }
        }
    }

    /// Returns the oldest records of the reserve; nil if they cannot be read.
    private func firstOfReserve() async -> [UnwrittenOutcome]? {
        await reserve?.aside { [limit = limits.batch] in try? $0.first(limit) } ?? nil
    }

    /// Removes the records `restored` from the reserve, because the ledger has written or refused each of them. nil:
    /// the reserve could not be read. A record that the ledger refused because the visit has an outcome does not
    /// count as lost.
    private func restore(_ restored: [UnwrittenOutcome]?, _ refused: [Text: StoreError]) async {
        let number = restored?.count ?? 0
        // If the records cannot be removed, a later step restores them again. The ledger then refuses each as a
        // second outcome.
        let left: Int? =
            await reserve?.aside { reserve in
                let isRemoved: Void? = try? reserve.remove(first: number)
                return isRemoved.map { reserve.count }
            } ?? nil
        if let restored, let left {
            let lost = restored.filter { refused[$0.visit].map { $0 != .refused(.visitClosed) } ?? false }
            handle(.restored(left: left, refused: lost.reduce(0) { $0 + $1.visits }))
        } else {
            handle(.restoreFailed)
        }
    }

    private func putAside(_ outcomes: [UnwrittenOutcome]) async {
        let named = outcomes.map { $0.named(under: siteKey) }
        let isKept = await reserve?.aside { reserve in
            let isKept: Void? = try? reserve.append(named)
            return isKept != nil
        }
        handle(isKept == true ? .reserved : .reserveFailed)
    }

    private func handle(_ event: KeeperQueue.Event) { _ = state.withLock { handle(event, &$0) } }

    private func answer(_ intents: [UnwrittenIntent], _ failure: (Text) -> LedgerFailure?) {
        for intent in intents {
            state.withLock { $0.answers.removeValue(forKey: intent.intent) }?(failure(intent.intent))
        }
    }

    /// Reports what has changed since `told`, the state of the last report.
    private func tell(_ told: inout Reported) {
        let now = state.withLock { state in
            Reported(unwritten: state.queue.unwritten, lost: state.queue.lost, isStalled: state.queue.isStalled)
        }
        if now.unwritten != told.unwritten || now.isStalled != told.isStalled {
            let detail = now.isStalled ? "the disk has not responded for \(limits.stallAfter)" : nil
            let isWrong = now.unwritten > 0 || now.isStalled
            report(
                isWrong
                    ? .present(.ledgerUnwritten, count: now.unwritten, detail: detail) : .over(.ledgerUnwritten))
        }
        if now.lost != told.lost { report(.present(.ledgerLost, count: now.lost)) }
        told = now
    }

    private func tellReplaced(_ error: StoreError?) {
        let isNews = state.withLock { state in
            defer { state.replaced = error }
            return state.replaced != error
        }
        guard isNews else { return }
        report(error.map { .present(.ledgerReplaced, detail: $0.text) } ?? .over(.ledgerReplaced))
    }

    private func breatheOut(hasEnded: Bool) {
        let waiting = state.withLock { state in
            state.hasEnded = hasEnded
            defer { state.waiting = [] }
            return state.waiting
        }
        for continuation in waiting { continuation.resume() }
    }

    /// Waits for the next record, or until the deadline of the queue.
    private func pause(_ signals: inout AsyncStream<Void>.Iterator) async {
        let deadline = state.withLock { $0.queue.deadline }
        let isCancelled = await clock.alarm(at: deadline, ring: { [signal] in signal.yield() }) {
            await signals.next() == nil
        }
        if isCancelled { finish() }
    }
}

extension UnwrittenOutcome {
    /// Creates the outcome for the store from a record of the kiosk.
    fileprivate init(_ record: VisitRecord, stamp: RecordStamp) {
        self.init(
            visit: Text(record.visit.text), intent: record.intent.map { Text($0.text) }, outcome: record.outcome,
            stamp: stamp, signedDigests: record.signedDigests)
    }
}
