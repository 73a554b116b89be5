import Encoding
import Foundation
import TestKit
import Testing

@Suite struct JCSTests {
    @Test func vectors() throws {
        guard let folder = Vectors.path("jcs") else { return }
        var tally = VectorTally("jcs")
        for input in Vectors.files(in: folder.appendingPathComponent("input"), withExtension: "json") {
            let name = input.lastPathComponent
            let canonical = try JSON.parse(try Vectors.bytes(input)).canonicalized()
            let expected = try Vectors.bytes(folder.appendingPathComponent("output/\(name)"))
            let hexName = input.deletingPathExtension().lastPathComponent + ".txt"
            let hex = String(
                decoding: try Vectors.bytes(folder.appendingPathComponent("outhex/\(hexName)")), as: UTF8.self)
            let digits = hex.filter { !$0.isWhitespace }
            tally.record(name, canonical == expected && Hex.encode(canonical) == digits ? nil : "differs")
        }
        #expect(tally.finish() == [])
    }

    /// RFC 8785 appendix B: the bits of a double and its text.
    @Test(
        arguments: [
            (0x0000_0000_0000_0000, "0"), (0x8000_0000_0000_0000, "0"), (0x0000_0000_0000_0001, "5e-324"),
            (0x8000_0000_0000_0001, "-5e-324"), (0x7FEF_FFFF_FFFF_FFFF, "1.7976931348623157e+308"),
            (0xFFEF_FFFF_FFFF_FFFF, "-1.7976931348623157e+308"), (0x4340_0000_0000_0000, "9007199254740992"),
            (0xC340_0000_0000_0000, "-9007199254740992"), (0x4430_0000_0000_0000, "295147905179352830000"),
            (0x44B5_2D02_C7E1_4AF5, "9.999999999999997e+22"), (0x44B5_2D02_C7E1_4AF6, "1e+23"),
            (0x44B5_2D02_C7E1_4AF7, "1.0000000000000001e+23"), (0x444B_1AE4_D6E2_EF4E, "999999999999999700000"),
            (0x444B_1AE4_D6E2_EF4F, "999999999999999900000"), (0x444B_1AE4_D6E2_EF50, "1e+21"),
            (0x3EB0_C6F7_A0B5_ED8C, "9.999999999999997e-7"), (0x3EB0_C6F7_A0B5_ED8D, "0.000001"),
            (0x41B3_DE43_5555_5553, "333333333.3333332"), (0x41B3_DE43_5555_5554, "333333333.33333325"),
            (0x41B3_DE43_5555_5555, "333333333.3333333"), (0x41B3_DE43_5555_5556, "333333333.3333334"),
            (0x41B3_DE43_5555_5557, "333333333.33333343"), (0xBECB_F647_612F_3696, "-0.0000033333333333333333"),
            (0x4314_3FF3_C1CB_0959, "1424953923781206.2"),
        ] as [(UInt64, String)])
    func ecmaScriptNumbers(_ bits: UInt64, _ text: String) {
        #expect(ECMAScriptNumber.text(Double(bitPattern: bits)) == text)
    }

    /// Texts of any length with escapes at any place, compared with escaping each character separately (RFC
    /// 8785 section 3.2.2.2).
    @Test func escapes() throws {
        let short: [UInt8: String] = [
            0x08: "\\b", 0x09: "\\t", 0x0A: "\\n", 0x0C: "\\f", 0x0D: "\\r", 0x22: "\\\"", 0x5C: "\\\\",
        ]
        func written(_ text: String) -> String {
            let letters = text.unicodeScalars.map { letter -> String in
                guard letter.value < 0x80, let byte = UInt8(exactly: letter.value) else { return String(letter) }
                return short[byte] ?? (byte < 0x20 ? "\\u00" + Hex.encode([byte]) : String(letter))
            }
            return "\"" + letters.joined() + "\""
        }
        let all = (0..<0x80).compactMap { Unicode.Scalar($0).map(String.init) }.joined() + "é€\u{1F600}\u{FFFE}\u{FFFF}"
        var texts = [all, "", "\u{1}", String(repeating: all, count: 9)]
        for length in [1, 7, 15, 16, 17, 127, 128, 129, 511, 512, 513, 1_025] {
            for unit in ["\u{1}", "\n", "\"", "\u{7F}", "é", "a"] {
                let run = String(repeating: unit, count: length)
                texts += [run, run + "\u{2}", "\u{2}" + run, run + "x\u{1F}" + run]
            }
        }
        for text in texts {
            let value = JSON.text(text)
            let expected = Array(written(text).utf8)
            #expect(try value.canonicalized() == expected && value.compactBytes == expected)
            #expect(try JSON.parse(expected) == value)
        }
    }

    @Test func infinitiesHaveNoText() {
        #expect(ECMAScriptNumber.text(.infinity) == nil && ECMAScriptNumber.text(.nan) == nil)
        #expect(throws: JCSError.numberOutOfRange) { try JSON.parse("[1e400]").canonicalized() }
    }

    /// For 20,000 doubles of every size, the written text names the same double, and no shorter text does.
    @Test func textNamesTheSameDouble() {
        var state: UInt64 = 88_172_645_463_325_252
        for _ in 0..<20_000 {
            state ^= state << 13
            state ^= state >> 7
            state ^= state << 17
            let value = Double(bitPattern: state)
            guard let text = ECMAScriptNumber.text(value) else { continue }
            #expect(Double(text) == value)
        }
    }

    @Test func namesAreSortedByUTF16() throws {
        let value = try JSON.parse("{\"\u{FB33}\":1,\"\u{1F600}\":2,\"\u{E9}\":3,\"a\":4,\"aa\":5,\"\":6}")
        #expect(
            String(decoding: try value.canonicalized(), as: UTF8.self)
                == "{\"\":6,\"a\":4,\"aa\":5,\"\u{E9}\":3,\"\u{1F600}\":2,\"\u{FB33}\":1}")
    }
}
