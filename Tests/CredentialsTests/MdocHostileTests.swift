import Encoding
import Reasons
import TestKit
import Testing

@testable import Credentials

/// Damaged and oversized mdocs never trap, are never accepted, and never cost much work.
@Suite struct MdocHostileTests {
    private let issuer: TestMdoc.Issuer
    private let mdoc: TestMdoc
    private let verifier: Credentials.Verifier

    init() throws {
        issuer = try TestMdoc.Issuer()
        mdoc = try TestMdoc(issuer)
        verifier = Credentials.Verifier(trust: try TrustStore(issuer.material))
    }

    private func verify(_ bytes: [UInt8]) -> Verdict {
        verifier.verify(TestMdoc.letters(bytes), claimed: .mdoc, at: TestMdoc.clock)
    }

    /// Every byte of an mdoc counts: a change of any byte prevents acceptance.
    @Test func everyByteFlipped() throws {
        let bytes = try mdoc.build().value.deterministicBytes
        #expect(verify(bytes).isAccepted)
        for index in bytes.indices {
            var changed = bytes
            changed[index] ^= UInt8(1) << UInt8(index % 8)
            let verdict = verify(changed)
            #expect(!verdict.isAccepted && verdict.code != .internal, "byte \(index)")
        }
    }

    @Test func everyByteRemovedOrDoubled() throws {
        let bytes = try mdoc.build().value.deterministicBytes
        for index in stride(from: 0, to: bytes.count, by: 7) {
            var (shorter, longer) = (bytes, bytes)
            shorter.remove(at: index)
            longer.insert(bytes[index], at: index)
            #expect(!verify(shorter).isAccepted && !verify(longer).isAccepted)
            #expect(verify(Array(bytes[..<index])).code == (index == 0 ? .jsonSyntax : .cborSyntax))
        }
    }

    /// Every character in which an mdoc is sent counts: a change of any character prevents acceptance.
    @Test func everyLetterChanged() throws {
        let letters = try mdoc.letters()
        for index in stride(from: 0, to: letters.count, by: 19) {
            for letter in Array("A_=+\n\"{é".utf8) where letters[index] != letter {
                var changed = letters
                changed[index] = letter
                #expect(!verifier.verify(changed, claimed: .mdoc, at: TestMdoc.clock).isAccepted)
            }
        }
    }

    /// Every byte of the published samples counts, too.
    @Test(arguments: ["good", "good-non-minimal-cbor", "good-chain-of-two", "good-device-response"])
    func publishedSamples(id: String) throws {
        guard let folder = Vectors.path("mdoc/generated"),
            let item = try VerdictCase.all(in: folder).first(where: { $0.id == id }), let clock = item.clock
        else { return }
        let verifier = Credentials.Verifier(trust: try item.trust())
        let bytes = try #require(Base64.decodeURL(try item.payload()))
        #expect(verifier.verify(TestMdoc.letters(bytes), at: clock).isAccepted)
        // The parts of a DeviceResponse around the document and after the issuer's part are unsigned, so the test does
        // not change them.
        let response = try CBOR.decode(bytes)
        let document = response["documents"]?.array?.first ?? response
        let end = (document["issuerSigned"] ?? document).encoded.endIndex
        for index in stride(from: document.encoded.startIndex, to: end, by: 17) {
            var changed = bytes
            changed[index] ^= 0x15
            #expect(!verifier.verify(TestMdoc.letters(changed), claimed: .mdoc, at: clock).isAccepted)
        }
    }

    @Test func depth() throws {
        func nested(_ depth: Int) -> CBOR {
            (0..<depth).reduce(CBOR(.unsigned(0))) { inner, _ in CBOR(.array([inner]))
            }
        }
        // The item is one level, and its value may use the remaining levels.
        for (depth, code) in [(63, ReasonCode.ok), (64, .cborSyntax)] {
            var deep = mdoc
            deep.items = [("a", [TestMdoc.item(0, "x", nested(depth))])]
            #expect(try deep.verify().code == code)
        }
        for opening in [0x81, 0x9F, 0xA1, 0xBF, 0xC1, 0xD8, 0x5F, 0x7F] as [UInt8] {
            #expect(verify([UInt8](repeating: opening, count: 100_000)).code == .cborSyntax)
        }
        let bomb: [UInt8] = [0xA1, 0x61, 0x61] + [UInt8](repeating: 0x81, count: 100_000)
        #expect(verify(bomb).code == .cborSyntax)
    }

