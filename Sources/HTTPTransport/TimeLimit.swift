/// An operation took longer than permitted.
struct TimeLimitPassed: Error {}

/// Runs `body`, and cancels it after `limit`.
///
/// The client's deadline applies only up to the head of an answer, and every byte resets its read timeout. A server
/// that sends a byte from time to time could block an exchange for ever.
func withTimeLimit<Value: Sendable>(
    _ limit: Duration, _ body: @escaping @Sendable () async throws -> Value
) async throws -> Value {
    try await withThrowingTaskGroup(of: Value.self) { group in
        group.addTask(operation: body)
        group.addTask {
            try await Task.sleep(for: limit)
            throw TimeLimitPassed()
        }
        defer { group.cancelAll() }
        guard let first = try await group.next() else { throw TimeLimitPassed() }
        return first
    }
}
