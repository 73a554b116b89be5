package import Encoding

/// A resource that the refresher keeps fresh: a document or a status list, with its address.
package struct RefreshResource: Hashable, Comparable, Sendable {
    /// The kind of a resource.
    package enum Kind: String, CaseIterable, Sendable {
        /// The DID or controller document of an issuer.
        case document
        /// A status list credential.
        case statusList = "status-list"
    }

    /// The kind of the resource.
    package let kind: Kind
    /// The document's id, or the URL by which credentials name the list.
    package let id: Text
    /// The URL from which the resource is fetched.
    package let address: WebURL

    /// Returns the resource for the document `id` or, with `isMetadata`, for the metadata of `id` as a JWT VC issuer;
    /// nil if the resource has no web address.
    package static func document(_ id: Text, isMetadata: Bool = false) -> RefreshResource? {
        (isMetadata ? WebURL.metadata(of: id) : WebURL.document(of: id)).map {
            RefreshResource(kind: .document, id: id, address: $0)
        }
    }

    /// Returns the resource of a copy with the given kind and id; nil if the resource has no web address.
    static func fetched(_ kind: Kind, _ id: Text, from url: Text?) -> RefreshResource? {
        switch kind {
        case .statusList: return statusList(id)
        case .document:
            let metadata = document(id, isMetadata: true)
            return metadata?.address.url == url ? metadata : document(id)
        }
    }

    /// Returns the resource for the status list with the given URL; nil if the URL is not a web address.
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
    /// All resources that can be kept fresh, in a fixed order: the documents of the trusted issuers and of the ids that
    /// may sign for them, every stored document, and the status lists that the operator named or stored. The list
    /// depends only on the trust data. Presented credentials do not affect the list, so no server learns which visitors
    /// came. Pinned documents are not refreshed.
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

    /// The hosts in the issuers' ids, as ``WebURL/place``. If the operator lists no hosts, the gate contacts only the
    /// hosts in this set.
    package var issuerHosts: Set<Text> {
        Set(issuers.values.flatMap { [$0.id] + $0.controllers }.compactMap { WebURL.document(of: $0)?.place })
    }

    /// Returns the hosts that may be contacted, as ``WebURL/place``: the listed hosts, or ``issuerHosts`` if the list
    /// is empty.
    package func places(listed hosts: Set<Text>) -> Set<Text> { hosts.isEmpty ? issuerHosts : hosts }

    /// Returns the resources of ``refreshResources`` that are fetched if the operator lists `hosts`. If `hosts` is nil,
    /// no resource is fetched.
    package func refreshed(from hosts: Set<Text>?) -> [RefreshResource] {
        guard let places = hosts.map(places) else { return [] }
        return refreshResources.filter { places.contains($0.address.place) }
    }
}
