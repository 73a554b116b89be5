import Crypto
import Encoding
import Reasons
import Testing
import X509

@testable import Credentials

/// Valid mdocs in every wrapping, and the facts that reach the verdict and the policy.
@Suite struct MdocTests {
    private let issuer: TestMdoc.Issuer
    private let mdoc: TestMdoc

    init() throws {
        issuer = try TestMdoc.Issuer()
        mdoc = try TestMdoc(issuer)
    }

    private func check(_ letters: [UInt8], mode: Credentials.Verifier.Mode = .full) throws -> (MdocCheck, ReasonCode) {
        let verificationContext = VerificationContext(
            trust: try TrustStore(issuer.material), policy: .init(), limits: .init(), clock: TestMdoc.clock,
            onStage: nil)
        var check = MdocCheck(
            letters, verificationContext, mode: mode, summary: CredentialSummary(format: .mdoc))
        do throws(Rejection) {
            try check.verify()
            return (check, .ok)
        } catch { return (check, error.reason.code) }
    }

    @Test func verdict() throws {
        let verdict = try mdoc.verify()
        #expect(verdict.isAccepted && verdict.code == .ok && verdict.unsigned.isEmpty)
        let summary = verdict.credential
        #expect(summary.format == .mdoc && summary.types == ["org.iso.18013.5.1.mDL"])
        let root = try issuer.rootID
        #expect(summary.issuer == root)
        #expect(summary.validFrom?.rfc3339 == "2026-01-01T00:00:00.000Z")
        #expect(summary.validUntil?.rfc3339 == "2027-01-01T00:00:00.000Z")
        let payload = try #require(try mdoc.build()["issuerSigned"]?["issuerAuth"]?.array?[2].bytes)
        #expect(summary.signedDigest == Array(SHA256.hash(data: payload)))
    }

