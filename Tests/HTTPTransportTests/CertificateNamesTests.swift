import NIOSSL
import TestKit
import Testing

@testable import HTTPTransport

/// The host names for which a server's certificate is valid.
@Suite struct CertificateNamesTests {
    @Test(arguments: [
        ("a.example.com", true), ("A.EXAMPLE.COM", true), ("plain.example.org", true), ("a.b.example.com", false),
        ("example.com", false), (".example.com", false), ("other.com", false), ("b.plain.example.org", false),
        ("127.0.0.1", false), ("x.example", false), ("", false), ("*.example.com", true),
    ]) func aNameMustBeInIt(_ host: String, _ isIn: Bool) throws {
        let certificate = try NIOSSLCertificate(bytes: Array(TestCertificates.wildcard.utf8), format: .pem)
        #expect(CertificateNames(certificate).include(host) == isIn)
    }
}
