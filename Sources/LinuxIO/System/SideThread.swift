import CLinuxShims
import Encoding
import Glibc
import Synchronization

/// A thread for work that may block: writing to a log that nobody reads, drawing on a slow display, resolving a name.
///
/// Whoever hands over work never waits. What does not fit any more pushes out the oldest, which is counted. Not a task of
/// Swift's: those share as many threads as the machine has cores, and a few blocked ones would hold up everything else.
package final class SideThread: Sendable {
    /// The part that the thread itself holds, so that the thread ends when the last owner goes.
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

    /// Starts the thread. `name`: at most 15 bytes, shown by ps; `limit`: pieces of work that wait at most.
    package init(name: String, limit: Int) throws(SystemError) {
        queue = try Queue()
        self.limit = max(limit, 1)
        try Threads.start(name) { [queue] in queue.run() }
    }

    deinit {
        queue.state.withLock { $0.isFinished = true }
        queue.wake.ring()
    }

    /// Hands over a piece of work; the oldest that waits goes when there is no room.
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

    /// Pieces of work that were pushed out since the start.
    package var dropped: Int { queue.state.withLock { $0.dropped } }

    /// Waits until all that was handed over is done, at most for `limit`; whether it is.
    package func flush(within limit: Duration) -> Bool {
        let end = SystemClock.now().advanced(by: limit)
        while !queue.state.withLock({ $0.jobs.isEmpty && !$0.isRunning }) {
            if SystemClock.now() >= end { return false }
            usleep(1000)
        }
        return true
    }
}

/// Threads of the system, for what must not share one.
enum Threads {
    private final class Body {
        let name: String
        let isFirst: Bool
        let run: @Sendable () -> Void

        init(_ name: String, _ isFirst: Bool, _ run: @escaping @Sendable () -> Void) {
            (self.name, self.isFirst, self.run) = (name, isFirst, run)
        }
    }

    /// Starts a detached thread that ends with `body`. What that left on the stack is zeroed: the next thread gets the
    /// same stack, and until then it would keep parts of what a visitor sent.
    ///
    /// `isFirst`: it has real-time priority where the system allows that (`clinux_run_first`), else that of any thread.
    /// Its body has to wait in the kernel and to compute little in between.
    static func start(
        _ name: String, isFirst: Bool = false, _ body: @escaping @Sendable () -> Void
    ) throws(SystemError) {
        var id = pthread_t()
        let argument = Unmanaged.passRetained(Body(name, isFirst, body))
        let result = pthread_create(
            &id, nil,
            { argument in
                guard let argument else { return nil }
                let body = Unmanaged<Body>.fromOpaque(argument).takeRetainedValue()
                // A thread that has its name has its priority.
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
}
