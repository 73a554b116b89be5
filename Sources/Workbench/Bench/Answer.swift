import Foundation

/// A cell for one answer. One thread waits for it.
package final class Answer: @unchecked Sendable {  // guarded by its condition
    private let condition = NSCondition()
    private var answer: String??

    /// Creates a cell without an answer.
    package init() {}

    /// Stores the answer and wakes the waiting thread.
    package func give(_ text: String?) {
        condition.lock()
        answer = .some(text)
        condition.signal()
        condition.unlock()
    }

    /// Waits for the answer and returns it.
    package func wait() -> String? {
        condition.lock()
        defer { condition.unlock() }
        while true {
            if let answer { return answer }
            condition.wait()
        }
    }
}
