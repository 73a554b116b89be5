/// An `http` or `https` URL (RFC 3986) in a narrow form. The gate contacts a host only with such a URL. The URL has a
/// lower-case scheme, no user, no fragment, and no escape in the host. The narrow form excludes all texts that two
/// parsers could resolve to different hosts, or that could crash a parser.
package struct WebURL: Hashable, Sendable {
    /// The URL as given.
    package let url: Text
    /// Whether the scheme is `https`.
    package let isSecure: Bool
    /// The host in lower case: a name, an IPv4 address, or an IPv6 address without its brackets.
    package let host: Text
    /// The port. The default is 443 for `https` and 80 for `http`.
    package let port: Int
    /// Path and query, beginning with a slash.
    package let target: Text

    /// The longest URL, in bytes.
    package static let maxBytes = 2048

    /// The host and the port as `HOST:PORT`, the form in which lists of hosts are compared.
    package var place: Text { Text("\(host):\(port)") }

    /// The origin of the URL (RFC 6454 section 6.2): scheme, host and, unless it is the default, port.
    package var origin: String {
        let name = host.utf8.contains(UInt8(ascii: ":")) ? "[\(host)]" : host.string
        return (isSecure ? "https://" : "http://") + name + (port == Self.port(isSecure) ? "" : ":\(port)")
    }

    /// The URL for a client's request, composed of the parsed parts.
    package var request: String { origin + target.string }

    /// Parses a URL; nil for any other text.
    package init?(_ url: Text) {
        let bytes = Array(url.utf8)
        guard bytes.count <= Self.maxBytes,
            bytes.allSatisfy({ (0x21...0x7E).contains($0) && !Self.forbidden.contains($0) })
        else { return nil }
        let schemes = ["https://", "http://"]
        guard let scheme = schemes.first(where: { bytes.starts(with: $0.utf8) }) else { return nil }
        let rest = bytes.dropFirst(scheme.utf8.count)
        let authority = rest.prefix { $0 != UInt8(ascii: "/") && $0 != UInt8(ascii: "?") }
        guard let (host, port) = Self.split(authority) else { return nil }
        self.url = url
        isSecure = scheme == schemes[0]
        self.host = host
        self.port = port ?? Self.port(isSecure)
        let path = rest.dropFirst(authority.count)
        target = Text((path.first == UInt8(ascii: "/") ? "" : "/") + String(decoding: path, as: UTF8.self))
    }

    /// Parses an `https` URL; nil for any other text.
    package init?(secure url: Text) {
        self.init(url)
        guard isSecure else { return nil }
    }

    private static func port(_ isSecure: Bool) -> Int { isSecure ? 443 : 80 }

    /// Splits the authority of a URL into host and port; nil if either is invalid.
    private static func split(_ authority: ArraySlice<UInt8>) -> (host: Text, port: Int?)? {
        let host: ArraySlice<UInt8>
        let rest: ArraySlice<UInt8>
        if authority.first == UInt8(ascii: "[") {
            guard let end = authority.firstIndex(of: UInt8(ascii: "]")) else { return nil }
            host = authority[authority.index(after: authority.startIndex)..<end]
            rest = authority[authority.index(after: end)...]
            guard isIPv6(host) else { return nil }
        } else {
            host = authority.prefix { $0 != UInt8(ascii: ":") }
            rest = authority.dropFirst(host.count)
            guard host.allSatisfy(isNameLetter), host.first != UInt8(ascii: "."), host.last != UInt8(ascii: ".") else {
                return nil
            }
        }
        guard !host.isEmpty, host.count <= 253 else { return nil }
        let name = Text(String(decoding: host, as: UTF8.self).lowercased())
        guard let colon = rest.first else { return (name, nil) }
        let digits = rest.dropFirst()
        guard colon == UInt8(ascii: ":"), (1...5).contains(digits.count),
            digits.allSatisfy({ (0x30...0x39).contains($0) }),
            let port = Int(String(decoding: digits, as: UTF8.self)), (1...65_535).contains(port)
        else { return nil }
        return (name, port)
    }

    /// Returns whether the host is an IPv6 address (RFC 4291 section 2.2, forms 1 and 2): eight groups of one to four
    /// digits, or fewer groups with one "::".
    private static func isIPv6(_ host: ArraySlice<UInt8>) -> Bool {
        let halves = String(decoding: host, as: UTF8.self).split(separator: "::", omittingEmptySubsequences: false)
        let groups = halves.flatMap { $0.isEmpty ? [] : $0.split(separator: ":", omittingEmptySubsequences: false) }
        guard halves.count == 1 && groups.count == 8 || halves.count == 2 && groups.count < 8 else { return false }
        return groups.allSatisfy { (1...4).contains($0.utf8.count) && $0.utf8.allSatisfy(isHex) }
    }

    /// Returns whether the letter belongs to a registered name (RFC 3986 section 3.2.2) as used for hosts: the letters
    /// of RFC 1123, and the underscore, which container networks use.
    private static func isNameLetter(_ letter: UInt8) -> Bool {
        isHex(letter) || (0x67...0x7A).contains(letter | 0x20) || [0x2D, 0x2E, 0x5F].contains(letter)
    }

    private static func isHex(_ letter: UInt8) -> Bool {
        (0x30...0x39).contains(letter) || (0x61...0x66).contains(letter | 0x20)
    }

    /// The letters `" # < > \ ^ backquote { | }`. The number sign begins a fragment, which is not sent to a server. The
    /// others are not letters of a URL. (The `@` of a user is already refused as a letter of the host.)
    private static let forbidden: Set<UInt8> = [0x22, 0x23, 0x3C, 0x3E, 0x5C, 0x5E, 0x60, 0x7B, 0x7C, 0x7D]
}
