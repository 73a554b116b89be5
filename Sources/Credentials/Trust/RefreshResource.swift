package import Encoding

/// Something that the refresher keeps fresh: a document or a status list and where it comes from.
package struct RefreshResource: Hashable, Comparable, Sendable {
    /// What it is.
    package enum Kind: String, CaseIterable, Sendable {
        /// The DID or controller document of an issuer.
        case document
        /// A status list credential.
        case statusList = "status-list"
    }

    /// What it is.
    package let kind: Kind
    /// The document's id, or the URL by which credentials name the list.
    package let id: Text
    /// Where it is fetched.
    package let address: WebURL

    /// The document of that id, or with `isMetadata` its metadata as a JWT VC issuer; nil when it can be fetched nowhere.
    package static func document(_ id: Text, isMetadata: Bool = false) -> RefreshResource? {
        (isMetadata ? WebURL.metadata(of: id) : WebURL.document(of: id)).map {
            RefreshResource(kind: .document, id: id, address: $0)
        }
    }

    /// What a copy of that kind and id was fetched from; nil where it could not be.
    static func fetched(_ kind: Kind, _ id: Text, from url: Text?) -> RefreshResource? {
        switch kind {
        case .statusList: return statusList(id)
        case .document:
            let metadata = document(id, isMetadata: true)
            return metadata?.address.url == url ? metadata : document(id)
        }
    }

    /// The list of that URL; nil when it can be fetched nowhere.
    package static func statusList(_ url: Text) -> RefreshResource? {
        WebURL(secure: url).map { RefreshResource(kind: .statusList, id: url, address: $0) }
    }

    private init(kind: Kind, id: Text, address: WebURL) {
        (self.kind, self.id, self.address) = (kind, id, address)
    }

    package static func < (left: RefreshResource, right: RefreshResource) -> Bool {
        (left.kind.rawValue, left.id) < (right.kind.rawValue, right.id)
    }
}

extension TrustStore {
    /// All that can be kept fresh, in a fixed order: the documents of the trusted issuers and of those who may sign for them,
    /// every stored document, and the status lists that the operator named or stored. It follows from the trust data alone:
    /// no credential that anybody presents adds to it, so no server learns who passed. Pinned documents are left alone.
    package var refreshResources: [RefreshResource] {
        let pinned = Set(issuers.values.flatMap(\.pinnedDocuments.keys))
        let ids = issuers.values.flatMap { [$0.id] + $0.controllers + $0.statusIssuers } + Array(documents.keys)
        let lists = issuers.values.flatMap(\.statusLists) + Array(statusLists.keys)
        return Set(
            Set(ids).subtracting(pinned).compactMap {
                RefreshResource.document($0, isMetadata: documents[$0]?.isIssuerMetadata ?? false)
            }
                + Set(lists).compactMap(RefreshResource.statusList)
        ).sorted()
    }

    /// The hosts of the issuers' own ids, as ``WebURL/place``: the only ones that are asked where the operator lists none.
    package var issuerHosts: Set<Text> {
        Set(issuers.values.flatMap { [$0.id] + $0.controllers }.compactMap { WebURL.document(of: $0)?.place })
    }

    /// The hosts that may be asked, as ``WebURL/place``: those that the operator lists, or where there are none ``issuerHosts``.
    package func places(listed hosts: Set<Text>) -> Set<Text> { hosts.isEmpty ? issuerHosts : hosts }

    /// What of ``refreshResources`` is fetched from where the operator lists `hosts`; nil: nothing is fetched.
    package func refreshed(from hosts: Set<Text>?) -> [RefreshResource] {
        guard let places = hosts.map(places) else { return [] }
        return refreshResources.filter { places.contains($0.address.place) }
    }
}
