package import Encoding
import LinkedData

/// What people who look after the trust data see of it.
extension TrustStore {
    /// A key of a stored document.
    package struct ListedKey: Hashable, Sendable {
        /// The URL that proofs name it by.
        package let method: Text
        /// Nil for a key that cannot be used.
        package let fingerprint: KeyFingerprint?
        /// Why nobody may use it any more; nil when it may be used.
        package let revoked: RevokedKey.Reason?
        /// From when on nothing that it signed counts, as its document says.
        package let end: Timestamp?
    }

    /// The keys of a stored document, or of an identifier that is its own, in the order of the document; nil when there is
    /// none.
    package func keys(of id: Text) -> [ListedKey]? {
        guard let document = SelfContainedDID.document(id) ?? document(id) else { return nil }
        return document.listedMethods.map { method in
            let key = try? method.key.get()
            return ListedKey(
                method: method.id, fingerprint: key.flatMap { KeyFingerprint($0) },
                revoked: key.flatMap { revocations.reason(of: $0, method: method.id) }, end: method.end)
        }
    }

    /// Every issuer's entry, in byte order of the ids.
    package var listedIssuers: [TrustedIssuer] { issuers.values.sorted { $0.id < $1.id } }

    /// The ids of the stored documents, in byte order.
    package var documentIDs: [Text] { documents.keys.sorted() }

    /// The URLs of the pinned contexts, in byte order.
    package var contextURLs: [Text] { processor.contexts.documents.keys.sorted() }

    /// The URLs of the stored status lists, in byte order.
    package var statusListURLs: [Text] { statusLists.keys.sorted() }

    /// The withdrawn keys, by the URL of the method, of which no stored document has the key.
    package var unknownWithdrawals: [Text] { revocations.unknown }

    /// The ids (`x509:sha256:…`) of the pinned certificates, in byte order.
    package var rootIDs: [Text] {
        roots.digests.map { TrustedIssuer.id(ofRootDigest: $0) }.sorted()
    }

    /// A pinned certificate.
    package struct ListedRoot: Hashable, Sendable {
        /// `x509:sha256:…`
        package let id: Text
        /// Its name, as whoever made it wrote it.
        package let name: String
        /// Start of validity.
        package let notBefore: Timestamp
        /// End of validity.
        package let notAfter: Timestamp
    }

    /// The pinned certificates, in byte order of their ids.
    package var listedRoots: [ListedRoot] { Self.listed(roots) }

    /// The certificates of a file in PEM, in byte order of their ids; nil where it is no list of certificates.
    package static func listedCertificates(pem: [UInt8]) -> [ListedRoot]? {
        var certificates = CertificateRoots()
        guard (try? certificates.add(pem: pem)) != nil else { return nil }
        return listed(certificates)
    }

    private static func listed(_ certificates: CertificateRoots) -> [ListedRoot] {
        certificates.all.map { root in
            ListedRoot(
                id: Text(TrustedIssuer.rootPrefix.string + Hex.encode(root.digest)), name: root.subjectName.text,
                notBefore: root.notBefore, notAfter: root.notAfter)
        }.sorted { $0.id < $1.id }
    }

    /// What a pinned certificate vouches for.
    package struct RootUse: Hashable, Sendable {
        /// The issuers whose tokens and lists may be signed below it, in byte order.
        package var tokens: [Text] = []
        /// The docTypes of mdocs that may be signed below it; empty: none; nil: any.
        package var docTypes: [Text]? = []
        /// The issuers whose entries name it although it is the certificate of a signer that is meant for something else.
        package var misnamed: [Text] = []
    }

    /// What a pinned certificate vouches for, by the entries of the issuers and, of a signer that is pinned itself, by what its
    /// certificate allows.
    package func use(of root: ListedRoot) -> RootUse {
        guard let certificate = roots.all.first(where: { CertificateRoots.id(ofDigest: $0.digest) == root.id }) else {
            return RootUse()
        }
        func allows(_ role: SignerRole) -> Bool {
            do throws(Rejection) {
                try role.checkRoot(root.id)
                if !certificate.extensions.isCA {
                    try role.checkUse(of: certificate, isPinned: true, below: root.id, .strict)
                }
                return true
            } catch { return false }
        }
        var use = RootUse()
        for issuer in listedIssuers where issuer.roots.contains(root.id) {
            if allows(.token(of: issuer)) { use.tokens.append(issuer.id) } else { use.misnamed.append(issuer.id) }
        }
        if allows(.document(self, docType: nil)) { use.docTypes = issuers[root.id]?.types }
        return use
    }

    /// The first date at which the bundle, an issuer's entry or a pinned certificate ends, or has ended; nil: none of them does. What
    /// has ended stays the first: whoever is woken by it has something to do until it is replaced or removed.
    package var firstEnd: Timestamp? {
        let ends = [edition?.validUntil] + issuers.values.map(\.notAfter) + roots.all.map(\.notAfter)
        return ends.compactMap(\.self).min()
    }

    /// When the document of that id, or the list of that URL, was last confirmed; nil when nobody knows.
    package func confirmed(_ id: Text) -> Timestamp? { fetched[id] }

    /// When a refresher last had that list from its server; nil where none did.
    package func listFetched(_ url: Text) -> Timestamp? { listsFetched[url] }
}
