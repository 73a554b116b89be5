/// A file or folder that the configuration names, and how the service uses it.
package struct NamedPlace: Hashable {
    /// The key of the configuration that names the file or folder.
    package let key: String
    /// The absolute path of the file or folder.
    package let path: String
    /// Whether the service writes to the file or folder.
    package let isWritten: Bool
    /// Whether the file may be missing at the start. The code that needs it then reports that.
    package let isAwaited: Bool

    /// Creates the place with the path `path` that `key` names.
    package init(key: String, path: String, isWritten: Bool, isAwaited: Bool = false) {
        (self.key, self.path, self.isWritten, self.isAwaited) = (key, path, isWritten, isAwaited)
    }

    /// Returns the places of files that were found below the trust directory.
    package static func trust(_ files: [String]) -> [NamedPlace] {
        files.map { NamedPlace(key: "trust.directory", path: $0, isWritten: false) }
    }

    /// Returns the folder of the file with the path `path`.
    package static func folder(of path: String) -> String {
        guard let end = path.lastIndex(of: "/"), end > path.startIndex else { return "/" }
        return String(path[..<end])
    }
}
