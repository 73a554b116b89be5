package import Encoding

/// Work that a service repeats as long as it runs, with a pause after each repetition (a turn).
package struct Periodic: Sendable {
    /// The time from the end of one turn to the beginning of the next.
    package let pause: Duration
    private let clock: Clock

    /// Creates a repetition with the pause `pause` between two turns. `clock`: the clock that measures the pause.
    package init(every pause: Duration, by clock: Clock) { (self.pause, self.clock) = (pause, clock) }

    /// Calls `turn` at once and then after each pause, until the task is cancelled. The argument of `turn` is the
    /// instant at which the call begins.
    package func run(
        isolation: isolated (any Actor)? = #isolation, _ turn: (Instant) async -> Void
    ) async {
        while !Task.isCancelled {
            await turn(clock.now())
            do { try await clock.sleep(for: pause) } catch { return }
        }
    }
}
