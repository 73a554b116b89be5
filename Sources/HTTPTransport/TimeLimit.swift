/// Something took longer than it may.
struct TimeLimitPassed: Error {}

/// Runs `body` and gives it up, by cancelling it, after `limit`.
///
/// The client's own deadline ends with the head of an answer, and its read timeout begins anew at every byte: a server that
/// sends one now and then would hold an exchange for ever.
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
