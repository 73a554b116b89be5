import Credentials
package import Encoding
package import LinuxIO

/// Writes one item that ``TrustNeeds`` names into a trust directory that people maintain by hand: a context, a
/// document, a status list, a root or an issuer's entry.
///
/// Before writing, the changed directory is read as a gate reads it, and the result must be exactly the intended
/// change. Then each file is replaced in one step, and the directory is read again. Existing data that differ are
/// replaced only if ``replaces`` is true. If the same data exist already, nothing is written.
package struct TrustPin: Sendable {
    /// The path of the trust directory. If only the last component of the path is missing, the folder is created.
    package let directory: String
    /// Whether existing data that differ are replaced.
    package let replaces: Bool

    /// Creates an instance that writes into the trust directory `directory`.
    package init(_ directory: String, replaces: Bool = false) {
        var directory = directory
        while directory.count > 1, directory.hasSuffix("/") { directory.removeLast() }
        (self.directory, self.replaces) = (directory, replaces)
    }

    /// The result of a change.
    package struct Outcome: Sendable {
        /// The URL or id of the item.
        package let id: Text
        /// The paths of the written files, relative to the directory; empty if nothing was written.
        package internal(set) var files: [String] = []
        /// Facts, one per line, that a person should compare with what the owner of the item has published.
        package internal(set) var facts: [String] = []
        /// A line that a person should add to an issuer's entry; nil if there is none.
        package internal(set) var line: String?
    }

    /// The reason why the change was not made.
    package enum Failure: Error, Sendable {
        /// The input cannot be used. The text is the reason.
        case unusable(String, remedy: String)
        /// Data that differ exist already. The text names them.
        case differs(String, remedy: String)
        /// The directory is unusable, or would be after the change. The value contains its problems.
        case directory(TrustDirectoryError)
        /// The files could not be written, for the given reason.
        case disk(SystemError)
    }

    /// The files of the directory.
    var folder: TrustFolder { TrustFolder(name: directory) }

    // MARK: - Pins

    /// Writes the context with the URL `url`: `document` or, without it, the context with this URL that ships with
    /// the product.
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

    /// Writes a document with keys: a DID document, another controller document, a single key, or the metadata of a
    /// JWT VC issuer.
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

    /// Writes one or more X.509 certificates in PEM as roots. With `issuer`, also adds them to that issuer's entry.
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

    /// Writes an issuer's entry with the settings. If the entry exists already, changes it.
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

    /// Writes the status list whose URL in credentials is `url`.
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
