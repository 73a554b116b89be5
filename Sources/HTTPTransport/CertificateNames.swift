import NIOSSL

/// The DNS names of a server's certificate (RFC 6125 section 6.4).
///
/// The TLS library also accepts a certificate for the *address* of the connection, whatever name was requested.
/// Authorities issue such certificates. An attacker who can forge DNS answers and has a certificate for an address of
/// their own could then impersonate any server. Therefore the certificate must contain a requested name.
struct CertificateNames {
    private let names: [[UInt8]]

    init(_ certificate: NIOSSLCertificate) {
        names = certificate._subjectAlternativeNames().filter { $0.nameType == .dnsName }.map {
            Array($0.contents).map(Self.lowercased)
        }
    }

    /// Returns whether the certificate has the name `host`, or a wildcard for its first label.
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
