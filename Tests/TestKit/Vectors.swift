package import Foundation

/// The test vectors: `Tests/Vectors` in the repository, or the folder that the environment variable
/// `GATEHOUSE_VECTORS` names.
package enum Vectors {
    /// The top folder of the vectors.
    package static var root: URL {
        if let path = ProcessInfo.processInfo.environment["GATEHOUSE_VECTORS"] {
            return URL(fileURLWithPath: path, isDirectory: true)
        }
        return repository.appendingPathComponent("Tests/Vectors", isDirectory: true)
    }

    /// The top folder of this repository.
    package static var repository: URL {
        URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
            .deletingLastPathComponent()
    }

    /// Returns the folder or file `name` below ``root``; nil if it is absent, which is printed.
    package static func path(_ name: String) -> URL? {
        let path = root.appendingPathComponent(name)
        guard FileManager.default.fileExists(atPath: path.path) else {
            print("vectors: \(name) skipped (absent from \(root.path))")
            return nil
        }
        return path
    }

    /// Returns the bytes of a file.
    package static func bytes(_ file: URL) throws -> [UInt8] { [UInt8](try Data(contentsOf: file)) }

    /// Returns the entries of a folder, sorted by name; empty if the folder cannot be read. With `ending`, returns only
    /// entries with this extension.
    package static func files(in folder: URL, withExtension ending: String? = nil) -> [URL] {
        let entries = (try? FileManager.default.contentsOfDirectory(at: folder, includingPropertiesForKeys: nil)) ?? []
        return entries.filter { ending == nil || $0.pathExtension == ending }
            .sorted { $0.lastPathComponent < $1.lastPathComponent }
    }
}

/// Counts the cases of one folder of vectors, and collects the failures.
///
/// A test records every case, then checks `#expect(tally.finish() == [])`. `finish` prints `vectors: FOLDER
/// passed/total`. A folder without any case is also a failure.
package struct VectorTally {
    private let name: String
    private var passed = 0
    private var outOfScope = 0
    private var failures: [String] = []

    /// Creates a tally for the folder `name`.
    package init(_ name: String) {
        self.name = name
    }

    /// Counts one case. The case has passed if `failure` is nil; otherwise `failure` is the reason.
    package mutating func record(_ id: String, _ failure: String?) {
        if let failure { failures.append("\(id): \(failure)") } else { passed += 1 }
    }

    /// Counts a case that is outside the scope of its folder's test.
    package mutating func skip(_ id: String, because reason: String) {
        outOfScope += 1
    }

    /// Prints the number of passed cases, and returns the failures.
    package func finish() -> [String] {
        let total = passed + failures.count
        print("vectors: \(name) \(passed)/\(total)" + (outOfScope > 0 ? " (\(outOfScope) out of scope)" : ""))
        return total == 0 ? ["\(name): no case found"] : failures
    }
}
