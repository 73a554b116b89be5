package import Encoding

/// The pinned context documents: all that a processor will ever load. There is no network behind it.
package struct ContextDocuments: Sendable {
    /// URL → the whole document (an object with `@context`).
    package var documents: [Text: JSON]

    /// These documents and no other.
    package init(_ documents: [Text: JSON]) {
        self.documents = documents
    }
}
