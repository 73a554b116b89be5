/// What became of the tests of one batch: a fold over the event stream of its process.
package struct BatchRun: Sendable {
    /// How a test ended.
    package enum Outcome: Hashable, Sendable {
        /// As it must.
        case passed
        /// With an issue.
        case failed
        /// Without having run, as the test itself said.
        case skipped
        /// With the process: a trap, a signal or an exit.
        case brokenOff
        /// Not at all: its process was ended after a long time without an event.
        case stuck
    }

    /// A test's end.
    package struct Result: Sendable {
        /// The test.
        package let test: Catalogue.Test
        /// How it ended.
        package let outcome: Outcome
        /// Seconds between its start and its end; 0 for a skipped one.
        package let seconds: Double
        /// What the stream says of its failures, a line each: places and messages.
        package let words: [String]

        /// A test's end.
        package init(test: Catalogue.Test, outcome: Outcome, seconds: Double, words: [String]) {
            (self.test, self.outcome, self.seconds, self.words) = (test, outcome, seconds, words)
        }

        /// Whether it must not stay so.
        package var isFailure: Bool { outcome != .passed && outcome != .skipped }

        /// Whether a slow machine can be the reason: never of a process that crashed.
        package var mayBeUnsteady: Bool {
            (outcome == .failed || outcome == .stuck) && test.tags.contains("realTime") && !test.tags.contains("exact")
        }
    }

    /// A run whose process has ended.
    package struct Ended: Sendable {
        /// What it did.
        package let run: BatchRun
        /// How the process ended: `exit 0`, `signal 5`, `no event for 900 s`.
        package let ending: String
        /// Whether the runner ended it, after a long time without an event.
        package let isStuck: Bool

        /// A run that ended so.
        package init(run: BatchRun, ending: String, isStuck: Bool) {
            (self.run, self.ending, self.isStuck) = (run, ending, isStuck)
        }

        /// The results of the tests that began, and one more for what belongs to no test of them: an issue of a suite
        /// or of a task of its own, lines that cannot be read, an end of the process that no test explains.
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
    /// What was recorded without a test of the batch, a line each.
    package private(set) var unattributed: [String] = []

    /// A run of which nothing is known yet.
    package init(_ batch: Batch) { self.batch = batch }

    /// Takes a line of the stream. One that cannot be read may have been a failure.
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

    /// The test that runs, while one does.
    package var current: Catalogue.Test? { batch.tests.first { started[$0.id] != nil && ended[$0.id] == nil } }

    /// How many tests have ended.
    package var count: Int { batch.tests.count { ended[$0.id] != nil } }

    /// The results once the process is over. The test that ran then is broken off or stuck; those that had not begun
    /// are absent. An issue fails its test also when it was recorded after the test's end.
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

    /// The tests that have not begun: another process has to run them.
    package var left: [Catalogue.Test] { batch.tests.filter { started[$0.id] == nil && ended[$0.id] == nil } }
}
