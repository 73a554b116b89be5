package import Encoding
import Synchronization

/// The names of types for records, kept for the next credential with the same types and contexts. The names
/// depend only on the types, the contexts and the pinned contexts. Finding them takes as long as checking a
/// signature, so they are kept.
package final class TypeNames: Sendable {
    /// The values on which the names depend, in addition to the pinned contexts.
    package struct Question: Hashable, Sendable {
        private let types: [Text]
        private let contexts: [Text]
        private let issuerContexts: [Text]?
        private let isText: Bool

        /// `types`: IRIs; `contexts`: those that the credential lists; `issuerContexts`: those that its
        /// issuer's entry allows; `isText`: whether the contexts are signed together with the text.
        package init(types: [Text], contexts: [Text], issuerContexts: [Text]?, isText: Bool) {
            (self.types, self.contexts) = (types, contexts)
            (self.issuerContexts, self.isText) = (issuerContexts, isText)
        }

        /// The size of types and contexts in bytes.
        fileprivate var size: Int { (types + contexts).reduce(0) { $0 + $1.utf8.count } }
    }

    /// The number of answers that are kept; beyond it all are removed. A gate has a few dozen.
    private static let limit = 256
    /// The size in bytes of the largest question that is kept.
    private static let bytes = 4096

    private let answers = Mutex<[Question: [Text]]>([:])

    /// Creates an instance without stored answers.
    package init() {}

    /// Returns the kept names for `question`. If there are none, returns the names that `find` returns, and
    /// keeps them unless the question is too large.
    package func names(for question: Question, find: () -> [Text]) -> [Text] {
        if let known = answers.withLock({ $0[question] }) { return known }
        let found = find()
        guard question.size <= Self.bytes else { return found }
        answers.withLock { answers in
            if answers.count >= Self.limit { answers.removeAll() }
            answers[question] = found
        }
        return found
    }
}
