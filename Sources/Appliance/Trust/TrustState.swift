package import Credentials
import Encoding
import Foundation
package import LinuxIO

/// What a gate trusts, on its disk: the directory that people keep by hand, or in its place the bundle that the operator signed;
/// and the copies that the refresher fetched, in the folder `refreshed` of the state folder.
///
/// A bundle is kept as it came, in the file `bundle`, and its signature is checked whenever it is read: nobody can change what is
/// in it without being noticed, and there is nothing to unpack that could be left half done.
package struct TrustState: Sendable {
    /// The directory that people keep.
    package let directory: String
    /// Where bundle and copies are.
    package let state: String
    /// The operator's keys; without one no bundle is taken.
    package let keys: [OperatorKey]

    /// The state of these places.
    package init(directory: String, state: String, keys: [OperatorKey]) {
        (self.directory, self.state, self.keys) = (directory, state, keys)
    }

    /// The state that a configuration names.
    package init(_ section: TrustSection) {
        self.init(directory: section.directory, state: section.state, keys: section.bundleKeys)
    }

    /// Where the bundle is, once there is one.
    package var bundlePath: String { state + "/bundle" }

    private var copiesFolder: String { state + "/refreshed" }

    /// Reads all that is in force; throws what keeps it from being used.
    package func load() throws(TrustDirectoryError) -> TrustDirectory {
        let base: TrustDirectory
        if let bundle = try installedBundle() {
            base = try TrustDirectory(bundle, name: bundlePath)
        } else {
            base = try TrustDirectory(path: directory)
        }
        return try base.applying(copies())
    }

    // MARK: - Bundles

    /// The bundle in force; nil where none was ever taken.
    package func installedBundle() throws(TrustDirectoryError) -> TrustBundle? {
        guard !keys.isEmpty, FileManager.default.fileExists(atPath: bundlePath) else { return nil }
        guard let bytes = Self.read(bundlePath, limit: TrustBundle.Limits().bytes) else {
            throw problem("cannot be read", "Check who may read it.")
        }
        do {
            return try TrustBundle(bytes, keys: keys)
        } catch {
            throw problem("is spoilt: \(error)", "Import the newest bundle of your operator again.")
        }
    }

    /// Why a bundle is not taken.
    package enum ImportFailure: Error, Sendable {
        /// This gate knows no operator's key.
        case noKeys
        /// The bundle itself is not acceptable.
        case bundle(TrustBundle.Failure)
        /// It is older than the one in force, which has this version.
        case rollBack(offered: Int, installed: Int)
        /// It has the version of the one in force and another content.
        case conflict(Int)
        /// What is in it cannot be used.
        case directory(TrustDirectoryError)
        /// The disk refused it.
        case disk(SystemError)
    }

    /// Takes a bundle into force, if it is one of the operator's and newer than the one there is. Everything in it is read
    /// before anything is changed. Returns its edition, and whether it is another than before.
    @discardableResult
    package func install(
        _ bytes: [UInt8], onStep: (DurableFile.Step) -> Void = { _ in }
    ) throws(ImportFailure) -> (edition: TrustEdition, isNew: Bool) {
        guard !keys.isEmpty else { throw .noKeys }
        let bundle: TrustBundle
        do { bundle = try TrustBundle(bytes, keys: keys) } catch { throw .bundle(error) }
        do { _ = try TrustDirectory(bundle, name: "the bundle") } catch { throw .directory(error) }
        let installed: TrustBundle?
        do { installed = try installedBundle() } catch { throw .directory(error) }
        switch TrustSuccession(bundle.edition, after: installed?.edition) {
        case .unchanged: return (bundle.edition, false)
        case .rollBack(let version): throw .rollBack(offered: bundle.edition.version, installed: version)
        case .conflict: throw .conflict(bundle.edition.version)
        case .install: break
        }
        do {
            try DurableFile.make(folder: state)
            try DurableFile.replace(bundlePath, with: bytes, onStep: onStep)
        } catch { throw .disk(error) }
        return (bundle.edition, true)
    }

    // MARK: - Copies

    /// The copies at hand; files that are none are passed over, as they will be fetched again.
    package func copies() -> [RefreshedCopy] {
        let names = (try? FileManager.default.contentsOfDirectory(atPath: copiesFolder)) ?? []
        return names.filter { $0.hasSuffix(".json") && !$0.hasPrefix(".") }.sorted().compactMap { name in
            Self.read(copiesFolder + "/" + name, limit: RefreshedCopy.largestFile).flatMap(RefreshedCopy.init(file:))
        }
    }

    /// Keeps a copy in the place of the one before.
    package func keep(_ copy: RefreshedCopy) throws(SystemError) {
        try DurableFile.make(folder: state)
        try DurableFile.make(folder: copiesFolder)
        let name = RefreshedCopy.fileName(of: copy.resource)
        try DurableFile.replace(copiesFolder + "/" + name, with: copy.file)
    }

    // MARK: - Files

    /// What changes when any of the files does: names, sizes, times and numbers of all of them.
    package func stamp() -> [UInt8] {
        var lines: [String] = []
        let roots = keys.isEmpty || !FileManager.default.fileExists(atPath: bundlePath) ? [directory] : [bundlePath]
        for root in roots + [copiesFolder] {
            let inside = FileManager.default.enumerator(atPath: root)?.compactMap { $0 as? String } ?? []
            for name in [""] + inside where !name.split(separator: "/").contains(where: { $0.hasPrefix(".") }) {
                let path = name.isEmpty ? root : root + "/" + name
                guard let found = try? FileManager.default.attributesOfItem(atPath: path) else { continue }
                let date = (found[.modificationDate] as? Date)?.timeIntervalSince1970 ?? 0
                lines.append("\(path) \(found[.size] ?? 0) \(date) \(found[.systemFileNumber] ?? 0)")
            }
        }
        return Array(lines.sorted().joined(separator: "\n").utf8)
    }

    private static func read(_ path: String, limit: Int) -> [UInt8]? {
        guard let handle = FileHandle(forReadingAtPath: path),
            let data = try? handle.read(upToCount: limit + 1) ?? Data(), data.count <= limit
        else { return nil }
        return [UInt8](data)
    }

    private func problem(_ message: String, _ remedy: String) -> TrustDirectoryError {
        TrustDirectoryError(
            directory: state, problems: [.init(file: "bundle", line: nil, message: message, remedy: remedy)])
    }
}
