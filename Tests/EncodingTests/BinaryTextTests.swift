import Encoding
import Testing

@Suite struct BinaryTextTests {
    /// RFC 4648 section 10.
    @Test(arguments: [
        ("", ""), ("f", "Zg=="), ("fo", "Zm8="), ("foo", "Zm9v"), ("foob", "Zm9vYg=="), ("fooba", "Zm9vYmE="),
        ("foobar", "Zm9vYmFy"),
    ])
    func base64(_ text: String, _ encoded: String) {
        let bytes = Array(text.utf8)
        let bare = String(encoded.prefix { $0 != "=" })
        #expect(Base64.encode(bytes, .standard) == encoded)
        #expect(Base64.encode(bytes, .url) == bare)
        #expect(Base64.decodeURL(bare) == bytes)
        #expect(Base64.decodeAny(encoded) == bytes && Base64.decodeAny(bare) == bytes)
    }

    @Test func alphabetsDiffer() {
        let bytes: [UInt8] = [0xFB, 0xEF, 0xFF]
        #expect(Base64.encode(bytes, .url) == "--__" && Base64.encode(bytes, .standard) == "++//")
        #expect(Base64.decodeURL("++//") == nil && Base64.decodeAny("+-/_") == bytes)
    }

    @Test(arguments: ["Zg==", "Zm8=", "Zh", "Zm9", "Z", "Zm9vY", "Zm 9v", "Zm9v\n", "Zmé"])
    func strictBase64URLRefuses(_ text: String) {
        #expect(Base64.decodeURL(text) == nil)
    }

    @Test func hex() {
        #expect(Hex.encode([0x00, 0x9A, 0xFF]) == "009aff")
        #expect(Hex.decode("009AfF") == [0x00, 0x9A, 0xFF])
        #expect(Hex.decode("0") == nil && Hex.decode("0g") == nil && Hex.decode("+1") == nil)
    }

    @Test func byteOrderOfTexts() {
        #expect(Text("\u{FFFF}") < Text("\u{10000}"))
        #expect(Text("a") < Text("aa") && !(Text("a") < Text("a")))
        #expect(Text("did:key:z").hasPrefix("did:key:") && !Text("di").hasPrefix("did") && Text("a#b").hasSuffix("#b"))
        #expect(Text(utf8: [0xC3, 0x28]) == nil)
    }
}
