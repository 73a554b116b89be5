import Foundation

/// Who may read a file, as its attributes tell: somebody who lets the service read one changes nothing else about it.
struct FileReaders: Hashable, CustomStringConvertible {
    /// Owner, group and mode.
    let description: String

    /// The readers by the attributes that `FileManager` gives.
    init(_ attributes: [FileAttributeKey: Any]) {
        let parts: [FileAttributeKey] = [.ownerAccountID, .groupOwnerAccountID, .posixPermissions]
        description = parts.map { "\(attributes[$0] ?? "?")" }.joined(separator: " ")
    }
}
