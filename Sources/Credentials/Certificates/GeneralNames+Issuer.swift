import Encoding

extension GeneralNames {
    /// What names say about who an issuer is.
    enum Bearing: Sendable {
        /// They are the issuer's.
        case itself
        /// There are none: the choice is left to the operator, whose entry of the issuer names the root.
        case nobody
        /// They are somebody else's.
        case others
    }

    /// Whose names these are, for an issuer of that id: one of the URIs is the id, or one of the DNS names the id's host. Names
    /// that cannot be an issuer's, such as an electronic mail address, are somebody else's.
    func bearing(on issuer: Text) -> Bearing {
        if uris.isEmpty, dnsNames.isEmpty, directoryNames.isEmpty, otherKinds.isEmpty { return .nobody }
        if uris.contains(issuer) { return .itself }
        guard let host = Self.host(of: issuer) else { return .others }
        return dnsNames.contains { Self.lowercased($0.utf8).elementsEqual(host) } ? .itself : .others
    }

    /// The host that an https URL or a did:web names, in lower case.
    private static func host(of id: Text) -> [UInt8]? {
        let letters = Array(id.utf8)
        for prefix in ["https://", "http://", "did:web:"] where id.hasPrefix(Text(prefix)) {
            let isDID = prefix == "did:web:"
            let rest = letters.dropFirst(prefix.utf8.count)
            let ends = isDID ? Array(":%".utf8) : Array(":/?#".utf8)
            let host = rest.prefix { !ends.contains($0) }
            // Nobody's name stands before the host.
            return host.isEmpty || rest.contains(UInt8(ascii: "@")) ? nil : lowercased(host)
        }
        return nil
    }

    private static func lowercased(_ letters: some Sequence<UInt8>) -> [UInt8] {
        letters.map { (0x41...0x5A).contains($0) ? $0 + 0x20 : $0 }
    }
}
