import TestSteps
import Testing

/// The results of tests, read from the event stream of a process.
@Suite struct BatchRunTests {
    private let ids = (1...5).map { "M.S/t\($0)()/F.swift:\($0):2" }

    private func run(_ lines: [String]) -> BatchRun {
        var run = BatchRun(Batch(tests: ids.map { Catalogue.Test(id: $0) }))
        for line in lines { run.take(line: line.utf8) }
        return run
    }

    private func results(_ lines: [String], ending: String = "exit 0", isStuck: Bool = false) -> [BatchRun.Result] {
        BatchRun.Ended(run: run(lines), ending: ending, isStuck: isStuck).results
    }

    @Test func eachTestHasItsOutcomeAndItsOwnTime() {
        let lines = [
            Streams.event("testStarted", "M.S", at: 1), Streams.event("testStarted", ids[0], at: 2),
            Streams.event("testEnded", ids[0], at: 4.5, symbol: "pass"),
            Streams.event("testStarted", ids[1], at: 4.5), Streams.issue(ids[1], isFailure: true),
            Streams.event("testEnded", ids[1], at: 6, symbol: "fail"),
            Streams.event("testSkipped", ids[2], at: 6), Streams.event("testStarted", ids[3], at: 6),
            Streams.issue(ids[3], isFailure: false),
            Streams.event("testEnded", ids[3], at: 7, symbol: "passWithKnownIssue"),
            Streams.event("testStarted", ids[4], at: 7),
        ]
        let run = run(lines)
        #expect(run.current?.id == ids[4] && run.count == 4)
        let results = results(lines, ending: "signal 5")
        #expect(results.map(\.outcome) == [.passed, .failed, .skipped, .passed, .brokenOff])
        #expect(results.map(\.seconds) == [2.5, 1.5, 0, 1, 0])
        #expect(results[1].words == ["M/F.swift:7: 1 == 2"] && results[0].words.isEmpty && results[3].words.isEmpty)
        #expect(results[4].words.first?.contains("signal 5") == true)
        #expect(run.left.isEmpty)
    }

    @Test func testsWithoutAStartAfterATrapAreKnown() {
        let lines = [Streams.event("testStarted", ids[0], at: 1)]
        #expect(run(lines).left.map(\.id) == Array(ids.dropFirst()))
        #expect(results(lines, ending: "signal 4").map(\.outcome) == [.brokenOff])
        #expect(results(lines, ending: "signal 9", isStuck: true).map(\.outcome) == [.stuck])
    }

    private var passed: [String] {
        [Streams.event("testStarted", ids[0], at: 1), Streams.event("testEnded", ids[0], at: 2, symbol: "pass")]
    }

    /// An issue that is recorded after its test, by a task that the test left running, still fails the test.
    @Test func aLateIssueFailsItsTest() {
        let results = results(passed + [Streams.issue(ids[0], isFailure: true)])
        #expect(results.map(\.outcome) == [.failed] && results[0].words == ["M/F.swift:7: 1 == 2"])
    }

    @Test func anEndWithoutAKnownSymbolIsNotAPass() {
        let ended = Streams.event("testEnded", ids[0], at: 2, symbol: "somethingNew")
        #expect(results([Streams.event("testStarted", ids[0], at: 1), ended]).map(\.outcome) == [.failed])
    }

    /// A problem that belongs to no test of the process fails the process: an issue of a suite or of no test,
    /// an end that no test explains, and a line that cannot be read.
    @Test(arguments: ["exit 0", "exit 1", "signal 11"]) func anIssueOutsideATestFails(_ ending: String) {
        let issues = [Streams.issue("M.S", isFailure: true), Streams.issue("", isFailure: true), "{\"kind\":"]
        for issue in issues {
            let results = results(passed + [issue], ending: ending)
            #expect(results.map(\.outcome) == [.passed, .brokenOff], "\(issue)")
            #expect(results.last?.mayBeUnsteady == false)
        }
        #expect(results(passed, ending: ending).count == (ending == "exit 0" ? 1 : 2))
    }

    @Test func aLineThatWasCutIsNone() {
        let line = Streams.event("testStarted", ids[0], at: 1)
        #expect(TestRecord(line: line.utf8.dropLast(3)) == nil && TestRecord(line: [UInt8]()) == nil)
    }
}
