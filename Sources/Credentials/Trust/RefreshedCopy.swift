package import Encoding

/// A fetched copy of a resource, with its metadata. One file stores content and metadata, so that the content cannot be
/// separated from its date.
package struct RefreshedCopy: Hashable, Sendable {
    /// The resource from which the content was fetched.
    package let resource: RefreshResource
    /// The content as sent by the server.
    package var content: [UInt8]
    /// The time at which the server last confirmed the content as current.
    package var confirmed: Timestamp
    /// The server's entity tag for this content (RFC 9110 section 8.8.3), sent with the next request; nil without a
    /// tag.
    package var entityTag: Text?

    /// Creates a copy of `resource`. An entity tag is dropped unless it is short and printable.
    package init(_ resource: RefreshResource, content: [UInt8], confirmed: Timestamp, entityTag: Text? = nil) {
        self.resource = resource
        self.content = content
        self.confirmed = confirmed
        self.entityTag = entityTag.flatMap { tag in
            let isPlain = tag.utf8.allSatisfy { (0x21...0x7E).contains($0) }
            return isPlain && (1...256).contains(tag.utf8.count) ? tag : nil
        }
    }

    /// Reads the file of a copy. Returns nil if the bytes are not such a file, or if the content has changed since it
    /// was written.
    package init?(file: [UInt8]) {
        var limits = JSON.Limits()
        limits.bytes = Self.largestFile
        guard let json = try? JSON.parse(file, limits: limits),
            let kind = json["kind"]?.string.flatMap({ RefreshResource.Kind(rawValue: $0.string) }),
            let id = json["id"]?.string,
            let resource = RefreshResource.fetched(kind, id, from: json["url"]?.string),
            let confirmed = json["confirmed"]?.string.flatMap({ Timestamp(rfc3339: $0.string) }),
            let content = json["content"]?.string.flatMap({ Base64.decodeURL($0.string) }),
            json["sha256"]?.string == Text(Hex.encode(Digest.sha256(content)))
        else { return nil }
        self.init(resource, content: content, confirmed: confirmed, entityTag: json["etag"]?.string)
    }

    /// The bytes of the file.
    package var file: [UInt8] {
        var json: JSONObject = [
            "kind": .text(resource.kind.rawValue), "id": .string(resource.id), "url": .string(resource.address.url),
            "confirmed": .text(confirmed.rfc3339), "sha256": .text(Hex.encode(Digest.sha256(content))),
        ]
        if let entityTag { json["etag"] = .string(entityTag) }
        json["content"] = .text(Base64.encode(content))
        return JSON.object(json).compactBytes
    }

    /// Returns the file name for a copy of `resource`: the kind and a short hash of the resource. Every file system
    /// accepts such a name.
    package static func fileName(of resource: RefreshResource) -> String {
        let name = Digest.sha256(Array((resource.kind.rawValue + " " + resource.id.string).utf8))
        return "\(resource.kind.rawValue)-\(Hex.encode(name.prefix(16))).json"
    }

    /// The maximum size of a copy's file: content of 16 MiB in base64.
    package static let largestFile = 24 * 1024 * 1024
}

extension TrustMaterial {
    /// Replaces parts of the material by copies of `resources`. A copy replaces only older material. A copy of any
    /// other resource, such as a pinned document, is ignored.
    package mutating func apply(_ copies: [RefreshedCopy], to resources: [RefreshResource]) {
        let wanted = Set(resources)
        var newer: [Text: [UInt8]] = [:]
        for copy in copies where wanted.contains(copy.resource) {
            let id = copy.resource.id
            if let own = fetched[id], own >= copy.confirmed { continue }
            switch copy.resource.kind {
            case .statusList: (statusLists[id], listsFetched[id]) = (copy.content, copy.confirmed)
            case .document: newer[id] = copy.content
            }
            fetched[id] = copy.confirmed
        }
        documents = documents.filter { bytes in
            guard !newer.isEmpty, let id = (try? JSON.parse(bytes)).flatMap(ControllerDocument.id) else { return true }
            return newer[id] == nil
        }
        documents += newer.keys.sorted().compactMap { newer[$0] }
    }
}
