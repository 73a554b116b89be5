package import Encoding

/// Everything that trust rests on, as bytes: what a trust directory or a bundle holds.
package struct TrustMaterial: Sendable {
    /// The trusted issuers; nothing else is trusted.
    package var issuers: [TrustedIssuer]
    /// DID documents, controller documents and single key documents, each known under its `id`.
    package var documents: [[UInt8]]
    /// URL → pinned context document.
    package var contexts: [Text: [UInt8]]
    /// URL → cached status list credential.
    package var statusLists: [Text: [UInt8]]
    /// X.509 roots, PEM.
    package var roots: [[UInt8]]

    /// Material of these parts.
    package init(
        issuers: [TrustedIssuer] = [], documents: [[UInt8]] = [], contexts: [Text: [UInt8]] = [:],
        statusLists: [Text: [UInt8]] = [:], roots: [[UInt8]] = []
    ) {
        self.issuers = issuers
        self.documents = documents
        self.contexts = contexts
        self.statusLists = statusLists
        self.roots = roots
    }

    /// SHA-256 over all parts (32 bytes), independent of the order of documents and lists.
    package var digest: [UInt8] {
        var fields: [UInt8] = []
        func add(_ bytes: some Collection<UInt8>) {
            fields.appendBE(UInt64(bytes.count))
            fields.append(contentsOf: bytes)
        }
        func add(_ texts: [Text]) {
            fields.appendBE(UInt64(texts.count))
            for text in texts { add(text.utf8) }
        }
        func add(_ files: [Text: [UInt8]]) {
            add(files.keys.sorted())
            for name in files.keys.sorted() { add(Digest.sha256(files[name] ?? [])) }
        }
        for issuer in issuers.sorted(by: { $0.id < $1.id }) {
            add([issuer.id] + issuer.controllers.sorted())
            add([Text(issuer.keyPurpose.rawValue), issuer.inlineContexts ? "inline" : "pinned"])
            add(issuer.statusIssuers.sorted())
        }
        for files in [documents, roots] {
            let digests = files.map { Text(Hex.encode(Digest.sha256($0))) }
            add(digests.sorted())
        }
        add(contexts)
        add(statusLists)
        return Digest.sha256(fields)
    }
}
