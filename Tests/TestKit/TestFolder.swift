package import Foundation

/// A folder for the files of one test. Only this user may read it. It is removed when this object is destroyed.
package final class TestFolder: Sendable {
    /// The URL of the folder. Its path is short enough for the path of a socket in the folder.
    package let url: URL

    /// Creates an empty folder whose name contains `name`, on the disk. With `inMemory`, creates it in memory if
    /// possible (``MemoryFolder``).
    package init(_ name: String = "test", inMemory: Bool = false) throws {
        let parent = inMemory ? MemoryFolder.parent : FileManager.default.temporaryDirectory
        url = parent.appendingPathComponent("gatehouse-\(name)-\(UUID().uuidString.prefix(8))")
        try FileManager.default.createDirectory(
            at: url, withIntermediateDirectories: false, attributes: [.posixPermissions: 0o700])
    }

    deinit { try? FileManager.default.removeItem(at: url) }

    /// The path of the folder.
    package var path: String { url.path }

    /// The last component of the folder's path.
    package var name: String { url.lastPathComponent }

    /// Returns the path of a file in the folder.
    package func path(_ file: String) -> String { url.appendingPathComponent(file).path }

    /// Writes a text file, and creates the missing folders of its path. Returns its path.
    @discardableResult
    package func write(_ file: String, _ text: String) throws -> String { try write(file, Array(text.utf8)) }

    /// Writes a file, and creates the missing folders of its path. Returns its path.
    @discardableResult
    package func write(_ file: String, _ bytes: [UInt8]) throws -> String {
        let url = url.appendingPathComponent(file)
        try FileManager.default.createDirectory(
            at: url.deletingLastPathComponent(), withIntermediateDirectories: true,
            attributes: [.posixPermissions: 0o700])
        try Data(bytes).write(to: url)
        return url.path
    }

    /// Returns the text of a file. Throws if the file cannot be read.
    package func read(_ file: String) throws -> String {
        String(decoding: try Data(contentsOf: url.appendingPathComponent(file)), as: UTF8.self)
    }

    /// Returns the text of a file; nil if it cannot be read.
    package func text(_ file: String) -> String? {
        FileManager.default.contents(atPath: path(file)).map { String(decoding: $0, as: UTF8.self) }
    }

    /// Returns the bytes of a file; empty if the file cannot be read.
    package func bytes(_ file: String) -> [UInt8] {
        [UInt8](FileManager.default.contents(atPath: path(file)) ?? Data())
    }

    /// Returns the sorted names of the files and folders in `folder`, a path relative to this folder.
    package func names(_ folder: String = "") throws -> [String] {
        try FileManager.default.contentsOfDirectory(atPath: path(folder)).sorted()
    }
}
