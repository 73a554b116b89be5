import Encoding
import Testing

/// A canonical object with one added member equals the canonical form of the whole object.
@Suite struct CanonicalObjectTests {
    private func written(_ write: ((ArraySlice<UInt8>) -> Void) -> Void) -> String {
        var bytes: [UInt8] = []
        write { bytes += $0 }
        return String(decoding: bytes, as: UTF8.self)
    }

    @Test(arguments: [
        "{}", #"{"@context":[1]}"#, #"{"b":1}"#, #"{"@context":2,"b":"x"}"#, #"{"":0,"@context":{"z":1,"a":2}}"#,
        #"{"b":[],"@context":null,"1":{},"\ud83d\ude00":1,"\ufb33":2}"#, #"{"@contexts":1,"@contex":2}"#,
    ]) func oneMemberAdded(_ text: String) throws {
        let object = try #require(try JSON.parse(text).object)
        let canonical = try CanonicalObject(object, without: "@context")
        for value in [nil, object["@context"], "new", [1, 2]] as [JSON?] {
            var changed = object
            changed["@context"] = value
            let expected = String(decoding: try JSON.object(changed).canonicalized(), as: UTF8.self)
            if let bytes = try value?.canonicalized() {
                #expect(written { canonical.write(adding: "@context", bytes, $0) } == expected)
            } else {
                #expect(written { canonical.write($0) } == expected)
            }
        }
    }

    @Test func theFirstMemberIsOnePiece() throws {
        let canonical = try CanonicalObject(["id": 1, "@context": 2, "b": 3], without: "@context")
        var pieces: [String] = []
        canonical.write(adding: "@context", Array("[9]".utf8)) { pieces.append(String(decoding: $0, as: UTF8.self)) }
        #expect(pieces.first == #"{"@context":[9]"# && pieces.joined() == #"{"@context":[9],"b":3,"id":1}"#)
        // Members before the contexts are not part of the remembered beginning.
        pieces = []
        let other = try CanonicalObject(["0name": "claim", "b": 3], without: "@context")
        other.write(adding: "@context", Array("[9]".utf8)) { pieces.append(String(decoding: $0, as: UTF8.self)) }
        #expect(pieces.first == "{" && pieces.joined() == #"{"0name":"claim","@context":[9],"b":3}"#)
    }

    /// Characters that need escapes, at every place of short and long texts.
    @Test func escapesAtEveryPlace() throws {
        for count in [0, 1, 7, 8, 9, 63, 64, 65, 127, 128, 129, 300] {
            let plain = [UInt8](repeating: UInt8(ascii: "x"), count: count)
            plain.withUnsafeBytes {
                #expect(ByteScan.firstToEscape(in: $0, from: 0) == count)
                #expect(!ByteScan.mayNeedEscape(inNQuads: $0) && ByteScan.plain(in: $0, from: 0).isASCII)
            }
            for place in 0..<count {
                for byte in [0, 0x1F, 0x22, 0x5C, 0x7F, 0xEF, 0x80] as [UInt8] {
                    var bytes = plain
                    bytes[place] = byte
                    let isEscape = byte < 0x20 || byte == 0x22 || byte == 0x5C
                    bytes.withUnsafeBytes {
                        #expect(ByteScan.firstToEscape(in: $0, from: 0) == (isEscape ? place : count))
                        #expect(ByteScan.mayNeedEscape(inNQuads: $0) == (byte != 0x80))
                        #expect(ByteScan.plain(in: $0, from: 0).isASCII == (byte < 0x80))
                    }
                }
            }
        }
    }
}
