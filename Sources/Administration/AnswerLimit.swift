import Synchronization

/// Limits how many answers may wait for one disk at the same time. Such answers have no time limit of their own.
/// Without this limit they would use the whole capacity of the control socket while the disk hangs.
package final class AnswerLimit: Sendable {
    private let limit: Int
    private let underWay = Mutex(0)

    /// Creates a limit of `limit` answers at the same time.
    package init(_ limit: Int) { self.limit = limit }

    /// Returns the answer of `body`. Throws a refusal at once if `limit` answers are in progress.
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
