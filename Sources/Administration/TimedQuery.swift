package import Clocks
import Synchronization

/// A query to a part of the gate that may hang. Callers wait no longer than a time limit, and at most one
/// query is outstanding, however often callers ask.
package final class TimedQuery<Answer: Sendable>: Sendable {
    private struct State {
        var isAsked = false
        var lastNumber = 0
        var waiting: [Int: CheckedContinuation<Answer?, Never>] = [:]
    }

    private let clock: Clock
    private let spawner: Spawner
    private let question: @Sendable () async -> Answer
    private let state = Mutex(State())

    /// Creates a query that calls `question` in a separate task, because `question` may never return. `clock` measures
    /// the time limits.
    package init(by clock: Clock, _ spawner: Spawner, _ question: @escaping @Sendable () async -> Answer) {
        (self.clock, self.spawner, self.question) = (clock, spawner, question)
    }

    /// Returns the answer to a query that is made now or is already outstanding; nil without an answer in
    /// time.
    package func answer(within limit: Duration) async -> Answer? {
        let number = state.withLock { state in
            state.lastNumber += 1
            return state.lastNumber
        }
        // Not a child task, because the limit also applies when the caller is cancelled.
        let timeout = spawner.start("the time limit of a question") { [self] in
            try? await clock.sleep(for: limit)
            resume(number)
        }
        defer { timeout.cancel() }
        return await withCheckedContinuation { continuation in
            let isFirst = state.withLock { state in
                state.waiting[number] = continuation
                defer { state.isAsked = true }
                return !state.isAsked
            }
            if isFirst { ask() }
        }
    }

    private func ask() {
        spawner.start("a question to a part of the gate") { [self] in
            let answer = await question()
            let waiting = state.withLock { state in
                defer { (state.isAsked, state.waiting) = (false, [:]) }
                return state.waiting.values
            }
            for continuation in waiting { continuation.resume(returning: answer) }
        }
    }

    private func resume(_ number: Int) {
        state.withLock { $0.waiting.removeValue(forKey: number) }?.resume(returning: nil)
    }
}
