package import Encoding

/// Work that a service repeats for as long as it runs, with a pause between two turns.
package struct Periodic: Sendable {
    /// The time from the end of one turn to the beginning of the next.
    package let pause: Duration
    private let clock: Clock

    /// Creates a repetition with `pause` between two turns, by `clock`.
    package init(every pause: Duration, by clock: Clock) { (self.pause, self.clock) = (pause, clock) }

    /// Takes a turn at once and then after each pause, until the task is cancelled. `turn` gets the instant at which
    /// the turn begins.
    package func run(
        isolation: isolated (any Actor)? = #isolation, _ turn: (Instant) async -> Void
    ) async {
        while !Task.isCancelled {
            await turn(clock.now())
            do { try await clock.sleep(for: pause) } catch { return }
        }
    }
}
