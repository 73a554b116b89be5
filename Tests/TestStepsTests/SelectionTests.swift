import TestSteps
import Testing

/// The grouping of tests into steps and batches. Each test runs once.
@Suite struct SelectionTests {
    private let tags = ["realTime", "agents", "models", "nightly"]

    private func step(_ name: String, nightly: Bool = false) throws -> Step {
        try #require(Step.all(nightly: nightly).first { $0.name == name })
    }

    /// Every combination of tags belongs to exactly one step; a nightly one belongs to none by day.
    @Test func eachTestBelongsToOneStep() {
        for number in 0..<(1 << tags.count) {
            let chosen = Set(tags.enumerated().filter { number >> $0.offset & 1 == 1 }.map(\.element))
            #expect(Step.all(nightly: true).count { $0.takes(chosen) } == 1, "\(chosen)")
            #expect(Step.all(nightly: false).count { $0.takes(chosen) } == (chosen.contains("nightly") ? 0 : 1))
        }
    }

    @Test func onlyRealTimeIsMeasured() {
        for step in Step.all(nightly: true) { #expect(step.isMeasured == step.takes(["realTime"]), "\(step.name)") }
    }

    @Test func theCatalogueTakesFunctionsWithTheirTags() {
        var catalogue = Catalogue()
        let lines = [
            Streams.suite("M.S"), Streams.test("M.S/a()/F.swift:1:2", tags: ["realTime", "agents"]),
            Streams.test("M.free()/F.swift:3:2"), Streams.event("runStarted", "", at: 1),
        ]
        for record in Streams.records(lines) { catalogue.add(record) }
        #expect(catalogue.tests.map(\.id) == ["M.S/a()/F.swift:1:2", "M.free()/F.swift:3:2"])
        #expect(catalogue.tests.map(\.tags) == [["realTime", "agents"], []])
        #expect(catalogue.tests.map(\.name) == ["M.S/a()", "M.free()"])
        #expect(catalogue.tests.map(\.suite) == ["M.S", "M.free()"])
    }

    /// A suite stays in one process, agents come first, and no test is lost or run twice.
    @Test func batchesKeepSuitesTogether() throws {
        var catalogue = Catalogue()
        var lines: [String] = []
        for suite in 0..<40 {
            let tags = suite % 5 == 0 ? ["realTime", "agents"] : ["realTime"]
            for test in 0...(suite % 7) { lines.append(Streams.test("M.S\(suite)/t\(test)()/F.swift:1:2", tags: tags)) }
        }
        for record in Streams.records(lines) { catalogue.add(record) }
        let step = try step("real-time")
        let batches = step.batches(of: catalogue)
        #expect(Set(batches.flatMap(\.tests)).count == catalogue.tests.count)
        #expect(batches.reduce(0) { $0 + $1.tests.count } == catalogue.tests.count)
        #expect(batches.allSatisfy { $0.tests.count <= step.batchSize })
        for suite in Set(catalogue.tests.map(\.suite)) {
            #expect(batches.count { $0.tests.contains { $0.suite == suite } } == 1, "\(suite)")
        }
        let agents = batches.map { $0.tests.contains { $0.tags.contains("agents") } }
        #expect(agents.first == true && agents.last == false)
        #expect(agents == agents.sorted { $0 && !$1 })
    }

    /// The filter selects these tests, and no other test whose id begins or ends like one of them.
    @Test func theFilterSelectsExactlyTheBatch() throws {
        let ids = [
            "M.S/a(_:b:)/F.swift:1:2", "M.S/`a name, with (signs)`()/F+G.swift:10:2", "M.Outer/Inner/é()/F.swift:3:2",
        ]
        let filter = try Regex(Batch(tests: ids.map { Catalogue.Test(id: $0) }).filter)
        for id in ids { #expect(id.contains(filter), "\(id)") }
        for id in ["M.S/a(_:b:)/F.swift:1:21", "XM.S/a(_:b:)/F.swift:1:2", "M.S/a(_:c:)/F.swift:1:2", "M.S"] {
            #expect(!id.contains(filter), "\(id)")
        }
    }
}
