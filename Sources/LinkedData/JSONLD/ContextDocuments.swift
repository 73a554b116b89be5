package import Encoding

/// The pinned context documents, the only ones that a processor ever loads. Nothing is fetched from a
/// network.
package struct ContextDocuments: Sendable {
    /// The documents by URL; each is a whole document (an object with `@context`).
    package var documents: [Text: JSON]

    /// Creates the set of exactly the given documents.
    package init(_ documents: [Text: JSON]) {
        self.documents = documents
    }
}
