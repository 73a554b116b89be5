import Foundation
import Glibc
import TestKit

/// The paths of the peers and the product, and a folder for one test's files.
struct Workplace {
    /// The test's own folder.
    let folder: URL

    /// Creates an empty folder. It is removed by ``remove()`` unless `GATEHOUSE_KEEP` is set; an interrupted
    /// test leaves it, too. With `isInMemory` it is in memory where possible, for tests that stall calls
    /// themselves, so that the disk of a busy machine adds no delay.
    init(_ name: String, isInMemory: Bool = false) throws {
        let memory = "/dev/shm"
        let hasMemory = isInMemory && access(memory, W_OK) == 0
        folder = (hasMemory ? URL(fileURLWithPath: memory) : FileManager.default.temporaryDirectory)
            .appendingPathComponent("gatehouse-\(name)-\(UUID().uuidString.prefix(8))")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    }

    func remove() {
        guard ProcessInfo.processInfo.environment["GATEHOUSE_KEEP"] == nil else { return print("kept: \(folder.path)") }
        try? FileManager.default.removeItem(at: folder)
    }

    /// The path of a file in the folder.
    func path(_ name: String) -> String { folder.appendingPathComponent(name).path }

    /// Writes a file into the folder, replacing an existing one atomically; returns its path. A concurrent
    /// reader finds either the old or the new file, complete.
    @discardableResult
    func write(_ name: String, _ text: String) throws -> String {
        let file = folder.appendingPathComponent(name)
        try FileManager.default.createDirectory(at: file.deletingLastPathComponent(), withIntermediateDirectories: true)
        try Data(text.utf8).write(to: file, options: .atomic)
        return file.path
    }

    /// The program under test: `GATEHOUSE_BINARY`, or the one that was built with these tests.
    static var product: String { ProcessInfo.processInfo.environment["GATEHOUSE_BINARY"] ?? debugProduct }

    /// The program that was built with these tests.
    static var debugProduct: String { built("gatehouse") }

    /// Returns the path of a program that was built with these tests.
    static func built(_ name: String) -> String {
        URL(fileURLWithPath: "/proc/self/exe").resolvingSymlinksInPath().deletingLastPathComponent()
            .appendingPathComponent(name).path
    }

    /// Whether PostgreSQL is installed, on PATH or where Debian puts it: not every machine needs the
    /// operator's side. It refuses to run as root; the user `nobody`, as which it then runs, needs access to
    /// the temporary folder.
    static var hasDatabase: Bool {
        if geteuid() == 0 {
            var folder = FileManager.default.temporaryDirectory.standardizedFileURL
            while folder.path != "/" {
                var status = stat()
                guard stat(folder.path, &status) == 0, status.st_mode & S_IXOTH != 0 else { return false }
                folder.deleteLastPathComponent()
            }
        }
        let path = (ProcessInfo.processInfo.environment["PATH"] ?? "").split(separator: ":").map(String.init)
        let debian = (try? FileManager.default.contentsOfDirectory(atPath: "/usr/lib/postgresql")) ?? []
        return (path + debian.map { "/usr/lib/postgresql/\($0)/bin" }).contains {
            FileManager.default.isExecutableFile(atPath: $0 + "/initdb")
        }
    }

    /// `Tests/Peers`.
    static var peers: URL { Vectors.repository.appendingPathComponent("Tests/Peers") }

    /// Returns a file of one of the Python environments that `Tests/Peers/setup` makes; nil when the
    /// environment is incomplete.
    static func environment(_ name: String, _ file: String) -> String? {
        let environment = ProcessInfo.processInfo.environment
        let cache =
            environment["XDG_CACHE_HOME"].map { URL(fileURLWithPath: $0) }
            ?? FileManager.default.homeDirectoryForCurrentUser.appendingPathComponent(".cache")
        let folder = cache.appendingPathComponent("gatehouse/venvs/\(name)")
        let stamp = folder.appendingPathComponent("gatehouse-stamp")
        guard FileManager.default.fileExists(atPath: stamp.path) else { return nil }
        return folder.appendingPathComponent(file).path
    }

    /// Does the same for an environment that must exist.
    static func requiredEnvironment(_ name: String, _ file: String) throws -> String {
        guard let path = environment(name, file) else {
            throw PeerFailure("no Python environment \(name): run Tests/Peers/setup (make test does)")
        }
        return path
    }
}
