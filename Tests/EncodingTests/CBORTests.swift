import Encoding
import Foundation
import TestKit
import Testing

/// RFC 8949: a CBOR item keeps the bytes from which it was read, and is written in its shortest form.
@Suite struct CBORTests {
    /// RFC 8949 appendix A as printed there: the encoding and its diagnostic notation.
    private static let appendixA: [(hex: String, text: String)] = [
        ("00", "0"), ("01", "1"), ("0a", "10"), ("17", "23"), ("1818", "24"), ("1819", "25"), ("1864", "100"),
        ("1903e8", "1000"), ("1a000f4240", "1000000"), ("1b000000e8d4a51000", "1000000000000"),
        ("1bffffffffffffffff", "18446744073709551615"), ("c249010000000000000000", "2(h'010000000000000000')"),
        ("3bffffffffffffffff", "-1-18446744073709551615"), ("c349010000000000000000", "3(h'010000000000000000')"),
        ("20", "-1-0"), ("29", "-1-9"), ("3863", "-1-99"), ("3903e7", "-1-999"), ("f90000", "0.0"),
        ("f98000", "-0.0"), ("f93c00", "1.0"), ("fb3ff199999999999a", "1.1"), ("f93e00", "1.5"),
        ("f97bff", "65504.0"), ("fa47c35000", "100000.0"), ("fa7f7fffff", "3.4028234663852886e+38"),
        ("fb7e37e43c8800759c", "1e+300"), ("f90001", "5.960464477539063e-08"), ("f90400", "6.103515625e-05"),
        ("f9c400", "-4.0"), ("fbc010666666666666", "-4.1"), ("f97c00", "inf"), ("f97e00", "nan"), ("f9fc00", "-inf"),
        ("fa7f800000", "inf"), ("fa7fc00000", "nan"), ("faff800000", "-inf"), ("fb7ff0000000000000", "inf"),
        ("fb7ff8000000000000", "nan"), ("fbfff0000000000000", "-inf"), ("f4", "simple(20)"), ("f5", "simple(21)"),
        ("f6", "simple(22)"), ("f7", "simple(23)"), ("f0", "simple(16)"), ("f8ff", "simple(255)"),
        ("c074323031332d30332d32315432303a30343a30305a", "0(\"2013-03-21T20:04:00Z\")"),
        ("c11a514b67b0", "1(1363896240)"), ("c1fb41d452d9ec200000", "1(1363896240.5)"),
        ("d74401020304", "23(h'01020304')"), ("d818456449455446", "24(h'6449455446')"),
        ("d82076687474703a2f2f7777772e6578616d706c652e636f6d", "32(\"http://www.example.com\")"), ("40", "h''"),
        ("4401020304", "h'01020304'"), ("60", "\"\""), ("6161", "\"a\""), ("6449455446", "\"IETF\""),
        ("62225c", "\"\"\\\""), ("62c3bc", "\"\u{fc}\""), ("63e6b0b4", "\"\u{6c34}\""),
        ("64f0908591", "\"\u{10151}\""), ("80", "[]"), ("83010203", "[1, 2, 3]"),
        ("8301820203820405", "[1, [2, 3], [4, 5]]"),
        (
            "98190102030405060708090a0b0c0d0e0f101112131415161718181819",
            "[1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20, 21, 22, 23, 24, 25]"
        ), ("a0", "{}"), ("a201020304", "{1: 2, 3: 4}"), ("a26161016162820203", "{\"a\": 1, \"b\": [2, 3]}"),
        ("826161a161626163", "[\"a\", {\"b\": \"c\"}]"),
        (
            "a56161614161626142616361436164614461656145",
            "{\"a\": \"A\", \"b\": \"B\", \"c\": \"C\", \"d\": \"D\", \"e\": \"E\"}"
        ), ("5f42010243030405ff", "h'0102030405'"), ("7f657374726561646d696e67ff", "\"streaming\""), ("9fff", "[]"),
        ("9f018202039f0405ffff", "[1, [2, 3], [4, 5]]"), ("9f01820203820405ff", "[1, [2, 3], [4, 5]]"),
        ("83018202039f0405ff", "[1, [2, 3], [4, 5]]"), ("83019f0203ff820405", "[1, [2, 3], [4, 5]]"),
        (
            "9f0102030405060708090a0b0c0d0e0f101112131415161718181819ff",
            "[1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20, 21, 22, 23, 24, 25]"
        ), ("bf61610161629f0203ffff", "{\"a\": 1, \"b\": [2, 3]}"), ("826161bf61626163ff", "[\"a\", {\"b\": \"c\"}]"),
        ("bf6346756ef563416d7421ff", "{\"Fun\": simple(21), \"Amt\": -1-1}"),
    ]

