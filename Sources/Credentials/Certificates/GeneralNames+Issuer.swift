import Encoding

extension GeneralNames {
    /// The relation between a certificate's names and an issuer.
    enum Bearing: Sendable {
        /// The names belong to the issuer.
        case itself
        /// The certificate has no alternative names. The issuer's entry in the trust data names the root, so the
        /// operator has determined the owner of the certificate.
        case nobody
        /// The names belong to another party, or are of a kind that cannot name an issuer.
        case others
    }

    /// Returns whether these names belong to the issuer with the id `issuer`. A name belongs to the issuer if one of
    /// the URIs is the id or one of the DNS names is the host in the id. A host may have several issuers, so the host
    /// counts only if no URI names another issuer of the host. A name of a kind that issuers do not have, such as an
    /// electronic mail address, counts as the name of another party.
    func bearing(on issuer: Text) -> Bearing {
        if uris.isEmpty, dnsNames.isEmpty, directoryNames.isEmpty, otherKinds.isEmpty { return .nobody }
        if uris.contains(issuer) { return .itself }
        guard let host = Self.place(of: issuer)?.host,
            dnsNames.contains(where: { Self.lowercased($0.utf8).elementsEqual(host) })
        else { return .others }
        let namesAnother = uris.contains { uri in Self.place(of: uri).map { $0.host == host && $0.isBelow } ?? false }
        return namesAnother ? .others : .itself
    }

    /// Returns the host that an http or https URL or a did:web names, in lower case, and whether the id has a path on
    /// that host.
    private static func place(of id: Text) -> (host: [UInt8], isBelow: Bool)? {
        let letters = Array(id.utf8)
        for prefix in ["https://", "http://", "did:web:"] where id.hasPrefix(Text(prefix)) {
            let isDID = prefix == "did:web:"
            let rest = letters.dropFirst(prefix.utf8.count)
            let ends = isDID ? Array(":%".utf8) : Array(":/?#".utf8)
            let host = rest.prefix { !ends.contains($0) }
            // A URL with user information is no issuer's id.
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
