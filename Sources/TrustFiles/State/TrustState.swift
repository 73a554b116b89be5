package import Credentials
import Encoding
import Foundation
package import Kiosk
package import LinuxIO
import Reasons
package import Settings

/// A gate's trust data on its disk: the directory that people maintain by hand or, in its place, the bundle that the
/// operator signed; and the refresher's copies in the folder `refreshed` of the state folder.
///
/// A bundle is stored unchanged in the file `bundle`, and every reading checks its signature. Therefore no change of
/// its content goes unnoticed, and no unpacking can remain incomplete.
package struct TrustState: Sendable {
    /// The directory that people maintain by hand.
    package let directory: String
    /// The folder of the bundle and the copies.
    package let state: String
    /// The operator's keys; if empty, no bundle is accepted.
    package let keys: [OperatorKey]

    /// Creates the state of the gate's trust data. `directory`: the path of the trust directory. `state`: the path of
    /// the state folder. `keys`: the operator's keys.
    package init(directory: String, state: String, keys: [OperatorKey]) {
        (self.directory, self.state, self.keys) = (directory, state, keys)
    }

    /// Creates the state of a configuration.
    package init(_ section: TrustSection) {
        self.init(directory: section.directory, state: section.state, keys: section.bundleKeys)
    }

    /// The path of the bundle.
    package var bundlePath: String { state + "/bundle" }

    /// The path of the last usable bundle, in case the present bundle is unusable.
    package var lastGoodPath: String { state + "/bundle.good" }

    private var copiesFolder: String { state + "/refreshed" }

    /// Reads the trust data to put in force. Throws the reason if the trust data is unusable.
    ///
    /// The last good bundle replaces a bundle that is missing, damaged or older. The directory is used only if no
    /// bundle was ever accepted: an attacker who can delete a file must not be able to choose the trusted issuers.
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

    /// Reads the trust data for the start of the service, and reports its faults. Without usable trust data, no issuer
    /// is trusted until the data is corrected. A wrong file does not prevent the start of the service.
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

    /// Stores the bundle of a reading that came into force as the last good bundle.
    package func remember(_ reading: TrustReading) throws(SystemError) {
        guard let bytes = reading.unkept else { return }
        try DurableFile.replace(lastGoodPath, with: bytes)
    }

    private func folder() throws(TrustDirectoryError) -> TrustDirectory {
        try TrustDirectory(path: directory).applying(copies())
    }

    // MARK: - Bundles

    /// Reads the bundle at `path`; nil if the file does not exist.
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

    /// Puts a bundle in force if the operator signed it and it is newer than the present bundle and the last good
    /// bundle. Reads all its content before changing anything. Returns the bundle's edition, and whether the bundle is
    /// new.
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

    /// Reads all content of a bundle and changes nothing. Returns the bundle's edition, and whether the bundle would be
    /// new to the gate.
    package func check(_ bytes: [UInt8]) throws(TrustImportFailure) -> (edition: TrustEdition, isNew: Bool) {
        guard !keys.isEmpty else { throw .noKeys }
        let bundle: TrustBundle
        do { bundle = try TrustBundle(bytes, keys: keys) } catch { throw .bundle(error) }
        do { _ = try TrustDirectory(bundle, name: "the bundle") } catch { throw .directory(error) }
        let installed = readable(bundlePath)
        // An import may repair a damaged file, but must not install an older bundle.
        let newest = [readable(lastGoodPath), installed].compactMap { $0?.edition }.max { $0.version < $1.version }
        switch TrustSuccession(bundle.edition, after: newest) {
        case .unchanged where installed?.edition.digest == bundle.edition.digest: return (bundle.edition, false)
        case .rollBack(let version): throw .rollBack(offered: bundle.edition.version, installed: version)
        case .conflict: throw .conflict(bundle.edition.version)
        case .install, .unchanged: return (bundle.edition, true)
        }
    }

    // MARK: - Copies

    /// The refresher's copies. Invalid files are skipped, because the refresher fetches them again.
    package func copies() -> [RefreshedCopy] {
        let names = (try? FileManager.default.contentsOfDirectory(atPath: copiesFolder)) ?? []
        return names.filter { $0.hasSuffix(".json") && !$0.hasPrefix(".") }.sorted().compactMap { name in
            Self.read(copiesFolder + "/" + name, limit: RefreshedCopy.largestFile).flatMap(RefreshedCopy.init(file:))
        }
    }

    /// Keeps a refreshed copy in place of the earlier copy.
    package func keep(_ copy: RefreshedCopy) throws(SystemError) {
        try DurableFile.make(folder: state)
        try DurableFile.make(folder: copiesFolder)
        let name = RefreshedCopy.fileName(of: copy.resource)
        try DurableFile.replace(copiesFolder + "/" + name, with: copy.file)
    }

    // MARK: - Files

    /// Returns a value that changes with any of the files: names, sizes, times, inode numbers and read permissions.
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
