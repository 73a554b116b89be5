/// A group of tests that run under the same conditions.
package struct Step: Sendable {
    /// The name by which a person chooses the step.
    package let name: String
    /// The title that is printed when the step begins.
    package let title: String
    /// Whether a test with these tags belongs to the step.
    package let takes: @Sendable (Set<String>) -> Bool
    /// Whether its tests depend on real time: a failed one is a measurement, which is repeated twice.
    package let isMeasured: Bool
    /// The number of processes that run side by side, each with one test at a time.
    package let lanes: Int
    /// The approximate number of tests of one process.
    package let batchSize: Int

    /// Returns the steps of `make test` in their order. `nightly` adds the tests that only `make nightly`
    /// runs.
    package static func all(nightly: Bool) -> [Step] {
        func only(_ takes: @escaping @Sendable (Set<String>) -> Bool) -> @Sendable (Set<String>) -> Bool {
            { tags in (nightly || !tags.contains("nightly")) && takes(tags) }
        }
        return [
            Step(
                name: "cores", title: "what computes, crowds and sieges in virtual time among it",
                takes: only { $0.isDisjoint(with: ["realTime", "models"]) },
                isMeasured: false, lanes: 2, batchSize: 60),
            Step(
                name: "models", title: "models of disks, and a crowd of ten thousand",
                takes: only { $0.contains("models") && !$0.contains("realTime") }, isMeasured: false, lanes: 2,
                batchSize: 4),
            Step(
                name: "real-time", title: "the real program, threads, sockets and foreign peers",
                takes: only { $0.contains("realTime") }, isMeasured: true, lanes: 3, batchSize: 12),
        ]
    }

    /// Divides the step's tests into batches, one for each process. The tests of a suite stay together, so
    /// that their shared state is made once. Batches with tests of agents come first: the first lane takes
    /// from the front of the queue, the others from its end.
    package func batches(of catalogue: Catalogue) -> [Batch] {
        var suites: [(name: String, tests: [Catalogue.Test])] = []
        var places: [String: Int] = [:]
        for test in catalogue.tests where takes(test.tags) {
            if let place = places[test.suite] {
                suites[place].tests.append(test)
            } else {
                places[test.suite] = suites.count
                suites.append((test.suite, [test]))
            }
        }
        let hasAgents = { (tests: [Catalogue.Test]) in tests.contains { $0.tags.contains("agents") } }
        var batches: [Batch] = []
        for group in [suites.filter { hasAgents($0.tests) }, suites.filter { !hasAgents($0.tests) }] {
            var batch: [Catalogue.Test] = []
            for suite in group {
                if !batch.isEmpty, batch.count + suite.tests.count > batchSize {
                    batches.append(Batch(tests: batch))
                    batch = []
                }
                batch += suite.tests
            }
            if !batch.isEmpty { batches.append(Batch(tests: batch)) }
        }
        return batches
    }
}
