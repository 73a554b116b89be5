import Foundation

/// The folders that determine the absolute paths of a configuration.
package struct ConfigurationFolder: Hashable, Sendable {
    /// The folder of the configuration file. Relative paths begin there.
    let path: String
    /// The standard folders. A path in one of them is moved below their root.
    package let standard: StandardFolders
}

/// Returns the absolute path of a path in a configuration. A path in one of the standard folders is moved below their
/// root.
package func resolve(_ path: String, in folder: ConfigurationFolder) -> String {
    folder.standard.place(resolve(path, in: folder.path))
}

/// Returns the absolute path of a path that a file in `folder` contains. An absolute path is returned unchanged.
package func resolve(_ path: String, in folder: String) -> String {
    path.hasPrefix("/") ? path : URL(fileURLWithPath: "\(folder)/\(path)").standardizedFileURL.path
}
