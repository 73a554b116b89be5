import Encoding

extension Text {
    /// Whether it is an http or https URL whose port, where it names one, is one (RFC 3986 section 3.2.3): from 1 to 65535. Nothing
    /// can be posted to any other, so it must not become the way to an agent.
    var isHTTPURL: Bool {
        guard let scheme = ["http://", "https://"].first(where: { utf8.starts(with: $0.utf8) }) else { return false }
        let authority = utf8.dropFirst(scheme.utf8.count).prefix { !"/?#\\".utf8.contains($0) }
        // Behind user and password, and behind an IPv6 address, whose colons stand in brackets.
        let host = authority.split(separator: UInt8(ascii: "@"), omittingEmptySubsequences: false).last ?? authority
        let rest = host.split(separator: UInt8(ascii: "]"), omittingEmptySubsequences: false).last ?? host
        guard let colon = rest.lastIndex(of: UInt8(ascii: ":")) else { return true }
        let port = rest[rest.index(after: colon)...]
        guard port.allSatisfy({ (0x30...0x39).contains($0) }) else { return false }
        return port.isEmpty || (UInt16(String(decoding: port, as: UTF8.self)) ?? 0) > 0
    }
}
