package import Encoding

/// The pinned context documents. A processor loads no other documents and never uses a network.
package struct ContextDocuments: Sendable {
    /// The documents by URL. Each document is an object with `@context`.
    package var documents: [Text: JSON]

    /// Creates the set of exactly the given documents.
    package init(_ documents: [Text: JSON]) {
        self.documents = documents
    }
}
