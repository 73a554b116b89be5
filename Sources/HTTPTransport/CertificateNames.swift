import NIOSSL

/// The DNS names of a server's certificate (RFC 6125 section 6.4).
///
/// The TLS library also accepts a certificate for the IP *address* of the connection, whatever name was requested, and
/// authorities issue such certificates. An attacker who forges DNS answers and has a certificate for an address of
/// their own could thus impersonate any server. So the certificate must also contain the requested name.
struct CertificateNames {
    private let names: [[UInt8]]

    init(_ certificate: NIOSSLCertificate) {
        names = certificate._subjectAlternativeNames().filter { $0.nameType == .dnsName }.map {
            Array($0.contents).map(Self.lowercased)
        }
    }

    /// Returns whether the certificate contains the name `host`, or a wildcard for the first label of that name.
    func include(_ host: String) -> Bool {
        let host = host.utf8.map(Self.lowercased)
        return names.contains { name in
            if name == host { return true }
            guard name.starts(with: "*.".utf8), let dot = host.firstIndex(of: UInt8(ascii: ".")), dot > 0 else {
                return false
            }
            let domain = host[dot...].dropFirst()
            // A wildcard must not match all names below a top-level domain.
            return domain.contains(UInt8(ascii: ".")) && name.dropFirst(2).elementsEqual(domain)
        }
    }

    private static func lowercased(_ letter: UInt8) -> UInt8 {
        (0x41...0x5A).contains(letter) ? letter | 0x20 : letter
    }
}
