import CLinuxShims
import Encoding
import Glibc
import Synchronization

/// A thread for work that may block, for example writing to a log that no process reads, drawing on a slow display or
/// resolving a name.
///
/// The caller never waits. When the queue is full, the oldest piece of work is dropped and counted. Swift tasks are
/// not used for such work, because all tasks share as many threads as the machine has cores: a few blocked tasks
/// would delay all other tasks.
package final class BackgroundThread: Sendable {
    /// The part that the thread refers to. It is a separate object, so that the last reference to the
    /// ``BackgroundThread`` can be released while the thread runs; the thread then ends.
    private final class Queue: Sendable {
        struct State {
            var jobs: [@Sendable () -> Void] = []
            var isRunning = false
            var dropped = 0
            var isFinished = false
        }

        let state = Mutex(State())
        let wake: EventCounter

        init() throws(SystemError) { wake = try EventCounter() }

        func run() {
            while true {
                let (job, isFinished) = state.withLock { state -> ((@Sendable () -> Void)?, Bool) in
                    state.isRunning = !state.jobs.isEmpty
                    return (state.jobs.isEmpty ? nil : state.jobs.removeFirst(), state.isFinished)
                }
                if let job {
                    job()
                } else if isFinished {
                    return
                } else {
                    wake.wait()
                }
            }
        }
    }

    private let queue: Queue
    private let limit: Int

    /// Starts the thread. `name` has at most 15 bytes, and ps shows it. `limit` is the maximum number of pieces of
    /// work in the queue.
    package init(name: String, limit: Int) throws(SystemError) {
        queue = try Queue()
        self.limit = max(limit, 1)
        try Threads.start(name) { [queue] in queue.run() }
    }

    deinit {
        queue.state.withLock { $0.isFinished = true }
        queue.wake.ring()
    }

    /// Queues a piece of work. If the queue is full, drops the oldest one.
    package func run(_ job: @escaping @Sendable () -> Void) {
        queue.state.withLock { state in
            if state.jobs.count >= limit {
                state.jobs.removeFirst()
                state.dropped += 1
            }
            state.jobs.append(job)
        }
        queue.wake.ring()
    }

    /// The number of pieces of work that were dropped since the start.
    package var dropped: Int { queue.state.withLock { $0.dropped } }

    /// Waits until all queued work is done, for at most `limit`. Returns whether it is done.
    package func flush(within limit: Duration) -> Bool {
        Threads.wait(within: limit) { queue.state.withLock { $0.jobs.isEmpty && !$0.isRunning } }
    }
}

/// Threads of the operating system that are not part of Swift's task pool.
package enum Threads {
    private final class Body {
        let name: String
        let isFirst: Bool
        let run: @Sendable () -> Void

        init(_ name: String, _ isFirst: Bool, _ run: @escaping @Sendable () -> Void) {
            (self.name, self.isFirst, self.run) = (name, isFirst, run)
        }
    }

    /// Starts a detached thread that runs `body` and then ends. `name` has at most 15 bytes, and ps shows it.
    ///
    /// At its end the thread zeroes its stack, because a later thread may get the same memory and parts of a
    /// visitor's data would stay in it.
    ///
    /// With `isFirst` the thread has real-time priority if the system permits it (`clinux_run_first`), otherwise
    /// normal priority. The body of a thread with real-time priority must wait in the kernel and compute little
    /// between the waits.
    package static func start(
        _ name: String, isFirst: Bool = false, _ body: @escaping @Sendable () -> Void
    ) throws(SystemError) {
        var id = pthread_t()
        let argument = Unmanaged.passRetained(Body(name, isFirst, body))
        let result = pthread_create(
            &id, nil,
            { argument in
                guard let argument else { return nil }
                let body = Unmanaged<Body>.fromOpaque(argument).takeRetainedValue()
                // Set the priority before the name. A thread that is found by its name then already has its priority.
                if body.isFirst { _ = clinux_run_first() }
                clinux_name_thread(body.name)
                body.run()
                clinux_clear_stack()
                return nil
            }, argument.toOpaque())
        guard result == 0 else {
            argument.release()
            throw SystemError("starting the thread \(name)", code: result)
        }
        pthread_detach(id)
    }

    /// Blocks until `isDone` returns true, for at most `limit`. Returns whether it did so in time.
    package static func wait(within limit: Duration, until isDone: () -> Bool) -> Bool {
        let end = SystemClock.now().advanced(by: limit)
        while !isDone() {
            if SystemClock.now() >= end { return false }
            usleep(500)
        }
        return true
    }
}
