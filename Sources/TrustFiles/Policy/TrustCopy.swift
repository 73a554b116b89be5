import Credentials
package import LinuxIO

/// A complete, checked trust directory that will replace a gate's directory.
package struct TrustCopy: Sendable {
    /// The version in verdicts.
    package let version: String
    private var files: [(path: String, bytes: [UInt8])]

    /// Reads a trust directory. Throws all its problems at once.
    package init(of directory: String) throws(TrustDirectoryError) {
        version = try TrustDirectory(path: directory).store.version
        files = try TrustDirectoryFiles.read(directory)
    }

    /// Adds rules if the copy has none. The rules come from the directory that the copy replaces, read with the rights
    /// of their owner. If that directory has no rules, adds the starting rules and returns a notice.
    package mutating func begin(at directory: String) -> [String] {
        let name = TrustDirectory.policyFile
        if files.contains(where: { $0.path == name }) { return [] }
        let old = OwnerRole.of(directory) { TrustFolder(name: directory).read(name, limit: TrustIndex.largestFile) }
        // Insert the file at its position in ``TrustFiles``.
        files.insert((name, old ?? StartRules.bytes), at: 1)
        return old == nil ? [StartRules.words] : []
    }

    /// Returns whether the directory at the path `directory` has exactly these files.
    package func isAt(_ directory: String) -> Bool {
        guard let there = try? TrustDirectoryFiles.read(directory), there.count == files.count else { return false }
        return zip(there, files).allSatisfy { $0.path.utf8.elementsEqual($1.path.utf8) && $0.bytes == $1.bytes }
    }

    /// Replaces a gate's directory by this copy in one step.
    package func install(at directory: String, onStep: (DurableFile.Step) -> Void = { _ in }) throws(SystemError) {
        try DurableFile.replaceFolder(directory, with: files, onStep: onStep)
    }
}
