import Encoding
import Testing

/// Malformed CBOR, and CBOR above the limits, is rejected with its reason; no input traps or takes long.
@Suite struct CBORHostileTests {
    private func code(_ bytes: [UInt8], _ limits: CBORDecoder.Limits = .init()) -> CBORError.Code? {
        do throws(CBORError) {
            _ = try CBOR.decode(bytes, limits: limits)
            return nil
        } catch { return error.code }
    }

    private func code(_ hex: String) -> CBORError.Code? { Hex.decode(hex).flatMap { code($0) } }

    /// The examples of RFC 8949 appendix F, and similar ones.
    @Test(arguments: [
        // Nothing, or a head without its argument
        "", "18", "19", "1a", "1b", "1901", "1a0102", "1b01020304050607", "38", "58", "78", "98", "9a01ff00", "b8",
        "d8",
        "f8", "f900", "fa0000", "fb000000",
        // Strings shorter than announced
        "41", "61", "5affffffff00", "5bffffffffffffffff010203", "7affffffff00", "7b7fffffffffffffff010203",
        "5b8000000000000000", "7bffffffffffffffff",
        // Arrays, maps and tags shorter than announced
        "81", "818181818181818181", "8200", "a1", "a20102", "a100", "a2000000", "c0", "9affffffff00",
        "9bffffffffffffffff", "bbffffffffffffffff0000", "ba80000000",
        // Indefinite lengths that do not end
        "5f4100", "7f6100", "9f", "9f0102", "bf", "bf01020304", "819f", "9f8000", "9f9f9f9f9fffffffff",
        "9f819f819f9fffffff", "5f", "7f",
        // Wrong content in an indefinite string
        "5f00ff", "5f21ff", "5f6100ff", "5f80ff", "5fa0ff", "5fc000ff", "5fe0ff", "7f4100ff", "5f5f4100ffff",
        "7f7f6100ffff", "7f8000ff", "5f5fffff",
        // Reserved additional information
        "1c", "1d", "1e", "3c", "3d", "3e", "5c", "5d", "5e", "7c", "7d", "7e", "9c", "9d", "9e", "bc", "bd", "be",
        "dc",
        "dd", "de", "fc", "fd", "fe",
        // Simple values in two bytes that belong in one
        "f800", "f801", "f814", "f818", "f81f",
        // A break where none is allowed, and major types without an indefinite length
        "ff", "81ff", "8200ff", "a1ff", "a1ff00", "a100ff", "a20000ff", "9f81ff", "bf00ff", "bf000001ff", "c0ff", "1f",
        "3f", "df", "dfff", "9f00ff00",
        // Bytes after the item
        "0000", "8000", "a000", "f600", "40ff", "6161ff",
        // Text that is not UTF-8, in one piece or divided
        "61ff", "62c3", "62c328", "63eda080", "64f4908080", "62c080", "61c3", "7f61c361bcff", "7f62c3bc61ffff",
    ]) func malformed(hex: String) {
        #expect(code(hex) == .malformed)
    }

    /// One key twice: the same bytes, a longer head, chunks, a wider float, an integer as a bignum.
    @Test(arguments: [
        ("01", "01"), ("01", "1801"), ("01", "190001"), ("01", "1a00000001"), ("01", "1b0000000000000001"),
        ("20", "20"), ("20", "3800"), ("3bffffffffffffffff", "3bffffffffffffffff"), ("6161", "6161"),
        ("6161", "780161"),
        ("6161", "7f6161ff"), ("6161", "7f606161ff"), ("62c3bc", "7f62c3bcff"), ("60", "7fff"), ("4101", "4101"),
        ("4101", "5f4101ff"), ("40", "5fff"), ("f4", "f4"), ("f6", "f6"), ("f8ff", "f8ff"), ("f93c00", "fa3f800000"),
        ("f93c00", "fb3ff0000000000000"), ("f97e00", "fb7ff8000000000000"), ("c101", "c11801"), ("c101", "d80101"),
        ("01", "c24101"), ("1901ff", "c24201ff"), ("01", "c2420001"), ("00", "c240"), ("20", "c340"), ("21", "c34101"),
        ("c249010000000000000000", "c24a00010000000000000000"), ("8101", "811801"), ("8101", "9f01ff"),
        ("8101", "81c24101"), ("d8184101", "d8185f4101ff"),
    ]) func duplicateKeys(first: String, second: String) {
        #expect(code("a2" + first + "00" + second + "01") == .duplicateKey)
        #expect(code("bf" + first + "00" + second + "01ff") == .duplicateKey)
        #expect(code("81a3" + second + "0019303900" + first + "01") == .duplicateKey)
    }

