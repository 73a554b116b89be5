package import Encoding

/// The clock for all code outside the cores. This code reads the time only from a clock that it receives as a
/// parameter, and waits only by the clock's `sleep`.
///
/// `gatehouse run` and the commands use ``system``. A test or a simulation passes a clock of its own, by which an hour
/// passes at once.
package struct Clock: Sendable {
    /// Returns the time of the monotonic clock.
    package let now: @Sendable () -> Instant
    /// Returns the date of the machine's wall clock, which may be wrong.
    package let utc: @Sendable () -> Timestamp
    private let sleeping: @Sendable (Instant) async throws(CancellationError) -> Void

    /// Creates a clock. `now` reads the monotonic time and `utc` the date; `sleep` returns at an instant, or throws
    /// when its task is cancelled.
    package init(
        now: @escaping @Sendable () -> Instant, utc: @escaping @Sendable () -> Timestamp,
        sleep: @escaping @Sendable (Instant) async throws(CancellationError) -> Void
    ) {
        (self.now, self.utc, sleeping) = (now, utc, sleep)
    }

    /// Returns at `deadline`, or at once if it has passed. Throws as soon as the task is cancelled.
    package func sleep(until deadline: Instant) async throws(CancellationError) { try await sleeping(deadline) }

    /// Returns after `duration`. Throws as soon as the task is cancelled.
    package func sleep(for duration: Duration) async throws(CancellationError) {
        try await sleeping(now().advanced(by: duration))
    }

    /// Returns the result of `work`. Calls `ring` once if `work` is still running at `deadline`; never if `deadline` is
    /// nil.
    ///
    /// When this function returns, `ring` is not running and will not be called. `ring` does not end `work`. If the
    /// task is cancelled, `ring` is not called any more, so `work` must end by itself when it is cancelled.
    package func alarm<Result>(
        at deadline: Instant?, ring: @escaping @Sendable () -> Void, isolation: isolated (any Actor)? = #isolation,
        during work: () async -> Result
    ) async -> Result {
        guard let deadline else { return await work() }
        async let _: Void = {
            do { try await sleep(until: deadline) } catch { return }
            ring()
        }()
        // At the end of this scope the alarm is cancelled, and the function waits for its end.
        return await work()
    }
}
