/// The certificates that tests use, in PEM.
package enum TestCertificates {
    /// A root certificate, valid until 2120, which signed ``server``.
    package static let root = """
        -----BEGIN CERTIFICATE-----
        MIIBbjCCARWgAwIBAgIBATAKBggqhkjOPQQDAjAeMRwwGgYDVQQDDBNHYXRlaG91
        c2UgdGVzdCByb290MCAXDTIwMDEwMTAwMDAwMFoYDzIxMjAwMTAxMDAwMDAwWjAe
        MRwwGgYDVQQDDBNHYXRlaG91c2UgdGVzdCByb290MFkwEwYHKoZIzj0CAQYIKoZI
        zj0DAQcDQgAEvRjNlajA5Sn7UhbSDZAuWN/gUbEmvfzq8M9S1x2AngOU8wifcQz+
        S/+LxeOoPaoWsV/PzKC7jdC2ZcnoQorsHqNCMEAwDwYDVR0TAQH/BAUwAwEB/zAO
        BgNVHQ8BAf8EBAMCAgQwHQYDVR0OBBYEFCJAg+4Jr9xOjJtw4u4ymORIDEc9MAoG
        CCqGSM49BAMCA0cAMEQCIHETl9nU+o/aWtSrFNeSVDLNCmWlCHYjeH37lnLHvVij
        AiA/shJsWrp3N0eoZSAIVPbQX9DAtav01GJLVRGlBuv/pQ==
        -----END CERTIFICATE-----
        """

    /// A server's certificate for issuer.example, localhost and 127.0.0.1, signed by ``root``.
    package static let server = """
        -----BEGIN CERTIFICATE-----
        MIIByzCCAXGgAwIBAgIBAjAKBggqhkjOPQQDAjAeMRwwGgYDVQQDDBNHYXRlaG91
        c2UgdGVzdCByb290MCAXDTIwMDEwMTAwMDAwMFoYDzIxMjAwMTAxMDAwMDAwWjAZ
        MRcwFQYDVQQDDA5pc3N1ZXIuZXhhbXBsZTBZMBMGByqGSM49AgEGCCqGSM49AwEH
        A0IABN/5oRgULbeWaFkL8aeM3ler2jjPh8qkFzH6X9CT8x0ZxohlaPn/zbwBqt0c
        ESTKvSlZ5cuf6IoB3vXJJClzRQ+jgaIwgZ8wKgYDVR0RBCMwIYIOaXNzdWVyLmV4
        YW1wbGWCCWxvY2FsaG9zdIcEfwAAATAOBgNVHQ8BAf8EBAMCB4AwEwYDVR0lBAww
        CgYIKwYBBQUHAwEwDAYDVR0TAQH/BAIwADAfBgNVHSMEGDAWgBQiQIPuCa/cToyb
        cOLuMpjkSAxHPTAdBgNVHQ4EFgQU67/dWkF19uRSxGJJSprp/OZX2kswCgYIKoZI
        zj0EAwIDSAAwRQIgQLLXUlIBoiscDhKRyHaL6tuwJ37yFhYCSsYV/aPjfKUCIQDS
        LPxCNRUKoCX61fAFa+Aiatyxjkr1Qpcu4bg4DpF1dg==
        -----END CERTIFICATE-----
        """

    /// The private key of ``server``.
    package static let serverKey = """
        -----BEGIN PRIVATE KEY-----
        MIGHAgEAMBMGByqGSM49AgEGCCqGSM49AwEHBG0wawIBAQQg6lAV8BBzeZSE0AQh
        qKp+XsvXGR9+AFIeAltrEHi/qyihRANCAATf+aEYFC23lmhZC/GnjN5Xq9o4z4fK
        pBcx+l/Qk/MdGcaIZWj5/828AardHBEkyr0pWeXLn+iKAd71ySQpc0UP
        -----END PRIVATE KEY-----
        """

    /// A certificate for `*.Example.com`, `plain.example.org`, `*.com` and the address 127.0.0.1. Tests use only its
    /// names, not its dates.
    package static let wildcard = """
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
}
