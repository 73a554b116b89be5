/// The result of all steps together.
///
/// A deterministic test that fails fails the run. A measured test that fails is repeated twice, alone: when
/// both repetitions pass it is *unsteady*, otherwise it has failed. More than ``mostUnsteady`` unsteady tests
/// fail the run too, so that the number of unsteady tests cannot grow unnoticed.
package struct Verdict: Sendable {
    /// The number of unsteady tests that a run may have.
    package static let mostUnsteady = 2
    /// The number of repetitions of a measured test that failed.
    package static let repetitions = 2

    /// A test that failed finally or was unsteady.
    package struct Finding: Sendable {
        /// The step.
        package let step: String
        /// Its first result.
        package let result: BatchRun.Result
    }

    /// The duration of a step.
    package struct Time: Sendable {
        /// The step.
        package let step: String
        /// The number of tests that ran in it.
        package let tests: Int
        /// The elapsed time in seconds.
        package let seconds: Double
    }

    /// Tests that failed.
    package private(set) var failed: [Finding] = []
    /// Tests that failed first and passed each repetition.
    package private(set) var unsteady: [Finding] = []
    /// The steps so far.
    package private(set) var times: [Time] = []
    private var results: [BatchRun.Result] = []

    /// Creates a verdict without steps.
    package init() {}

    /// Adds a step: its results, and the results of the repetitions of each failed test, by id (none for a
    /// deterministic step).
    package mutating func add(
        _ step: Step, _ results: [BatchRun.Result], repetitions: [String: [BatchRun.Result]], seconds: Double
    ) {
        self.results += results
        times.append(Time(step: step.name, tests: results.count { $0.outcome != .skipped }, seconds: seconds))
        for result in results where result.isFailure {
            let again = repetitions[result.test.id] ?? []
            let isUnsteady =
                step.isMeasured && result.mayBeUnsteady && again.count == Self.repetitions
                && again.allSatisfy { $0.outcome == .passed }
            let finding = Finding(step: step.name, result: result)
            if isUnsteady { unsteady.append(finding) } else { failed.append(finding) }
        }
    }

    /// The number of tests that passed, unsteady ones included.
    package var passed: Int { results.count { $0.outcome == .passed } + unsteady.count }

    /// The number of tests that skipped themselves on this machine.
    package var skipped: Int { results.count { $0.outcome == .skipped } }

    /// Whether the change may land. A run in which no test passed may not.
    package var isGood: Bool { failed.isEmpty && unsteady.count <= Self.mostUnsteady && passed > 0 }

    /// Returns the tests that took longest, the longest first.
    package func slowest(_ count: Int) -> [BatchRun.Result] {
        Array(results.sorted { $0.seconds > $1.seconds }.prefix(count))
    }

    /// The tests with their outcomes and seconds, tab-separated, for comparisons between runs.
    package var table: String {
        results.map { "\($0.test.name)\t\($0.outcome)\t\($0.seconds.thousandths)\n" }.joined()
    }

    /// The summary for a person. CI looks for its last line, `N passed, N failed`.
    package var summary: String {
        var lines = ["", "The slowest tests:"]
        lines += slowest(20).map { "\($0.seconds.tenths.padded(8)) s  \($0.test.name)" }
        lines += ["", "The steps:"]
        lines += times.map { "\($0.seconds.tenths.padded(8)) s  \($0.step), \($0.tests) tests" }
        if !unsteady.isEmpty {
            lines += ["", "Unsteady: failed once, then passed \(Self.repetitions) times alone:"]
            lines += unsteady.flatMap(Self.words)
        }
        if unsteady.count > Self.mostUnsteady {
            lines += ["", "More than \(Self.mostUnsteady) unsteady tests: the run fails."]
        }
        if !failed.isEmpty {
            lines += ["", "Failed:"]
            lines += failed.flatMap(Self.words)
        }
        let failures = failed.count + max(0, unsteady.count - Self.mostUnsteady)
        lines += [
            "", "\(passed - max(0, unsteady.count - Self.mostUnsteady)) passed, \(failures) failed, \(skipped) skipped",
        ]
        return lines.joined(separator: "\n")
    }

    private static func words(of finding: Finding) -> [String] {
        ["  \(finding.result.test.name) (\(finding.step), \(finding.result.seconds.tenths) s)"]
            + finding.result.words.map { "    " + String($0.prefix(600)) }
    }
}

extension Double {
    /// The number with one decimal.
    package var tenths: String { rounded(to: 10) }

    /// The number with three decimals.
    package var thousandths: String { rounded(to: 1000) }

    private func rounded(to parts: Double) -> String { "\((self * parts).rounded() / parts)" }
}

extension String {
    /// Returns the text padded on the left with spaces to at least `width` characters.
    package func padded(_ width: Int) -> String { String(repeating: " ", count: max(0, width - count)) + self }
}
