import Encoding
package import Kiosk
package import Ledger
package import Store
import Synchronization

/// Writes the kiosk's records into the database, one after the other, beside the radio's thread.
///
/// Order is kept: what is handed over first is written first. An outcome that the disk refuses is not lost: it is kept and
/// tried again before anything newer, so a full disk that gets room again has all records in the end.
package final class LedgerKeeper: VisitLedger {
    /// Bounds and pauses.
    package struct Limits: Sendable {
        /// Outcomes kept in memory while the disk refuses them (about 1 KiB each).
        package var unwritten = 10_000
        /// Pause before the disk is tried again.
        package var retryAfter: Duration = .seconds(1)

        /// The documented defaults.
        package init() {}
    }

    private enum Request: Sendable {
        case intent(VisitID, RecordStamp, @Sendable (String?) -> Void)
        case outcome(VisitID, Outcome, RecordStamp)
        case retry
        case breath(@Sendable () -> Void)
    }

    private let store: Store
    private let siteKey: SiteKey
    private let limits: Limits
    private let stamp: @Sendable () -> RecordStamp
    private let onChange: @Sendable () -> Void
    private let requests: AsyncStream<Request>
    private let continuation: AsyncStream<Request>.Continuation
    private let lost = Atomic<Int>(0)

    /// A keeper over an open store. `stamp` says where and when; `onChange` is called after each record, so that reports are
    /// sent without waiting for a timer.
    package init(
        store: Store, siteKey: SiteKey, limits: Limits = Limits(), stamp: @escaping @Sendable () -> RecordStamp,
        onChange: @escaping @Sendable () -> Void
    ) {
        (self.store, self.siteKey, self.limits, self.stamp, self.onChange) = (store, siteKey, limits, stamp, onChange)
        (requests, continuation) = AsyncStream.makeStream()
    }

    /// Outcomes given up because memory was full too; never without the disk having failed for that long.
    package var lostOutcomes: Int { lost.load(ordering: .relaxed) }

    /// Writes the intent behind everything handed over before it; nil once it is durable.
    package func recordIntent(_ visit: VisitID, answer: @escaping @Sendable (_ failure: String?) -> Void) {
        if case .terminated = continuation.yield(.intent(visit, stamp(), answer)) { answer("the ledger is closed") }
    }

    /// Takes over the outcome at once; it is named under the site key and written when the disk allows.
    package func recordOutcome(_ visit: VisitID, _ outcome: Outcome, signedDigest: [UInt8]?) {
        var outcome = outcome
        outcome.credential?.name = signedDigest.map(siteKey.name(ofSignedContent:))
        continuation.yield(.outcome(visit, outcome, stamp()))
    }

    /// Returns once the keeper has taken a turn, whatever the disk says: a sign that it is not stuck.
    package func breathe() async {
        await withCheckedContinuation { turn in
            if case .terminated = continuation.yield(.breath({ turn.resume() })) { turn.resume() }
        }
    }

    /// Writes until ``finish()``; then what is still waiting is written, once more, and this returns.
    package func run() async {
        var unwritten: [(VisitID, Outcome, RecordStamp)] = []
        var willRetry = false
        for await request in requests {
            switch request {
            case .intent(let visit, let stamp, let answer):
                await write(&unwritten)
                answer(await intent(visit, stamp))
            case .outcome(let visit, let outcome, let stamp):
                if unwritten.count >= limits.unwritten {
                    unwritten.removeFirst()
                    lost.add(1, ordering: .relaxed)
                }
                unwritten.append((visit, outcome, stamp))
                await write(&unwritten)
            case .retry:
                willRetry = false
                await write(&unwritten)
            case .breath(let taken): taken()
            }
            if !unwritten.isEmpty, !willRetry {
                willRetry = true
                retryLater()
            }
        }
        await write(&unwritten)
        lost.add(unwritten.count, ordering: .relaxed)
    }

    /// Lets ``run()`` end when everything handed over so far is written.
    package func finish() { continuation.finish() }

    private func intent(_ visit: VisitID, _ stamp: RecordStamp) async -> String? {
        do {
            _ = try await store.appendIntent(Text(visit.text), stamp: stamp)
            return nil
        } catch {
            return "\(error.text); \(error.remedy)"
        }
    }

    private func write(_ unwritten: inout [(VisitID, Outcome, RecordStamp)]) async {
        while let (visit, outcome, stamp) = unwritten.first {
            do {
                _ = try await store.appendOutcome(Text(visit.text), outcome, stamp: stamp)
            } catch {
                switch error {
                case .refused, .unexpected:
                    // The ledger's own rules refuse it: trying again would refuse it again and hold up all others.
                    lost.add(1, ordering: .relaxed)
                default: return  // a disk that fails now may work later, even one that was mounted read-only
                }
            }
            unwritten.removeFirst()
            onChange()
        }
    }

    private func retryLater() {
        Task { [continuation, pause = limits.retryAfter] in
            try? await Task.sleep(for: pause)
            continuation.yield(.retry)
        }
    }
}
