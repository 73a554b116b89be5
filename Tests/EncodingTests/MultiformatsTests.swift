import Encoding
import Foundation
import TestKit
import Testing

@Suite struct MultiformatsTests {
    @Test func base58() throws {
        guard let file = Vectors.path("multiformats/base58_encode_decode.json") else { return }
        var tally = VectorTally("multiformats/base58")
        for row in try JSON.parse(try Vectors.bytes(file)).array ?? [] {
            let pair = (row.array ?? []).compactMap { $0.string?.string }
            guard pair.count == 2, let bytes = Hex.decode(pair[0]) else {
                tally.record(row.compactText, "is no pair")
                continue
            }
            let same =
                Base58.encode(bytes) == pair[1] && Base58.decode(pair[1]) == bytes
                && Multibase.decode("z" + pair[1]) == bytes
            tally.record(pair[0], same ? nil : "differs")
        }
        #expect(tally.finish() == [])
    }

    /// Lines of `encoding, "input", "output"` with the escapes of the tables; encodings that the product does
    /// not support are skipped.
    @Test func multibase() throws {
        guard let folder = Vectors.path("multiformats/multibase") else { return }
        var tally = VectorTally("multiformats/multibase")
        for file in Vectors.files(in: folder, withExtension: "csv")
        where file.lastPathComponent != "case_insensitivity.csv" {
            let lines = String(decoding: try Vectors.bytes(file), as: UTF8.self).split(separator: "\n")
            let input = Array(Self.unescaped(Self.cell(lines.first ?? "", 1)).utf8)
            for line in lines.dropFirst() {
                let name = Self.cell(line, 0)
                let text = Self.cell(line, 1)
                switch name {
                case "base58btc":
                    let same = Multibase.decode(text) == input && Multibase.encodeBase58(input) == text
                    tally.record("\(file.lastPathComponent) \(name)", same ? nil : "differs")
                case "base64url":
                    let same = Multibase.decode(text) == input && Multibase.encodeBase64URL(input) == text
                    tally.record("\(file.lastPathComponent) \(name)", same ? nil : "differs")
                default:
                    #expect(Multibase.decode(text) == nil, "\(name)")
                    tally.skip(name, because: "not used by DIDs or proofs")
                }
            }
        }
        #expect(tally.finish() == [])
    }

    private static func cell(_ line: Substring, _ index: Int) -> String {
        let cells = line.split(separator: ",", maxSplits: 1)
        guard index < cells.count else { return "" }
        return cells[index].trimmingCharacters(in: CharacterSet(charactersIn: " \"\r"))
    }

    private static func unescaped(_ text: String) -> String { text.replacingOccurrences(of: "\\x00", with: "\0") }

    @Test func multicodecs() throws {
        guard let file = Vectors.path("multiformats/multicodec/table.csv") else { return }
        var tally = VectorTally("multiformats/multicodec")
        for line in String(decoding: try Vectors.bytes(file), as: UTF8.self).split(separator: "\n").dropFirst() {
            let cells = line.split(separator: ",").map { $0.trimmingCharacters(in: .whitespaces) }
            guard cells.count > 2, let code = UInt64(cells[2].dropFirst(2), radix: 16) else { continue }
            let bytes = UnsignedVarint.encode(code)
            let back = UnsignedVarint.decode((bytes + [0xAA])[...])
            tally.record(cells[0], back?.value == code && back?.rest.elementsEqual([0xAA]) == true ? nil : "differs")
        }
        #expect(tally.finish() == [])
    }

    @Test func keysOfDIDKey() {
        #expect(UnsignedVarint.encode(0xED) == [0xED, 0x01])
        #expect(UnsignedVarint.encode(0x1200) == [0x80, 0x24])
        #expect(UnsignedVarint.encode(0x1205) == [0x85, 0x24])
    }

    @Test(
        arguments: [[0x80], [0x80, 0x00], [0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x01], []] as [[UInt8]]
    )
    func malformedVarints(_ bytes: [UInt8]) {
        #expect(UnsignedVarint.decode(bytes[...]) == nil)
    }

    @Test func longestVarint() {
        let bytes = UnsignedVarint.encode(UInt64.max >> 1)
        #expect(bytes.count == 9 && UnsignedVarint.decode(bytes[...])?.value == UInt64.max >> 1)
    }

    @Test func lengthIsBounded() {
        #expect(Base58.decode(String(repeating: "2", count: 4097)) == nil)
        #expect(Multibase.decode("z" + String(repeating: "2", count: 1_000_000)) == nil)
        #expect(Base58.decode("0OIl") == nil && Base58.decode("é") == nil)
    }
}
