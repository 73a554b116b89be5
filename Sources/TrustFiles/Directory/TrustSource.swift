import Credentials
import Encoding
import Foundation
import LinuxIO

/// The source of the files of a trust directory: a folder or a signed bundle. Paths are relative and contain slashes.
protocol TrustSource {
    /// The name of the source in errors.
    var name: String { get }
    /// Returns the names in a folder, in byte order. Names that begin with a dot are omitted.
    func names(in folder: String) -> [String]
    /// Returns whether a file or folder exists at `path`.
    func exists(_ path: String) -> Bool
    /// Reads at most `limit` bytes of a file, and one byte more of a longer file; nil if the file is unreadable.
    func read(_ path: String, limit: Int) -> [UInt8]?
    /// Returns the date since which a file has been unchanged; nil if the date is unknown.
    func date(of path: String) -> Timestamp?
    /// Returns the reason why a file is unreadable; nil if there is none or it is unknown.
    func obstacle(_ path: String) -> FileObstacle?
    /// Returns the reason why an existing folder cannot be listed; nil if there is none or it is unknown.
    func obstacle(folder path: String) -> FileObstacle?
}

extension TrustSource {
    /// Always nil: a source in memory has no obstacles.
    func obstacle(_ path: String) -> FileObstacle? { nil }

    /// Always nil, as for files.
    func obstacle(folder path: String) -> FileObstacle? { nil }
}

/// A trust directory that people maintain by hand.
struct TrustFolder: TrustSource {
    let name: String

    func names(in folder: String) -> [String] {
        let names = (try? FileManager.default.contentsOfDirectory(atPath: name + "/" + folder)) ?? []
        return names.filter { !$0.hasPrefix(".") }.sorted { $0.utf8.lexicographicallyPrecedes($1.utf8) }
    }

    /// A dangling symbolic link exists but is unreadable, so that missing rules do not count as no rules.
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

/// A trust directory with some files replaced or added. It serves to read a change before the change is written.
struct TrustOverlay: TrustSource {
    let folder: TrustFolder
    /// The new contents by path.
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

/// The files in a bundle. The signature of the bundle must have been checked.
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