    @Test func sizes() throws {
        func document(items: Int) throws -> ReasonCode {
            var large = mdoc
            large.items = [("a", (0..<items).map { TestMdoc.item($0, "e\($0)", 1) })]
            return try large.verify().code
        }
        #expect(try document(items: 1000) == .ok)
        #expect(try document(items: 1001) == .inputTooLarge)

        // One photo of a megabyte is accepted, and so are many digests of undisclosed items.
        var photo = mdoc
        photo.items[0].items[3] = TestMdoc.item(3, "portrait", .bytes([UInt8](repeating: 7, count: 1 << 20)))
        #expect(try photo.verify().code == .ok)

        // Many small values are refused: outside, inside an item, and spread over the items' byte strings.
        func zeros(_ count: Int) -> CBOR { CBOR(.array([CBOR](repeating: 0, count: count))) }
        var many = mdoc
        many.wrap = { ["issuerSigned": $0, "docType": "org.iso.18013.5.1.mDL", "x": zeros(65_000)] }
        #expect(try many.verify().code == .ok)
        many.wrap = { ["issuerSigned": $0, "docType": "org.iso.18013.5.1.mDL", "x": zeros(65_600)] }
        #expect(try many.verify().code == .inputTooLarge)
        many = mdoc
        many.items = [("a", [TestMdoc.item(0, "x", zeros(65_600))])]
        #expect(try many.verify().code == .inputTooLarge)
        many.items = [("a", (0..<100).map { TestMdoc.item($0, "e\($0)", zeros(1000)) })]
        #expect(try many.verify().code == .inputTooLarge)
    }

    /// Each member of one header is looked up in the other.
    @Test func headers() throws {
        func members(_ count: Int, from first: Int) -> [CBOR.Pair] {
            (0..<count).map { CBOR.Pair(CBOR(.unsigned(UInt64(first + $0))), 0) }
        }
        func code(protected: Int, unprotected: Int) throws -> ReasonCode {
            var changed = mdoc
            changed.protected = CBOR(.map((mdoc.protected.map ?? []) + members(protected, from: 1_000)))
            changed.unprotected = CBOR(.map((mdoc.unprotected.map ?? []) + members(unprotected, from: 50_000)))
            return try changed.verify().code
        }
        #expect(try code(protected: 63, unprotected: 63) == .ok)
        #expect(try code(protected: 64, unprotected: 0) == .inputTooLarge)
        #expect(try code(protected: 0, unprotected: 64) == .inputTooLarge)
        #expect(try code(protected: 16_300, unprotected: 16_300) == .inputTooLarge)
    }

    @Test func criticalLabels() throws {
        func code(_ labels: CBOR) throws -> ReasonCode {
            var changed = mdoc
            changed.protected = [1: issuer.algorithm, 2: labels, 33: mdoc.unprotected[33] ?? 0]
            changed.unprotected = [:]
            return try changed.verify().code
        }
        #expect(try code([33]) == .ok)
        #expect(try code([1, 33]) == .ok)
        #expect(try code(CBOR(.array(Array(repeating: 33, count: 30_000)))) == .proofMalformed)
        #expect(try code([]) == .proofMalformed)
    }

    /// Long names are not copied for each item.
    @Test func longNames() throws {
        var long = mdoc
        let name = String(repeating: "n", count: 1 << 19)
        long.items = [(name, (0..<1000).map { TestMdoc.item($0, "e\($0)", 1) })]
        #expect(try long.verify().code == .ok)
        long.changeItem = { $0 }
        let verdict = try long.verify()
        #expect(verdict.code == .shapeMember && verdict.reasons.first?.pointer?.utf8.count ?? 0 <= 512)
    }

    @Test func megabytes() {
        for byte in [0x00, 0x20, 0x40, 0x60, 0x80, 0x9F, 0xA0, 0xBF, 0xD8, 0xF6, 0xFF] as [UInt8] {
            let verdict = verify([0xA1, 0x61, 0x61] + [UInt8](repeating: byte, count: 1 << 18))
            #expect([.cborSyntax, .inputTooLarge].contains(verdict.code))
        }
        let letters = [UInt8](repeating: UInt8(ascii: "o"), count: 1 << 20)
        #expect(verifier.verify(letters, at: TestMdoc.clock).code == .cborSyntax)
        let over = [UInt8](repeating: UInt8(ascii: "o"), count: 8 * 1024 * 1024 + 1)
        #expect(verifier.verify(over, at: TestMdoc.clock).code == .inputTooLarge)
    }

    /// Lengths and counts that are announced but not present.
    @Test func announcements() {
        for head in [0x5B, 0x7B, 0x9B, 0xBB] as [UInt8] {
            for length in [1 << 20, UInt64(Int.max), UInt64(Int.max) + 1, .max, .max - 1] as [UInt64] {
                var bytes: [UInt8] = [0xA1, 0x61, 0x61, head]
                bytes.appendBE(length)
                #expect(verify(bytes + [0, 0]).code == .cborSyntax)
            }
        }
    }
}
