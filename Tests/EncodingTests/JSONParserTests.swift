import Encoding
import Testing

@Suite struct JSONParserTests {
    private func code(_ text: String, _ limits: JSON.Limits = .init()) -> JSONError? {
        do {
            _ = try JSON.parse(text, limits: limits)
            return nil
        } catch {
            return error
        }
    }

    @Test func keepsOrderAndNumberText() throws {
        let value = try JSON.parse(#"{"b":1.0,"a":1e0,"c":[-0,12345678901234567890]}"#)
        #expect(value.object?.names == ["b", "a", "c"])
        #expect(value["b"]?.number?.text == "1.0")
        #expect(value.compactText == #"{"b":1.0,"a":1e0,"c":[-0,12345678901234567890]}"#)
        #expect(value["b"] != value["a"])
    }

    @Test func namesAreComparedAfterUnescapingAsCodePoints() {
        #expect(code(#"{"a":1,"\u0061":2}"#)?.code == .duplicateName)
        #expect(code("{\"\u{E9}\":1,\"e\u{301}\":2}") == nil)
        #expect(code(#"{"a":1,"b":{"a":1,"a":2}}"#)?.offset == 18)
    }

    @Test func duplicatesAreFoundInLargeObjectsToo() throws {
        let members = (0..<5000).map { "\"m\($0)\":0" }
        #expect(code("{\(members.joined(separator: ","))}") == nil)
        #expect(code("{\(members.joined(separator: ",")),\"m17\":0}")?.code == .duplicateName)
    }

    @Test(arguments: [
        (#""😀""#, "\u{1F600}"), (#""\/\b\f\n\r\t\"\\""#, "/\u{8}\u{C}\n\r\t\"\\"), (#""\u0000""#, "\0"),
        (#""￿""#, "\u{FFFF}"), ("\"\u{7F}\u{2028}\"", "\u{7F}\u{2028}"),
    ])
    func escapes(_ text: String, _ value: String) throws {
        #expect(try JSON.parse(text) == .string(Text(value)))
    }

    @Test(arguments: [
        #""\ud800""#, #""\udc00""#, #""\ud800A""#, #""\ud800\ud800""#, #""\u+123""#, #""\u00 1""#, #""\x41""#, "\"\t\"",
        "01", "-", "1.", ".5", "1e", "+1", "0x1", "NaN", "[1,]", "{\"a\":1,}", "{a:1}", "'a'", "[1 2]", "nul", "", " ",
        "\u{FEFF}{}", "{} x", "[", "{\"a\"", "\"", "tru", "//\n1",
    ])
    func refusesAsSyntax(_ text: String) {
        #expect(code(text)?.code == .syntax)
    }

    @Test func depthIsExact() {
        func nested(_ count: Int) -> String {
            String(repeating: "[", count: count) + String(repeating: "]", count: count)
        }
        #expect(code(nested(64)) == nil)
        #expect(code(nested(65))?.code == .tooDeep && code(nested(65))?.offset == 64)
        #expect(code(String(repeating: "{\"a\":", count: 100_000))?.code == .tooDeep)
    }

    @Test func sizeIsExact() {
        var limits = JSON.Limits()
        limits.bytes = 10
        #expect(code("\"12345678\"", limits) == nil)
        #expect(code("\"123456789\"", limits)?.code == .tooLarge)
    }

    @Test func numberOfValuesIsExact() {
        var limits = JSON.Limits()
        limits.values = 5
        #expect(code(#"[1,{"a":[]},"x"]"#, limits) == nil)
        #expect(code(#"[1,{"a":[]},"x",2]"#, limits)?.code == .tooLarge)
    }

    @Test func invalidUTF8IsSyntax() {
        let bad: [[UInt8]] = [[0xC0, 0x80], [0xED, 0xA0, 0x80], [0xF4, 0x90, 0x80, 0x80], [0xFF], [0xE2, 0x82]]
        for bytes in bad {
            do {
                _ = try JSON.parse([0x22] + bytes + [0x22])
                Issue.record("\(bytes) is accepted")
            } catch {
                #expect(error.code == .syntax)
            }
        }
    }

    /// Truncation and single-byte damage never trap. A damaged text that is still accepted can be written and read
    /// again.
    @Test func damagedTextsNeverTrap() throws {
        let original = Array(#"{"a":[1,-2.5e+3,"\u00e9😀",true,null],"b":{"c":"\\\"é"}}"#.utf8)
        for end in original.indices { #expect(throws: JSONError.self) { try JSON.parse(Array(original[..<end])) } }
        for index in original.indices {
            for byte in UInt8.min...UInt8.max {
                var damaged = original
                damaged[index] = byte
                if let value = try? JSON.parse(damaged) { #expect(try JSON.parse(value.compactBytes) == value) }
            }
        }
    }

    @Test func objectsReplaceAndRemove() {
        var object = JSONObject((0..<20).map { JSONObject.Member("m\($0)", .int($0)) })
        object["m3"] = "three"
        object["m4"] = nil
        #expect(object.count == 19)
        #expect(object["m3"] == "three" && object["m4"] == nil && object["m19"] == 19)
        #expect(object.names.firstIndex(of: "m5") == 4)
    }
}
