package import Encoding
import Synchronization

/// A cache of the names of types that records contain. The names depend only on the types, the contexts and the pinned
/// contexts. Finding the names takes as long as checking a signature.
package final class TypeNames: Sendable {
    /// The values on which the names depend, in addition to the pinned contexts.
    package struct Question: Hashable, Sendable {
        private let types: [Text]
        private let contexts: [Text]
        private let issuerContexts: [Text]?
        private let isText: Bool

        /// Creates a question. `types`: IRIs; `contexts`: the contexts in the credential; `issuerContexts`: the
        /// contexts that the issuer's entry allows; `isText`: whether the signature covers the contexts together with
        /// the text.
        package init(types: [Text], contexts: [Text], issuerContexts: [Text]?, isText: Bool) {
            (self.types, self.contexts) = (types, contexts)
            (self.issuerContexts, self.isText) = (issuerContexts, isText)
        }

        /// The size of types and contexts in bytes.
        fileprivate var size: Int { (types + contexts).reduce(0) { $0 + $1.utf8.count } }
    }

    /// The maximum number of answers. A gate has a few dozen. A full cache is emptied.
    private static let limit = 256
    /// The maximum size of a cached question in bytes.
    private static let bytes = 4096

    private let answers = Mutex<[Question: [Text]]>([:])

    /// Creates an empty cache.
    package init() {}

    /// Returns the names for `question` from the cache, or else from `find`. An answer to a question of ordinary size
    /// is kept.
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
