import Foundation
package import Kiosk

/// A cell for one answer of the ledger. One thread waits for it.
package final class Answer: @unchecked Sendable {  // guarded by its condition
    private let condition = NSCondition()
    private var answer: LedgerFailure??

    /// Creates a cell without an answer.
    package init() {}

    /// Stores the answer and wakes the waiting thread.
    package func give(_ failure: LedgerFailure?) {
        condition.lock()
        answer = .some(failure)
        condition.signal()
        condition.unlock()
    }

    /// Waits for the answer and returns it.
    package func wait() -> LedgerFailure? {
        condition.lock()
        defer { condition.unlock() }
        while true {
            if let answer { return answer }
            condition.wait()
        }
    }
}
