import Foundation

/// The read permissions of a file, from its attributes. A check for changes needs them: when a person permits
/// the service to read a file, nothing else about the file changes.
struct FileReaders: Hashable, CustomStringConvertible {
    /// Owner, group and mode.
    let description: String

    /// Creates the value from the attributes that `FileManager` gives.
    init(_ attributes: [FileAttributeKey: Any]) {
        let parts: [FileAttributeKey] = [.ownerAccountID, .groupOwnerAccountID, .posixPermissions]
        description = parts.map { "\(attributes[$0] ?? "?")" }.joined(separator: " ")
    }
}
