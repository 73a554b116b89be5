package import Foundation

/// A folder for the files of one test. It is removed with the value, and only its user may read it.
package final class TestFolder: Sendable {
    /// The folder. Its path is short enough for a socket in it.
    package let url: URL

    /// Makes an empty folder whose name contains `name`: on the disk, or in memory where possible
    /// (``MemoryFolder``).
    package init(_ name: String = "test", inMemory: Bool = false) throws {
        let parent = inMemory ? MemoryFolder.parent : FileManager.default.temporaryDirectory
        url = parent.appendingPathComponent("gatehouse-\(name)-\(UUID().uuidString.prefix(8))")
        try FileManager.default.createDirectory(
            at: url, withIntermediateDirectories: false, attributes: [.posixPermissions: 0o700])
    }

    deinit { try? FileManager.default.removeItem(at: url) }

    /// The path of the folder.
    package var path: String { url.path }

    /// The last part of the path.
    package var name: String { url.lastPathComponent }

    /// Returns the path of a file in the folder.
    package func path(_ file: String) -> String { url.appendingPathComponent(file).path }

    /// Writes a file, and makes missing folders of its path; returns its path.
    @discardableResult
    package func write(_ file: String, _ text: String) throws -> String { try write(file, Array(text.utf8)) }

    /// Writes a file, and makes missing folders of its path; returns its path.
    @discardableResult
    package func write(_ file: String, _ bytes: [UInt8]) throws -> String {
        let url = url.appendingPathComponent(file)
        try FileManager.default.createDirectory(
            at: url.deletingLastPathComponent(), withIntermediateDirectories: true,
            attributes: [.posixPermissions: 0o700])
        try Data(bytes).write(to: url)
        return url.path
    }

    /// Returns the text of a file.
    package func read(_ file: String) throws -> String {
        String(decoding: try Data(contentsOf: url.appendingPathComponent(file)), as: UTF8.self)
    }

    /// Returns the text of a file; nil if it cannot be read.
    package func text(_ file: String) -> String? {
        FileManager.default.contents(atPath: path(file)).map { String(decoding: $0, as: UTF8.self) }
    }

    /// Returns the bytes of a file; none if it cannot be read.
    package func bytes(_ file: String) -> [UInt8] {
        [UInt8](FileManager.default.contents(atPath: path(file)) ?? Data())
    }

    /// Returns the names in a folder below this one, sorted.
    package func names(_ folder: String = "") throws -> [String] {
        try FileManager.default.contentsOfDirectory(atPath: path(folder)).sorted()
    }
}
