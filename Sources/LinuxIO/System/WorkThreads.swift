import Glibc
import Synchronization

/// Threads for computations on what strangers send: as many at a time as the machine has processors, in the order in which they came.
///
/// Not tasks of Swift's: those share as many threads, and a few computations that take too long would hold up everything that turns
/// there. Nothing can end a thread from outside, so work that nobody waits for any more is given up: what has not begun is left out, and
/// what runs goes on beside the others, while another thread takes its place. Eight may go on so; with more nothing is begun, which
/// whoever asks for a sign of life sees.
package final class WorkThreads<Key: Hashable & Sendable>: Sendable {
    private struct Work {
        let key: Key?
        let run: @Sendable () -> Void
    }

    private enum Turn: Equatable {
        /// The thread is about to take what waits.
        case beginning
        case working(Key?)
    }

    private struct State {
        var waiting: [Work] = []
        /// Threads whose work is waited for, by their numbers.
        var running: [Int: Turn] = [:]
        /// Threads whose work was given up.
        var givenUp: Set<Int> = []
        var started = 0
    }

    /// How many computations may go on that nobody waits for.
    package static var mostGivenUp: Int { 8 }

    private let name: String
    private let places: Int
    private let state = Mutex(State())

    /// No thread is there before the first work. `name`: at most 15 bytes, shown by ps; `places`: how many run at a time.
    package init(name: String, places: Int = max(2, sysconf(Int32(_SC_NPROCESSORS_ONLN)))) {
        (self.name, self.places) = (name, places)
    }

    /// Carries out `work` as soon as there is a place, unless `key` is given up before.
    package func run(_ key: Key?, _ work: @escaping @Sendable () -> Void) {
        state.withLock { $0.waiting.append(Work(key: key, run: work)) }
        fill()
    }

    /// What `question` answers, behind all that came before it.
    package func answer<Answer: Sendable>(_ question: @escaping @Sendable () -> Answer) async -> Answer {
        await withCheckedContinuation { answered in run(nil) { answered.resume(returning: question()) } }
    }

    /// Nobody waits for that any more. Nothing where it has ended.
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

    /// Computations that go on though nobody waits for them.
    package var abandoned: Int { state.withLock { $0.givenUp.count } }

    /// Starts threads for what waits, as far as there are places. Where the system gives none, the next work tries again.
    private func fill() {
        while let number = state.withLock({ state in Self.begin(&state, places) }) {
            do throws(SystemError) {
                try Threads.start(name) { [self] in turn(number) }
            } catch {
                return state.withLock { $0.running[number] = nil }
            }
        }
    }

    /// The number of a thread that has to be started; its place is taken.
    private static func begin(_ state: inout State, _ places: Int) -> Int? {
        guard state.waiting.count > state.running.values.count(where: { $0 == .beginning }),
            state.running.count < places, state.givenUp.count < Self.mostGivenUp
        else { return nil }
        state.started += 1
        state.running[state.started] = .beginning
        return state.started
    }

    /// One thread: takes what waits, until nothing does or its place is another's.
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