    @Test func differentKeysAreDifferent() {
        // 1, 1.0, "1", h'31', −2, true and [1]; composed and decomposed é; 0.0 and −0.0
        #expect(code("a7" + "0100" + "f93c0000" + "613100" + "413100" + "2100" + "f500" + "810100") == nil)
        #expect(code("a2" + "62c3a900" + "6365cc8100") == nil)
        #expect(code("a2" + "f9000000" + "f9800000") == nil)
    }

    @Test func manyKeys() {
        func map(_ keys: [UInt64]) -> [UInt8] {
            var bytes: [UInt8] = []
            bytes.appendCBORHead(5, UInt64(keys.count))
            for key in keys {
                bytes.appendCBORHead(0, key)
                bytes.append(0)
            }
            return bytes
        }
        for count in [2, 7, 8, 9, 10, 1000] as [UInt64] {
            #expect(code(map(Array(0..<count))) == nil)
            #expect(code(map(Array(0..<count) + [0])) == .duplicateKey)
            #expect(code(map(Array(0..<count) + [count - 1])) == .duplicateKey)
        }
    }

    @Test func depth() {
        for opening in [[0x81], [0x9F], [0xA1, 0x00], [0xBF, 0x00], [0xC1], [0xD8, 0x18]] as [[UInt8]] {
            let closing: [UInt8] = [0x9F, 0xBF].contains(opening[0]) ? [0xFF] : []
            func nested(_ depth: Int) -> [UInt8] {
                Array([[UInt8]](repeating: opening, count: depth).joined()) + [0]
                    + Array([[UInt8]](repeating: closing, count: depth).joined())
            }
            #expect(code(nested(64)) == nil)
            #expect(code(nested(65)) == .tooDeep)
            #expect(code(Array([[UInt8]](repeating: opening, count: 40_000).joined())) == .tooDeep)
        }
    }

    /// A map in the key of a map is legal CBOR, but no format uses it. Comparing such keys could take long.
    @Test func mapsInsideKeys() {
        #expect(code("a1a000") == .tooDeep)
        #expect(code("a181a00100") == .tooDeep)
        #expect(code("a1818181810100") == nil)
        #expect(code("a100a10000") == nil)
    }

    @Test func sizes() {
        var limits = CBORDecoder.Limits()
        limits.items = 10
        limits.bytes = 20
        #expect(code([0x89] + [UInt8](repeating: 0, count: 9), limits) == nil)
        #expect(code([0x8A] + [UInt8](repeating: 0, count: 10), limits) == .tooLarge)
        #expect(code([0x9F] + [UInt8](repeating: 0, count: 10) + [0xFF], limits) == .tooLarge)
        #expect(code([0xA5] + (0..<5).flatMap { [$0, 0] }, limits) == .tooLarge)
        #expect(code([0x5F] + [UInt8](repeating: 0x40, count: 10) + [0xFF], limits) == .tooLarge)
        #expect(code([0x53] + [UInt8](repeating: 0, count: 19), limits) == nil)
        #expect(code([0x54] + [UInt8](repeating: 0, count: 20), limits) == .tooLarge)
    }

    /// The item limit applies to all inputs of one decoder together.
    @Test func oneBudget() throws {
        var limits = CBORDecoder.Limits()
        limits.items = 10
        var decoder = CBORDecoder(limits: limits)
        _ = try decoder.decode([0x84, 0, 0, 0, 0])
        _ = try decoder.decode([0x84, 0, 0, 0, 0])
        #expect(throws: CBORError(.tooLarge, at: 0)) { try decoder.decode([0x81, 0]) }
    }

    /// Megabytes of each kind of head, and of noise, give an error or a value quickly.
    @Test func megabytes() {
        for byte in UInt8.min...UInt8.max {
            let bytes = [UInt8](repeating: byte, count: 1 << 20)
            #expect(code(bytes) != nil)
        }
        var state: UInt64 = 7
        for _ in 0..<2000 {
            var bytes: [UInt8] = []
            for _ in 0..<200 {
                state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
                bytes.append(UInt8(truncatingIfNeeded: state >> 33))
            }
            _ = code(bytes)
        }
    }

    /// Large strings are slices of the input: one item, no copy.
    @Test func largeStrings() throws {
        var bytes: [UInt8] = []
        bytes.appendCBOR(bytes: [UInt8](repeating: 7, count: 8 * 1024 * 1024 - 16))
        #expect(try CBOR.decode(bytes).bytes?.count == 8 * 1024 * 1024 - 16)
        #expect(code(bytes + [UInt8](repeating: 0, count: 16)) == .tooLarge)
    }
}
