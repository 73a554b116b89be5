/// A group of tests that run under the same conditions.
package struct Step: Sendable {
    /// The word by which a person chooses it.
    package let name: String
    /// What people read when it begins.
    package let title: String
    /// Whether a test belongs to it, by its tags.
    package let takes: @Sendable (Set<String>) -> Bool
    /// Whether its tests depend on real time: one that fails is a measurement, which is made twice more.
    package let isMeasured: Bool
    /// How many processes run side by side, each with one test at a time.
    package let lanes: Int
    /// About how many tests one process takes.
    package let batchSize: Int

    /// The steps of `make test` in their order. `nightly`: with the tests that only `make nightly` has.
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

    /// Divides the step's tests into batches, each of which one process runs. The tests of a suite stay together, so
    /// that what they share is made once. Batches with tests of agents come first: the first lane begins with them, the
    /// others begin at the end.
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
