/// What all steps together say.
///
/// A deterministic test that fails fails the run. A measured one is made twice more, alone: when both pass it is
/// *unsteady*, else it fails. More than ``mostUnsteady`` unsteady tests fail the run too, so that unsteadiness cannot
/// grow unseen.
package struct Verdict: Sendable {
    /// How many unsteady tests a run may have.
    package static let mostUnsteady = 2
    /// How often a measured test that failed is made again.
    package static let repetitions = 2

    /// A test that failed for good or was unsteady.
    package struct Finding: Sendable {
        /// The step.
        package let step: String
        /// Its first result.
        package let result: BatchRun.Result
    }

    /// How long a step took.
    package struct Time: Sendable {
        /// The step.
        package let step: String
        /// How many tests ran in it.
        package let tests: Int
        /// Seconds by the wall.
        package let seconds: Double
    }

    /// Tests that failed.
    package private(set) var failed: [Finding] = []
    /// Tests that failed first and passed each repetition.
    package private(set) var unsteady: [Finding] = []
    /// The steps so far.
    package private(set) var times: [Time] = []
    private var results: [BatchRun.Result] = []

    /// A verdict on nothing.
    package init() {}

    /// Takes a step: its results, and those of the repetitions of each test that failed (by id; none for a
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

    /// How many tests passed, unsteady ones included.
    package var passed: Int { results.count { $0.outcome == .passed } + unsteady.count }

    /// How many tests said themselves that they cannot run here.
    package var skipped: Int { results.count { $0.outcome == .skipped } }

    /// Whether the change may land. A run without a test may not.
    package var isGood: Bool { failed.isEmpty && unsteady.count <= Self.mostUnsteady && passed > 0 }

    /// The tests that took longest, the longest first.
    package func slowest(_ count: Int) -> [BatchRun.Result] {
        Array(results.sorted { $0.seconds > $1.seconds }.prefix(count))
    }

    /// Each test with its seconds, tab-separated, for comparisons between runs.
    package var table: String {
        results.map { "\($0.test.name)\t\($0.outcome)\t\($0.seconds.thousandths)\n" }.joined()
    }

    /// What a person reads at the end. Its last line, `N passed, N failed`, is one that CI knows.
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
    /// With one decimal.
    package var tenths: String { rounded(to: 10) }

    /// With three decimals.
    package var thousandths: String { rounded(to: 1000) }

    private func rounded(to parts: Double) -> String { "\((self * parts).rounded() / parts)" }
}

extension String {
    /// At least that wide, filled on the left.
    package func padded(_ width: Int) -> String { String(repeating: " ", count: max(0, width - count)) + self }
}
