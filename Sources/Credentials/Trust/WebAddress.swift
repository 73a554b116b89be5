package import Encoding

/// An `https` URL, read narrowly: what the refresher may ask for at all. No user, no fragment, nothing to be guessed.
package struct WebAddress: Hashable, Sendable {
    /// The URL as given.
    package let url: Text
    /// The host in lower case: a name, an IPv4 address, or an IPv6 address without its brackets.
    package let host: Text
    /// The port; 443 unless the URL says another.
    package let port: Int
    /// Path and query, beginning with a slash.
    package let target: Text

    /// `HOST:PORT`, as lists of hosts are compared.
    package var place: Text { Text("\(host):\(port)") }

    /// Reads a URL; nil when it is none of these.
    package init?(_ url: Text) {
        let scheme = "https://"
        let bytes = Array(url.utf8)
        guard bytes.count <= 2048, bytes.starts(with: scheme.utf8),
            bytes.allSatisfy({ (0x21...0x7E).contains($0) && !Self.forbidden.contains($0) })
        else { return nil }
        let rest = bytes.dropFirst(scheme.utf8.count)
        let authority = rest.prefix { $0 != UInt8(ascii: "/") && $0 != UInt8(ascii: "?") }
        guard let (host, port) = Self.split(authority) else { return nil }
        self.url = url
        self.host = host
        self.port = port
        let path = rest.dropFirst(authority.count)
        target = Text((path.first == UInt8(ascii: "/") ? "" : "/") + String(decoding: path, as: UTF8.self))
    }

    /// Reads `HOST` or `HOST:PORT` as a list of hosts names it; nil when it is neither.
    package static func place(_ text: Text) -> Text? {
        WebAddress(Text("https://" + text.string + "/")).map(\.place)
    }

    /// Where a DID of method `web` keeps its document (did:web Method Specification, "Read"); for an https id that id
    /// itself. Nil for everything else.
    package static func document(of id: Text) -> WebAddress? {
        if id.hasPrefix("https://") { return WebAddress(id) }
        let prefix: Text = "did:web:"
        guard id.hasPrefix(prefix) else { return nil }
        var parts = id.utf8.dropFirst(prefix.utf8.count).split(
            separator: UInt8(ascii: ":"), omittingEmptySubsequences: false
        ).map { String(decoding: Array($0), as: UTF8.self) }
        guard parts.allSatisfy(isSegment) else { return nil }
        // Only a port's colon may be encoded in the host; in the path an encoded letter stays as it is.
        let host = parts.removeFirst().split(separator: "%", omittingEmptySubsequences: false)
        guard host.count <= 2, host.count == 1 || host[1].lowercased().hasPrefix("3a") else { return nil }
        let authority = host.count == 1 ? String(host[0]) : host[0] + ":" + host[1].dropFirst(2)
        let path = parts.isEmpty ? ".well-known" : parts.joined(separator: "/")
        return WebAddress(Text("https://\(authority)/\(path)/did.json"))
    }

    /// Where the JWT VC issuer of that https id keeps its metadata (SD-JWT VC, "JWT VC Issuer Metadata"); nil for other ids.
    static func metadata(of issuer: Text) -> WebAddress? {
        guard let address = WebAddress(issuer), !address.target.utf8.contains(UInt8(ascii: "?")) else { return nil }
        var path = address.target.string
        if path.hasSuffix("/") { path.removeLast() }
        let port = address.port == 443 ? "" : ":\(address.port)"
        let host = address.host.utf8.contains(UInt8(ascii: ":")) ? "[\(address.host)]" : address.host.string
        return WebAddress(Text("https://\(host)\(port)/.well-known/jwt-vc-issuer\(path)"))
    }

    /// Whether something is published where only the owner of `owner` publishes: as a part of that id, below it, or in the
    /// folder of its document. The host alone says nothing: many have several owners, and so may folders of ids without documents.
    static func isOwn(_ id: Text, of owner: Text) -> Bool {
        let base = KeyResolver.withoutFragment(id)
        if base == owner { return true }
        guard let place = WebAddress(base), let home = document(of: owner), place.place == home.place,
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
        // An encoded dot, slash or backslash would be a path that a server reads differently from us.
        return plain && !part.utf8.isEmpty && part != "." && part != ".."
            && !["%2e", "%2f", "%5c"].contains(where: lower.contains)
    }

    private static func split(_ authority: ArraySlice<UInt8>) -> (host: Text, port: Int)? {
        let host: ArraySlice<UInt8>
        let rest: ArraySlice<UInt8>
        if authority.first == UInt8(ascii: "[") {
            guard let end = authority.firstIndex(of: UInt8(ascii: "]")) else { return nil }
            host = authority[authority.index(after: authority.startIndex)..<end]
            rest = authority[authority.index(after: end)...]
            guard host.contains(UInt8(ascii: ":")), host.allSatisfy({ isHex($0) || $0 == 0x3A || $0 == 0x2E }) else {
                return nil
            }
        } else {
            host = authority.prefix { $0 != UInt8(ascii: ":") }
            rest = authority.dropFirst(host.count)
            guard host.allSatisfy(isNameLetter), host.first != UInt8(ascii: "."), host.last != UInt8(ascii: ".") else {
                return nil
            }
        }
        guard !host.isEmpty, host.count <= 253 else { return nil }
        let name = Text(String(decoding: host, as: UTF8.self).lowercased())
        if rest.isEmpty { return (name, 443) }
        let digits = rest.dropFirst()
        guard rest.first == UInt8(ascii: ":"), (1...5).contains(digits.count),
            digits.allSatisfy({ (0x30...0x39).contains($0) }),
            let port = Int(String(decoding: digits, as: UTF8.self)), (1...65_535).contains(port)
        else { return nil }
        return (name, port)
    }

    private static func isNameLetter(_ letter: UInt8) -> Bool {
        isHex(letter) || (0x67...0x7A).contains(letter | 0x20) || letter == 0x2D || letter == 0x2E
    }

    private static func isHex(_ letter: UInt8) -> Bool {
        (0x30...0x39).contains(letter) || (0x61...0x66).contains(letter | 0x20)
    }

    /// `" # < > @ \ ^ backquote { | }`: a fragment is none of the server's business, a user none of ours, the others are no
    /// letters of a URL.
    private static let forbidden: Set<UInt8> = [
        0x22, 0x23, 0x3C, 0x3E, 0x40, 0x5C, 0x5E, 0x60, 0x7B, 0x7C, 0x7D,
    ]
}
