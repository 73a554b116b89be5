/// A file or folder that the configuration names, and how the service uses it.
package struct NamedPlace: Hashable {
    /// The configuration key that names the file or folder.
    package let key: String
    /// Its absolute path.
    package let path: String
    /// Whether the service writes to the file or folder.
    package let isWritten: Bool
    /// Whether the file may be missing at first; other code then reports that it is missing.
    package let isAwaited: Bool

    /// Creates the place of a key.
    package init(key: String, path: String, isWritten: Bool, isAwaited: Bool = false) {
        (self.key, self.path, self.isWritten, self.isAwaited) = (key, path, isWritten, isAwaited)
    }

    /// Returns the files that were found below the trust directory.
    package static func trust(_ files: [String]) -> [NamedPlace] {
        files.map { NamedPlace(key: "trust.directory", path: $0, isWritten: false) }
    }

    /// Returns the folder that holds the file of a path.
    package static func folder(of path: String) -> String {
        guard let end = path.lastIndex(of: "/"), end > path.startIndex else { return "/" }
        return String(path[..<end])
    }
}
