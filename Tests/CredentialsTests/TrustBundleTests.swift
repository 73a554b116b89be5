import Encoding
import Testing

@testable import Credentials

/// Bundles: a reader accepts exactly the signed content.
@Suite struct TrustBundleTests {
    private let key: OperatorSigningKey
    private let other: OperatorSigningKey
    private let edition = TrustEdition(
        version: 42, digest: [], issued: Timestamp(seconds: 1_790_000_000),
        validUntil: Timestamp(seconds: 1_800_000_000),
        grace: .seconds(86_400))
    private let files: [Text: [UInt8]] = [
        "issuers.toml": Array("[[issuer]]\nid = \"did:web:a.example\"\n".utf8), "did/a.json": Array("{}".utf8),
        "roots/empty.pem": [], "status/1.json": [UInt8](repeating: 0x0A, count: 100),
    ]

    init() throws {
        key = try #require(OperatorSigningKey(seed: [UInt8](repeating: 1, count: 32)))
        other = try #require(OperatorSigningKey(seed: [UInt8](repeating: 2, count: 32)))
    }

    private func bundle() throws -> [UInt8] { try TrustBundle.write(edition, files: files, key: key) }

    /// Returns why a bundle is refused, or nil if it is accepted.
    private func refusal(
        _ bytes: [UInt8], keys: [OperatorKey]? = nil, limits: TrustBundle.Limits = .init()
    ) -> TrustBundle.Failure? {
        do {
            _ = try TrustBundle(bytes, keys: keys ?? [key.publicKey], limits: limits)
            return nil
        } catch { return error }
    }

    /// Returns a validly signed bundle with this list of files.
    private func signed(_ manifest: JSON, _ bodies: [UInt8] = []) throws -> [UInt8] {
        try signed(manifest.compactBytes, bodies)
    }

    private func signed(_ manifest: [UInt8], _ bodies: [UInt8] = []) throws -> [UInt8] {
        let head = Array("gatehouse trust bundle 1\n".utf8)
        let signature = try #require(key.signature(over: head + manifest + [0x0A]))
        return head + Array(Base64.encode(signature).utf8) + [0x0A] + manifest + [0x0A] + bodies
    }

    private func manifest(
        _ files: [JSON] = [], _ change: (inout JSONObject) -> Void = { _ in }
    ) -> JSON {
        var object: JSONObject = [
            "version": 1, "issued": "2026-01-01T00:00:00Z", "validUntil": "2027-01-01T00:00:00Z", "graceSeconds": 0,
            "files": .array(files),
        ]
        change(&object)
        return .object(object)
    }

    private func file(_ path: String, _ content: [UInt8] = []) -> JSON {
        ["path": .text(path), "size": .int(content.count), "sha256": .text(Hex.encode(Digest.sha256(content)))]
    }

    @Test func isReadAsItWasWritten() throws {
        let bytes = try bundle()
        let read = try TrustBundle(bytes, keys: [other.publicKey, key.publicKey])
        #expect(read.files == files)
        #expect(read.edition.version == 42 && read.edition.issued == edition.issued)
        #expect(read.edition.validUntil == edition.validUntil && read.edition.grace == edition.grace)
        #expect(read.edition.digest == Digest.sha256(bytes))
    }

    @Test func everyChangedByteIsNoticed() throws {
        let bytes = try bundle()
        for index in bytes.indices {
            var changed = bytes
            changed[index] ^= 1
            #expect(refusal(changed) != nil, "byte \(index)")
        }
    }

