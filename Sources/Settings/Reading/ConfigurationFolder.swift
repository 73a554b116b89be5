import Foundation

/// The folders against which the paths of a configuration are resolved.
package struct ConfigurationFolder: Hashable, Sendable {
    /// The folder of the configuration, for relative paths.
    let path: String
    /// The standard folders.
    package let standard: StandardFolders
}

/// Returns the absolute path of a path in a configuration, moved below the root of the standard folders where
/// it is one of them.
package func resolve(_ path: String, in folder: ConfigurationFolder) -> String {
    folder.standard.place(resolve(path, in: folder.path))
}

/// Returns the absolute path of a path that a file in `folder` names: an absolute path is left as it is.
package func resolve(_ path: String, in folder: String) -> String {
    path.hasPrefix("/") ? path : URL(fileURLWithPath: "\(folder)/\(path)").standardizedFileURL.path
}
