import Encoding
import Foundation
import LinuxIO

/// The files of a trust directory, for copies and bundles. Only known files and folders are read, and no hidden
/// files.
package enum TrustDirectoryFiles {
    /// Returns the files of the trust directory `directory`, each with its relative path and its content. Throws the
    /// files that cannot be read.
    package static func read(_ directory: String) throws(TrustDirectoryError) -> [(path: String, bytes: [UInt8])] {
        var files: [(path: String, bytes: [UInt8])] = []
        var problems: [TrustDirectoryError.Problem] = []
        let folder = TrustFolder(name: directory)
        func add(_ path: String) {
            var isFolder: ObjCBool = false
            let full = directory + "/" + path
            guard FileManager.default.fileExists(atPath: full, isDirectory: &isFolder) else { return }
            if isFolder.boolValue {
                for name in folder.names(in: path) { add(path + "/" + name) }
            } else if let bytes = folder.read(path, limit: 16 * 1024 * 1024), bytes.count <= 16 * 1024 * 1024 {
                files.append((path, bytes))
            } else {
                let obstacle = folder.obstacle(path)
                problems.append(
                    .init(
                        file: path, line: nil, message: obstacle?.text ?? "cannot be read",
                        remedy: obstacle?.remedy ?? "Check its permissions."))
            }
        }
        for name in ["issuers.toml", "policy.toml", "did", "contexts", "status", "roots"] { add(name) }
        guard problems.isEmpty else { throw TrustDirectoryError(directory: directory, problems: problems) }
        return files
    }
}