    @Test func claims() throws {
        let (check, code) = try check(mdoc.letters())
        let claims = try #require(check.evidence.credentials.first?.claims)
        #expect(code == .ok && check.evidence.credentials.count == 1 && check.evidence.holder == .missing)
        let root = try issuer.rootID
        #expect(claims.format == .mdoc && claims.issuer == root)
        #expect(claims.types == ["org.iso.18013.5.1.mDL"] && claims.subjects.ids.isEmpty && claims.deferred == nil)
        #expect(
            claims.document == [
                "docType": "org.iso.18013.5.1.mDL",
                "nameSpaces": [
                    "org.iso.18013.5.1": [
                        "family_name": "Rao", "birth_date": "1990-06-15", "issuing_country": "UT", "portrait": "AQID",
                        "age_over_18": true,
                    ]
                ],
            ])
        #expect(claims.signed.digest == check.evidence.credentials.first?.summary.signedDigest)
    }

    @Test func stages() throws {
        var stages: [Stage] = []
        _ = Credentials.Verifier(trust: try TrustStore(issuer.material))
            .verify(try mdoc.letters(), at: TestMdoc.clock) { stages.append($0) }
        #expect(
            stages == [
                .input, .syntax, .envelope, .syntax, .envelope, .shape, .validity, .key, .proof, .status, .holder,
                .replay,
            ])
    }

    @Test func wrappings() throws {
        var changed = mdoc
        for wrap: (CBOR) -> CBOR in [
            { $0 },
            { $0.with("docType", "org.iso.18013.5.1.mDL") },
            { ["docType": "org.iso.18013.5.1.mDL", "issuerSigned": $0, "deviceSigned": ["nameSpaces": 0]] },
            {
                [
                    "version": "1.0", "status": 0,
                    "documents": [["docType": "org.iso.18013.5.1.mDL", "issuerSigned": $0, "deviceSigned": [:]]],
                ]
            },
        ] {
            changed.wrap = wrap
            #expect(try changed.verify().code == .ok)
            let (check, code) = try check(changed.letters())
            #expect(code == .ok && check.evidence.credentials.count == 1)
        }
        changed = mdoc
        changed.changeMessage = { .tag(18, $0) }
        #expect(try changed.verify().code == .ok)
    }

    /// The sender's label for the format is optional but must agree, and base64url may be padded.
    @Test func detection() throws {
        let verifier = Credentials.Verifier(trust: try TrustStore(issuer.material))
        for extra in 0..<3 {
            var changed = mdoc
            changed.wrap = {
                [
                    "docType": "org.iso.18013.5.1.mDL", "issuerSigned": $0,
                    "x": .bytes([UInt8](repeating: 0, count: extra)),
                ]
            }
            let letters = try changed.letters()
            let padded = letters + [UInt8](repeating: UInt8(ascii: "="), count: (4 - letters.count % 4) % 4)
            for text in [letters, padded] {
                for (claimed, wanted) in [(nil, .ok), (.mdoc, .ok), (.ldpVC, .kindDisagrees)]
                    as [(CredentialFormat?, ReasonCode)]
                {
                    #expect(verifier.verify(text, claimed: claimed, at: TestMdoc.clock).code == wanted)
                }
                let inner = JSON.text(String(decoding: text, as: UTF8.self))
                let record: JSON = [
                    "verifiableCredential": ["credential": inner], "vcMetadata": ["format": "mso_mdoc"],
                ]
                #expect(verifier.verify(record.compactBytes, at: TestMdoc.clock).code == .ok)
                #expect(verifier.verify(inner.compactBytes, claimed: .mdoc, at: TestMdoc.clock).code == .ok)
            }
        }
    }

    /// One response with several documents: each document is verified and has claims and a place of its own.
    @Test func severalDocuments() throws {
        var second = mdoc
        second.object = second.object.with("docType", "org.example.pass")
        second.items = [("org.example", [TestMdoc.item(7, "zone", "north")])]
        second.wrap = { ["docType": "org.example.pass", "issuerSigned": $0] }
        func response(_ documents: [CBOR]) -> [UInt8] {
            TestMdoc.letters(
                CBOR(.map([CBOR.Pair("documents", CBOR(.array(documents)))])).value.deterministicBytes)
        }
        let (check, code) = try check(response([try mdoc.build(), try second.build()]))
        #expect(code == .ok && check.evidence.credentials.map(\.summary.place) == ["/documents/0", "/documents/1"])
        #expect(check.evidence.credentials.map(\.claims?.types) == [["org.iso.18013.5.1.mDL"], ["org.example.pass"]])
        #expect(
            check.evidence.credentials.last?.claims?.document?["nameSpaces"]?["org.example"]?["zone"]?.string == "north"
        )

        // One invalid document invalidates the whole response, and the verdict names it.
        second.changeItem = { .embedded($0.with("elementValue", "south")) }
        let verifier = Credentials.Verifier(trust: try TrustStore(issuer.material))
        let letters = response([try mdoc.build(), try second.build()])
        let verdict = verifier.verify(letters, at: TestMdoc.clock)
        #expect(verdict.code == .mdocDigest)
        #expect(verdict.reasons.first?.pointer == "/documents/1/issuerSigned/nameSpaces/org.example/0")
    }

    @Test func algorithms() throws {
        let p384 = P384.Signing.PrivateKey()
        let es384 = try TestMdoc.Issuer(.init(p384), algorithm: -35) {
            try Array(p384.signature(for: $0).rawRepresentation)
        }
        #expect(try TestMdoc(es384).verify().code == .ok)
        let ed25519 = Curve25519.Signing.PrivateKey()
        let edDSA = try TestMdoc.Issuer(.init(ed25519), algorithm: -8) { Array(try ed25519.signature(for: $0)) }
        #expect(try TestMdoc(edDSA).verify().code == .ok)
        // An algorithm of another key type, or of none.
        for (key, algorithm) in [(es384, -7), (edDSA, -7), (issuer, -35), (issuer, -8), (issuer, -36), (issuer, 5)] {
            var changed = try TestMdoc(key)
            changed.protected = [1: CBOR(integerLiteral: algorithm)]
            #expect(try changed.verify().code == .proofAlgorithm)
        }
    }

    @Test func digestAlgorithms() throws {
        var changed = mdoc
        changed.object = changed.object.with("digestAlgorithm", "SHA-384")
        changed.hash = { Array(SHA384.hash(data: $0)) }
        #expect(try changed.verify().code == .ok)
        changed.object = changed.object.with("digestAlgorithm", "SHA-512")
        #expect(try changed.verify().code == .mdocDigest)
        changed.hash = { Array(SHA512.hash(data: $0)) }
        #expect(try changed.verify().code == .ok)
        // A truncated digest is refused.
        changed.hash = { Array(SHA512.hash(data: $0).prefix(32)) }
        #expect(try changed.verify().code == .mdocDigest)
        changed.hash = { _ in [] }
        #expect(try changed.verify().code == .mdocDigest)
        changed.object = changed.object.with("digestAlgorithm", "SHA-1")
        changed.hash = { Array(Insecure.SHA1.hash(data: $0)) }
        #expect(try changed.verify().code == .proofAlgorithm)
    }

    /// Anyone can derive a second valid ECDSA signature from a first signature. The second signature must not make the
    /// document a new document.
    @Test func malleableSignature() throws {
        let order = try #require(Hex.decode("ffffffff00000000ffffffffffffffffbce6faada7179e84f3b9cac2fc632551"))
        var changed = mdoc
        changed.changeMessage = { message in
            guard let parts = message.array, let signature = parts[3].bytes else { return message }
            var (s, borrow) = (Array(signature.suffix(32)), 0)
            for index in s.indices.reversed() {
                let digit = Int(order[index]) - Int(s[index]) - borrow
                borrow = digit < 0 ? 1 : 0
                s[index] = UInt8(truncatingIfNeeded: digit)
            }
            return [parts[0], parts[1], parts[2], .bytes(Array(signature.prefix(32)) + s)]
        }
        let (first, second) = (try mdoc.build(), try changed.build())
        #expect(first.value.deterministicBytes != second.value.deterministicBytes)
        let verdict = try mdoc.verify()
        let verifier = Credentials.Verifier(trust: try TrustStore(issuer.material))
        let again = verifier.verify(
            try changed.letters(), recent: Set([verdict.credential.signedDigest ?? []]), at: TestMdoc.clock)
        #expect(try changed.verify().code == .ok && again.code == .replaySeen)
    }

    /// A selection of the items is still valid.
    @Test func fewerItems() throws {
        var fewer = mdoc
        fewer.changeIssuerSigned = { signed in
            let items = signed["nameSpaces"]?["org.iso.18013.5.1"]?.array ?? []
            return signed.with("nameSpaces", ["org.iso.18013.5.1": CBOR(.array([items[4]]))])
        }
        let (check, code) = try check(fewer.letters())
        #expect(code == .ok)
        #expect(
            check.evidence.credentials.first?.claims?.document?["nameSpaces"]?["org.iso.18013.5.1"] == [
                "age_over_18": true
            ])
    }

    @Test func valuesAsJSON() throws {
        let hex = [
            ("1bffffffffffffffff", "18446744073709551615"), ("3bffffffffffffffff", "-18446744073709551616"),
            ("20", "-1"), ("00", "0"), ("f93e00", "1.5"), ("f97c00", "null"), ("f97e00", "null"), ("f6", "null"),
            ("f7", "null"), ("f0", "null"), ("f5", "true"), ("f4", "false"), ("43010203", "\"AQID\""),
            ("c249010000000000000000", "\"AQAAAAAAAAAA\""), ("d903ec6a323032302d30312d3031", "\"2020-01-01\""),
            ("c11a514b67b0", "1363896240"), ("d818420102", "\"AQI\""),
            ("83010261 61".filter { $0 != " " }, "[1,2,\"a\"]"),
            ("a2616101616280", "{\"a\":1,\"b\":[]}"), ("a301010261616101616202", ""),
            ("a3010120026161613c", "{\"a\":\"<\"}"),
        ]
        for (hex, text) in hex where !text.isEmpty {
            let item = try CBOR.decode(try #require(Hex.decode(hex)))
            #expect(MdocClaims.json(item).compactText == text, "\(hex)")
        }
    }
}
