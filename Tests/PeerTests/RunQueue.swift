import Foundation

/// The time for which the threads of a process were ready to run without a free processor, or waited for a
/// disk: the delay that the machine causes.
///
/// The kernel adds a wait to a thread's figures (``TaskFolder/times(of:)``) only once the thread runs again,
/// so a current wait is missing there. It is computed for a thread that is ready to run, or waits in the
/// kernel, and whose processor time does not grow. The end of a process is delayed in the same way.
struct RunQueue {
    /// The interval between two looks, which take processor time themselves.
    private static let interval = Duration.milliseconds(50)

    private struct Thread {
        /// The time that the thread had waited at the first look.
        let first: Int
        var times: (ran: Int, waited: Int)
        /// The start of a current wait that the kernel has not added yet.
        var waitsSince: ContinuousClock.Instant?
        /// The length of the current wait at the last look.
        var pending = Duration.zero
        /// The time for which the thread was seen waiting in the kernel.
        var blocked = Duration.zero
    }

    private let folder: TaskFolder
    private var threads: [String: Thread] = [:]
    private var lookedAt = ContinuousClock.now

    /// Starts counting.
    init(process id: pid_t) {
        folder = TaskFolder(process: id)
        read()
    }

    /// Adds the current figures. A thread that has ended keeps the figures of the last look.
    mutating func look() {
        guard ContinuousClock.now - lookedAt >= Self.interval else { return }
        read()
        lookedAt = .now
    }

    /// The delay that the machine has caused, added up over all threads.
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
            // The thread waits in the kernel, usually for a disk, and cannot even be ended.
            if state == "D" { thread.blocked += ContinuousClock.now - lookedAt }
            let isWaiting = state == "R"
            thread.waitsSince = isWaiting ? thread.waitsSince ?? lookedAt : nil
            thread.pending = thread.waitsSince.map { ContinuousClock.now - $0 } ?? .zero
            thread.times = times
            threads[id] = thread
        }
    }
}
