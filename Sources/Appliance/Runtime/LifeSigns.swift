import Synchronization

/// Asks the parts that every visit needs for a sign of life, one after the other; one that does not answer is told, and waited for.
package struct LifeSigns: Sendable {
    /// A part: what people call it, and what it answers, whether it works.
    package struct Part: Sendable {
        let name: String
        let question: TimedQuestion<Bool>

        /// A part that answers `question` as soon as it takes a turn.
        package init(_ name: String, question: @escaping @Sendable () async -> Bool) {
            (self.name, self.question) = (name, TimedQuestion(question))
        }
    }

    /// How long a part may take to answer.
    package static let limit: Duration = .seconds(5)

    private let parts: [Part]
    private let limit: Duration
    private let stuck: @Sendable (_ part: String?) -> Void

    /// Asks these. `stuck` is told the name of a part that does not answer, once, and nil when it has answered after all.
    package init(
        _ parts: [Part], within limit: Duration = Self.limit, stuck: @escaping @Sendable (_ part: String?) -> Void
    ) {
        (self.parts, self.limit, self.stuck) = (parts, limit, stuck)
    }

    /// Returns when every part has answered, whether all of them work; or when its task is cancelled, false.
    package func wait() async -> Bool {
        var isWell = true
        for part in parts {
            var answer = await part.question.answer(within: limit)
            if answer == nil {
                stuck(part.name)
                while answer == nil, !Task.isCancelled { answer = await part.question.answer(within: limit) }
                if answer != nil { stuck(nil) }
            }
            guard let answer else { return false }
            isWell = isWell && answer
        }
        return isWell
    }
}
