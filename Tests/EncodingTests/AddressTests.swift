import Encoding
import TestKit
import Testing

/// IP addresses with and without a port: which texts are addresses, and of which kind.
@Suite struct AddressTests {
    @Test(
        .tags(.exact),
        arguments: [
            "0.0.0.0", "10.1.2.3", "100.64.0.1", "127.0.0.1", "127.255.255.255", "169.254.169.254", "172.16.0.1",
            "172.31.255.255", "192.0.0.1", "192.0.2.1", "192.168.1.1", "198.18.0.1", "198.19.255.255", "198.51.100.1",
            "203.0.113.1", "224.0.0.1", "240.0.0.1", "255.255.255.255", "::", "::1", "::127.0.0.1", "::ffff:10.0.0.1",
            "::ffff:169.254.169.254", "64:ff9b::10.0.0.1", "64:ff9b:1::1", "100::1", "2001::1", "2001:20::1",
            "2001:db8::1", "2002:0a00:0001::1", "3fff::1", "fc00::1", "fd12:3456::1", "fe80::1", "fec0::1", "ff02::1",
            "4000::1",
        ])
    func notPublic(_ text: String) throws {
        #expect(try #require(HostAddress(text)).isPublic == false)
    }

    @Test(
        .tags(.exact),
        arguments: [
            "1.1.1.1", "8.8.8.8", "9.255.255.255", "11.0.0.0", "100.63.255.255", "100.128.0.0", "172.15.255.255",
            "172.32.0.0", "192.0.1.1", "192.167.255.255", "192.169.0.0", "198.17.255.255", "198.20.0.0",
            "223.255.255.255", "2606:4700::1111", "2a00:1450::1", "2001:200::1", "2003::1", "::ffff:8.8.8.8",
            "64:ff9b::8.8.8.8",
        ])
    func isPublic(_ text: String) throws {
        #expect(try #require(HostAddress(text)).isPublic)
    }

    @Test(.tags(.exact)) func addressesAreReadStrictly() throws {
        for text in [
            "", "1", "127.1", "0x7f000001", "1.2.3.256", "1.2.3.4 ", "a", ":::", "[::1]", "::1%lo", "01.2.3.4", "1.2.3",
            "1.2.3.4.5", "+1.2.3.4", "1:2:3:4:5:6:7", "1:2:3:4:5:6:7:8:9", "1:2:3:4:5:6:7:8::", "1::2::3", "1:", ":1",
            "12345::", "+1::", "1.2.3.4::", "1:2:3:4:5:6:7:1.2.3.4", "::1.2.3.256", "\u{FF11}.1.1.1",
            "127.0.0.1\0", "127.0.0.1\0.example", "::1\0",
        ] {
            #expect(HostAddress(text) == nil, "\(text)")
        }
        #expect(HostAddress("2001:db8::1")?.text == "2001:db8:0:0:0:0:0:1" && HostAddress("1.2.3.4")?.text == "1.2.3.4")
        #expect(HostAddress("1:2:3:4:5:6:7::")?.text == "1:2:3:4:5:6:7:0")
        #expect(HostAddress("::")?.text == "0:0:0:0:0:0:0:0")
        #expect(HostAddress("1:2:3:4:5:6:1.2.3.4")?.text == "1:2:3:4:5:6:102:304")
        #expect(HostAddress("::FFFF:1.2.3.4")?.text == "0:0:0:0:0:ffff:102:304")
        #expect(HostAddress(bytes: [1, 2, 3]) == nil)
    }

    @Test(.tags(.exact)) func addressesWithAPortAreRead() {
        for (text, written) in [
            ("127.0.0.1:8095", "127.0.0.1:8095"), ("0.0.0.0:0", "0.0.0.0:0"),
            ("[::1]:65535", "[0:0:0:0:0:0:0:1]:65535"),
        ] {
            #expect(ListenAddress(text)?.description == written)
        }
        for text in [
            "", ":", "8095", ":8095", "127.0.0.1", "127.0.0.1:", "127.0.0.1:65536", "127.0.0.1:+80", "127.0.0.1:-1",
            "127.0.0.1:000080", "localhost:80", "::1:80", "[127.0.0.1]:80", "[]:80", "[::1:80", "127.0.0.1:8 0",
            "127.0.0.1 :80", "127.1:80", "127.0.0.1\0:80", "127.0.0.1:80\0",
        ] {
            #expect(ListenAddress(text) == nil, "\(text)")
        }
        for (text, isLoopback) in [
            ("127.0.0.1", true), ("127.8.9.1", true), ("128.0.0.1", false), ("::1", true), ("::2", false),
            ("1::1", false),
            ("0.0.0.1", false),
        ] {
            #expect(HostAddress(text)?.isLoopback == isLoopback, "\(text)")
        }
    }
}