    @Test func everyMissingPieceIsNoticed() throws {
        let bytes = try bundle()
        for count in 0..<bytes.count { #expect(refusal(Array(bytes.prefix(count))) != nil, "\(count) bytes") }
        #expect(refusal(bytes + [0x0A]) == .trailing)
    }

    @Test func onlyTheOperatorsKeysCount() throws {
        let bytes = try bundle()
        #expect(refusal(bytes, keys: [other.publicKey]) == .wrongSignature)
        #expect(refusal(bytes, keys: []) == .wrongSignature)
        #expect(refusal(try TrustBundle.write(edition, files: files, key: other)) == .wrongSignature)
    }

    @Test func otherFilesAndFormatsAreNone() throws {
        #expect(refusal([]) == .notABundle)
        #expect(refusal(Array("{\"version\": 1}".utf8)) == .notABundle)
        let text = String(decoding: try signed(manifest()), as: UTF8.self)
        #expect(refusal(Array(text.utf8)) == nil)
        let next = text.replacingFirst("bundle 1", with: "bundle 2")
        #expect(refusal(Array(next.utf8)) == .unknownFormat)
        let long = text.replacingFirst("bundle 1", with: "bundle 10")
        #expect(refusal(Array(long.utf8)) == .unknownFormat)
    }

    @Test(arguments: [
        "../issuers.toml", "/etc/passwd", "did/../../x", "did/./a.json", "did//a.json", "did/", "did", "", "other.toml",
        "refreshed/a.json", "did/.hidden.json", ".issuers.toml", "did/a b.json", "did/a\u{0}.json", "did\\a.json",
        "did/ä.json", "issuers.toml/a", "Issuers.toml", "did/a/b/c/d.json",
    ]) func pathsStayInside(_ path: String) throws {
        #expect(refusal(try signed(manifest([file(path)]))) == .path(path))
    }

    @Test func aPathIsThereOnce() throws {
        let twice = manifest([file("did/a.json"), file("did/a.json")])
        #expect(refusal(try signed(twice)) == .duplicate("did/a.json"))
    }

    @Test func theListIsReadStrictly() throws {
        let changes: [(inout JSONObject) -> Void] = [
            { $0["version"] = 0 }, { $0["version"] = -1 }, { $0["version"] = "1" }, { $0["version"] = nil },
            { $0["version"] = .number(JSONNumber(validated: "1e0")) },
            { $0["version"] = .number(JSONNumber(validated: "9007199254740993")) },
            { $0["issued"] = "today" }, { $0["issued"] = "2027-01-01T00:00:00Z" }, { $0["validUntil"] = nil },
            { $0["graceSeconds"] = -1 }, { $0["graceSeconds"] = 40_000_000 }, { $0["files"] = "none" },
            { $0["more"] = true },
        ]
        for (index, change) in changes.enumerated() {
            guard case .malformed = refusal(try signed(manifest([], change))) else {
                Issue.record("change \(index) is accepted")
                continue
            }
        }
        for text in ["{\"version\":1,\"version\":2}", "[]", "", "{}x"] {
            guard case .malformed = refusal(try signed(Array(text.utf8))) else {
                Issue.record("\(text) is accepted")
                continue
            }
        }
        var wrong = file("did/a.json").object ?? [:]
        wrong["mode"] = 493
        #expect(refusal(try signed(manifest([.object(wrong)]))) == .malformed("an entry of files"))
        for size in ["-1", "1.5", "99999999999999999999"] {
            wrong = file("did/a.json").object ?? [:]
            wrong["size"] = .number(JSONNumber(validated: size))
            #expect(refusal(try signed(manifest([.object(wrong)]))) == .malformed("an entry of files"))
        }
    }

    @Test func sizesAreBounded() throws {
        var limits = TrustBundle.Limits()
        let bytes = try bundle()
        limits.bytes = bytes.count
        #expect(refusal(bytes, limits: limits) == nil)
        limits.bytes -= 1
        #expect(refusal(bytes, limits: limits) == .tooLarge)
        limits = .init()
        limits.fileBytes = 99
        #expect(refusal(bytes, limits: limits) == .tooLarge)
        limits = .init()
        limits.files = 3
        #expect(refusal(bytes, limits: limits) == .tooLarge)
        // A list that announces more than the bundle can contain.
        var huge = file("did/a.json").object ?? [:]
        huge["size"] = .int(1 << 20)
        #expect(refusal(try signed(manifest([.object(huge)]), [1, 2])) == .truncated)
        huge["size"] = .int(1 << 40)
        #expect(refusal(try signed(manifest([.object(huge)]))) == .tooLarge)
    }

    @Test func noUnreadableBundleIsWritten() {
        #expect(throws: TrustBundle.Failure.path("../x")) {
            try TrustBundle.write(edition, files: ["../x": []], key: key)
        }
        var dateless = edition
        dateless.validUntil = dateless.issued
        #expect(throws: TrustBundle.Failure.malformed("validUntil")) {
            try TrustBundle.write(dateless, files: [:], key: key)
        }
    }

    @Test func versionsOnlyGrow() {
        func edition(_ version: Int, _ byte: UInt8) -> TrustEdition {
            TrustEdition(
                version: version, digest: [byte], issued: Timestamp(seconds: 0), validUntil: Timestamp(seconds: 1))
        }
        #expect(TrustSuccession(edition(1, 1), after: nil) == .install)
        #expect(TrustSuccession(edition(2, 1), after: edition(1, 1)) == .install)
        #expect(TrustSuccession(edition(1, 1), after: edition(1, 1)) == .unchanged)
        #expect(TrustSuccession(edition(1, 2), after: edition(1, 1)) == .conflict)
        #expect(TrustSuccession(edition(1, 1), after: edition(2, 1)) == .rollBack(installed: 2))
    }

    @Test func keysHaveTheirUsualForms() throws {
        // RFC 8032 section 7.1, test 1, and its key as PEM (RFC 8410).
        let seed = try #require(Hex.decode("9d61b19deffd5a60ba844af492ec2cc44449c5697b326919703bac031cae7f60"))
        let key = try #require(OperatorSigningKey(seed: seed))
        #expect(
            Hex.encode(key.publicKey.bytes) == "d75a980182b10ab7d54bfed3c964073a0ee172f3daa62325af021a68f707511a")
        #expect(key.publicKey.text.hasPrefix("z6Mk"))
        #expect(OperatorKey(Text(key.publicKey.text)) == key.publicKey)
        #expect(OperatorKey(Text("did:key:" + key.publicKey.text)) == key.publicKey)
        for wrong in ["", "z", "z6Mk", "did:key:", "zDnaerDaTF5BXEavCrfRZEk316dpbLsfPDZ3WJ5hRTPFU2169"] {
            #expect(OperatorKey(Text(wrong)) == nil, "\(wrong)")
        }
        let pem = key.pem
        #expect(pem.contains("MC4CAQAwBQYDK2VwBCIEIJ1hsZ3v/VpguoRK9JLsLMREScVpezJpGXA7rAMcrn9g"))
        #expect(OperatorSigningKey(pem: Array(pem.utf8))?.publicKey == key.publicKey)
        for wrong in ["", "x", pem.replacingFirst("MC4C", with: "MC8C"), pem.replacingFirst("PRIVATE", with: "PUBLIC")]
        {
            #expect(OperatorSigningKey(pem: Array(wrong.utf8)) == nil)
        }
    }
}

extension String {
    /// Returns the text with the first occurrence of `part` replaced.
    fileprivate func replacingFirst(_ part: String, with other: String) -> String {
        guard let range = firstRange(of: part) else { return self }
        return replacingCharacters(range, other)
    }

    private func replacingCharacters(_ range: Range<String.Index>, _ other: String) -> String {
        self[..<range.lowerBound] + other + self[range.upperBound...]
    }
}
