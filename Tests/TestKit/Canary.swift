import Foundation
import Synchronization

/// How late this machine runs threads, by one that sleeps for a millisecond at a time.
///
/// A length in real time that was measured while the machine stood still says nothing of the product: take it again.
package final class Canary: Sendable {
    private struct State {
        var most = Duration.zero
        var sum = Duration.zero
        var woke = ContinuousClock.now
        var isOver = false

        /// A thread that is still late now is late already. Up to a millisecond is how any timer is.
        func lateness(at now: ContinuousClock.Instant) -> Duration {
            max(.zero, woke.duration(to: now) - .milliseconds(2))
        }
    }

    private let state = Mutex(State())

    /// Begins to watch, until ``end()``.
    package init() {
        Thread.detachNewThread { [self] in
            while !state.withLock({ $0.isOver }) {
                usleep(1000)
                state.withLock { state in
                    let now = ContinuousClock.now
                    let late = state.lateness(at: now)
                    state.most = max(state.most, late)
                    state.sum += late
                    state.woke = now
                }
            }
        }
    }

    /// Forgets what was seen so far.
    package func mark() {
        state.withLock { ($0.most, $0.sum, $0.woke) = (.zero, .zero, .now) }
    }

    /// The greatest lateness since ``mark()``.
    package var most: Duration { state.withLock { max($0.most, $0.lateness(at: .now)) } }

    /// All of it together.
    package var sum: Duration { state.withLock { $0.sum + $0.lateness(at: .now) } }

    /// Stops watching.
    package func end() { state.withLock { $0.isOver = true } }

    /// Does `work` until the machine was on time for all of it, within 10 ms, at most 20 times; what it returned last.
    package static func onTime<Result>(
        isolation: isolated (any Actor)? = #isolation, _ work: () async throws -> Result
    ) async throws -> Result {
        let canary = Canary()
        defer { canary.end() }
        for _ in 1..<20 {
            canary.mark()
            let result = try await work()
            if canary.most <= .milliseconds(10) { return result }
        }
        return try await work()
    }
}
