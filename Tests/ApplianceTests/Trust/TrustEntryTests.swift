import Credentials
import Encoding
import Testing

@testable import TrustFiles

/// Every key of an issuer's entry, and every invalid form of it.
@Suite struct TrustEntryTests {
    private static let hex = String(repeating: "ab", count: 32)

    private func read(_ lines: String) -> IssuersFile {
        IssuersFile(Array("[[issuer]]\nid = \"did:web:a.example\"\n\(lines)\n".utf8))
    }

    @Test func everyKeyIsRead() throws {
        let file = read(
            """
            groups = ["works", "north"]
            types = ["https://a.example/Pass"]
            contexts = ["https://www.w3.org/ns/credentials/v2"]
            valid-from = "2026-01-01T00:00:00Z"
            valid-until = 2027-01-01T00:00:00Z
            keys = ["sha256:\(Self.hex)"]
            roots = ["x509:sha256:\(Self.hex)"]
            token-signer-usages = ["1.3.6.1.5.5.7.3.36", "1.0.18013.5.1.2"]
            status-lists = ["https://a.example/status/1"]
            status-list-aliases = { "https://a.example/status/1" = "https://lists.example/1" }
            withheld-expiry = "allow"
            withheld-status = "allow"
            mandatory-arrays = "whole"
            unchecked-status-types = ["https://a.example/Unchecked"]
            document-max-age = "30d"
            documents = [{ id = "did:web:a.example", sha256 = "\(Self.hex)", fetched = "2026-05-01T00:00:00Z" }]
            revoked-keys = [
                { key = "did:web:a.example#1", since = "2026-05-01T00:00:00Z" },
                { key = "sha256:\(Self.hex)", since = "2026-05-02T00:00:00Z", reason = "retired" },
            ]
            """)
        #expect(file.problems.isEmpty, "\(file.problems)")
        let issuer = try #require(file.issuers.first)
        #expect(issuer.groups == ["works", "north"] && issuer.types == ["https://a.example/Pass"])
        #expect(issuer.contexts == ["https://www.w3.org/ns/credentials/v2"])
        #expect(issuer.notBefore == Timestamp(rfc3339: "2026-01-01T00:00:00Z"))
        #expect(issuer.notAfter == Timestamp(rfc3339: "2027-01-01T00:00:00Z"))
        #expect(issuer.keys?.map(\.text) == ["sha256:" + Self.hex])
        #expect(issuer.roots == [Text("x509:sha256:" + Self.hex)])
        #expect(issuer.tokenSignerUsages?.map(\.text) == ["1.3.6.1.5.5.7.3.36", "1.0.18013.5.1.2"])
        #expect(issuer.statusLists == ["https://a.example/status/1"] && issuer.documentMaxAge == .seconds(30 * 86_400))
        #expect(issuer.statusListAliases == ["https://a.example/status/1": "https://lists.example/1"])
        #expect(issuer.mayWithholdExpiry && issuer.mayWithholdStatus && issuer.takesArraysWhole)
        #expect(issuer.uncheckedStatusTypes == ["https://a.example/Unchecked"])
        #expect(issuer.pinnedDocuments["did:web:a.example"] == [UInt8](repeating: 0xAB, count: 32))
        #expect(file.fetched["did:web:a.example"] == Timestamp(rfc3339: "2026-05-01T00:00:00Z"))
        #expect(file.revokedKeys.map(\.reason) == [.compromised, .retired])
        #expect(file.revokedKeys.first?.key == .method("did:web:a.example#1"))
    }

    @Test func aKeyCanBeRevokedForAll() {
        let file = IssuersFile(
            Array("revoked-keys = [{ key = \"did:web:a#1\", since = \"2026-05-01T00:00:00Z\" }]\n".utf8))
        #expect(file.problems.isEmpty && file.revokedKeys.count == 1 && file.issuers.isEmpty)
    }

    @Test("a file without a setting for issuers without types is from an earlier version")
    func issuersWithoutTypes() {
        for (text, wanted) in [
            ("", UntypedIssuers.warn), ("untyped-issuers = \"warn\"\n", .warn),
            ("untyped-issuers = \"refuse\"\n", .refuse),
        ] {
            let file = IssuersFile(Array(text.utf8))
            #expect(file.problems.isEmpty && file.untypedIssuers == wanted)
        }
        for slip in ["untyped-issuers = \"admit\"\n", "untyped-issuers = true\n"] {
            let file = IssuersFile(Array(slip.utf8))
            #expect(file.problems.map(\.line) == [1] && file.untypedIssuers == .refuse)
        }
    }

