import Administration
package import Clocks
import Synchronization

/// Probes that check whether the parts of the program that every visit needs still respond, one part after the other.
/// If a part does not answer in time, the probe reports it and then waits for its answer.
package struct LivenessProbes: Sendable {
    /// A part of the program: its name for people, and a query that returns when the part responds.
    package struct Part: Sendable {
        let name: String
        let question: TimedQuery<Bool>

        /// Creates a part with the name `name`. `question` returns whether the part works; it hangs while the part is
        /// stuck. `clock` measures the wait for the answer.
        package init(
            _ name: String, by clock: Clock, _ spawner: Spawner, question: @escaping @Sendable () async -> Bool
        ) {
            (self.name, self.question) = (name, TimedQuery(by: clock, spawner, question))
        }
    }

    /// How long a part may take to answer.
    package static let limit: Duration = .seconds(5)

    private let parts: [Part]
    private let limit: Duration
    private let stuck: @Sendable (_ part: String?) -> Void

    /// Creates probes for `parts`. When a part does not answer in time, `stuck` is called once with the name
    /// of the part. When the part has answered after all, `stuck` is called with nil.
    package init(
        _ parts: [Part], within limit: Duration = Self.limit, stuck: @escaping @Sendable (_ part: String?) -> Void
    ) {
        (self.parts, self.limit, self.stuck) = (parts, limit, stuck)
    }

    /// Returns when every part has answered: true if all parts work. Returns false if its task is cancelled.
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
