package import Encoding
import LinkedData

/// The lists of the trust data for the people who maintain it.
extension TrustStore {
    /// A key of a stored document.
    package struct ListedKey: Hashable, Sendable {
        /// The URL by which proofs name the key.
        package let method: Text
        /// The fingerprint of the key; nil if the key is unusable.
        package let fingerprint: KeyFingerprint?
        /// The reason of the key's withdrawal; nil if the key is not withdrawn.
        package let revoked: RevokedKey.Reason?
        /// The date in the key's document from which the key's signatures no longer count; nil if there is none.
        package let end: Timestamp?
    }

    /// Returns the keys of a stored document, or of an identifier that contains its own key, in document order; nil if
    /// there is no such document.
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

    /// The URLs of withdrawn methods whose key is in no stored document.
    package var unknownWithdrawals: [Text] { revocations.unknown }

    /// The ids (`x509:sha256:…`) of the pinned certificates, in byte order.
    package var rootIDs: [Text] {
        roots.digests.map { TrustedIssuer.id(ofRootDigest: $0) }.sorted()
    }

    /// A pinned certificate.
    package struct ListedRoot: Hashable, Sendable {
        /// The id of the certificate: `x509:sha256:` and the SHA-256 of the certificate (DER) in hexadecimal.
        package let id: Text
        /// The subject's name, as written by the maker of the certificate.
        package let name: String
        /// The start of the certificate's validity.
        package let notBefore: Timestamp
        /// The end of the certificate's validity.
        package let notAfter: Timestamp
    }

    /// The pinned certificates, in byte order of their ids.
    package var listedRoots: [ListedRoot] { Self.listed(roots) }

    /// Returns the certificates of a file in PEM, in byte order of their ids; nil if the file is not a list of
    /// certificates.
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

    /// The uses of a pinned certificate.
    package struct RootUse: Hashable, Sendable {
        /// The issuers whose tokens and status lists may be signed below the root, in byte order.
        package var tokens: [Text] = []
        /// The docTypes of mdocs that may be signed below the root; nil for any docType.
        package var docTypes: [Text]? = []
        /// The issuers whose entries name the certificate although it is a signer's certificate for another use.
        package var misnamed: [Text] = []
    }

    /// Returns the uses of a pinned certificate, according to the entries of the issuers. For a pinned signer, the
    /// certificate's extensions count, too.
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

    /// The earliest end, past or future, of the bundle, an issuer's entry or a pinned certificate; nil if none of them
    /// ends. A past end stays the earliest until the operator replaces or removes its part.
    package var firstEnd: Timestamp? {
        let ends = [edition?.validUntil] + issuers.values.map(\.notAfter) + roots.all.map(\.notAfter)
        return ends.compactMap(\.self).min()
    }

    /// Returns the date of the last confirmation of the document with the given id or the list with the given URL; nil
    /// if unknown.
    package func confirmed(_ id: Text) -> Timestamp? { fetched[id] }

    /// Returns the date at which a refresher last fetched the list with the given URL; nil if no refresher fetched the
    /// list.
    package func listFetched(_ url: Text) -> Timestamp? { listsFetched[url] }
}
