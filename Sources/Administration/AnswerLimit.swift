import Synchronization

/// Limits the number of answers that wait for one disk at the same time. Such answers have no time limit of their own.
/// Without the bound, answers that wait for a hanging disk would take the control socket's capacity from other
/// requests.
package final class AnswerLimit: Sendable {
    private let limit: Int
    private let underWay = Mutex(0)

    /// Allows at most `limit` answers at a time.
    package init(_ limit: Int) { self.limit = limit }

    /// Returns the answer of `body`; throws a refusal at once if `limit` answers are being made.
    package func take<Answer>(
        _ body: () async throws(ControlRefusal) -> Answer
    ) async throws(ControlRefusal) -> Answer {
        let isFree = underWay.withLock { count in
            guard count < limit else { return false }
            count += 1
            return true
        }
        guard isFree else {
            throw ControlRefusal(
                "\(limit) such requests are already waiting",
                remedy: "try again in a moment; if this persists, check the disk: gatehouse status")
        }
        defer { underWay.withLock { $0 -= 1 } }
        return try await body()
    }
}
