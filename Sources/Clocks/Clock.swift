package import Encoding

/// The time for everything above the cores: it is read from a clock that was passed in, and a wait is a sleep by that
/// clock.
///
/// `gatehouse run` and the commands use ``system``. A test or a simulation passes a clock of its own, and an hour
/// costs it nothing.
package struct Clock: Sendable {
    /// Returns the monotonic time.
    package let now: @Sendable () -> Instant
    /// Returns the date that the machine's wall clock shows, right or wrong.
    package let utc: @Sendable () -> Timestamp
    private let sleeping: @Sendable (Instant) async throws(CancellationError) -> Void

    /// Creates a clock from the functions that read the monotonic time and the date, and from a function that returns
    /// at an instant, or throws when its task is cancelled.
    package init(
        now: @escaping @Sendable () -> Instant, utc: @escaping @Sendable () -> Timestamp,
        sleep: @escaping @Sendable (Instant) async throws(CancellationError) -> Void
    ) {
        (self.now, self.utc, sleeping) = (now, utc, sleep)
    }

    /// Returns at `deadline`, at once if that has passed. Throws as soon as the task is cancelled.
    package func sleep(until deadline: Instant) async throws(CancellationError) { try await sleeping(deadline) }

    /// Returns after `duration`. Throws as soon as the task is cancelled.
    package func sleep(for duration: Duration) async throws(CancellationError) {
        try await sleeping(now().advanced(by: duration))
    }

    /// Returns the result of `work`. Calls `ring` once if `work` is still in progress at `deadline`; nil: never.
    ///
    /// When this function returns, `ring` is not running and will not be called. The alarm does not end `work`. A
    /// cancelled task has no alarm any more, so `work` must end by itself when it is cancelled.
    package func alarm<Result>(
        at deadline: Instant?, ring: @escaping @Sendable () -> Void, isolation: isolated (any Actor)? = #isolation,
        during work: () async -> Result
    ) async -> Result {
        guard let deadline else { return await work() }
        async let _: Void = {
            do { try await sleep(until: deadline) } catch { return }
            ring()
        }()
        // Leaving the scope cancels the alarm and waits for its end.
        return await work()
    }
}
