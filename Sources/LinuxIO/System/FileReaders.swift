package import Foundation

/// The read permissions of a file, from its attributes. A check for changes needs them: when a person permits
/// the service to read a file, no other attribute of the file changes.
package struct FileReaders: Hashable, Sendable, CustomStringConvertible {
    /// The owner, the group and the mode of the file, as text.
    package let description: String

    /// Creates the read permissions from the attributes that `FileManager` gives.
    package init(_ attributes: [FileAttributeKey: Any]) {
        let parts: [FileAttributeKey] = [.ownerAccountID, .groupOwnerAccountID, .posixPermissions]
        description = parts.map { "\(attributes[$0] ?? "?")" }.joined(separator: " ")
    }
}
