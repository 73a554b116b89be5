package import Clocks
import Synchronization

/// A query to a part of the gate that may hang. A caller waits no longer than its time limit. If a query is in
/// progress, further callers wait for its answer and no second query begins.
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

    /// Creates a query that calls `question`. Each call runs in a separate task, because it may never return. `clock`
    /// measures the time limits.
    package init(by clock: Clock, _ spawner: Spawner, _ question: @escaping @Sendable () async -> Answer) {
        (self.clock, self.spawner, self.question) = (clock, spawner, question)
    }

    /// Returns the answer of `question`. Uses the call in progress, or begins a new one if there is none. Returns nil
    /// if there is no answer within `limit`.
    package func answer(within limit: Duration) async -> Answer? {
        let number = state.withLock { state in
            state.lastNumber += 1
            return state.lastNumber
        }
        // Do not use a child task, because the time limit also applies after the caller was cancelled.
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
