import Encoding
import SwiftASN1

/// The names that a CA may certify (RFC 5280 section 4.2.1.10). DNS names, URIs and directory names are compared. A
/// name of any other kind is refused if the CA constrains that kind.
struct NameConstraints: Sendable {
    private var permitted = GeneralNames()
    private var excluded = GeneralNames()

    /// Reads the content of a nameConstraints extension.
    init(_ node: ASN1Node) throws {
        var last: UInt?
        for list in try X509Certificate.children(of: node) {
            let number = list.identifier.tagNumber
            guard list.identifier == .context(0) || list.identifier == .context(1), last.map({ number > $0 }) ?? true,
                case .constructed(let subtrees) = list.content
            else { throw X509Certificate.Malformed() }
            last = number
            for subtree in subtrees {
                // RFC 5280's profile: minimum is 0 and omitted, maximum is absent.
                let parts = try X509Certificate.children(of: subtree)
                guard parts.count == 1 else { throw X509Certificate.Malformed() }
                if number == 0 { try permitted.add(parts[0]) } else { try excluded.add(parts[0]) }
            }
        }
        guard last != nil else { throw X509Certificate.Malformed() }
    }

    /// Returns whether every name of the certificate is allowed.
    func allow(_ certificate: X509Certificate) -> Bool {
        let names = certificate.extensions.subjectNames
        var directoryNames = names.directoryNames
        if !certificate.subjectName.parts.isEmpty { directoryNames.append(certificate.subjectName) }
        var unreadable = names.otherKinds
        if certificate.subjectName.holdsMailAddress { unreadable.insert(GeneralNames.Kind.mail.rawValue) }
        // Different bytes can spell the same directory name, so an excluded name could pass in another spelling. If
        // directory names are excluded, refuse all directory names.
        guard excluded.directoryNames.isEmpty || directoryNames.isEmpty else { return false }
        return unreadable.isDisjoint(with: permitted.otherKinds.union(excluded.otherKinds))
            && Self.allow(names.dnsNames, permitted.dnsNames, excluded.dnsNames, Self.isDNSName)
            && Self.allow(names.uris, permitted.uris, excluded.uris, Self.isURI)
            && Self.allow(directoryNames, permitted.directoryNames, []) { $0.lies(in: $1) }
    }

    /// Returns whether all `names` are allowed. `matches` compares a name with a base; nil means that they cannot be
    /// compared.
    private static func allow<Name>(
        _ names: [Name], _ permitted: [Name], _ excluded: [Name], _ matches: (Name, Name) -> Bool?
    ) -> Bool {
        if permitted.isEmpty, excluded.isEmpty { return true }
        return names.allSatisfy { name in
            let inPermitted = permitted.map { matches(name, $0) }
            let inExcluded = excluded.map { matches(name, $0) }
            return (permitted.isEmpty || inPermitted.contains(true)) && inExcluded.allSatisfy { $0 == false }
        }
    }

    /// Returns whether the host `name` equals `base` or is a subdomain of `base`. An empty base contains every host.
    private static func isDNSName(_ name: Text, in base: Text) -> Bool? {
        let (name, base) = (lowercased(name.utf8), lowercased(base.utf8))
        if base.isEmpty || name == base { return true }
        let suffix = base.first == dot ? base : [dot] + base
        return name.count > suffix.count && name.suffix(suffix.count).elementsEqual(suffix)
    }

    /// Returns whether the host of a URI equals the base or, for a base that begins with a dot, is below the base; nil
    /// if the URI has no host name.
    private static func isURI(_ uri: Text, in base: Text) -> Bool? {
        guard let host = host(of: uri) else { return nil }
        let base = lowercased(base.utf8)
        return base.first == dot
            ? host.count > base.count && host.suffix(base.count).elementsEqual(base) : host == base
    }

    private static func host(of uri: Text) -> [UInt8]? {
        let letters = Array(uri.utf8)
        guard let colon = letters.firstIndex(of: UInt8(ascii: ":")), letters[colon...].starts(with: "://".utf8) else {
            return nil
        }
        let authority = letters[(colon + 3)...].prefix { !"/?#".utf8.contains($0) }
        guard !authority.contains(UInt8(ascii: "@")), !authority.contains(UInt8(ascii: "[")) else { return nil }
        let host = lowercased(authority.prefix { $0 != UInt8(ascii: ":") })
        // A last label with digits only is an IPv4 address.
        guard let last = host.split(separator: dot).last, !last.allSatisfy({ (0x30...0x39).contains($0) }) else {
            return nil
        }
        return host
    }

    private static let dot = UInt8(ascii: ".")

    private static func lowercased(_ letters: some Sequence<UInt8>) -> [UInt8] {
        letters.map { (0x41...0x5A).contains($0) ? $0 | 0x20 : $0 }
    }
}
