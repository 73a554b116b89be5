import Foundation

/// How long the threads of a process could have run and no processor was free for them, or waited for a disk: what the machine owes it.
///
/// The kernel adds a wait to a thread's figures (``TaskFolder/times(of:)``) only once the thread runs again, so that a wait that
/// lasts is missing there. It is taken from the state of a thread that can run, or waits in the kernel, and whose time on a processor
/// does not grow. The end of a process waits like that, too.
struct RunQueue {
    /// Between two looks: they take a processor themselves.
    private static let interval = Duration.milliseconds(50)

    private struct Thread {
        /// What it had waited at the first look.
        let first: Int
        var times: (ran: Int, waited: Int)
        /// Since when it waits, as far as the kernel has not added it yet.
        var waitsSince: ContinuousClock.Instant?
        /// How long that was at the last look.
        var pending = Duration.zero
        /// How long it was found waiting in the kernel.
        var blocked = Duration.zero
    }

    private let folder: TaskFolder
    private var threads: [String: Thread] = [:]
    private var lookedAt = ContinuousClock.now

    /// Counts from now on.
    init(process id: pid_t) {
        folder = TaskFolder(process: id)
        read()
    }

    /// Takes up what there is now. A thread that has ended keeps what was last seen of it.
    mutating func look() {
        guard ContinuousClock.now - lookedAt >= Self.interval else { return }
        read()
        lookedAt = .now
    }

    /// What is owed to all threads together.
    var owed: Duration {
        threads.values.reduce(.zero) { $0 + .nanoseconds($1.times.waited - $1.first) + $1.pending + $1.blocked }
    }

    private mutating func read() {
        for id in folder.threads {
            guard let times = folder.times(of: id) else { continue }
            guard var thread = threads[id] else {
                threads[id] = Thread(first: times.waited, times: times)
                continue
            }
            let state = times == thread.times ? folder.state(of: id) : nil
            // It waits in the kernel, for a disk most of all, and cannot even be ended.
            if state == "D" { thread.blocked += ContinuousClock.now - lookedAt }
            let isWaiting = state == "R"
            thread.waitsSince = isWaiting ? thread.waitsSince ?? lookedAt : nil
            thread.pending = thread.waitsSince.map { ContinuousClock.now - $0 } ?? .zero
            thread.times = times
            threads[id] = thread
        }
    }
}
