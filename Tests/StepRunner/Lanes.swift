import Foundation
import Synchronization
import TestSteps

/// The processes of a step, which run side by side.
final class Lanes: Sendable {
    private struct State {
        var waiting: [Batch]
        var results: [BatchRun.Result] = []
        var done = 0
        var current: [Int: String] = [:]
    }

    private let step: Step
    private let bundle: Bundle
    private let folder: String
    private let state = Mutex(State(waiting: []))

    init(step: Step, bundle: Bundle, folder: String) {
        (self.step, self.bundle, self.folder) = (step, bundle, folder)
    }

    /// Runs all batches; returns the result of each test.
    func run(_ batches: [Batch]) -> [BatchRun.Result] {
        let total = batches.reduce(0) { $0 + $1.tests.count }
        Console.shared.line("\(step.name): \(step.title) (\(total) tests)")
        state.withLock { $0.waiting = batches }
        let group = DispatchGroup()
        for lane in 0..<step.lanes {
            let thread = Thread {
                while let batch = self.next(lane) { self.run(batch, lane, total) }
                group.leave()
            }
            group.enter()
            thread.start()
        }
        group.wait()
        return state.withLock(\.results)
    }

    /// Runs one test alone, `times` times.
    func again(_ test: Catalogue.Test, times: Int) -> [BatchRun.Result] {
        (1...times).map { number in
            let results = results(of: Batch(tests: [test]), log: "again") { _ in }
            let outcome = results.first.map { "\($0.outcome)" } ?? "did not run"
            Console.shared.line("  again, alone, \(number) of \(times): \(test.name): \(outcome)")
            return results.first
                ?? BatchRun.Result(test: test, outcome: .brokenOff, seconds: 0, words: ["it did not run"])
        }
    }

    /// Returns the next batch. The first lane takes from the front, where the batches with agents are; the
    /// others take from the back.
    private func next(_ lane: Int) -> Batch? {
        state.withLock { state in
            guard !state.waiting.isEmpty else { return nil }
            return lane == 0 ? state.waiting.removeFirst() : state.waiting.removeLast()
        }
    }

    private func run(_ batch: Batch, _ lane: Int, _ total: Int) {
        let results = results(of: batch, log: "lane-\(lane)") { run in
            self.show(total, lane, run)
        }
        state.withLock { state in
            state.results += results
            state.done += batch.tests.count
            state.current[lane] = nil
        }
        for result in results where result.isFailure {
            Console.shared.line("  ✘ \(result.test.name) (\(result.seconds.tenths) s)")
            for line in result.words { Console.shared.line("      \(line.prefix(600))") }
        }
    }

    /// Returns the results of a batch. Tests that did not start because of a trap run in another process.
    private func results(
        of batch: Batch, log: String, onEvent: @escaping (BatchRun) -> Void
    ) -> [BatchRun.Result] {
        var results: [BatchRun.Result] = []
        var batch = batch
        while !batch.tests.isEmpty {
            let file = folder + "/\(step.name)-\(log).log"
            do {
                let ended = try bundle.run(batch, log: file, in: folder, onEvent: onEvent)
                let new = ended.results
                results += new
                tell(file, hasFailed: new.contains(where: \.isFailure))
                if ended.run.left.count == batch.tests.count {
                    return results + Self.unrun(ended.run.left, ended.ending)
                }
                batch = Batch(tests: ended.run.left)
            } catch {
                return results + Self.unrun(batch.tests, "\(error)")
            }
        }
        return results
    }

    private static func unrun(_ tests: [Catalogue.Test], _ why: String) -> [BatchRun.Result] {
        tests.map { BatchRun.Result(test: $0, outcome: .brokenOff, seconds: 0, words: ["it did not run: \(why)"]) }
    }

    /// Prints the output of the tests themselves, and keeps the whole output of a process that failed.
    private func tell(_ file: String, hasFailed: Bool) {
        guard let data = FileManager.default.contents(atPath: file) else { return }
        let text = String(decoding: data, as: UTF8.self)
        for line in text.split(separator: "\n") {
            if let first = line.first, first.isASCII, first.isLetter || first.isNumber {
                Console.shared.line("  \(line.prefix(400))")
            }
        }
        guard hasFailed else { return }
        state.withLock { _ in
            let kept = URL(fileURLWithPath: folder + "/failed.log")
            let earlier = (try? Data(contentsOf: kept)) ?? Data()
            try? (earlier + data).write(to: kept)
        }
    }

    /// Shows the progress and the running tests in one line on a terminal.
    private func show(_ total: Int, _ lane: Int, _ run: BatchRun) {
        let line = state.withLock { state in
            state.current[lane] = run.current?.name
            let names = state.current.sorted { $0.key < $1.key }.map { $0.value.split(separator: "/").last ?? "" }
            return "\(state.done) of \(total) · \(names.joined(separator: " · "))"
        }
        Console.shared.status(line)
    }
}
