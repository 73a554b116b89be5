import Credentials
package import Encoding
package import LinuxIO

/// Writes the data that ``TrustNeeds`` names into a trust directory that people maintain by hand: one context,
/// document, status list, root or issuer's entry at a time.
///
/// Before writing, the gate's reader reads the changes together with the rest of the directory. The result must be
/// exactly the intended change. Then each file is replaced in one step, and the directory is read again. Different
/// existing data is overwritten only if ``replaces`` is true. Data that is already pinned stays unchanged.
package struct TrustPin: Sendable {
    /// The path of the trust directory. The directory is created if only the last component of its path is missing.
    package let directory: String
    /// Whether to replace different data that is already pinned.
    package let replaces: Bool

    /// Creates a pin that writes into `directory`.
    package init(_ directory: String, replaces: Bool = false) {
        var directory = directory
        while directory.count > 1, directory.hasSuffix("/") { directory.removeLast() }
        (self.directory, self.replaces) = (directory, replaces)
    }

    /// The result of a change.
    package struct Outcome: Sendable {
        /// The URL or id of the pinned data.
        package let id: Text
        /// The written files, relative to the directory; empty if no file was written.
        package internal(set) var files: [String] = []
        /// The facts that a person should compare with the owner's publication, one on each line.
        package internal(set) var facts: [String] = []
        /// A line for the issuer's entry that was not written.
        package internal(set) var line: String?
    }

    /// The reason why no file was written.
    package enum Failure: Error, Sendable {
        /// The input is not of the required kind. The text is the reason.
        case unusable(String, remedy: String)
        /// Different data is already pinned. The text names the data.
        case differs(String, remedy: String)
        /// The directory is unusable as it is, or would be unusable after the change. The payload has the problems.
        case directory(TrustDirectoryError)
        /// The disk refused the change, for the given reason.
        case disk(SystemError)
    }

    /// The files of the directory.
    var folder: TrustFolder { TrustFolder(name: directory) }

    // MARK: - Pins

    /// Pins a context under its URL: `document` or, without `document`, the context with the URL that ships with the
    /// product.
    package func context(_ url: Text, _ document: [UInt8]?) throws(Failure) -> Outcome {
        try checkName(url)
        let builtIn = BuiltInContexts.document(url)
        guard let bytes = document ?? builtIn?.bytes else {
            throw .unusable(
                "\(url) is not built in", remedy: "get the document from its publisher, and give its file as well")
        }
        let hash = Self.hash(bytes)
        var outcome = Outcome(id: url, facts: ["sha256 \(hash)"])
        if let builtIn, document != nil, builtIn.sha256 != hash {
            outcome.facts.append("the built-in context with that URL differs")
        }
        let current = try current()
        if current.material.contexts[url] == bytes { return outcome }
        var index = TrustIndex("contexts/index.json", in: folder)
        if let old = current.material.contexts[url] {
            guard replaces else {
                throw .differs(
                    "another context is pinned for \(url): sha256 \(Self.hash(old))",
                    remedy: "review both, then give --replace; the new one has sha256 \(hash)")
            }
            index.remove(url)
        }
        var entry: JSONObject = ["url": .string(url)]
        var changes: [Change] = []
        if document != nil {
            let file = freshName(in: "contexts", for: url, ending: ".jsonld", bytes)
            entry["file"] = .text(file)
            changes.append(Change("contexts/" + file, bytes))
        }
        entry["sha256"] = .text(hash)
        index.entries.append(entry)
        changes.append(Change(index.path, index.bytes))
        outcome.files = changes.map(\.path)
        try write(changes) { $0.material.contexts[url] == bytes && $0.sameIssuers(as: current) }
        remove(index.leftOver)
        return outcome
    }

    /// Pins a DID document, another controller document, a single key, or the metadata of a JWT VC issuer.
    package func document(_ bytes: [UInt8]) throws(Failure) -> Outcome {
        guard let json = try? JSON.parse(bytes), let id = ControllerDocument(json)?.id,
            let keys = (try? TrustStore(TrustMaterial(documents: [bytes])))?.keys(of: id), !keys.isEmpty
        else {
            throw .unusable(
                "that is not a DID document, a controller document, a key or the metadata of a JWT VC issuer: it has "
                    + "no id with keys",
                remedy: (try? JSON.parse(bytes))?["jwks_uri"] == nil
                    ? "give the JSON document that its owner publishes"
                    : "get the keys from its jwks_uri, and replace it by them as \"jwks\"")
        }
        try checkName(id)
        let outcome = Outcome(id: id, facts: keys.flatMap(Self.facts))
        let current = try current()
        let (path, old) = stored(in: "did") { ControllerDocument($0)?.id == id } ?? (nil, nil)
        if old == bytes { return outcome }
        if old != nil, !replaces {
            let before = current.store.keys(of: id) ?? []
            throw .differs(
                "another document of \(id) is pinned; " + Self.difference(before, keys),
                remedy: "review both, then give --replace")
        }
        let file = path ?? "did/" + freshName(in: "did", for: id, ending: ".json", bytes)
        return try writing([Change(file, bytes)], outcome) { directory in
            directory.material.documents.contains(bytes) && directory.sameIssuers(as: current)
        }
    }

    /// Pins one or more X.509 certificates in PEM. With an issuer, also adds them to the issuer's entry.
    package func root(_ pem: [UInt8], issuer: Text? = nil) throws(Failure) -> Outcome {
        guard let roots = (try? TrustStore(TrustMaterial(roots: [pem])))?.listedRoots, let first = roots.first else {
            throw .unusable(
                "that is not a PEM certificate",
                remedy: "give a file with -----BEGIN CERTIFICATE-----; openssl x509 -inform der converts DER")
        }
        let ids = roots.map(\.id)
        var outcome = Outcome(id: first.id, facts: roots.flatMap(Self.facts))
        let current = try current()
        var changes: [Change] = []
        if !ids.allSatisfy(current.store.rootIDs.contains) {
            let name = String(first.id.string.dropFirst(TrustedIssuer.rootPrefix.utf8.count).prefix(16)) + ".pem"
            changes.append(Change("roots/" + name, pem))
        }
        var settings = IssuerSettings()
        settings.roots = ids
        if let issuer {
            guard current.store.issuer(issuer) != nil else {
                throw .unusable(
                    "\(issuer) has no entry in issuers.toml", remedy: "create it first: gatehouse trust pin issuer ID")
            }
            changes += try editing(settings, of: issuer, in: current)
        } else {
            outcome.line = "roots = " + IssuerSettings.Value.list(ids).toml
        }
        return try writing(changes, outcome) { directory in
            ids.allSatisfy(directory.store.rootIDs.contains)
                && directory.sameIssuers(as: current, but: issuer.map { ($0, settings) })
        }
    }

    /// Writes an issuer's entry: a new entry, or settings in an existing entry.
    package func issuer(_ id: Text, _ settings: IssuerSettings = .init()) throws(Failure) -> Outcome {
        try checkName(id)
        let current = try current()
        let changes = try editing(settings, of: id, in: current)
        var outcome = Outcome(id: id)
        if settings.types.isEmpty, current.store.issuer(id)?.types == nil {
            outcome.facts = [
                "it has no types yet, so none is accepted: give --type, or --credential with one of its credentials"
            ]
        }
        return try writing(changes, outcome) { $0.sameIssuers(as: current, but: (id, settings)) }
    }

    /// Pins a status list under its URL in credentials.
    package func statusList(_ url: Text, _ bytes: [UInt8]) throws(Failure) -> Outcome {
        try checkName(url)
        let current = try current()
        let outcome = Outcome(id: url, facts: ["sha256 \(Self.hash(bytes))"])
        let old = current.material.statusLists[url]
        if old == bytes { return outcome }
        if old != nil, !replaces {
            throw .differs(
                "another list is stored for \(url)", remedy: "give --replace if the new one is newer")
        }
        var index = TrustIndex("status/index.json", in: folder)
        var changes: [Change] = []
        if let file = index.file(of: url)
            ?? (old.flatMap { old in stored(in: "status") { _, bytes in bytes == old } }?.path)
        {
            changes.append(Change(file, bytes))
        } else {
            let file = freshName(in: "status", for: url, ending: ".list", bytes)
            index.entries.append(["url": .string(url), "file": .text(file)])
            changes = [Change("status/" + file, bytes), Change(index.path, index.bytes)]
        }
        return try writing(changes, outcome) {
            $0.material.statusLists[url] == bytes && $0.sameIssuers(as: current)
        }
    }

    // MARK: - Text output

    private static func facts(_ key: TrustStore.ListedKey) -> [String] {
        ["key \(key.method)", "    \(key.fingerprint?.text ?? "is of no use")"]
    }

    private static func facts(_ root: TrustStore.ListedRoot) -> [String] {
        ["root \(root.id)", "    \(root.name)", "    \(root.notBefore.rfc3339) to \(root.notAfter.rfc3339)"]
    }

    private static func difference(_ old: [TrustStore.ListedKey], _ new: [TrustStore.ListedKey]) -> String {
        let gone = old.filter { !new.contains($0) }.map { "without \($0.method)" }
        let added = new.filter { !old.contains($0) }.map { "with \($0.method) \($0.fingerprint?.text ?? "")" }
        let changes = (gone + added).prefix(8)
        return changes.isEmpty ? "the keys are the same" : "the new one is " + changes.joined(separator: ", ")
    }
}
