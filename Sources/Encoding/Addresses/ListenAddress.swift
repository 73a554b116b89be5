/// An IP address of this machine and a TCP port for a server.
package struct ListenAddress: Hashable, Sendable, CustomStringConvertible {
    /// The IP address at which a server listens.
    package let host: HostAddress
    /// The port; for 0 the system chooses a port.
    package let port: Int

    /// Creates a listen address from a host address and a port.
    package init(host: HostAddress, port: Int) { (self.host, self.port) = (host, port) }

    /// Reads a text such as `127.0.0.1:8095` or `[::1]:8095`; nil for any other text, such as a name with a port.
    package init?(_ text: String) {
        guard let colon = text.lastIndex(of: ":") else { return nil }
        let digits = text[colon...].dropFirst().utf8
        guard (1...5).contains(digits.count), digits.allSatisfy({ (0x30...0x39).contains($0) }),
            let port = Int(text[colon...].dropFirst()), port <= 65_535
        else { return nil }
        var name = text[..<colon]
        let isBracketed = name.first == "[" && name.last == "]" && name.count > 2
        if isBracketed { name = name.dropFirst().dropLast() }
        guard let host = HostAddress(String(name)), isBracketed == (host.bytes.count == 16) else { return nil }
        (self.host, self.port) = (host, port)
    }

    /// The address in the form that ``init(_:)`` reads.
    package var description: String { host.bytes.count == 16 ? "[\(host.text)]:\(port)" : "\(host.text):\(port)" }
}
