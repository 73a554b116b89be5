package import Foundation

/// The attributes of a file that determine who may read it. A check for changed files compares them too: if a person
/// permits the service to read a file, no other attribute of the file changes.
package struct FileReaders: Hashable, Sendable, CustomStringConvertible {
    /// The owner, the group and the mode of the file, as text.
    package let description: String

    /// Creates the value from the attributes that `FileManager` returns.
    package init(_ attributes: [FileAttributeKey: Any]) {
        let parts: [FileAttributeKey] = [.ownerAccountID, .groupOwnerAccountID, .posixPermissions]
        description = parts.map { "\(attributes[$0] ?? "?")" }.joined(separator: " ")
    }
}
