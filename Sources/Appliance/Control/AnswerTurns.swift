import Synchronization

/// Answers that wait for the same disk and have no time limit of their own: so many may be in the making, and those that it holds up
/// take no other request's turn.
package final class AnswerTurns: Sendable {
    private let limit: Int
    private let underWay = Mutex(0)

    /// At most `limit` at a time.
    package init(_ limit: Int) { self.limit = limit }

    /// What `body` answers; a refusal at once where as many are in the making.
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
                "\(limit) such requests wait for their answer already",
                remedy: "try again in a moment; where it stays so, look at the disk: gatehouse status")
        }
        defer { underWay.withLock { $0 -= 1 } }
        return try await body()
    }
}
