import Credentials
import Encoding
import Testing
import Workbench

/// The bench measures the real driver: as many figures as visits, or the reason why there is none.
@Suite(.timeLimit(.minutes(2))) struct DecisionBenchTests {
    private let date = WallTime(utc: Samples.validDate, provenance: .given)

    @Test func everyVisitIsTimed() async throws {
        let verifier = Verifier(trust: try TrustStore(Samples.trust))
        let result = try await DecisionBench.run(
            payload: Samples.record(Samples.credential), verifier: verifier, at: date, visits: 3)
        #expect(result.times.count == 3)
        #expect(result.times == result.times.sorted() && result.percentile(100) == result.times.last)
    }

    /// Records in a real database, on a disk that is slower by more than a visit's verification.
    @Test func theRealLedgerIsMeasuredToo() async throws {
        let verifier = Verifier(trust: try TrustStore(Samples.trust))
        let ledger = try await BenchLedger(delay: .milliseconds(50))
        let result = try await DecisionBench.run(
            payload: Samples.record(Samples.credential), verifier: verifier, at: date, visits: 3, ledger: ledger,
            choosing: .milliseconds(300))
        #expect(result.times.count == 3)
        #expect(await ledger.end() == 0)
    }

    @Test func aVisitThatIsRefusedIsNoFigure() async throws {
        let verifier = Verifier(trust: try TrustStore(TrustMaterial()))
        await #expect(throws: DecisionBench.Failure.self) {
            try await DecisionBench.run(
                payload: Samples.record(Samples.credential), verifier: verifier, at: date, visits: 1)
        }
    }
}
