package import Credentials
import Crypto
import Encoding
import Foundation
import LinuxIO
import Settings

/// The trust directory: `issuers.toml`, `did/*.json`, `contexts/index.json` with its documents, `status/*` and
/// `roots/*.pem`. The initialiser reads and checks all of them, and reports problems with file and line. It does not
/// use the network.
///
/// `contexts/index.json` lists `{"url", "sha256", "file"}`. An entry without `file` is a context that ships with the
/// product, and needs no `sha256`. The URL of a status list is the `id` in the list, or its URL in
/// `status/index.json`, which is optional: `[{"url", "file"}]`. Files whose names begin with a dot are ignored.
/// `policy.toml`, which is optional, contains the rules of each gate that uses these trust data and has no policy
/// file of its own (``RulesInForce``).
///
/// The age of a document is counted from its date in `issuers.toml` or, without one, from the date of its bundle or
/// file.
package struct TrustDirectory: Sendable {
    /// The contents of the files.
    package let material: TrustMaterial
    /// The trust data made from ``material``, which a verifier uses.
    package let store: TrustStore
    /// The rules in `policy.toml`; nil if the file does not exist. ``RulesInForce`` decides whether they are in
    /// force.
    let rules: GatePolicy?

    /// The name of the file with the rules.
    static let policyFile = "policy.toml"

    /// The maximum size of a file in bytes: 16 MiB. No status list or context is larger.
    private static let largestFile = 16 * 1024 * 1024

    /// Reads the trust directory at a path. Throws one error that contains all its problems.
    package init(path: String) throws(TrustDirectoryError) {
        try self.init(TrustFolder(name: path))
    }

    /// Reads the files of a bundle. `name` is the bundle's name in errors.
    package init(_ bundle: TrustBundle, name: String) throws(TrustDirectoryError) {
        try self.init(TrustBundleFiles(bundle, name: name), edition: bundle.edition)
    }

    /// Returns this directory with newer documents and status lists, which the service has fetched. Ignores copies of
    /// data that the directory does not need.
    func applying(_ copies: [RefreshedCopy]) throws(TrustDirectoryError) -> TrustDirectory {
        guard !copies.isEmpty else { return self }
        var material = material
        material.apply(copies, to: store.refreshResources)
        return try TrustDirectory(material, rules: rules, name: name)
    }

    /// The name of the directory in errors.
    let name: String

    /// Reads and checks the files of `source`. `edition` is the edition of a bundle; nil for a folder.
    init(_ source: any TrustSource, edition: TrustEdition? = nil) throws(TrustDirectoryError) {
        var reader = Reader(source)
        let issuers = reader.issuers()
        var material = TrustMaterial(issuers: issuers?.issuers ?? [])
        material.edition = edition
        material.documents = reader.documents()
        material.contexts = reader.contexts()
        material.statusLists = reader.statusLists()
        material.roots = reader.roots()
        material.revokedKeys = issuers?.revokedKeys ?? []
        material.untypedIssuers = issuers?.untypedIssuers ?? .refuse
        material.profile = issuers?.profile
        material.fetched = reader.dates.merging(issuers?.fetched ?? [:]) { _, told in told }
        let rules = reader.rules()
        guard reader.problems.isEmpty else {
            throw TrustDirectoryError(directory: source.name, problems: reader.problems)
        }
        try self.init(material, rules: rules, name: source.name)
    }

    /// Creates a directory from the contents of files. Throws if they cannot be used together.
    init(_ material: TrustMaterial, rules: GatePolicy?, name: String) throws(TrustDirectoryError) {
        do {
            store = try TrustStore(material)
            store.prepare()
        } catch {
            let (file, message, remedy) = Self.explain(error)
            throw TrustDirectoryError(
                directory: name, problems: [.init(file: file, line: nil, message: message, remedy: remedy)])
        }
        (self.material, self.rules, self.name) = (material, rules, name)
    }

    private static func explain(_ failure: TrustStore.Failure) -> (file: String, message: String, remedy: String) {
        switch failure {
        case .pinned(let id):
            (
                TrustSection.issuersFile, "the stored document of \(id) is not the one that its issuer's entry pins",
                "Put the pinned document back, or review the new one and pin its SHA-256."
            )
        // Each file was checked before, so this is a requirement that only the store checks.
        default: (".", "unusable: \(failure)", "Import the directory again.")
        }
    }

    private struct Reader {
        let source: any TrustSource
        var problems: [TrustDirectoryError.Problem] = []
        /// The date since which each document or list has been unchanged, by the id of the document or the URL of the
        /// list.
        var dates: [Text: Timestamp] = [:]

        init(_ source: any TrustSource) {
            self.source = source
        }

        mutating func issuers() -> IssuersFile? {
            guard let bytes = bytes(TrustSection.issuersFile, "Create it; it lists the trusted issuers.") else {
                return nil
            }
            let file = IssuersFile(bytes)
            problems += file.problems
            return file
        }

        mutating func rules() -> GatePolicy? {
            let name = TrustDirectory.policyFile
            guard exists(name), let bytes = bytes(name) else { return nil }
            do throws(PolicyFileError) {
                return try GatePolicy.parse(bytes, zones: CivilZone.named)
            } catch {
                for problem in error.problems { note(name, problem.message, problem.remedy, line: problem.line) }
                return nil
            }
        }

        mutating func documents() -> [[UInt8]] {
            var files: [Text: String] = [:]
            var documents: [[UInt8]] = []
            for file in names("did", ending: ".json") {
                guard let bytes = bytes(file), let json = json(bytes, file) else { continue }
                guard let document = ControllerDocument(json) else {
                    note(
                        file, "not a DID document, a controller document, a key or the metadata of a JWT VC issuer",
                        "It needs an id and verificationMethod, or an issuer and jwks.")
                    continue
                }
                if let other = files.updateValue(file, forKey: document.id) {
                    note(file, "has the same id as \(other)", "Keep one of the two.")
                }
                dates[document.id] = source.date(of: file)
                documents.append(bytes)
            }
            return documents
        }

        mutating func contexts() -> [Text: [UInt8]] {
            let index = "contexts/index.json"
            guard exists(index) else {
                if !names("contexts", ending: "").isEmpty {
                    note("contexts", "has documents but no index.json", "List url, file and sha256 of each in it.")
                }
                return [:]
            }
            var contexts: [Text: [UInt8]] = [:]
            for entry in entries(index) {
                guard let bytes = context(entry, index) else { continue }
                for url in [entry.url] + entry.aliases where contexts.updateValue(bytes, forKey: url) != nil {
                    note(index, "\(url) is listed twice", "Pin one document for each url.")
                }
            }
            return contexts
        }

        private mutating func context(_ entry: Entry, _ index: String) -> [UInt8]? {
            let source = entry.file.map { "contexts/" + $0 } ?? index
            let found: [UInt8]?
            if entry.file != nil {
                found = bytes(source)
            } else {
                found = BuiltInContexts.document(entry.url)?.bytes
                if found == nil {
                    note(index, "\(entry.url) has no file and is not built in", "Add its document and name it.")
                }
            }
            guard let found, let json = json(found, source) else { return nil }
            let hash = Hex.encode(SHA256.hash(data: found))
            guard let pinned = entry.sha256 else {
                // A context that ships with the product is part of the program, so no hash is needed.
                if entry.file == nil { return found }
                note(index, "\(entry.url) has no sha256", "Review \(source), then pin it: \"sha256\": \"\(hash)\".")
                return nil
            }
            guard pinned.lowercased() == hash else {
                let remedy = "Put the pinned document back, or review the new one and pin \(hash)."
                note(source, "is not the document that index.json pins for \(entry.url)", remedy)
                return nil
            }
            guard json["@context"] != nil else {
                note(source, "is not a JSON-LD context", "It needs an @context member.")
                return nil
            }
            return found
        }

        mutating func statusLists() -> [Text: [UInt8]] {
            let index = "status/index.json"
            var lists: [Text: [UInt8]] = [:]
            var named: Set<String> = [index]
            if exists(index) {
                for entry in entries(index) {
                    guard let file = entry.file.map({ "status/" + $0 }) else {
                        note(index, "\(entry.url) has no file", "Name the file of the list.")
                        continue
                    }
                    named.insert(file)
                    if lists[entry.url] != nil {
                        note(index, "a second list for \(entry.url)", "Keep one file for each list.")
                    }
                    if let bytes = bytes(file) { lists[entry.url] = bytes }
                    dates[entry.url] = source.date(of: file)
                }
            }
            for file in names("status", ending: ".json") where !named.contains(file) {
                guard let bytes = bytes(file), let json = json(bytes, file) else { continue }
                let subject = json["credentialSubject"]?["id"]?.string?.string.prefix { $0 != "#" }
                guard let url = json["id"]?.string ?? subject.map({ Text(String($0)) }) else {
                    note(file, "the status list has no id", "List its url and file in status/index.json.")
                    continue
                }
                if lists.updateValue(bytes, forKey: url) != nil {
                    note(file, "a second list for \(url)", "Keep one file for each list.")
                }
                dates[url] = source.date(of: file)
            }
            return lists
        }

        mutating func roots() -> [[UInt8]] {
            names("roots", ending: ".pem").compactMap { file in
                guard let bytes = bytes(file) else { return nil }
                // Check the root here, because an error of the store could not name its file.
                if (try? TrustStore(TrustMaterial(roots: [bytes]))) == nil {
                    note(file, "holds no readable certificate", "Store certificates as PEM.")
                }
                return bytes
            }
        }

        // MARK: - Files

        /// One entry of an index file.
        private struct Entry {
            let url: Text
            let aliases: [Text]
            let file: String?
            let sha256: String?
        }

        private mutating func entries(_ index: String) -> [Entry] {
            guard let bytes = bytes(index), let json = json(bytes, index) else { return [] }
            guard let list = json.array else {
                note(index, "is not a list", "Write [{\"url\": …, \"file\": …, \"sha256\": …}, …].")
                return []
            }
            return list.enumerated().compactMap { position, element in
                guard let url = element["url"]?.string else {
                    note(index, "entry \(position + 1) has no url", "Name the url that credentials use.")
                    return nil
                }
                let file = element["file"]?.string?.string
                if let file, file.hasPrefix("/") || file.split(separator: "/").contains("..") {
                    note(index, "\(file) is outside the directory", "Use a path inside it.")
                    return nil
                }
                return Entry(
                    url: url, aliases: (element["aliases"]?.array ?? []).compactMap(\.string), file: file,
                    sha256: element["sha256"]?.string?.string)
            }
        }

        private func exists(_ file: String) -> Bool { source.exists(file) }

        /// Returns the paths of the files in a folder whose names have the ending. A folder that cannot be listed is
        /// a problem, and does not count as empty.
        private mutating func names(_ folder: String, ending: String) -> [String] {
            if let obstacle = source.obstacle(folder: folder) {
                note(folder, obstacle.text, obstacle.remedy ?? "Replace it by a folder, or remove it.")
            }
            return source.names(in: folder).filter { $0.hasSuffix(ending) }.map { folder + "/" + $0 }
        }

        private mutating func bytes(_ file: String, _ remedy: String = "Add the file, or remove the reference to it.")
            -> [UInt8]?
        {
            guard let bytes = source.read(file, limit: TrustDirectory.largestFile) else {
                let obstacle = source.obstacle(file)
                note(file, obstacle?.text ?? "cannot be read", obstacle?.remedy ?? remedy)
                return nil
            }
            guard bytes.count <= TrustDirectory.largestFile else {
                note(file, "is larger than 16 MiB", "No file of a trust directory is so large.")
                return nil
            }
            return bytes
        }

        private mutating func json(_ bytes: [UInt8], _ file: String) -> JSON? {
            do {
                return try JSON.parse(bytes)
            } catch {
                let line = bytes.prefix(error.offset).count(where: { $0 == UInt8(ascii: "\n") }) + 1
                note(file, "is not strict JSON (\(error.code))", "Correct it there.", line: line)
                return nil
            }
        }

        private mutating func note(_ file: String, _ message: String, _ remedy: String, line: Int? = nil) {
            problems.append(.init(file: file, line: line, message: message, remedy: remedy))
        }
    }
}
