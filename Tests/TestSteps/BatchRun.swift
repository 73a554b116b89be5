/// The results of the tests of one batch: a fold over the event stream of its process.
package struct BatchRun: Sendable {
    /// How a test ended.
    package enum Outcome: Hashable, Sendable {
        /// The test passed.
        case passed
        /// The test recorded an issue.
        case failed
        /// The test skipped itself.
        case skipped
        /// The process ended during the test: a trap, a signal or an exit.
        case brokenOff
        /// The runner ended the process after a long time without an event.
        case stuck
    }

    /// The result of one test.
    package struct Result: Sendable {
        /// The test.
        package let test: Catalogue.Test
        /// How it ended.
        package let outcome: Outcome
        /// Seconds between its start and its end; 0 for a skipped one.
        package let seconds: Double
        /// The failure messages of the stream with their source locations, a line each.
        package let words: [String]

        /// Creates a result.
        package init(test: Catalogue.Test, outcome: Outcome, seconds: Double, words: [String]) {
            (self.test, self.outcome, self.seconds, self.words) = (test, outcome, seconds, words)
        }

        /// Whether the result counts as a failure.
        package var isFailure: Bool { outcome != .passed && outcome != .skipped }

        /// Whether a slow machine can be the cause; never true for a process that crashed.
        package var mayBeUnsteady: Bool {
            (outcome == .failed || outcome == .stuck) && test.tags.contains("realTime") && !test.tags.contains("exact")
        }
    }

    /// A run whose process has ended.
    package struct Ended: Sendable {
        /// The events of the run.
        package let run: BatchRun
        /// How the process ended: `exit 0`, `signal 5`, `no event for 900 s`.
        package let ending: String
        /// Whether the runner ended it, after a long time without an event.
        package let isStuck: Bool

        /// Creates a run that ended that way.
        package init(run: BatchRun, ending: String, isStuck: Bool) {
            (self.run, self.ending, self.isStuck) = (run, ending, isStuck)
        }

        /// The results of the tests that started, and one more for everything that belongs to no test: an
        /// issue of a suite or of a detached task, unreadable lines, an end of the process that no test
        /// explains.
        package var results: [Result] {
            var results = run.results(ending: ending, isStuck: isStuck)
            var words = run.unattributed
            if ending != "exit 0", !results.contains(where: \.isFailure) {
                words.append("the process ended with \(ending), and none of its tests has failed")
            }
            guard !words.isEmpty else { return results }
            let place = run.batch.tests.first?.suite ?? ""
            results.append(
                Result(
                    test: .init(id: "the process of \(place) and others"), outcome: .brokenOff, seconds: 0, words: words
                ))
            return results
        }
    }

    /// The batch.
    package let batch: Batch
    private var started: [String: Double] = [:]
    private var words: [String: [String]] = [:]
    private var ended: [String: (outcome: Outcome, seconds: Double)] = [:]
    private var latest = 0.0
    /// The problems recorded without a test of the batch, a line each.
    package private(set) var unattributed: [String] = []

    /// Creates a run without events.
    package init(_ batch: Batch) { self.batch = batch }

    /// Adds a line of the stream. An unreadable line is recorded, because it may have been a failure.
    package mutating func take(line: some Collection<UInt8>) {
        guard let record = TestRecord(line: line) else {
            unattributed.append(
                "a line of the event stream cannot be read: \(String(decoding: line.prefix(200), as: UTF8.self))")
            return
        }
        take(record)
    }

    private mutating func take(_ record: TestRecord) {
        guard record.kind == .event else { return }
        let id = record.payload.testID ?? ""
        let instant = record.payload.instant?.absolute ?? latest
        latest = instant
        switch record.payload.kind {
        case "testStarted": started[id] = instant
        case "testSkipped": ended[id] = (.skipped, 0)
        case "issueRecorded":
            guard let issue = record.payload.issue, issue.isFailure else { return }
            let place = issue.sourceLocation.map { "\($0.fileID):\($0.line): " } ?? ""
            let text = place + (record.payload.messages ?? []).map(\.text).joined(separator: " · ")
            if batch.tests.contains(where: { $0.id == id }) {
                words[id, default: []].append(text)
            } else {
                unattributed.append(text)
            }
        case "testEnded":
            let hasPassed = record.payload.messages?.contains { $0.symbol.hasPrefix("pass") } ?? false
            ended[id] = (hasPassed ? .passed : .failed, instant - (started[id] ?? instant))
        default: break
        }
    }

    /// The test that is running, or nil.
    package var current: Catalogue.Test? { batch.tests.first { started[$0.id] != nil && ended[$0.id] == nil } }

    /// The number of tests that have ended.
    package var count: Int { batch.tests.count { ended[$0.id] != nil } }

    /// Returns the results after the end of the process. A test that was running then is broken off or stuck;
    /// tests that had not started are absent. An issue fails its test also when it was recorded after the
    /// test's end.
    fileprivate func results(ending: String, isStuck: Bool) -> [Result] {
        batch.tests.compactMap { test in
            let words = words[test.id] ?? []
            if let (outcome, seconds) = ended[test.id] {
                return Result(
                    test: test, outcome: words.isEmpty ? outcome : .failed, seconds: seconds, words: words)
            }
            guard let start = started[test.id] else { return nil }
            return Result(
                test: test, outcome: isStuck ? .stuck : .brokenOff, seconds: latest - start,
                words: words + ["the process ended in the midst of it: \(ending)"])
        }
    }

    /// The tests that have not started: another process has to run them.
    package var left: [Catalogue.Test] { batch.tests.filter { started[$0.id] == nil && ended[$0.id] == nil } }
}
