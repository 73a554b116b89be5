import Glibc
import Synchronization

/// Threads for computations on input of untrusted peers: at most as many at a time as the machine has
/// processors, in the order of their requests.
///
/// Swift tasks are not used, because all tasks share as many threads, and a few long computations would delay
/// all other tasks. A thread cannot be ended from outside. If the caller no longer waits for work, the work
/// is therefore given up. Work that has not begun is removed from the queue. Work in progress continues, and
/// another thread takes its place. At most eight threads may continue in this way. With more, no new work
/// begins, and liveness probes detect that.
package final class WorkThreads<Key: Hashable & Sendable>: Sendable {
    private struct Work {
        let key: Key?
        let run: @Sendable () -> Void
    }

    private enum Turn: Equatable {
        /// The thread is about to take queued work.
        case beginning
        case working(Key?)
    }

    private struct State {
        var waiting: [Work] = []
        /// The threads whose work is still needed, by their numbers.
        var running: [Int: Turn] = [:]
        /// Threads whose work was given up.
        var givenUp: Set<Int> = []
        var started = 0
    }

    /// The maximum number of given-up computations that still run.
    package static var mostGivenUp: Int { 8 }

    private let name: String
    private let places: Int
    private let state = Mutex(State())

    /// Creates the pool; the first thread starts with the first work. `name`: the name that ps shows, at most
    /// 15 bytes. `places`: the number of computations at a time.
    package init(name: String, places: Int = max(2, sysconf(Int32(_SC_NPROCESSORS_ONLN)))) {
        (self.name, self.places) = (name, places)
    }

    /// Queues `work`. The work runs as soon as fewer than `places` computations run, unless `key` is given up before.
    package func run(_ key: Key?, _ work: @escaping @Sendable () -> Void) {
        state.withLock { $0.waiting.append(Work(key: key, run: work)) }
        fill()
    }

    /// Returns the answer of `question`, which is queued after all earlier work.
    package func answer<Answer: Sendable>(_ question: @escaping @Sendable () -> Answer) async -> Answer {
        await withCheckedContinuation { answered in run(nil) { answered.resume(returning: question()) } }
    }

    /// Gives up the work of `key`, because no caller waits for it any more. Does nothing if the work has
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

    /// The number of given-up computations that still run.
    package var abandoned: Int { state.withLock { $0.givenUp.count } }

    /// Starts threads for queued work, up to the maximum. If the system cannot start a thread, the next work tries
    /// again.
    private func fill() {
        while let number = state.withLock({ state in Self.begin(&state, places) }) {
            do throws(SystemError) {
                try Threads.start(name) { [self] in turn(number) }
            } catch {
                return state.withLock { $0.running[number] = nil }
            }
        }
    }

    /// Reserves a place for a new thread and returns the thread's number; nil: no thread is needed or
    /// allowed.
    private static func begin(_ state: inout State, _ places: Int) -> Int? {
        guard state.waiting.count > state.running.values.count(where: { $0 == .beginning }),
            state.running.count < places, state.givenUp.count < Self.mostGivenUp
        else { return nil }
        state.started += 1
        state.running[state.started] = .beginning
        return state.started
    }

    /// Runs the thread with the number `number`: takes queued work until none remains or its place was given
    /// to another thread.
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
