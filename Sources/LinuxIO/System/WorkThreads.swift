import Glibc
import Synchronization

/// Threads for computations on input from untrusted peers. They run in the order of their requests, at most as many
/// at the same time as the machine has processors.
///
/// Swift tasks are not used, because all tasks share that number of threads: a few long computations would delay all
/// other tasks. A thread cannot be ended from outside. Therefore, if a caller no longer waits for a computation, the
/// computation is given up: it is removed from the queue or, if it is running, another thread takes its place in the
/// count. At most eight given-up computations may be running. With eight, no new computation begins, and the liveness
/// probes detect that.
package final class WorkThreads<Key: Hashable & Sendable>: Sendable {
    private struct Work {
        let key: Key?
        let run: @Sendable () -> Void
    }

    private enum Turn: Equatable {
        /// The thread is about to take a computation from the queue.
        case beginning
        case working(Key?)
    }

    private struct State {
        var waiting: [Work] = []
        /// The threads that count as running, by their numbers, with what they do.
        var running: [Int: Turn] = [:]
        /// The numbers of the threads whose computation was given up.
        var givenUp: Set<Int> = []
        var started = 0
    }

    /// The maximum number of given-up computations that are still running.
    package static var mostGivenUp: Int { 8 }

    private let name: String
    private let places: Int
    private let state = Mutex(State())

    /// Creates a pool. Its first thread starts with the first computation. `name` has at most 15 bytes, and ps shows
    /// it. `places` is the maximum number of computations at the same time.
    package init(name: String, places: Int = max(2, sysconf(Int32(_SC_NPROCESSORS_ONLN)))) {
        (self.name, self.places) = (name, places)
    }

    /// Queues a computation. It begins when fewer than `places` computations are running, unless `key` is given up
    /// before. With the key nil it cannot be given up.
    package func run(_ key: Key?, _ work: @escaping @Sendable () -> Void) {
        state.withLock { $0.waiting.append(Work(key: key, run: work)) }
        fill()
    }

    /// Queues `question` after all earlier computations and returns its result.
    package func answer<Answer: Sendable>(_ question: @escaping @Sendable () -> Answer) async -> Answer {
        await withCheckedContinuation { answered in run(nil) { answered.resume(returning: question()) } }
    }

    /// Gives up the computation with the key `key`, because no caller waits for it any more. Does nothing if it has
    /// ended.
    package func giveUp(_ key: Key) {
        state.withLock { state in
            state.waiting.removeAll { $0.key == key }
            if let (number, _) = state.running.first(where: { $0.value == .working(key) }) {
                state.running[number] = nil
                state.givenUp.insert(number)
            }
        }
        fill()
    }

    /// The number of given-up computations that are still running.
    package var abandoned: Int { state.withLock { $0.givenUp.count } }

    /// Starts threads for queued computations, up to the maximum. If the system cannot start a thread, the next call
    /// tries again.
    private func fill() {
        while let number = state.withLock({ state in Self.begin(&state, places) }) {
            do throws(SystemError) {
                try Threads.start(name) { [self] in turn(number) }
            } catch {
                return state.withLock { $0.running[number] = nil }
            }
        }
    }

    /// Reserves a place for a new thread and returns its number; nil if no thread is needed or allowed.
    private static func begin(_ state: inout State, _ places: Int) -> Int? {
        guard state.waiting.count > state.running.values.count(where: { $0 == .beginning }),
            state.running.count < places, state.givenUp.count < Self.mostGivenUp
        else { return nil }
        state.started += 1
        state.running[state.started] = .beginning
        return state.started
    }

    /// The body of the thread with the number `number`. Runs queued computations until none is left, or until the
    /// thread's computation was given up and its place taken.
    private func turn(_ number: Int) {
        while let work = state.withLock({ Self.next(number, &$0) }) {
            work.run()
            let hasPlace = state.withLock { state in
                if state.givenUp.remove(number) != nil { return false }
                state.running[number] = .beginning
                return true
            }
            guard hasPlace else { return fill() }
        }
    }

    private static func next(_ number: Int, _ state: inout State) -> Work? {
        guard !state.waiting.isEmpty else {
            state.running[number] = nil
            return nil
        }
        let work = state.waiting.removeFirst()
        state.running[number] = .working(work.key)
        return work
    }
}
