import Foundation
import Glibc
import TestSteps

/// The test program as SwiftPM builds it.
struct Bundle {
    /// The path of the program.
    let path: String
    /// The number of seconds that a process may run without an event: a test that hangs is ended and fails.
    let patience: TimeInterval

    /// The bundle cannot be started or listed.
    struct Failure: Error, CustomStringConvertible {
        let description: String
    }

    private static let environment = ProcessInfo.processInfo.environment.merging([
        "SWT_EXPERIMENTAL_EVENT_STREAM_FIELDS_ENABLED": "1",  // tags
        "SWT_EXPERIMENTAL_MAXIMUM_PARALLELIZATION_WIDTH": "1",
    ]) { $1 }

    private func start(_ words: [String], output: Int32) throws -> TestProcess {
        try TestProcess(
            path, ["--testing-library", "swift-testing", "--no-parallel"] + words, environment: Self.environment,
            output: output)
    }

    private func start(events: String, _ words: [String], output: Int32) throws -> TestProcess {
        try start(
            words + ["--event-stream-version", "6.3", "--event-stream-output-path", events], output: output)
    }

    /// Every test with its tags, without running one.
    ///
    /// Swift Testing 6.3 filters by names only, and writes tags into the event stream only. It writes every test there,
    /// then a line to standard error, then it starts the first test. Here standard error is a full pipe, so the process
    /// waits until it is killed.
    func catalogue(in folder: String) throws -> Catalogue {
        let expected = try count(in: folder)
        let full = try Self.fullPipe()
        let events = folder + "/catalogue.json"
        try? FileManager.default.removeItem(atPath: events)
        let process = try start(events: events, [], output: full.fileHandleForWriting.fileDescriptor)
        defer {
            process.kill()
            while process.ending() == nil { usleep(1000) }
        }
        var reader = EventReader(events)
        var catalogue = Catalogue()
        let limit = Date() + 60
        while catalogue.tests.count < expected {
            guard Date() < limit else {
                throw Failure(description: "the bundle lists \(catalogue.tests.count) of its \(expected) tests")
            }
            for line in reader.read() { TestRecord(line: line).map { catalogue.add($0) } }
            usleep(20_000)
        }
        return catalogue
    }

    /// Returns the number of test functions in the bundle.
    private func count(in folder: String) throws -> Int {
        let list = folder + "/tests.txt"
        let output = try Self.file(list)
        let process = try start(["--list-tests"], output: output.fileDescriptor)
        var ending = process.ending()
        while ending == nil {
            usleep(5000)
            ending = process.ending()
        }
        guard ending == "exit 0" else { throw Failure(description: "\(path) does not list its tests: \(ending ?? "")") }
        return try Data(contentsOf: URL(fileURLWithPath: list)).split(separator: 0x0A).count
    }

    /// Opens an empty file for writing, with close-on-exec, so that child processes do not inherit it.
    private static func file(_ path: String) throws -> FileHandle {
        let descriptor = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0o600)
        guard descriptor >= 0 else { throw Failure(description: "\(path): \(String(cString: strerror(errno)))") }
        return FileHandle(fileDescriptor: descriptor, closeOnDealloc: true)
    }

    private static func fullPipe() throws -> Pipe {
        let pipe = Pipe()
        let descriptor = pipe.fileHandleForWriting.fileDescriptor
        guard fcntl(descriptor, F_SETFL, O_NONBLOCK) == 0 else { throw Failure(description: "no pipe: \(errno)") }
        for size in [4096, 1] {
            let bytes = [UInt8](repeating: 0x20, count: size)
            while write(descriptor, bytes, size) > 0 {}
        }
        _ = fcntl(descriptor, F_SETFL, 0)
        return pipe
    }

    /// Runs a batch. `onEvent` receives the progress; the output of the process is written to `log`.
    func run(_ batch: Batch, log: String, in folder: String, onEvent: (BatchRun) -> Void) throws -> BatchRun.Ended {
        let events = folder + "/events-\(UUID().uuidString).json"
        defer { try? FileManager.default.removeItem(atPath: events) }
        let output = try Self.file(log)
        let process = try start(events: events, ["--filter", batch.filter], output: output.fileDescriptor)
        var reader = EventReader(events)
        var run = BatchRun(batch)
        var latest = Date()
        var isStuck = false
        while true {
            let ending = process.ending()  // asked first: everything it wrote before is read below
            let lines = reader.read()
            for line in lines { run.take(line: line) }
            if let ending {
                return BatchRun.Ended(
                    run: run, ending: isStuck ? "no event for \(Int(patience)) s" : ending, isStuck: isStuck)
            }
            if !lines.isEmpty {
                latest = Date()
                onEvent(run)
            }
            if !isStuck, Date().timeIntervalSince(latest) > patience {
                isStuck = true
                process.kill()
            }
            usleep(20_000)
        }
    }
}