    @Test func appendixAReads() throws {
        for (hex, text) in Self.appendixA {
            let bytes = try #require(Hex.decode(hex))
            let item = try CBOR.decode(bytes)
            #expect(Self.diagnostic(item) == text, "\(hex)")
            #expect(Array(item.encoded) == bytes, "\(hex)")
        }
    }

    /// The encodings that the appendix prints in deterministic form are written again in that form.
    @Test func appendixAWrites() throws {
        let other = ["5f", "7f", "9f", "bf", "fa7f80", "fa7fc0", "faff80", "fb7ff", "fbfff", "8301820203829f"]
        var count = 0
        for (hex, _) in Self.appendixA where !other.contains(where: { hex.hasPrefix($0) }) && !hex.contains("9f") {
            if hex.contains("bf") { continue }
            count += 1
            let item = try CBOR.decode(try #require(Hex.decode(hex)))
            #expect(Hex.encode(item.value.deterministicBytes) == hex)
        }
        #expect(count == 60)
    }

    /// Deterministic encoding is stable: a second round changes nothing.
    @Test func writingIsStable() throws {
        for (hex, _) in Self.appendixA {
            let written = try CBOR.decode(try #require(Hex.decode(hex))).value.deterministicBytes
            #expect(try CBOR.decode(written).value.deterministicBytes == written, "\(hex)")
        }
    }

    @Test func upstreamList() throws {
        guard let folder = Vectors.path("cbor") else { return }
        let cases = try JSON.parse(try Vectors.bytes(folder.appendingPathComponent("appendix_a.json"))).array ?? []
        var tally = VectorTally("cbor")
        for (index, item) in cases.enumerated() {
            let hex = item["hex"]?.string?.string ?? ""
            tally.record("\(index) \(hex)", Self.failure(hex, item))
        }
        #expect(tally.finish() == [])
    }

    private static func failure(_ hex: String, _ wanted: JSON) -> String? {
        guard let bytes = Hex.decode(hex), let item = try? CBOR.decode(bytes) else { return "refused" }
        if wanted["roundtrip"]?.bool == true, item.value.deterministicBytes != bytes { return "written differently" }
        if let text = wanted["diagnostic"]?.string?.string { return same(item, text) ? nil : diagnostic(item) }
        guard let json = wanted["decoded"] else { return "no value in the vector" }
        return matches(item, json) ? nil : "other value: \(diagnostic(item))"
    }

    /// Compares an item with the diagnostic notation of the vectors, which names the values that JSON lacks.
    private static func same(_ item: CBOR, _ text: String) -> Bool {
        let own = diagnostic(item)
        let names = ["inf": "Infinity", "-inf": "-Infinity", "nan": "NaN", "simple(23)": "undefined"]
        if text == "(_ h'0102', h'030405')" { return own == "h'0102030405'" }
        return own == text || names[own] == text
    }

    private static func matches(_ item: CBOR, _ json: JSON) -> Bool {
        switch (item.value, json) {
        case (.unsigned(let number), .number(let wanted)): return wanted.text == String(number)
        case (.negative(let number), .number(let wanted)):
            return wanted.double == -1 - Double(number)
        case (.float(let number), .number(let wanted)): return wanted.double == number
        case (.tag(2, let content), .number(let wanted)):
            return wanted.double == (content.bytes ?? []).reduce(0.0) { $0 * 256 + Double($1) }
        case (.tag(3, let content), .number(let wanted)):
            return wanted.double == -1 - (content.bytes ?? []).reduce(0.0) { $0 * 256 + Double($1) }
        case (.text(let text), .string(let wanted)): return text == wanted
        case (.simple(20), .bool(false)), (.simple(21), .bool(true)), (.simple(22), .null): return true
        case (.array(let elements), .array(let wanted)):
            return elements.count == wanted.count && zip(elements, wanted).allSatisfy(matches)
        case (.map(let pairs), .object(let wanted)):
            return pairs.count == wanted.count
                && pairs.allSatisfy { pair in
                    pair.key.text.flatMap { wanted[$0] }.map { matches(pair.value, $0) } ?? false
                }
        default: return false
        }
    }

    static func diagnostic(_ item: CBOR) -> String {
        switch item.value {
        case .unsigned(let number): "\(number)"
        case .negative(let number): "-1-\(number)"
        case .bytes(let bytes): "h'" + Hex.encode(bytes) + "'"
        case .text(let text): "\"\(text)\""
        case .array(let elements): "[" + elements.map(diagnostic).joined(separator: ", ") + "]"
        case .map(let pairs):
            "{" + pairs.map { diagnostic($0.key) + ": " + diagnostic($0.value) }.joined(separator: ", ") + "}"
        case .tag(let number, let content): "\(number)(" + diagnostic(content) + ")"
        case .simple(let number): "simple(\(number))"
        case .float(let number): "\(number)"
        }
    }

    /// Every item keeps the bytes from which it was read, even if another encoding is shorter.
    @Test func itemsKeepTheirBytes() throws {
        let bytes = try #require(Hex.decode("a2" + "1900016161" + "7801629f1b00000000000000055f4101ffff"))
        let map = try #require(try CBOR.decode(bytes).map)
        #expect(map.map { Hex.encode($0.key.encoded) } == ["190001", "780162"])
        #expect(map.map { Hex.encode($0.value.encoded) } == ["6161", "9f1b00000000000000055f4101ffff"])
        #expect(map[1].value.array?.map { Hex.encode($0.encoded) } == ["1b0000000000000005", "5f4101ff"])
        #expect(map[1].value.array?[1].bytes == [1])
    }

    @Test func accessors() throws {
        let hex =
            "a8" + "0102" + "2063c3bc61" + "6161f5" + "6162f6" + "6163f4" + "3bffffffffffffffff1bffffffffffffffff"
            + "05d8184100" + "06820102"
        let item = try CBOR.decode(try #require(Hex.decode(hex)))
        #expect(item[1]?.unsigned == 2 && item[1]?.integer == 2)
        #expect(item[-1]?.text == "\u{fc}a")
        #expect(item["a"]?.bool == true && item["b"]?.isNull == true && item["c"]?.bool == false)
        #expect(item[5]?.tagged(24)?.bytes == [0] && item[5]?.tagged(23) == nil)
        #expect(item[6]?.array?.compactMap(\.integer) == [1, 2])
        #expect(item.map?[5].key.integer == nil && item.map?[5].value.integer == nil)
        #expect(item[7] == nil && item["d"] == nil && item[1]?["a"] == nil && item.text == nil && item.bool == nil)
    }

    /// Keys are written in the bytewise order of their encodings (section 4.2.1).
    @Test func deterministicOrder() throws {
        let keys = ["0a", "1864", "20", "617a", "626161", "811864", "8120", "f4"]
        let shuffled = [5, 2, 7, 0, 3, 6, 1, 4].map { keys[$0] + "00" }.joined()
        let item = try CBOR.decode(try #require(Hex.decode("a8" + shuffled)))
        #expect(Hex.encode(item.value.deterministicBytes) == "a8" + keys.map { $0 + "00" }.joined())
    }

    @Test func shortestFloats() throws {
        for (hex, shortest) in [
            ("fb3ff0000000000000", "f93c00"), ("fa3f800000", "f93c00"), ("fb40effc0000000000", "f97bff"),
            ("fb40f0000000000000", "fa47800000"), ("fb3e70000000000000", "f90001"),
            ("fb3e60000000000000", "fa33000000"),
            ("fb3f0ff80000000000", "f903ff"), ("fb3f0ffc0000000000", "fa387fe000"), ("fbbf10000000000000", "f98400"),
            ("fb7ff8000000000000", "f97e00"), ("fb7ff8000000000001", "fb7ff8000000000001"),
            ("fb8000000000000000", "f98000"),
            ("fb47efffffe0000000", "fa7f7fffff"), ("fb47efffffe0000001", "fb47efffffe0000001"),
        ] {
            let item = try CBOR.decode(try #require(Hex.decode(hex)))
            #expect(Hex.encode(item.value.deterministicBytes) == shortest, "\(hex)")
        }
    }
}
