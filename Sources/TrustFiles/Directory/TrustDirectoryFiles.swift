import Encoding
import Foundation
import LinuxIO

/// The files of a trust directory, for copying and packing. Only known places are included; hidden files are not.
package enum TrustDirectoryFiles {
    /// Returns every file of the trust directory `directory`, with its relative path.
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
