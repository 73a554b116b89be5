import NIOSSL

/// The DNS names that a server's certificate is for (RFC 6125 section 6.4).
///
/// The TLS library also lets a certificate pass that is for the *address* it is connected to, whatever name was asked for. Who
/// can forge DNS answers and has a certificate for an address of his own, which authorities do issue, could then speak for
/// everybody. Where a name was asked for, the name must be in it.
struct CertificateNames {
    private let names: [[UInt8]]

    init(_ certificate: NIOSSLCertificate) {
        names = certificate._subjectAlternativeNames().filter { $0.nameType == .dnsName }.map {
            Array($0.contents).map(Self.lowercased)
        }
    }

    /// Whether one of them is that name, or a wildcard for its first label.
    func include(_ host: String) -> Bool {
        let host = host.utf8.map(Self.lowercased)
        return names.contains { name in
            if name == host { return true }
            guard name.starts(with: "*.".utf8), let dot = host.firstIndex(of: UInt8(ascii: ".")), dot > 0 else {
                return false
            }
            let domain = host[dot...].dropFirst()
            // Not a wildcard for everything below a top-level domain.
            return domain.contains(UInt8(ascii: ".")) && name.dropFirst(2).elementsEqual(domain)
        }
    }

    private static func lowercased(_ letter: UInt8) -> UInt8 {
        (0x41...0x5A).contains(letter) ? letter | 0x20 : letter
    }
}
