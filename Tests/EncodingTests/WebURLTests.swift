import Encoding
import Testing

/// The only parser for the host of a URL: which URLs it accepts and which it rejects before a client sees them.
@Suite struct WebURLTests {
    @Test(arguments: [
        ("https://a", "https://a/"), ("https://A.Example:443?x=%5B", "https://a.example/?x=%5B"),
        ("http://a:443/b", "http://a:443/b"), ("http://10.0.0.1:80/", "http://10.0.0.1/"),
        ("https://[2001:DB8::1]:8443/", "https://[2001:db8::1]:8443/"), ("https://[::]/", "https://[::]/"),
        ("https://[1:2:3:4:5:6:7:8]/", "https://[1:2:3:4:5:6:7:8]/"), ("https://[1::]/", "https://[1::]/"),
    ]) func theRequestIsMadeFromTheParsedURL(_ url: String, _ request: String) throws {
        let read = try #require(WebURL(Text(url)))
        #expect(read.request == request)
        #expect(WebURL(Text(read.request))?.place == read.place, "reading it again changes nothing")
        #expect(read.request == read.origin + read.target.string)
    }

    /// Brackets with digits, dots and colons that are not an address. The parser rejects them, because a client might
    /// not.
    @Test(arguments: [
        "[]", "[:]", "[:::]", "[::::]", "[1:2]", "[1:2:3:4:5:6:7]", "[1:2:3:4:5:6:7:8:9]", "[1:2:3:4:5:6:7:8::]",
        "[1::2::3]", "[:1::]", "[::1:]", "[12345::]", "[::ffff:10.0.0.1]", "[10.0.0.1]", "[::1%25lo]", "[::g]",
        "[::1]a",
        "a]", "[", "a%2Etest", "%5B", "a..b:99999", "a:0", "a:+1", "a:", "",
    ]) func othersAreNoHosts(_ authority: String) {
        #expect(WebURL(Text("https://\(authority)/")) == nil)
        #expect(WebURL(Text("http://\(authority)")) == nil)
    }
}
