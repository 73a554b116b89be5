import TestSteps
import Testing

/// The rules for a failed run and for an unsteady test.
@Suite struct VerdictTests {
    private typealias Result = BatchRun.Result

    private func step(isMeasured: Bool) throws -> Step {
        try #require(Step.all(nightly: false).first { $0.isMeasured == isMeasured })
    }

    private func result(_ outcome: BatchRun.Outcome, _ id: String, _ tags: Set<String>) -> Result {
        Result(test: Catalogue.Test(id: id, tags: tags), outcome: outcome, seconds: 1, words: ["M/F.swift:7: 1 == 2"])
    }

    private func verdict(
        isMeasured: Bool, tags: Set<String> = ["realTime"], _ outcomes: [BatchRun.Outcome],
        then repetitions: [BatchRun.Outcome]
    ) throws -> Verdict {
        var verdict = Verdict()
        let results = outcomes.enumerated().map { result($0.element, "M.S/t\($0.offset)()/F.swift:1:2", tags) }
        var again: [String: [Result]] = [:]
        for result in results where result.isFailure {
            again[result.test.id] = repetitions.map { self.result($0, result.test.id, tags) }
        }
        try verdict.add(step(isMeasured: isMeasured), results, repetitions: again, seconds: 3)
        return verdict
    }

    @Test(arguments: [BatchRun.Outcome.failed, .stuck])
    func aMeasuredTestThatPassesTwiceMoreIsUnsteady(_ outcome: BatchRun.Outcome) throws {
        let verdict = try verdict(isMeasured: true, [outcome, .passed], then: [.passed, .passed])
        #expect(verdict.isGood && verdict.unsteady.count == 1 && verdict.failed.isEmpty)
        #expect(verdict.summary.hasSuffix("\n2 passed, 0 failed, 0 skipped"), "\(verdict.summary)")
        #expect(verdict.summary.contains("Unsteady") && verdict.summary.contains("M.S/t0()"))
    }

    @Test(arguments: [
        [BatchRun.Outcome.passed, .failed], [.failed, .passed], [.passed, .brokenOff], [.passed, .skipped], [.passed],
        [],
    ])
    func aMeasuredTestThatFailsAgainHasFailed(_ repetitions: [BatchRun.Outcome]) throws {
        let verdict = try verdict(isMeasured: true, [.failed, .passed], then: repetitions)
        #expect(!verdict.isGood && verdict.failed.count == 1 && verdict.unsteady.isEmpty)
        #expect(verdict.summary.hasSuffix("\n1 passed, 1 failed, 0 skipped"), "\(verdict.summary)")
    }

    /// A crash is not a matter of measurement, and neither is a failure of an exact test.
    @Test func aCrashAndAnExactTestAreNeverExcused() throws {
        let crashed = try verdict(isMeasured: true, [.brokenOff, .passed], then: [.passed, .passed])
        #expect(!crashed.isGood && crashed.failed.count == 1 && crashed.unsteady.isEmpty)
        let exact = try verdict(
            isMeasured: true, tags: ["realTime", "exact"], [.failed, .passed], then: [.passed, .passed])
        #expect(!exact.isGood && exact.failed.count == 1 && exact.unsteady.isEmpty)
    }

    /// A deterministic test fails the run, whatever its repetitions show.
    @Test func aDeterministicTestIsNeverExcused() throws {
        let verdict = try verdict(isMeasured: false, [.failed, .passed], then: [.passed, .passed])
        #expect(!verdict.isGood && verdict.failed.count == 1 && verdict.unsteady.isEmpty)
        #expect(verdict.summary.contains("M/F.swift:7: 1 == 2"))
    }

    @Test(arguments: [(2, true), (3, false)]) func threeUnsteadyTestsFailTheRun(_ count: Int, isGood: Bool) throws {
        let outcomes = [BatchRun.Outcome](repeating: .failed, count: count) + [.passed]
        let verdict = try verdict(isMeasured: true, outcomes, then: [.passed, .passed])
        #expect(verdict.isGood == isGood && verdict.unsteady.count == count)
        #expect(verdict.summary.contains(" 0 failed") == isGood)
    }

    @Test func aRunWithoutTestsIsNotGood() throws {
        #expect(!Verdict().isGood)
        #expect(try !verdict(isMeasured: false, [.skipped], then: []).isGood)
    }

    @Test func theSlowestComeFirst() throws {
        var verdict = Verdict()
        let results = (1...30).map {
            Result(test: .init(id: "M.S/t\($0)()/F.swift:1:2"), outcome: .passed, seconds: Double($0), words: [])
        }
        try verdict.add(step(isMeasured: false), results, repetitions: [:], seconds: 99.26)
        #expect(verdict.slowest(20).map(\.seconds) == (11...30).reversed().map(Double.init))
        #expect(verdict.summary.contains("    30.0 s  M.S/t30()\n") && !verdict.summary.contains("M.S/t10()"))
        #expect(verdict.summary.contains("    99.3 s  cores, 30 tests"))
        #expect(verdict.table.hasPrefix("M.S/t1()\tpassed\t1.0\n"))
    }
}
