import Credentials
import Encoding
import Foundation
import TestKit
import Testing
import Workbench

/// The bench measures the real driver with a real database. It reports a figure for each visit, or the reason for a
/// missing figure. The thresholds follow from the duration of one sync, which the test sets. A gate that waits for the
/// disk after T0 takes at least that long.
@Suite(.timeLimit(.minutes(3)), .tags(.realTime)) struct DecisionBenchTests {
    /// Repeats the run if the machine was too busy for the virtual radio, so that a visitor gave up.
    private func run(
        visits: Int, sync: Duration = .zero, choosing: Duration = .milliseconds(300),
        trust: TrustMaterial = Samples.trust
    ) async throws -> DecisionBench.Result {
        for _ in 1..<3 {
            let result = try await runOnce(visits, sync, choosing, trust)
            if result.absent == 0 { return result }
        }
        return try await runOnce(visits, sync, choosing, trust)
    }

    private func runOnce(
        _ visits: Int, _ sync: Duration, _ choosing: Duration, _ trust: TrustMaterial
    ) async throws -> DecisionBench.Result {
        // Use memory if possible, because a busy disk adds time to the measured values.
        let ledger = try await BenchLedger(below: MemoryFolder.parent)
        ledger.slow(by: sync)
        let result: Result<DecisionBench.Result, any Error>
        do {
            result = .success(
                try await DecisionBench.run(
                    payload: Samples.record(Samples.credential), verifier: Verifier(trust: try TrustStore(trust)),
                    at: WallTime(utc: Samples.validDate, provenance: .given), visits: visits, ledger: ledger,
                    choosing: choosing))
        } catch {
            result = .failure(error)
        }
        #expect(await ledger.finish() == 0)
        #expect(await ledger.remove() > 0)
        return try result.get()
    }

    @Test func everyVisitIsTimed() async throws {
        let result = try await run(visits: 3)
        #expect(result.times.count == 3 && result.refused == 0, "\(result)")
        #expect(result.times == result.times.sorted() && result.percentile(100) == result.times.last)
    }

    @Test func theGateDoesNotWaitForTheDisk() async throws {
        let sync = Duration.milliseconds(400)
        let canary = Canary()
        defer { canary.end() }
        for trial in 1...3 {
            canary.mark()
            let result = try await run(visits: 4, sync: sync, choosing: sync * 5)
            #expect(result.times.count == 4 && result.refused == 0, "\(result)")
            print("bench: the gate opens \(result.percentile(100)) after T0 at the latest, with syncs of \(sync)")
            let isPrompt = result.percentile(100) < sync
            // A run in which the machine paused for much of that time proves nothing about the gate.
            guard isPrompt || trial == 3 || canary.most < sync / 4 else { continue }
            #expect(isPrompt, "\(result.times)")
            return
        }
    }

    /// The threshold above can be exceeded: a visitor who shows a credential at once waits for the intent.
    @Test func aGateThatWaitsForTheDiskIsSeen() async throws {
        let result = try await run(visits: 1, sync: .seconds(1), choosing: .zero)
        #expect(result.percentile(100) > .milliseconds(400), "\(result.times)")
    }

    @Test func noVisitorIsRefusedAtHalfASecondForEachSync() async throws {
        let result = try await run(visits: 6, sync: .milliseconds(500))
        #expect(result.times.count == 6 && result.refused == 0, "\(result)")
    }

    @Test func aVisitThatIsRefusedIsNoFigure() async throws {
        await #expect(throws: DecisionBench.Failure.self) { try await run(visits: 1, trust: TrustMaterial()) }
    }
}
