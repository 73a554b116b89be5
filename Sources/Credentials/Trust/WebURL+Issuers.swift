package import Encoding

/// The `https` addresses to which issuers' ids lead.
extension WebURL {
    /// Returns a `HOST` or `HOST:PORT` from a list of hosts in the form of ``WebURL/place``; nil for any other text.
    package static func place(_ text: Text) -> Text? {
        WebURL(secure: Text("https://" + text.string + "/")).map(\.place)
    }

    /// Returns the address of the document of a `did:web` (did:web Method Specification, "Read") or of an https id,
    /// which is its own address. Returns nil for any other id.
    package static func document(of id: Text) -> WebURL? {
        if id.hasPrefix("https://") { return WebURL(secure: id) }
        let prefix: Text = "did:web:"
        guard id.hasPrefix(prefix) else { return nil }
        var parts = id.utf8.dropFirst(prefix.utf8.count).split(
            separator: UInt8(ascii: ":"), omittingEmptySubsequences: false
        ).map { String(decoding: Array($0), as: UTF8.self) }
        guard parts.allSatisfy(isSegment) else { return nil }
        // In the host, only the colon of a port may be percent-encoded. In the path, encoded letters stay encoded.
        let host = parts.removeFirst().split(separator: "%", omittingEmptySubsequences: false)
        guard host.count <= 2, host.count == 1 || host[1].lowercased().hasPrefix("3a") else { return nil }
        let authority = host.count == 1 ? String(host[0]) : host[0] + ":" + host[1].dropFirst(2)
        let path = parts.isEmpty ? ".well-known" : parts.joined(separator: "/")
        return WebURL(secure: Text("https://\(authority)/\(path)/did.json"))
    }

    /// Returns the address of the metadata of the JWT VC issuer with the given https id (SD-JWT VC, "JWT VC
    /// Issuer Metadata"); nil for other ids.
    static func metadata(of issuer: Text) -> WebURL? {
        guard let address = WebURL(secure: issuer), !address.target.utf8.contains(UInt8(ascii: "?")) else { return nil }
        var path = address.target.string
        if path.hasSuffix("/") { path.removeLast() }
        return WebURL(secure: Text(address.origin + "/.well-known/jwt-vc-issuer" + path))
    }

    /// Returns whether `id` is published at a place where only the owner of the id `owner` publishes: as a part of
    /// `owner`, below `owner`, or in the folder of the owner's document. The host alone proves nothing, because many
    /// hosts have several owners. The folders of ids without documents may have several owners, too.
    static func isOwn(_ id: Text, of owner: Text) -> Bool {
        let base = KeyResolver.withoutFragment(id)
        if base == owner { return true }
        guard let place = WebURL(secure: base), let home = document(of: owner), place.place == home.place,
            !place.target.utf8.contains(UInt8(ascii: "?")), !base.utf8.contains(UInt8(ascii: "%"))
        else { return false }
        let (path, document) = (Array(place.target.utf8), Array(home.target.utf8))
        let slash = UInt8(ascii: "/")
        if path.split(separator: slash).contains(where: { $0.elementsEqual("..".utf8) || $0.elementsEqual(".".utf8) }) {
            return false
        }
        if path.starts(with: document.last == slash ? document : document + [slash]) { return true }
        let folder = document.prefix(through: document.lastIndex(of: slash) ?? 0)
        let isDocument = folder.count > 1 && document.reversed().starts(with: ".json".utf8.reversed())
        return isDocument && path.starts(with: folder) && !path.dropFirst(folder.count).contains(slash)
    }

    private static func isSegment(_ part: String) -> Bool {
        let plain = part.utf8.allSatisfy { letter in
            switch letter {
            case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
                UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "."), UInt8(ascii: "-"), UInt8(ascii: "_"),
                UInt8(ascii: "%"):
                true
            default: false
            }
        }
        let lower = part.lowercased()
        // A server could decode an encoded dot, slash or backslash and so read another path than this program.
        return plain && !part.utf8.isEmpty && part != "." && part != ".."
            && !["%2e", "%2f", "%5c"].contains(where: lower.contains)
    }
}
