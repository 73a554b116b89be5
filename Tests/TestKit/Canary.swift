import Foundation
import Synchronization

/// Measures how late this machine runs threads, by a thread that repeatedly sleeps for a millisecond.
///
/// If a test measures a duration while the machine stalls, the duration says nothing about the product, and the test
/// must measure again.
package final class Canary: Sendable {
    private struct State {
        var most = Duration.zero
        var sum = Duration.zero
        var woke = ContinuousClock.now
        var isOver = false

        /// The lateness of the thread's last wake-up. If the thread has not woken yet, its present lateness counts. Up
        /// to a millisecond is normal for any timer.
        func lateness(at now: ContinuousClock.Instant) -> Duration {
            max(.zero, woke.duration(to: now) - .milliseconds(2))
        }
    }

    private let state = Mutex(State())

    /// Starts the measuring thread. It runs until ``end()``.
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

    /// Resets ``most`` and ``sum`` to zero.
    package func mark() {
        state.withLock { ($0.most, $0.sum, $0.woke) = (.zero, .zero, .now) }
    }

    /// The greatest lateness of the measuring thread since ``mark()``.
    package var most: Duration { state.withLock { max($0.most, $0.lateness(at: .now)) } }

    /// The sum of all latenesses of the measuring thread since ``mark()``.
    package var sum: Duration { state.withLock { $0.sum + $0.lateness(at: .now) } }

    /// Ends the measuring thread.
    package func end() { state.withLock { $0.isOver = true } }

    /// Runs `work` until the machine was at most 10 ms late during a whole run, but at most 20 times. Returns the
    /// result of the last run.
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
