import NIOSSL
import Testing

@testable import HTTPTransport

/// The host names for which a server's certificate is valid.
@Suite struct CertificateNamesTests {
    /// A certificate for `*.Example.com`, `plain.example.org`, `*.com` and the address 127.0.0.1; its dates
    /// do not matter here.
    private static let certificate = """
        -----BEGIN CERTIFICATE-----
        MIIBuTCCAV+gAwIBAgIUH8V1HQWoM25np6kNHDGCYoplR9owCgYIKoZIzj0EAwIw
        FDESMBAGA1UEAwwJeC5leGFtcGxlMB4XDTI2MTEyMTE4NDc0OFoXDTI2MTEyMjE4
        NDc0OFowFDESMBAGA1UEAwwJeC5leGFtcGxlMFkwEwYHKoZIzj0CAQYIKoZIzj0D
        AQcDQgAE3/mhGBQtt5ZoWQvxp4zeV6vaOM+HyqQXMfpf0JPzHRnGiGVo+f/NvAGq
        3RwRJMq9KVnly5/oigHe9ckkKXNFD6OBjjCBizAdBgNVHQ4EFgQU67/dWkF19uRS
        xGJJSprp/OZX2kswHwYDVR0jBBgwFoAU67/dWkF19uRSxGJJSprp/OZX2kswDwYD
        VR0TAQH/BAUwAwEB/zA4BgNVHREEMTAvgg0qLkV4YW1wbGUuY29tghFwbGFpbi5l
        eGFtcGxlLm9yZ4IFKi5jb22HBH8AAAEwCgYIKoZIzj0EAwIDSAAwRQIhANprQnQ3
        KcKskRQyBuc01O+JiH3SpNvU/CaJ28vwGBdoAiBtGgp2Hrb7ErXsfAcOOxff2Loh
        TmqYcPakBfZ7H4+51g==
        -----END CERTIFICATE-----
        """

    @Test(arguments: [
        ("a.example.com", true), ("A.EXAMPLE.COM", true), ("plain.example.org", true), ("a.b.example.com", false),
        ("example.com", false), (".example.com", false), ("other.com", false), ("b.plain.example.org", false),
        ("127.0.0.1", false), ("x.example", false), ("", false), ("*.example.com", true),
    ]) func aNameMustBeInIt(_ host: String, _ isIn: Bool) throws {
        let certificate = try NIOSSLCertificate(bytes: Array(Self.certificate.utf8), format: .pem)
        #expect(CertificateNames(certificate).include(host) == isIn)
    }
}
