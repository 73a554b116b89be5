import Clocks
import Store

/// A step of the service on the databases. It is repeated until it succeeds, and each result is reported, so that no
/// step fails without a fault.
struct RepeatedStep: Sendable {
    /// The time between two attempts.
    static let pause = Duration.seconds(10)

    let clock: Clock
    /// Receives the result of each attempt: the failure, or success (nil).
    let report: @Sendable (String?) -> Void

    /// Makes one attempt. Returns whether it succeeded.
    func attempt(_ work: () async throws(StoreError) -> Void) async -> Bool {
        do throws(StoreError) {
            try await work()
            report(nil)
            return true
        } catch {
            report(error.description)
            return false
        }
    }

    /// Repeats `work` until it succeeds or the task is cancelled.
    func run(_ work: () async throws(StoreError) -> Void) async {
        while !Task.isCancelled, await !attempt(work) { await rest() }
    }

    /// Waits until the next attempt is due.
    func rest() async { try? await clock.sleep(for: Self.pause) }
}
