import Encoding

extension GeneralNames {
    /// What names say about who an issuer is.
    enum Bearing: Sendable {
        /// They are the issuer's.
        case itself
        /// There are none: the choice is left to the operator, whose entry of the issuer names the root.
        case nobody
        /// They are another issuer's, or name what is no issuer.
        case others
    }

    /// Whose names these are, for an issuer of that id: one of the URIs is the id, or one of the DNS names the id's host. A host may
    /// have several issuers, so its name counts only where no URI names another one of them. Names that cannot be an issuer's, such as
    /// an electronic mail address, count as another's.
    func bearing(on issuer: Text) -> Bearing {
        if uris.isEmpty, dnsNames.isEmpty, directoryNames.isEmpty, otherKinds.isEmpty { return .nobody }
        if uris.contains(issuer) { return .itself }
        guard let host = Self.place(of: issuer)?.host,
            dnsNames.contains(where: { Self.lowercased($0.utf8).elementsEqual(host) })
        else { return .others }
        let namesAnother = uris.contains { uri in Self.place(of: uri).map { $0.host == host && $0.isBelow } ?? false }
        return namesAnother ? .others : .itself
    }

    /// The host that an https URL or a did:web names, in lower case, and whether the id has a path there.
    private static func place(of id: Text) -> (host: [UInt8], isBelow: Bool)? {
        let letters = Array(id.utf8)
        for prefix in ["https://", "http://", "did:web:"] where id.hasPrefix(Text(prefix)) {
            let isDID = prefix == "did:web:"
            let rest = letters.dropFirst(prefix.utf8.count)
            let ends = isDID ? Array(":%".utf8) : Array(":/?#".utf8)
            let host = rest.prefix { !ends.contains($0) }
            // A URL with a user is not an issuer's id.
            if host.isEmpty || rest.contains(UInt8(ascii: "@")) { return nil }
            let below = rest.dropFirst(host.count).drop { $0 != UInt8(ascii: isDID ? ":" : "/") }.dropFirst()
            let isBelow = below.first.map { isDID || !"?#".utf8.contains($0) } ?? false
            return (lowercased(host), isBelow)
        }
        return nil
    }

    private static func lowercased(_ letters: some Sequence<UInt8>) -> [UInt8] {
        letters.map { (0x41...0x5A).contains($0) ? $0 + 0x20 : $0 }
    }
}
