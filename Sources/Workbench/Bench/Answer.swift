import Foundation

/// A cell for one answer, for which a thread waits.
final class Answer: @unchecked Sendable {  // guarded by its condition
    private let condition = NSCondition()
    private var answer: String??

    func give(_ text: String?) {
        condition.lock()
        answer = .some(text)
        condition.signal()
        condition.unlock()
    }

    func wait() -> String? {
        condition.lock()
        defer { condition.unlock() }
        while true {
            if let answer { return answer }
            condition.wait()
        }
    }
}
