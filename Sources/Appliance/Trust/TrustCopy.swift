import Credentials
package import LinuxIO

/// A trust directory that is to take the place of a gate's own: read and checked as a whole.
package struct TrustCopy: Sendable {
    /// The version that verdicts will name.
    package let version: String
    private var files: [(path: String, bytes: [UInt8])]

    /// Reads a trust directory; throws everything that is wrong with it.
    package init(of directory: String) throws(TrustDirectoryError) {
        version = try TrustDirectory(path: directory).store.version
        files = try TrustFiles.read(directory)
    }

    /// Adds rules if it has none: those that are in its place already, read with the rights of their owner, else those
    /// to begin with. Returns words about the latter.
    mutating func begin(at directory: String) -> [String] {
        let name = TrustDirectory.policyFile
        if files.contains(where: { $0.path == name }) { return [] }
        let old = OwnerRole.of(directory) { TrustFolder(name: directory).read(name, limit: TrustIndex.largestFile) }
        // In the order in which ``TrustFiles`` has them.
        files.insert((name, old ?? StartRules.bytes), at: 1)
        return old == nil ? [StartRules.words] : []
    }

    /// Whether these are the files that are there already.
    func isAt(_ directory: String) -> Bool {
        guard let there = try? TrustFiles.read(directory), there.count == files.count else { return false }
        return zip(there, files).allSatisfy { $0.path.utf8.elementsEqual($1.path.utf8) && $0.bytes == $1.bytes }
    }

    /// Puts it into the place of a gate's, in one step.
    package func install(at directory: String, onStep: (DurableFile.Step) -> Void = { _ in }) throws(SystemError) {
        try DurableFile.replaceFolder(directory, with: files, onStep: onStep)
    }
}
