package import Encoding

/// The trust data as bytes: the content of a trust directory or a bundle.
package struct TrustMaterial: Sendable {
    /// The trusted issuers. No other issuer is trusted.
    package var issuers: [TrustedIssuer]
    /// DID documents, controller documents, single key documents and the metadata of JWT VC issuers. The id in a
    /// document identifies it.
    package var documents: [[UInt8]]
    /// The pinned context documents, by URL.
    package var contexts: [Text: [UInt8]]
    /// The stored status list credentials, by URL.
    package var statusLists: [Text: [UInt8]]
    /// The files of X.509 roots, each in PEM.
    package var roots: [[UInt8]]
    /// The withdrawn keys.
    package var revokedKeys: [RevokedKey] = []
    /// The profile for reading credentials if neither rules nor configuration state a profile
    /// (``VerificationPolicy/profile(over:)``).
    package var profile: Profile?
    /// The treatment of a credential if the issuer's entry names no types (``TrustedIssuer/types``) and no rule of the
    /// gate states what it admits. A trust directory always sets this property.
    package var untypedIssuers = UntypedIssuers.admit
    /// The date of the last download of a document from its owner's server, or of the server's confirmation that the
    /// document is unchanged; by document id.
    package var fetched: [Text: Timestamp] = [:]
    /// The date at which a refresher last downloaded a list, or at which the server last confirmed that the list is
    /// unchanged; by list URL. The date of a file or bundle does not count, because the list in it may be much older.
    package var listsFetched: [Text: Timestamp] = [:]
    /// The bundle from which the material came; nil for a directory that is maintained by hand.
    package var edition: TrustEdition?

    /// Creates trust material from the given parts. The other properties have their defaults.
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

    /// The SHA-256 hash (32 bytes) over all parts of the trust material that can affect a verdict. The order of
    /// documents and lists does not matter. The dates of download are not included: the confirmation of an unchanged
    /// document makes no new edition.
    package var digest: [UInt8] {
        var fields = DigestFields()
        for issuer in issuers.sorted(by: { $0.id < $1.id }) {
            fields.add([issuer.id] + issuer.controllers.sorted())
            fields.add([Text(issuer.keyPurpose.rawValue), issuer.inlineContexts ? "inline" : "pinned"])
            for list in [issuer.statusIssuers, issuer.groups, issuer.statusLists, issuer.uncheckedStatusTypes] {
                fields.add(list.sorted())
            }
            let usages = issuer.tokenSignerUsages?.map(\.text)
            for list in [issuer.types, issuer.contexts, issuer.keys?.map { Text($0.text) }, usages] {
                fields.add(list.map { ["only"] + $0.sorted() } ?? [])
            }
            for list in [issuer.roots, issuer.documentSignerUsages.map(\.text)] { fields.add(list.sorted()) }
            fields.add([issuer.anyIssuingCountry ? "any country" : "the signer's country"])
            fields.add([issuer.notBefore, issuer.notAfter].map { Text($0?.rfc3339 ?? "") })
            fields.add(Text("\(issuer.documentMaxAge?.nanoseconds ?? -1)").utf8)
            fields.add(issuer.statusListAliases.sorted { $0.key < $1.key }.flatMap { [$0.key, $0.value] })
            fields.add([
                issuer.mayWithholdExpiry ? "withheld-expiry" : "", issuer.mayWithholdStatus ? "withheld-status" : "",
                issuer.takesArraysWhole ? "mandatory-arrays" : "", issuer.plainSDJWT ? "plain-sd-jwt" : "",
                issuer.vouchesForEmbedded ? "embedded-claims" : "",
            ])
            fields.add(issuer.pinnedDocuments)
        }
        fields.add(untypedIssuers.rawValue.utf8)
        fields.add((profile?.rawValue ?? "").utf8)
        for revoked in revokedKeys.map(Self.line).sorted() { fields.add(revoked.utf8) }
        for files in [documents, roots] {
            fields.add(files.map { Text(Hex.encode(Digest.sha256($0))) }.sorted())
        }
        fields.add(contexts)
        fields.add(statusLists)
        return Digest.sha256(fields.bytes)
    }

    private static func line(_ revoked: RevokedKey) -> Text {
        let key =
            switch revoked.key {
            case .method(let id): id.string
            case .fingerprint(let fingerprint): fingerprint.text
            }
        return Text("\(revoked.reason.rawValue) \(revoked.since.rfc3339) \(key)")
    }
}

/// Fields that are hashed together with their lengths, so that different lists of fields never give the same bytes.
private struct DigestFields {
    private(set) var bytes: [UInt8] = []

    mutating func add(_ field: some Collection<UInt8>) {
        bytes.appendBE(UInt64(field.count))
        bytes.append(contentsOf: field)
    }

    mutating func add(_ texts: [Text]) {
        bytes.appendBE(UInt64(texts.count))
        for text in texts { add(text.utf8) }
    }

    mutating func add(_ files: [Text: [UInt8]]) {
        add(files.keys.sorted())
        for name in files.keys.sorted() { add(Digest.sha256(files[name] ?? [])) }
    }
}
