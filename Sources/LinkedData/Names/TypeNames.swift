package import Encoding
import Synchronization

/// The names that records have for types, kept for the next credential with the same types and contexts. They depend on
/// these and on the pinned contexts alone, and finding them takes as long as checking a signature.
package final class TypeNames: Sendable {
    /// What the names depend on, besides the pinned contexts.
    package struct Question: Hashable, Sendable {
        private let types: [Text]
        private let contexts: [Text]
        private let issuerContexts: [Text]?
        private let isText: Bool

        /// `types` are IRIs; `contexts` are those that the credential lists, `issuerContexts` those that its issuer's
        /// entry allows; `isText`: whether the contexts are signed with the text.
        package init(types: [Text], contexts: [Text], issuerContexts: [Text]?, isText: Bool) {
            (self.types, self.contexts) = (types, contexts)
            (self.issuerContexts, self.isText) = (issuerContexts, isText)
        }

        /// Bytes of types and contexts.
        fileprivate var size: Int { (types + contexts).reduce(0) { $0 + $1.utf8.count } }
    }

    /// Answers that are kept; then all are forgotten. A gate has some dozens.
    private static let limit = 256
    /// Bytes of a question that is worth keeping.
    private static let bytes = 4096

    private let answers = Mutex<[Question: [Text]]>([:])

    /// Nothing is kept yet.
    package init() {}

    /// The kept names, or those that `find` finds.
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
