import Glibc
package import Testing

/// Returns whether a condition becomes true within `limit`. Checks the condition again after each `pause`. Returns
/// early when the task is cancelled.
///
/// The limit matters only if the test fails, so the default is long enough for a busy machine.
package func becomesTrue(
    within limit: Duration = .seconds(90), every pause: Duration = .milliseconds(5),
    isolation: isolated (any Actor)? = #isolation, _ isTrue: () async throws -> Bool
) async rethrows -> Bool {
    let end = ContinuousClock.now + limit
    while try await !isTrue() {
        guard ContinuousClock.now < end, (try? await Task.sleep(for: pause)) != nil else { return try await isTrue() }
    }
    return true
}

/// Returns whether a condition becomes true, as ``becomesTrue(within:every:isolation:_:)`` does, but blocks this
/// thread.
package func blocksUntil(within limit: Duration = .seconds(90), _ isTrue: () throws -> Bool) rethrows -> Bool {
    let end = ContinuousClock.now + limit
    while try !isTrue() {
        guard ContinuousClock.now < end else { return try isTrue() }
        usleep(1000)
    }
    return true
}

/// Waits until a condition is true, as ``becomesTrue(within:every:isolation:_:)`` does. If the condition does not
/// become true, records a failure of the test with the texts `what` and `state`, and throws.
package func eventually(
    _ what: String, within limit: Duration = .seconds(90), at place: SourceLocation = #_sourceLocation,
    isolation: isolated (any Actor)? = #isolation, telling state: () async -> String = { "" },
    isDone: () async throws -> Bool
) async throws {
    guard try await !becomesTrue(within: limit, every: .milliseconds(2), isDone) else { return }
    Issue.record("not \(what) within \(limit): \(await state())", sourceLocation: place)
    throw CancellationError()
}
