import Foundation
package import Kiosk

/// The answer of the ledger to one request, for a thread that waits for it.
package final class Answer: @unchecked Sendable {  // guarded by its condition
    private let condition = NSCondition()
    private var answer: LedgerFailure??

    /// Creates an object without an answer.
    package init() {}

    /// Stores the answer and wakes the waiting thread. Nil means success.
    package func give(_ failure: LedgerFailure?) {
        condition.lock()
        answer = .some(failure)
        condition.signal()
        condition.unlock()
    }

    /// Waits until the answer is stored, and returns it.
    package func wait() -> LedgerFailure? {
        condition.lock()
        defer { condition.unlock() }
        while true {
            if let answer { return answer }
            condition.wait()
        }
    }
}
