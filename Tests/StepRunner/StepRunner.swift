import Dispatch
import Foundation
import Glibc
import Synchronization
import TestSteps

/// Runs the tests of a bundle in steps, and says at the end what failed, what was unsteady and what took longest.
///
///     step-runner BUNDLE [--folder FOLDER] [--nightly] [--only PART] [--patience SECONDS] [STEP ...]
///
/// Each step has a queue of batches and some lanes; a lane takes the next batch into a process of its own, which runs
/// one test at a time: so the time of a test is its own, and a trap costs one test. Ends with 0 when all is well, 1
/// when not, and 2 when it could not run.
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

    /// Lets a person break the run off without leaving a process behind.
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
        // Tags are an experimental field of the event stream: without them nothing would count as real time.
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
    /// Adds the steps to the file of `Tests/step`, indented: they are parts of one of its steps.
    private func note(_ times: [Verdict.Time]) {
        guard let path = ProcessInfo.processInfo.environment["GATEHOUSE_STEPS"] else { return }
        let lines = times.map { "\(Int($0.seconds.rounded()))\t  \($0.step), \($0.tests) tests\n" }.joined()
        let earlier = (try? Data(contentsOf: URL(fileURLWithPath: path))) ?? Data()
        try? (earlier + Data(lines.utf8)).write(to: URL(fileURLWithPath: path))
    }
}
