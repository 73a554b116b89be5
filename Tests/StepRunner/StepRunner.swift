import Dispatch
import Foundation
import Glibc
import Synchronization
import TestSteps

/// Runs the tests of a bundle in steps, and reports at the end which tests failed, which were unsteady and
/// which took longest.
///
///     step-runner BUNDLE [--folder FOLDER] [--nightly] [--only PART] [--patience SECONDS] [STEP ...]
///
/// Each step has a queue of batches and several lanes. A lane runs the next batch in a process of its own,
/// one test at a time: the measured time of a test is its own, and a trap costs one test. The exit code is 0
/// when the tests pass, 1 when they do not, and 2 when the runner could not run.
@main
struct StepRunner {
    static func main() {
        let signals = [SIGINT, SIGTERM, SIGHUP].map(Self.endChildren)
        defer { withExtendedLifetime(signals) {} }
        do {
            let options = try Options(Array(CommandLine.arguments.dropFirst()))
            exit(try StepRunner(options: options).run() ? 0 : 1)
        } catch {
            Console.shared.line("step-runner: \(error)")
            exit(2)
        }
    }

    /// Ends the child processes when a person interrupts the run.
    private static func endChildren(at number: Int32) -> any DispatchSourceSignal {
        signal(number, SIG_IGN)
        let source = DispatchSource.makeSignalSource(signal: number, queue: .global())
        source.setEventHandler(handler: DispatchWorkItem(block: Children.end(128 + number)))
        source.resume()
        return source
    }

    let options: Options

    private func run() throws -> Bool {
        try FileManager.default.createDirectory(atPath: options.folder, withIntermediateDirectories: true)
        let bundle = Bundle(path: options.bundle, patience: options.patience)
        let catalogue = try bundle.catalogue(in: options.folder).only(options.part)
        // Tags are an experimental field of the event stream. Without them, no test would count as a
        // real-time test.
        guard catalogue.tests.count < 500 || options.part != "" || catalogue.tests.contains(where: { !$0.tags.isEmpty })
        else { throw Bundle.Failure(description: "the event stream has no tags") }
        try? FileManager.default.removeItem(atPath: options.folder + "/failed.log")
        var verdict = Verdict()
        for step in try options.steps() {
            let start = Date()
            let lanes = Lanes(step: step, bundle: bundle, folder: options.folder)
            let results = lanes.run(step.batches(of: catalogue))
            var repetitions: [String: [BatchRun.Result]] = [:]
            if step.isMeasured {
                for result in results where result.mayBeUnsteady {
                    repetitions[result.test.id] = lanes.again(result.test, times: Verdict.repetitions)
                }
            }
            verdict.add(step, results, repetitions: repetitions, seconds: Date().timeIntervalSince(start))
        }
        note(verdict.times)
        try Data(verdict.table.utf8).write(to: URL(fileURLWithPath: options.folder + "/times.tsv"))
        Console.shared.line(verdict.summary)
        return verdict.isGood
    }
    /// Adds the steps to the times file of `Tests/step`, indented, because they are parts of one of its
    /// steps.
    private func note(_ times: [Verdict.Time]) {
        guard let path = ProcessInfo.processInfo.environment["GATEHOUSE_STEPS"] else { return }
        let lines = times.map { "\(Int($0.seconds.rounded()))\t  \($0.step), \($0.tests) tests\n" }.joined()
        let earlier = (try? Data(contentsOf: URL(fileURLWithPath: path))) ?? Data()
        try? (earlier + Data(lines.utf8)).write(to: URL(fileURLWithPath: path))
    }
}
