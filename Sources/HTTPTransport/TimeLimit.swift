/// The error of an operation that took longer than permitted.
struct TimeLimitPassed: Error {}

/// Returns the result of `body`. After `limit`, cancels `body` and throws ``TimeLimitPassed``.
///
/// The HTTP client's own deadline ends with the head of an answer, and each byte restarts its read timeout. So a server
/// that sends a byte from time to time could keep an exchange open for ever.
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
