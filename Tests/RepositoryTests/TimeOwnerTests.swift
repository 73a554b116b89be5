import Foundation
import TestKit
import Testing

/// The time and the tasks are passed in: only adapters read a clock, sleep, or start a task, a queue or a thread. So a
/// simulation can play everything above them.
@Suite struct TimeOwnerTests {
    /// The adapters that own the real time and the real tasks.
    private static let owners: Set<String> = [
        "Clocks/Spawner.swift", "Clocks/SystemClock.swift",
        // Threads that wait for the kernel: for lines, displays, sockets, packets and processes.
        "LinuxIO/Control/ControlClient.swift", "LinuxIO/Control/ControlServer.swift",
        "Displays/Devices/DisplayThread.swift", "LinuxIO/GPIO/GPIOInputs.swift", "LinuxIO/GPIO/GPIORequest.swift",
        "LinuxIO/GPIO/InputLines.swift", "LinuxIO/GPIO/LineThread.swift", "LinuxIO/GPIO/WiegandOutput.swift",
        "LinuxIO/Service/LogSink.swift", "LinuxIO/Service/SystemdTimeoutExtension.swift",
        "LinuxIO/System/EventCounter.swift", "LinuxIO/System/PollLoop.swift", "LinuxIO/System/ProcessEnd.swift",
        "LinuxIO/System/BackgroundThread.swift", "LinuxIO/System/SystemClock.swift", "LinuxIO/System/TimeDaemon.swift",
        "LinuxIO/Transport/HCIUserChannel.swift", "LinuxIO/Transport/MissingAdapter.swift",
        "Displays/Voice/SpeechProgram.swift",
        // The store's writer and the queues of its files; the pause of a copy inside SQLite.
        "Store/LedgerReader.swift", "Store/Reserve.swift", "Store/Store+Witness.swift", "Store/Store.swift",
        "Store/WitnessFile.swift",
        // The time limits of the network, which NIO measures too.
        "HTTPTransport/LocalRequest.swift", "HTTPTransport/ResourceFetcher.swift", "HTTPTransport/RootedClient.swift",
        "HTTPTransport/TimeLimit.swift",
    ]

    /// The files that name the machine's own clock and tasks, to pass them on: the command line, in one place.
    private static let roots: Set<String> = ["Console/Machine.swift"]
    /// The targets that may name them too: adapters, and the kits that measure the program in real time.
    private static let realTime: Set<String> = ["Clocks", "LinuxIO", "Store", "Workbench"]

    private static let root = Vectors.repository.appendingPathComponent("Sources").resolvingSymlinksInPath()

    private static func code(_ line: Substring) -> Substring {
        line.firstRange(of: "//").map { line[..<$0.lowerBound] } ?? line
    }

    /// Returns whether a line reads a clock, sleeps, or starts a task, a queue or a thread.
    private static func takes(_ line: Substring) -> Bool {
        // Most lines need no regular expression, which is slow.
        guard ["Task", "Clock", "DispatchQueue", "pthread_"].contains(where: line.contains) else { return false }
        // A child task has an owner: the task group.
        return code(line).contains(
            #/\bTask\.(sleep|detached)|\b(Continuous|Suspending|System)Clock\b|\bTask *[({]|\bDispatchQueue\b|\bpthread_/#
                .wordBoundaryKind(.simple))
    }

    /// Returns whether a line names the machine's own clock or tasks.
    private static func names(_ line: Substring) -> Bool {
        line.contains(".system")
            && code(line).contains(
                #/\b(Clock|Spawner)\.system\b|\b(clock|spawner|by): \.system\b(?!\()/#.wordBoundaryKind(.simple))
    }

    /// Returns the number of lines for which `isFound` is true, by file below `Sources`.
    private static func lines(where isFound: (Substring) -> Bool) throws -> [String: Int] {
        var found: [String: Int] = [:]
        for file in swiftFiles(below: root) {
            let text = try String(contentsOf: file, encoding: .utf8)
            let count = text.split(separator: "\n").count(where: isFound)
            if count > 0 { found[String(file.path.dropFirst(root.path.count + 1))] = count }
        }
        return found
    }

    @Test func onlyAdaptersTakeTimeAndTasks() throws {
        let found = try Self.lines(where: Self.takes)
        #expect(Self.owners.subtracting(found.keys) == [], "no owner any more: remove it from the list")
        for (file, count) in found where !Self.owners.contains(file) {
            Issue.record("\(file) has \(count) lines that take time or tasks: pass a Clock or a Spawner in")
        }
    }

    @Test func theMachinesClockIsNamedInOnePlaceOfTheCommandLine() throws {
        let found = try Self.lines(where: Self.names).keys.filter { file in
            !Self.realTime.contains { file.hasPrefix($0 + "/") }
        }
        #expect(Set(found) == Self.roots)
    }

    /// The tests above can fail.
    @Test func usesOfTimeOrTasksAreFound() {
        for line in [
            "try await Task.sleep(for: .seconds(1))", "Task { await work() }", "Task(priority: .high) { [self] in",
            "Task.detached {", "let now = SystemClock.now()", "let end = ContinuousClock.now + limit",
            "DispatchQueue.global().async {", "pthread_create(&thread, nil, run, nil)",
        ] { #expect(Self.takes(line[...]), "\(line)") }
        for line in [
            "// Task { }", "/// See ``SystemClock``.", "while !Task.isCancelled {",
            "private let work: Task<Void, Never>",
            "try await clock.sleep(for: .seconds(1))", "group.addTask { await run() }",
            "await withTaskGroup(of: Void.self) {",
        ] { #expect(!Self.takes(line[...]), "\(line)") }
        for line in ["Clock.system.now()", "Service(clock: .system)", "TimedQuery(by: .system, tasks) {"] {
            #expect(Self.names(line[...]), "\(line)")
        }
        #expect(!Self.names("Service(clock: clock)") && !Self.names("case .system(let error):"))
    }
}
