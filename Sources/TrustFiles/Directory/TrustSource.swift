import Credentials
import Encoding
import Foundation
import LinuxIO

/// A source of the files of a trust directory: a folder or a signed bundle. Paths are relative to the directory.
protocol TrustSource {
    /// The name of the source in errors.
    var name: String { get }
    /// Returns the names in a folder in byte order, without names that begin with a dot.
    func names(in folder: String) -> [String]
    /// Returns whether a file or folder exists at `path`.
    func exists(_ path: String) -> Bool
    /// Returns the content of a file; nil if it cannot be read. Of a file longer than `limit` bytes it returns
    /// `limit` + 1 bytes, so that the caller recognises it.
    func read(_ path: String, limit: Int) -> [UInt8]?
    /// Returns the date since which a file has been unchanged; nil if the date is unknown.
    func date(of path: String) -> Timestamp?
    /// Returns the reason why a file cannot be read; nil if it can be read or the reason is unknown.
    func obstacle(_ path: String) -> FileObstacle?
    /// Returns the reason why an existing folder cannot be listed; nil if it can be listed or the reason is unknown.
    func obstacle(folder path: String) -> FileObstacle?
}

extension TrustSource {
    /// Returns nil: files in memory can always be read.
    func obstacle(_ path: String) -> FileObstacle? { nil }

    /// Returns nil: folders in memory can always be listed.
    func obstacle(folder path: String) -> FileObstacle? { nil }
}

/// A folder whose files people maintain by hand.
struct TrustFolder: TrustSource {
    let name: String

    func names(in folder: String) -> [String] {
        let names = (try? FileManager.default.contentsOfDirectory(atPath: name + "/" + folder)) ?? []
        return names.filter { !$0.hasPrefix(".") }.sorted { $0.utf8.lexicographicallyPrecedes($1.utf8) }
    }

    /// Returns true also for a symbolic link to a missing file. Such a link to the rules is then a problem, and does
    /// not count as having no rules.
    func exists(_ path: String) -> Bool {
        (try? FileManager.default.attributesOfItem(atPath: name + "/" + path)) != nil
    }

    func read(_ path: String, limit: Int) -> [UInt8]? {
        FileBytes.beginning(name + "/" + path, limit: limit + 1)
    }

    func date(of path: String) -> Timestamp? {
        let attributes = try? FileManager.default.attributesOfItem(atPath: name + "/" + path)
        return (attributes?[.modificationDate] as? Date).map { Timestamp(seconds: Int64($0.timeIntervalSince1970)) }
    }

    func obstacle(_ path: String) -> FileObstacle? { FileObstacle(name + "/" + path) }

    func obstacle(folder path: String) -> FileObstacle? {
        FileObstacle(folder: name + "/" + path).flatMap { $0 == .absent ? nil : $0 }
    }
}

/// A folder with some files replaced or added in memory, to check a change before it is written.
struct TrustOverlay: TrustSource {
    let folder: TrustFolder
    /// The new content of each changed file, by its path.
    let changes: [String: [UInt8]]

    var name: String { folder.name }

    func names(in place: String) -> [String] {
        let new = changes.keys.filter { $0.hasPrefix(place + "/") }.map { String($0.dropFirst(place.count + 1)) }
        return Set(folder.names(in: place) + new).sorted { $0.utf8.lexicographicallyPrecedes($1.utf8) }
    }

    func exists(_ path: String) -> Bool { changes[path] != nil || folder.exists(path) }

    func read(_ path: String, limit: Int) -> [UInt8]? { changes[path] ?? folder.read(path, limit: limit) }

    func date(of path: String) -> Timestamp? { changes[path] == nil ? folder.date(of: path) : nil }

    func obstacle(_ path: String) -> FileObstacle? { folder.obstacle(path) }

    func obstacle(folder path: String) -> FileObstacle? { folder.obstacle(folder: path) }
}

/// The files in a bundle. The caller must have verified the signature of the bundle.
struct TrustBundleFiles: TrustSource {
    let name: String
    private let files: [String: [UInt8]]
    private let issued: Timestamp

    init(_ bundle: TrustBundle, name: String) {
        self.name = name
        files = Dictionary(bundle.files.map { ($0.key.string, $0.value) }, uniquingKeysWith: { first, _ in first })
        issued = bundle.edition.issued
    }

    func names(in folder: String) -> [String] {
        let names = files.keys.filter { $0.hasPrefix(folder + "/") }.map { $0.dropFirst(folder.utf8.count + 1) }
        return names.filter { !$0.contains("/") }.map(String.init).sorted {
            $0.utf8.lexicographicallyPrecedes($1.utf8)
        }
    }

    func exists(_ path: String) -> Bool { files[path] != nil }

    func read(_ path: String, limit: Int) -> [UInt8]? { files[path].map { Array($0.prefix(limit + 1)) } }

    func date(of path: String) -> Timestamp? { issued }
}
