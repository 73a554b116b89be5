import Credentials
package import Encoding
import Foundation
package import LinuxIO

/// Where the files of a trust directory are: in a folder, or in a signed bundle. Paths are relative, with slashes.
package protocol TrustSource {
    /// What it is called in errors.
    var name: String { get }
    /// The names in a folder, in byte order; those beginning with a dot are none.
    func names(in folder: String) -> [String]
    /// Whether there is something of that path.
    func exists(_ path: String) -> Bool
    /// At most `limit` bytes of a file, and one more where there are more; nil when it cannot be read.
    func read(_ path: String, limit: Int) -> [UInt8]?
    /// Since when the file has been as it is, as far as is known.
    func date(of path: String) -> Timestamp?
    /// What keeps a file from being read; nil where that is not known, or nothing does.
    func obstacle(_ path: String) -> FileObstacle?
    /// What keeps a folder that is there from being listed.
    func obstacle(folder path: String) -> FileObstacle?
}

extension TrustSource {
    /// Not known: what is in memory can be read.
    package func obstacle(_ path: String) -> FileObstacle? { nil }

    /// Not known, as for files.
    package func obstacle(folder path: String) -> FileObstacle? { nil }
}

/// A trust directory that people keep by hand.
struct TrustFolder: TrustSource {
    let name: String

    func names(in folder: String) -> [String] {
        let names = (try? FileManager.default.contentsOfDirectory(atPath: name + "/" + folder)) ?? []
        return names.filter { !$0.hasPrefix(".") }.sorted { $0.utf8.lexicographicallyPrecedes($1.utf8) }
    }

    /// A link that leads nowhere is there, and cannot be read: rules that are gone must not count as none.
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

/// A trust directory as it would be with some files in the place of others, or beside them: what is to be written is read first.
struct TrustOverlay: TrustSource {
    let folder: TrustFolder
    /// Path → content.
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

/// The files in a bundle, whose signature is already checked.
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
