package import Encoding
import Synchronization

/// A cache of the names of types, as records contain them. The names depend only on the types, the contexts and the
/// pinned contexts. Finding them takes as long as checking a signature.
package final class TypeNames: Sendable {
    /// The values on which the names depend, apart from the pinned contexts. They are the key of the cache.
    package struct Question: Hashable, Sendable {
        private let types: [Text]
        private let contexts: [Text]
        private let issuerContexts: [Text]?
        private let isText: Bool

        /// Creates the key for the types with the IRIs `types`. `contexts`: the contexts in the credential;
        /// `issuerContexts`: the contexts that the issuer's entry in the trust directory allows; `isText`: whether the
        /// signature covers the text of the credential, and so its contexts.
        package init(types: [Text], contexts: [Text], issuerContexts: [Text]?, isText: Bool) {
            (self.types, self.contexts) = (types, contexts)
            (self.issuerContexts, self.isText) = (issuerContexts, isText)
        }

        /// The total length of types and contexts in bytes.
        fileprivate var size: Int { (types + contexts).reduce(0) { $0 + $1.utf8.count } }
    }

    /// The largest number of cached answers. A gate needs a few dozen. A full cache is emptied.
    private static let limit = 256
    /// The largest size of a key in bytes. The answer for a larger key is not cached.
    private static let bytes = 4096

    private let answers = Mutex<[Question: [Text]]>([:])

    /// Creates an empty cache.
    package init() {}

    /// Returns the names for `question`: from the cache, or else from `find`, whose result is then cached.
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
