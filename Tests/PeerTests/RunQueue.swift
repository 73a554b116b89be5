import Foundation

/// How long the threads of a process could have run and no processor was free for them: what the machine owes it (the
/// second number of `/proc/ID/task/THREAD/schedstat`, in nanoseconds).
struct RunQueue {
    /// Between two looks: they take a processor themselves.
    private static let interval = Duration.milliseconds(50)

    private let tasks: String
    private var first: [String: Int] = [:]
    private var last: [String: Int] = [:]
    private var lookedAt = ContinuousClock.now

    /// Counts from now on.
    init(process id: pid_t) {
        tasks = "/proc/\(id)/task"
        read()
        first = last
    }

    /// Takes up what there is now. A thread that has ended keeps what was last seen of it.
    mutating func look() {
        guard ContinuousClock.now - lookedAt >= Self.interval else { return }
        read()
        lookedAt = .now
    }

    /// What is owed to all threads together.
    var owed: Duration { .nanoseconds(last.reduce(0) { $0 + $1.value - (first[$1.key] ?? 0) }) }

    private mutating func read() {
        for thread in (try? FileManager.default.contentsOfDirectory(atPath: tasks)) ?? [] {
            guard let line = try? String(contentsOfFile: "\(tasks)/\(thread)/schedstat", encoding: .utf8),
                let waited = line.split(separator: " ").dropFirst().first.flatMap({ Int($0) })
            else { continue }
            last[thread] = waited
        }
    }
}