    @Test("each setting of an entry is in the version of the trust data and in what trust list shows")
    func settingsShow() throws {
        let lines = [
            "groups = [\"g\"]", "types = [\"t\"]", "contexts = [\"c\"]", "valid-from = \"2026-01-01T00:00:00Z\"",
            "valid-until = \"2027-01-01T00:00:00Z\"", "controllers = [\"did:web:b\"]",
            "keys = [\"sha256:\(Self.hex)\"]",
            "roots = [\"x509:sha256:\(Self.hex)\"]", "token-signer-usages = [\"1.2.3\"]", "key-purpose = \"did-wide\"",
            "inline-contexts = \"allow\"", "status-issuers = [\"did:web:c\"]",
            "status-lists = [\"https://a.example/s\"]", "status-list-aliases = { \"https://a.example/s\" = \"x\" }",
            "unchecked-status-types = [\"u\"]", "withheld-expiry = \"allow\"", "withheld-status = \"allow\"",
            "mandatory-arrays = \"whole\"", "document-max-age = \"30d\"",
            "documents = [{ id = \"did:web:c\", sha256 = \"\(Self.hex)\" }]",
            "document-signer-usages = [\"1.2.3\"]", "issuing-country = \"any\"", "plain-sd-jwt = true",
            "embedded-claims = \"allow\"",
        ]
        let keys = Set(lines.map { String($0.prefix { $0 != " " }) })
        #expect(keys == Set(TrustDirectory.issuerForms.map(\.key)).subtracting(["id", "revoked-keys"]))
        let clock = WallTime(utc: Timestamp(seconds: 1_780_000_000), provenance: .given)
        func look(_ lines: String) throws -> (version: String, list: String, json: String) {
            let id = "x509:sha256:\(Self.hex)"
            let file = IssuersFile(Array("[[issuer]]\nid = \"\(id)\"\n\(lines)\n".utf8))
            #expect(file.problems.isEmpty, "\(file.problems)")
            let directory = try TrustDirectory(
                TrustMaterial(issuers: file.issuers), rules: nil, name: "d")
            let report = TrustReport(directory, rules: RulesInForce(file: nil, over: directory), at: clock)
            return (
                directory.store.version, report.lines.dropFirst().joined(separator: "\n"),
                report.json["issuers"]?.compactText ?? ""
            )
        }
        let bare = try look("")
        for line in lines {
            let set = try look(line)
            #expect(set.version != bare.version, "\(line)")
            #expect(set.list != bare.list, "\(line)")
            #expect(set.json != bare.json, "\(line)")
        }
    }

    @Test(arguments: [
        "groups = \"works\"", "types = [1]", "contexts = true", "valid-from = \"today\"", "valid-from = 2026",
        "valid-from = 2026-01-01",
        "valid-from = \"2027-01-01T00:00:00Z\"\nvalid-until = \"2026-01-01T00:00:00Z\"", "keys = [\"sha256:00\"]",
        "keys = [\"z6Mk\"]", "status-lists = [\"http://a.example/\"]",
        "status-list-aliases = [\"https://a.example/1\"]", "status-list-aliases = { \"https://a.example/1\" = 1 }",
        "unchecked-status-types = \"u\"", "withheld-expiry = true", "withheld-status = 1", "mandatory-arrays = true",
        "withheld-expiry = \"maybe\"",
        "document-max-age = \"long\"",
        "document-max-age = 30", "documents = [\"did:web:a.example\"]", "documents = [{ sha256 = \"00\" }]",
        "documents = [{ id = \"did:web:a.example\", sha256 = \"00\" }]", "documents = [{ id = \"a\", md5 = \"00\" }]",
        "revoked-keys = [{ key = \"a\" }]", "revoked-keys = [{ since = \"2026-05-01T00:00:00Z\" }]",
        "revoked-keys = [{ key = \"sha256:00\", since = \"2026-05-01T00:00:00Z\" }]",
        "revoked-keys = [{ key = \"a\", since = \"2026-05-01T00:00:00Z\", reason = \"lost\" }]",
        "revoked-keys = [{ key = \"a\", since = \"2026-05-01T00:00:00Z\", reason = 1 }]",
        "revoked-keys = [{ key = \"a\", since = \"2026-05-01T00:00:00Z\", more = 1 }]", "group = [\"works\"]",
        "roots = [\"sha256:00\"]", "roots = \"x509\"", "token-signer-usages = [\"mdlDS\"]",
        "token-signer-usages = \"1.2.3\"", "token-signer-usages = [\"1.3.6.1.5.5.7.3.1\"]",
        "document-signer-usages = [\"1.2.3\"]", "issuing-country = \"any\"",
    ]) func everyMistakeIsFound(_ lines: String) throws {
        let problem = try #require(read(lines).problems.first, "\(lines)")
        #expect((problem.line ?? 0) >= 2 && !problem.remedy.isEmpty)
    }

    /// The settings of mdocs are in the entry of their root.
    @Test func entriesOfRoots() throws {
        func read(_ lines: String) -> IssuersFile {
            IssuersFile(Array("[[issuer]]\nid = \"x509:sha256:\(Self.hex)\"\n\(lines)\n".utf8))
        }
        let file = read("document-signer-usages = [\"1.3.6.1.4.1.99999.1\"]\nissuing-country = \"any\"")
        let entry = try #require(file.issuers.first)
        #expect(file.problems.isEmpty && entry.isRoot && entry.anyIssuingCountry)
        #expect(entry.documentSignerUsages.map(\.text) == ["1.3.6.1.4.1.99999.1"])
        #expect(read("issuing-country = \"signer\"").issuers.first?.anyIssuingCountry == false)
        for slip in [
            "issuing-country = true", "issuing-country = \"GR\"", "document-signer-usages = [\"1.3.6.1.5.5.7.3.2\"]",
            "document-signer-usages = [1]",
        ] {
            #expect(read(slip).problems.map(\.line) == [3], "\(slip)")
        }
    }

    @Test func rootsAreNamedByTheirHash() {
        for (id, isRight) in [
            ("x509:sha256:" + Self.hex, true), ("x509:sha256:" + Self.hex.uppercased(), false),
            ("x509:sha256:ab", false),
        ] {
            let file = IssuersFile(Array("[[issuer]]\nid = \"\(id)\"\ngroups = [\"roots\"]\n".utf8))
            #expect(file.problems.isEmpty == isRight, "\(id)")
        }
    }
}
