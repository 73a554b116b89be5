import Credentials
package import LinuxIO

/// The files of a complete and valid trust directory, which replace those of a gate's trust directory.
package struct TrustCopy: Sendable {
    /// The version of the trust data, which verdicts contain.
    package let version: String
    private var files: [(path: String, bytes: [UInt8])]

    /// Reads the trust directory at the path `directory`. Throws one error that contains all its problems.
    package init(of directory: String) throws(TrustDirectoryError) {
        version = try TrustDirectory(path: directory).store.version
        files = try TrustDirectoryFiles.read(directory)
    }

    /// If the copy has no rules, adds the rules of the trust directory at `directory`, which the copy will replace.
    /// They are read with the rights of their owner. If that directory has no rules either, adds the initial rules
    /// and returns a text about them.
    package mutating func begin(at directory: String) -> [String] {
        let name = TrustDirectory.policyFile
        if files.contains(where: { $0.path == name }) { return [] }
        let old = OwnerRole.of(directory) { TrustFolder(name: directory).read(name, limit: TrustIndex.largestFile) }
        // Insert the file at the position at which ``TrustDirectoryFiles`` returns it.
        files.insert((name, old ?? StartRules.bytes), at: 1)
        return old == nil ? [StartRules.words] : []
    }

    /// Returns whether the trust directory at `directory` has exactly the files of this copy.
    package func isAt(_ directory: String) -> Bool {
        guard let there = try? TrustDirectoryFiles.read(directory), there.count == files.count else { return false }
        return zip(there, files).allSatisfy { $0.path.utf8.elementsEqual($1.path.utf8) && $0.bytes == $1.bytes }
    }

    /// Replaces the trust directory at `directory` by this copy, in one step.
    package func install(at directory: String, onStep: (DurableFile.Step) -> Void = { _ in }) throws(SystemError) {
        try DurableFile.replaceFolder(directory, with: files, onStep: onStep)
    }
}
