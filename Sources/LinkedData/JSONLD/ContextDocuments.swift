package import Encoding

/// The pinned context documents. A processor uses no other documents, and never a network.
package struct ContextDocuments: Sendable {
    /// The documents by URL. Each should be an object with the member `@context`.
    package var documents: [Text: JSON]

    /// Creates the set of the given documents, by URL.
    package init(_ documents: [Text: JSON]) {
        self.documents = documents
    }
}
