package import Credentials
import Encoding
import Foundation
package import Kiosk
package import LinuxIO
import Reasons
package import Settings

/// The trust data of a gate on its disk. They consist of the trust directory that people maintain by hand or, in its
/// place, the bundle that the operator signed; and of the copies that the service fetched, in the folder `refreshed`
/// of the state folder.
///
/// A bundle is stored unchanged in the file `bundle`, and each reading verifies its signature. Therefore every change
/// of its content is noticed, and it needs no unpacking that could remain incomplete.
package struct TrustState: Sendable {
    /// The path of the trust directory that people maintain by hand.
    package let directory: String
    /// The path of the state folder, which contains the bundle and the copies.
    package let state: String
    /// The operator's public keys. If there are none, the gate accepts no bundle.
    package let keys: [OperatorKey]

    /// Creates the object for the trust directory at the path `directory` and the state folder at the path `state`.
    /// `keys` are the operator's public keys. Reads no files.
    package init(directory: String, state: String, keys: [OperatorKey]) {
        (self.directory, self.state, self.keys) = (directory, state, keys)
    }

    /// Creates the object for the section `[trust]` of a configuration.
    package init(_ section: TrustSection) {
        self.init(directory: section.directory, state: section.state, keys: section.bundleKeys)
    }

    /// The path of the imported bundle.
    package var bundlePath: String { state + "/bundle" }

    /// The path of the last good bundle, which is used if the imported bundle is unusable.
    package var lastGoodPath: String { state + "/bundle.good" }

    private var copiesFolder: String { state + "/refreshed" }

    /// Reads the trust data to use. Throws if there are no usable trust data.
    ///
    /// If the imported bundle is missing, damaged or older than the last good bundle, the last good bundle is used.
    /// If the gate uses bundles, the trust directory is read only until the first bundle was accepted. Otherwise an
    /// attacker who can delete a file could choose the trusted issuers.
    package func read() throws(TrustDirectoryError) -> TrustReading {
        guard !keys.isEmpty else { return TrustReading(directory: try folder(), fault: nil, unkept: nil) }
        let good = readable(lastGoodPath)
        do throws(TrustDirectoryError) {
            guard let installed = try bundle(bundlePath) else {
                let remedy = "Import the newest bundle of your operator (gatehouse trust import)."
                if good != nil { throw problem("bundle", "does not exist", remedy) }
                let fault = problem("bundle", "was never imported: the directory is used until then", remedy)
                return TrustReading(directory: try folder(), fault: fault, unkept: nil)
            }
            switch TrustSuccession(installed.bundle.edition, after: good?.edition) {
            case .install, .unchanged: break
            case .rollBack, .conflict:
                throw problem(
                    "bundle", "is older than, or different from, the last good one", "Import the newest bundle again.")
            }
            let directory = try TrustDirectory(installed.bundle, name: bundlePath).applying(copies())
            let isKept = good?.edition.digest == installed.bundle.edition.digest
            return TrustReading(directory: directory, fault: nil, unkept: isKept ? nil : installed.bytes)
        } catch {
            guard let good else { throw error }
            let directory = try TrustDirectory(good, name: lastGoodPath).applying(copies())
            return TrustReading(directory: directory, fault: error, unkept: nil)
        }
    }

    /// Reads the trust data for the start of the service, and reports their faults. If there are no usable trust
    /// data, returns trust data without any issuer: a wrong file must not prevent the start of the service.
    package func begin(_ report: HealthReporter) throws(TrustDirectoryError) -> TrustReading {
        do throws(TrustDirectoryError) {
            let reading = try read()
            reading.tell(report)
            return reading
        } catch {
            report(.present(.trustUnusable, detail: error.summary))
            return TrustReading(directory: try .nobody(), fault: error, unkept: nil)
        }
    }

    /// Stores the bundle of a reading as the last good bundle, if it is not stored yet. Call this when the trust data
    /// of the reading are in force.
    package func remember(_ reading: TrustReading) throws(SystemError) {
        guard let bytes = reading.unkept else { return }
        try DurableFile.replace(lastGoodPath, with: bytes)
    }

    private func folder() throws(TrustDirectoryError) -> TrustDirectory {
        try TrustDirectory(path: directory).applying(copies())
    }

    // MARK: - Bundles

    /// Reads the bundle at `path` and verifies its signature. Returns nil if the file does not exist.
    private func bundle(_ path: String) throws(TrustDirectoryError) -> (bundle: TrustBundle, bytes: [UInt8])? {
        guard FileManager.default.fileExists(atPath: path) else { return nil }
        let name = path.split(separator: "/").last.map(String.init) ?? path
        guard let bytes = Self.read(path, limit: TrustBundle.Limits().bytes) else {
            let obstacle = FileObstacle(path)
            throw problem(name, obstacle?.text ?? "cannot be read", obstacle?.remedy ?? "Check its permissions.")
        }
        do {
            return (try TrustBundle(bytes, keys: keys), bytes)
        } catch {
            throw problem(name, "is damaged: \(error)", "Import the newest bundle of your operator again.")
        }
    }

    private func readable(_ path: String) -> TrustBundle? {
        (try? bundle(path))?.bundle
    }

    /// Stores a bundle as the imported bundle. The operator must have signed it, and it must be newer than the
    /// imported bundle and the last good bundle. All checks come before the first change. Returns the edition of the
    /// bundle, and whether it is new to the gate. A bundle that is already in force is not stored again.
    @discardableResult
    package func install(
        _ bytes: [UInt8], onStep: (DurableFile.Step) -> Void = { _ in }
    ) throws(TrustImportFailure) -> (edition: TrustEdition, isNew: Bool) {
        let (edition, isNew) = try check(bytes)
        guard isNew else { return (edition, false) }
        do {
            try DurableFile.make(folder: state)
            try DurableFile.replace(bundlePath, with: bytes, onStep: onStep)
        } catch { throw .disk(error) }
        return (edition, true)
    }

    /// Checks a bundle as ``install(_:onStep:)`` does, without storing it. Returns the edition of the bundle, and
    /// whether it would be new to the gate.
    package func check(_ bytes: [UInt8]) throws(TrustImportFailure) -> (edition: TrustEdition, isNew: Bool) {
        guard !keys.isEmpty else { throw .noKeys }
        let bundle: TrustBundle
        do { bundle = try TrustBundle(bytes, keys: keys) } catch { throw .bundle(error) }
        do { _ = try TrustDirectory(bundle, name: "the bundle") } catch { throw .directory(error) }
        let installed = readable(bundlePath)
        // An import may replace a damaged file by the same bundle, but must not install an older bundle.
        let newest = [readable(lastGoodPath), installed].compactMap { $0?.edition }.max { $0.version < $1.version }
        switch TrustSuccession(bundle.edition, after: newest) {
        case .unchanged where installed?.edition.digest == bundle.edition.digest: return (bundle.edition, false)
        case .rollBack(let version): throw .rollBack(offered: bundle.edition.version, installed: version)
        case .conflict: throw .conflict(bundle.edition.version)
        case .install, .unchanged: return (bundle.edition, true)
        }
    }

    // MARK: - Copies

    /// Returns the stored copies of documents and status lists. Skips invalid files, because the service fetches
    /// their content again.
    package func copies() -> [RefreshedCopy] {
        let names = (try? FileManager.default.contentsOfDirectory(atPath: copiesFolder)) ?? []
        return names.filter { $0.hasSuffix(".json") && !$0.hasPrefix(".") }.sorted().compactMap { name in
            Self.read(copiesFolder + "/" + name, limit: RefreshedCopy.largestFile).flatMap(RefreshedCopy.init(file:))
        }
    }

    /// Stores a copy in place of the earlier copy of the same document or status list.
    package func keep(_ copy: RefreshedCopy) throws(SystemError) {
        try DurableFile.make(folder: state)
        try DurableFile.make(folder: copiesFolder)
        let name = RefreshedCopy.fileName(of: copy.resource)
        try DurableFile.replace(copiesFolder + "/" + name, with: copy.file)
    }

    // MARK: - Files

    /// Returns a value that changes when one of the files changes. It contains the names, sizes, times, inode numbers
    /// and read permissions of all files.
    package func stamp() -> [UInt8] {
        var lines: [String] = []
        let isBundled =
            !keys.isEmpty && [bundlePath, lastGoodPath].contains { FileManager.default.fileExists(atPath: $0) }
        let roots = isBundled ? [bundlePath] : [directory]
        for root in roots + [copiesFolder] {
            let inside = FileManager.default.enumerator(atPath: root)?.compactMap { $0 as? String } ?? []
            for name in [""] + inside where !name.split(separator: "/").contains(where: { $0.hasPrefix(".") }) {
                let path = name.isEmpty ? root : root + "/" + name
                guard let found = try? FileManager.default.attributesOfItem(atPath: path) else { continue }
                let date = (found[.modificationDate] as? Date)?.timeIntervalSince1970 ?? 0
                let readers = FileReaders(found)
                lines.append("\(path) \(found[.size] ?? 0) \(date) \(found[.systemFileNumber] ?? 0) \(readers)")
            }
        }
        return Array(lines.sorted().joined(separator: "\n").utf8)
    }

    private static func read(_ path: String, limit: Int) -> [UInt8]? {
        FileBytes.whole(path, limit: limit)
    }

    private func problem(_ file: String, _ message: String, _ remedy: String) -> TrustDirectoryError {
        TrustDirectoryError(
            directory: state, problems: [.init(file: file, line: nil, message: message, remedy: remedy)])
    }
}
