import Crypto
import Encoding
import Reasons
import Testing

@testable import Credentials

/// Every possible error of an mdoc, with its code.
@Suite struct MdocRefusalTests {
    private let issuer: TestMdoc.Issuer
    private let mdoc: TestMdoc

    init() throws {
        issuer = try TestMdoc.Issuer()
        mdoc = try TestMdoc(issuer)
    }

    private func expect(
        _ code: ReasonCode, at pointer: String? = nil, location: SourceLocation = #_sourceLocation,
        _ change: (inout TestMdoc) throws -> Void
    ) throws {
        var changed = mdoc
        try change(&changed)
        let verdict = try changed.verify()
        #expect(verdict.code == code, sourceLocation: location)
        #expect(verdict.isAccepted == (code == .ok), sourceLocation: location)
        if let pointer { #expect(verdict.reasons.first?.pointer == pointer, sourceLocation: location) }
    }

    private func expectText(_ code: ReasonCode, _ text: String, location: SourceLocation = #_sourceLocation) throws {
        let verifier = Verifier(trust: try TrustStore(issuer.material))
        let verdict = verifier.verify(Array(text.utf8), claimed: .mdoc, at: TestMdoc.clock)
        #expect(verdict.code == code, sourceLocation: location)
    }

    @Test func text() throws {
        let letters = String(decoding: try mdoc.letters(), as: UTF8.self)
        for text in [
            letters + "\n.", letters + " A", letters + "=====", letters + "A", "." + letters, "%" + letters,
            letters.replacing("-", with: "+") + "+", String(letters.dropLast()) + "/", "é", "o", "==", "A===", "o=",
            "\u{FEFF}" + letters,
        ] {
            try expectText(.cborSyntax, text)
        }
        // Line ends around a token are not part of it.
        for text in [letters + "\n", letters + " \r\n", "\n" + letters] { try expectText(.ok, text) }
        try expectText(.envelopeUnknown, "[]")
        try expectText(.envelopeUnknown, "\"\"")
        try expectText(.jsonSyntax, "")
    }

    @Test func syntax() throws {
        let bytes = try mdoc.build().value.deterministicBytes
        for wrong in [bytes + [0], [0xA1], [0xBF], [0xFF], [0xA1, 0x61, 0xFF, 0], [0xA2, 1, 1, 1, 1]] as [[UInt8]] {
            try expectText(.cborSyntax, Base64.encode(wrong))
        }
        try expectText(.cborSyntax, Base64.encode([UInt8](repeating: 0x81, count: 65) + [0]))
        try expectText(.cborSyntax, Base64.encode([UInt8](repeating: 0xA1, count: 1000)))
        // The same in the inner byte strings: header, object, item.
        let duplicate: [UInt8] = [0xA2, 0x01, 0x26, 0x18, 0x01, 0x26]
        try expect(.cborSyntax, at: "/issuerSigned/issuerAuth") {
            $0.changeMessage = { [.bytes(duplicate), $0.array![1], $0.array![2], $0.array![3]] }
        }
        try expect(.cborSyntax, at: "/issuerSigned/issuerAuth") { $0.payload = { _ in [0xD8, 0x18, 0x41, 0xA1] } }
        try expect(.cborSyntax, at: "/issuerSigned/issuerAuth") {
            $0.payload = { _ in [0xD8, 0x18, 0x43, 0xA0, 0xA0, 0xA0] }
        }
        try expect(.cborSyntax, at: "/issuerSigned/nameSpaces/org.iso.18013.5.1/0") {
            $0.changeItem = { .tag(24, .bytes($0.value.deterministicBytes + [0])) }
        }
        try expect(.cborSyntax) {
            $0.changeItem = {
                .tag(24, .bytes([0xA5] + $0.value.deterministicBytes.dropFirst() + [0x66] + "random".utf8 + [0]))
            }
        }
    }

    @Test func envelope() throws {
        for wrong in [
            1, "x", [], [[:]], [:], ["docType": "x"], ["a": 1], ["documents": [:]], ["documents": []],
            ["documents": [1]], ["documents": [[:]]], ["version": "1.0", "status": 10], .tag(24, [:]), .bytes([0xA0]),
            true,
        ] as [CBOR] {
            try expect(.envelopeUnknown) { $0.wrap = { _ in wrong } }
        }
        try expect(.envelopeUnknown, at: "/documents/0") { $0.wrap = { ["documents": [$0]] } }
        try expect(.inputTooLarge, at: "/documents") {
            $0.wrap = { ["documents": CBOR(.array(Array(repeating: $0, count: 9)))] }
        }
    }

    @Test func shape() throws {
        for wrong in [nil, 1, "", .bytes([1]), [:]] as [CBOR?] {
            try expect(.shapeType, at: "/docType") {
                $0.wrap = { (["issuerSigned": $0] as CBOR).with("docType", wrong) }
            }
            try expect(.shapeType, at: "/issuerSigned/issuerAuth/docType") {
                $0.object = $0.object.with("docType", wrong)
            }
        }
        try expect(.shapeType, at: "/documents/0/docType") { $0.wrap = { ["documents": [["issuerSigned": $0]]] } }
        for wrong in [1, "x", []] as [CBOR] {
            try expect(.shapeMember, at: "/issuerSigned") { $0.changeIssuerSigned = { _ in wrong } }
        }
        for wrong in [nil, 1, "x", [], [:], ["a": 1], ["a": []], ["a": [:]], [1: [1]]] as [CBOR?] {
            try expect(.shapeMember, at: "/issuerSigned/nameSpaces") {
                $0.changeIssuerSigned = { $0.with("nameSpaces", wrong) }
            }
        }
        let item = TestMdoc.item(0, "family_name", "Rao")
        let wrong: [CBOR] = [
            item, .bytes(item.value.deterministicBytes), .tag(23, .bytes(item.value.deterministicBytes)),
            .tag(24, item),
            .tag(24, CBOR.embedded(item)), 1, .embedded([]), .embedded(.embedded(item)), .embedded([:]),
            .embedded(item.with("digestID", nil)), .embedded(item.with("digestID", -1)),
            .embedded(item.with("digestID", "0")), .embedded(item.with("random", nil)),
            .embedded(item.with("random", "x")), .embedded(item.with("elementIdentifier", nil)),
            .embedded(item.with("elementIdentifier", 1)), .embedded(item.with("elementValue", nil)),
        ]
        for wrong in wrong {
            try expect(.shapeMember, at: "/issuerSigned/nameSpaces/org.iso.18013.5.1/0") {
                $0.changeItem = { _ in wrong }
            }
        }
        for wrong in [nil, 1, "2.0", "", "1", "10"] as [CBOR?] {
            try expect(.shapeMember, at: "/issuerSigned/issuerAuth/version") {
                $0.object = $0.object.with("version", wrong)
            }
        }
        try expect(.ok) { $0.object = $0.object.with("version", "1.1") }
    }

    @Test func message() throws {
        try expect(.proofMissing, at: "/issuerSigned/issuerAuth") {
            $0.changeIssuerSigned = { $0.with("issuerAuth", nil) }
        }
        func parts(_ change: @escaping ([CBOR]) -> [CBOR]) -> (CBOR) -> CBOR {
            { CBOR(.array(change($0.array ?? []))) }
        }
        let null = CBOR(.simple(22))
        for change: ([CBOR]) -> [CBOR] in [
            { _ in [] }, { $0.dropLast() }, { $0 + [0] }, { [1, $0[1], $0[2], $0[3]] },
            { [["1": -7], $0[1], $0[2], $0[3]] }, { [.bytes([0x80]), $0[1], $0[2], $0[3]] },
            { [$0[0], [], $0[2], $0[3]] }, { [$0[0], .bytes([]), $0[2], $0[3]] }, { [$0[0], $0[1], null, $0[3]] },
            { [$0[0], $0[1], [:], $0[3]] }, { [$0[0], $0[1], $0[2], null] }, { [$0[0], $0[1], $0[2], "x"] },
            { [$0[0], $0[1], $0[2], [$0[3]]] },
        ] {
            try expect(.proofMalformed, at: "/issuerSigned/issuerAuth") { $0.changeMessage = parts(change) }
        }
        for wrong in [1, "x", .tag(17, []), .tag(98, [])] as [CBOR] {
            try expect(.proofMalformed) { $0.changeMessage = { _ in wrong } }
        }
        for number in [17, 19, 61, 98] as [UInt64] {
            try expect(.proofMalformed) { $0.changeMessage = { .tag(number, $0) } }
        }
        // The signed content must be #6.24 of a map.
        for wrong in [1, [:], .embedded(1), .embedded([]), .tag(24, [:]), .embedded(.embedded([:])), .bytes([0xA0])]
            as [CBOR]
        {
            try expect(.proofMalformed) { $0.payload = { _ in wrong.value.deterministicBytes } }
        }
        try expect(.proofMalformed) { $0.payload = { $0.value.deterministicBytes } }
        try expect(.proofMalformed) { $0.object = $0.object.with("valueDigests", 1) }
    }

    @Test func headers() throws {
        try expect(.proofAlgorithm) { $0.protected = [:] }
        try expect(.proofAlgorithm) {
            $0.protected = [:]
            $0.unprotected = $0.unprotected.with(1, -7)
        }
        try expect(.proofMalformed) { $0.unprotected = $0.unprotected.with(1, -7) }
        try expect(.proofMalformed) { $0.unprotected = $0.unprotected.with(1, -35) }
        try expect(.proofMalformed) { $0.unprotected = $0.unprotected.with(2, [1]) }
        for wrong in ["ES256", [-7], .bytes([0x26])] as [CBOR] {
            try expect(.proofAlgorithm) { $0.protected = [1: wrong] }
        }
        // Critical headers are accepted only if they are understood and present.
        try expect(.ok) { $0.protected = $0.protected.with(2, [1]) }
        for wrong in [[], 1, [4], [1, 4], [33], ["alg"], [2], [15]] as [CBOR] {
            try expect(.proofMalformed) { $0.protected = $0.protected.with(2, wrong).with(4, .bytes([1])) }
        }
        // The chain may be in either header, but only once.
        try expect(.ok) {
            $0.protected = $0.protected.with(33, $0.unprotected[33])
            $0.unprotected = [:]
        }
        try expect(.proofMalformed) { $0.protected = $0.protected.with(33, $0.unprotected[33]) }
        try expect(.ok) { $0.unprotected = [33: [$0.unprotected[33] ?? 0]] }
        // Other headers have no meaning here.
        try expect(.ok) { $0.unprotected = $0.unprotected.with(4, .bytes([1])).with("note", 1) }
    }

    @Test func certificates() throws {
        let leaf = CBOR.bytes(try issuer.signer.der)
        let root = CBOR.bytes(try issuer.root.der)
        try expect(.keyUnknown, at: "/issuerSigned/issuerAuth") { $0.unprotected = [:] }
        try expect(.keyUnknown) { $0.unprotected = [33: []] }
        for wrong in [1, "x", [leaf, 1], [[leaf]], [:], .bytes([]), .bytes([0x30]), [leaf, .bytes([1])]] as [CBOR] {
            try expect(.chainInvalid, at: "/issuerSigned/issuerAuth") { $0.unprotected = [33: wrong] }
        }
        try expect(.ok) { $0.unprotected = [33: [leaf, root]] }
        try expect(.inputTooLarge) { $0.unprotected = [33: [leaf, leaf, leaf, leaf, leaf, leaf]] }
        let stranger = try TestMdoc.Issuer()
        try expect(.chainUntrusted) { $0.unprotected = [33: .bytes(try stranger.signer.der)] }
        #expect(try mdoc.verify(stranger.material).code == .chainUntrusted)
    }

    @Test func chain() throws {
        func code(_ change: (inout TestPKI.Template) -> Void) throws -> ReasonCode {
            try TestMdoc(try TestMdoc.Issuer(change)).verify().code
        }
        #expect(try code { _ in } == .ok)
        #expect(try code { $0.purposes = [] } == .chainInvalid)
        #expect(try code { $0.usage = nil } == .chainInvalid)
        #expect(try code { $0.notAfter = "2026-10-01T00:00:00Z" } == .chainExpired)
        #expect(try code { $0.notBefore = "2026-12-01T00:00:00Z" } == .chainExpired)
        #expect(try code { $0.notBefore = "2026-02-01T00:00:00Z" } == .chainExpired)
    }

    @Test func dates() throws {
        for name in ["signed", "validFrom", "validUntil"] as [CBOR] {
            for wrong in [
                nil, "2026-06-01T00:00:00Z", .tag(1, 1_780_000_000), .tag(1004, "2026-06-01"), .tag(0, "2026-06-01"),
                .tag(0, 1), .tag(0, "2026-06-31T00:00:00Z"), .tag(0, ""), 1,
            ] as [CBOR?] {
                try expect(.shapeDates, at: "/issuerSigned/issuerAuth/validityInfo/" + (name.text?.string ?? "")) {
                    $0.setDate(name, wrong)
                }
            }
        }
        try expect(.shapeDates) { $0.object = $0.object.with("validityInfo", nil) }
        try expect(.shapeDates) { $0.object = $0.object.with("validityInfo", []) }
        try expect(.shapeDates) { $0.setDate("validUntil", .tag(0, "2025-12-31T23:59:59Z")) }
        try expect(.validityExpired) { $0.setDate("validUntil", .tag(0, "2026-11-21T11:58:00Z")) }
        try expect(.ok) { $0.setDate("validUntil", .tag(0, "2026-11-21T11:59:30Z")) }
        try expect(.validityNotYet) { $0.setDate("validFrom", .tag(0, "2026-11-21T12:02:00Z")) }
        try expect(.ok) { $0.setDate("validFrom", .tag(0, "2026-11-21T12:00:30Z")) }
        try expect(.validityNotYet) { $0.setDate("signed", .tag(0, "2026-11-21T12:02:00Z")) }
        try expect(.ok) { $0.setDate("validFrom", .tag(0, "2026-11-21T16:59:30.5+05:00")) }
        // A date without a zone means UTC, in the compat profile only.
        var zoneless = mdoc
        zoneless.setDate("validFrom", .tag(0, "2026-01-01T00:00:00"))
        #expect(try zoneless.verify().code == .shapeDates)
        #expect(try zoneless.verify(policy: .init(profile: .compat)).code == .ok)
        let unset = WallTime(utc: TestPKI.now, provenance: .unset)
        #expect(try mdoc.verify(at: unset).code == .clockUntrusted)
    }

    @Test func signature() throws {
        func signature(_ change: @escaping ([UInt8]) -> [UInt8]) -> (CBOR) -> CBOR {
            { [$0.array![0], $0.array![1], $0.array![2], .bytes(change(Array($0.array![3].bytes!)))] }
        }
        try expect(.proofMalformed) { $0.changeMessage = signature { _ in [] } }
        try expect(.proofMalformed) { $0.changeMessage = signature { $0.dropLast() } }
        try expect(.proofMalformed) { $0.changeMessage = signature { $0 + [0] } }
        try expect(.proofMalformed) { $0.changeMessage = signature { [0] + $0 } }
        try expect(.proofInvalid) { $0.changeMessage = signature { $0.reversed() } }
        try expect(.proofInvalid) { $0.changeMessage = signature { _ in [UInt8](repeating: 0, count: 64) } }
        try expect(.proofInvalid) { $0.changeMessage = signature { _ in [UInt8](repeating: 0xFF, count: 64) } }
        // Another protected header, payload or context than the signed one.
        try expect(.proofInvalid) {
            $0.changeMessage = { [.bytes([0xA1, 0x01, 0x38, 0x06]), $0.array![1], $0.array![2], $0.array![3]] }
        }
        // Signed by another key than the certificate's.
        var forged = try TestMdoc(TestMdoc.Issuer())
        forged.unprotected = mdoc.unprotected
        #expect(try forged.verify(issuer.material).code == .proofInvalid)
    }

    @Test func content() throws {
        try expect(.mdocDoctype, at: "/docType") { $0.wrap = { ["docType": "org.example.pass", "issuerSigned": $0] } }
        try expect(.mdocDoctype) { $0.wrap = { $0.with("docType", "org.example.pass") } }
        try expect(.mdocDoctype) { $0.wrap = { $0.with("docType", 1) } }
        try expect(.mdocDoctype) { $0.object = $0.object.with("docType", "org.iso.18013.5.1.mdl") }
        try expect(.mdocDoctype) { $0.wrap = { ["docType": "org.iso.18013.5.1.mDL ", "issuerSigned": $0] } }
        let place = "/issuerSigned/nameSpaces/org.iso.18013.5.1"
        for (name, value) in [
            ("elementValue", "x"), ("elementIdentifier", "x"), ("digestID", 9), ("random", .bytes([9])), ("more", 1),
        ] as [(CBOR, CBOR)] {
            try expect(.mdocDigest, at: place + "/0") { $0.changeItem = { .embedded($0.with(name, value)) } }
        }
        // The same item in another encoding is not the signed item.
        try expect(.mdocDigest, at: place + "/0") {
            $0.changeItem = { .tag(24, .bytes([0xB8, 0x04] + $0.value.deterministicBytes.dropFirst())) }
        }
        try expect(.mdocDigest, at: "/issuerSigned/nameSpaces/other") {
            $0.changeIssuerSigned = { $0.with("nameSpaces", ["other": $0["nameSpaces"]!["org.iso.18013.5.1"]!]) }
        }
        try expect(.mdocDigest) { $0.object = $0.object.with("valueDigests", [:]) }
        try expect(.mdocDigest) { $0.object = $0.object.with("valueDigests", ["org.iso.18013.5.1": [0: 1]]) }
        try expect(.mdocDigest) { $0.object = $0.object.with("valueDigests", ["org.iso.18013.5.1": []]) }
        for wrong in [nil, 1, "", "sha-256", "SHA256", "MD5", "SHA-1", "SHA3-256"] as [CBOR?] {
            try expect(.proofAlgorithm, at: "/issuerSigned/issuerAuth/digestAlgorithm") {
                $0.object = $0.object.with("digestAlgorithm", wrong)
            }
        }
    }

    /// One item twice, one digest for two items, or one name for two items. Such content is ambiguous, signed or not.
    @Test func ambiguity() throws {
        try expect(.mdocDigest) {
            $0.changeIssuerSigned = {
                let items = $0["nameSpaces"]!["org.iso.18013.5.1"]!.array!
                return $0.with("nameSpaces", ["org.iso.18013.5.1": CBOR(.array(items + [items[0]]))])
            }
        }
        try expect(.mdocDigest, at: "/issuerSigned/nameSpaces/org.iso.18013.5.1/5") {
            $0.items[0].items.append(TestMdoc.item(9, "family_name", "Rao"))
        }
        // The same name in two namespaces is not a contradiction.
        try expect(.ok) { $0.items.append(("org.example", [TestMdoc.item(0, "family_name", "Roy")])) }
    }

    @Test func country() throws {
        for wrong in ["US", "ut", "", " UT", 1, .bytes(Array("UT".utf8))] as [CBOR] {
            try expect(.mdocCountry, at: "/issuerSigned/nameSpaces/org.iso.18013.5.1/2") {
                $0.items[0].items[2] = TestMdoc.item(2, "issuing_country", wrong)
            }
        }
        try expect(.ok) { $0.items[0].items.remove(at: 2) }
        // In another namespace the element may be the country of something else (ISO/IEC 18013-5 section
        // 7.2.1 concerns this namespace).
        try expect(.ok) { $0.items.append(("org.example", [TestMdoc.item(0, "issuing_country", "US")])) }
        try expect(.ok) {
            $0.items.append(("org.iso.18013.5.1.aamva", [TestMdoc.item(0, "issuing_country", "US")]))
        }
    }

    /// The first error in this order decides: CBOR, shape, validity, chain, signature, docType, digests,
    /// country.
    @Test func order() throws {
        let stranger = try TestMdoc.Issuer()
        var wrong = mdoc
        func expect(_ code: ReasonCode, _ material: TrustMaterial? = nil) throws {
            #expect(try wrong.verify(material).code == code)
        }
        wrong.items[0].items[2] = TestMdoc.item(2, "issuing_country", "US")
        try expect(.mdocCountry)
        wrong.changeItem = { .embedded($0.with("random", .bytes([]))) }
        try expect(.mdocDigest)
        wrong.wrap = { ["docType": "x", "issuerSigned": $0] }
        try expect(.mdocDoctype)
        wrong.changeMessage = { [$0.array![0], $0.array![1], $0.array![2], .bytes([UInt8](repeating: 1, count: 64))] }
        try expect(.proofInvalid)
        wrong.protected = [1: -35]
        try expect(.proofAlgorithm)
        try expect(.chainUntrusted, stranger.material)
        wrong.setDate("validUntil", .tag(0, "2026-01-02T00:00:00Z"))
        try expect(.validityExpired, stranger.material)
        wrong.setDate("validFrom", nil)
        try expect(.shapeDates, stranger.material)
    }
}
