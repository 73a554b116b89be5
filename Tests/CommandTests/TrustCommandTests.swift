import Crypto
import Encoding
import Foundation
import TestKit
import Testing

/// `gatehouse trust`: making, importing, listing, checking and refreshing.
@Suite struct TrustCommandTests {
    private let folder: Scratch

    init() throws {
        folder = try Scratch()
        try folder.write("trust/issuers.toml", Self.issuers("works"))
    }

    /// The did:key of the first test key of RFC 8032.
    private static let issuer = "did:key:z6MktwupdmLXVVqTzCw4i46r4uGyosGXRnR3XjN4Zq7oMMsw"

    private static func issuers(_ group: String) -> String {
        "[[issuer]]\nid = \"\(issuer)\"\ngroups = [\"\(group)\"]\n\(types)\n"
    }

    private static let types = "types = [\"https://a.example/Pass\"]"

    /// Writes the program's configuration with these further lines for `[trust]`; returns its path.
    @discardableResult
    private func configure(_ more: String = "") throws -> String {
        try folder.write(
            "gate.toml",
            """
            [kiosk]
            name = "Test"
            [trust]
            directory = "trust"
            state = "state"
            \(more)
            """)
    }

    private func trust(_ words: String...) async throws -> Ending {
        let takesConfiguration = !["bundle", "keygen"].contains(words.first)
        return try await folder.gatehouse(
            ["trust"] + words + (takesConfiguration ? ["--config", folder.path("gate.toml")] : []))
    }

    /// Makes a key; returns its public part.
    private func makeKey(_ name: String = "operator.pem") async throws -> String {
        let ending = try await trust("keygen", name)
        #expect(ending.code == 0 && ending.lines.count == 1, "\(ending)")
        return ending.lines.first ?? ""
    }

    private func makeBundle(
        _ number: Int, to name: String, key: String = "operator.pem", more: [String] = []
    ) async throws {
        let words = ["trust", "bundle", "trust", "--key", key, "--number", "\(number)", "--output", name] + more
        let ending = try await folder.gatehouse(words)
        #expect(ending.code == 0, "\(ending)")
    }

    /// The output is about the given path, independent of this machine's configuration.
    @Test func aPathIsLookedAtForItself() async throws {
        for command in ["list", "verify"] {
            let missing = try await folder.gatehouse("trust", command, "nowhere")
            #expect(missing.code == 2 && missing.errors.contains("there is nothing at nowhere"), "\(missing)")
            #expect(!missing.errors.contains("gatehouse.toml"), "\(missing)")
            try folder.write("bundle", "{}")
            let bundle = try await folder.gatehouse("trust", command, "bundle", "--config", "none.toml")
            #expect(
                bundle.code == 2 && bundle.errors.contains("bundle") && bundle.errors.contains("--key"), "\(bundle)")
            let good = try await folder.gatehouse("trust", command, "trust")
            #expect(good.code != 2 && good.output.hasPrefix("trust: "), "\(good)")
        }
    }

    /// A path that this user may not read is not reported as missing: neither a directory, nor one below a
    /// folder without access, nor a bundle. The remedies for missing files would not help.
    @Test func unreadableFilesAreNotReportedAsMissing() async throws {
        try await folder.exportSample()
        try folder.write("kept/trust/issuers.toml", Self.issuers("works"))
        try folder.write("kept/bundle", "{}")
        try folder.write("shut/issuers.toml", Self.issuers("works"))
        try configure()
        for place in ["kept", "shut"] { try folder.setMode(place, 0) }
        defer { for place in ["kept", "shut"] { try? folder.setMode(place, 0o700) } }
        for path in ["kept/trust", "kept/bundle", "shut"] {
            for words in [
                ["trust", "list", path], ["trust", "verify", path],
                ["verify", "sample/credential.json", "--trust", path],
                ["trust", "needs", "sample/credential.json", "--trust", path],
            ] {
                let ending = try await folder.confinedGatehouse(words)
                #expect(ending.code == 2 && ending.output.isEmpty && ending.hasRemedy, "\(words): \(ending)")
                #expect(ending.errors.contains("\(path) may not be read by the user "), "\(words): \(ending)")
                #expect(!ending.errors.contains("nothing at") && !ending.errors.contains("trust pin"), "\(ending)")
            }
        }
        // A directory that does not exist yet is missing, with all its content.
        let new = try await folder.confinedGatehouse(["trust", "needs", "sample/credential.json", "--trust", "new"])
        #expect(new.code == 1 && new.output.contains("4 of 4 missing"), "\(new)")
        // The configuration names the key of a bundle, also when this user may not read the configuration.
        try folder.write("bundle", "{}")
        try folder.setMode("gate.toml", 0)
        let unknown = try await folder.confinedGatehouse(["trust", "list", "bundle", "--config", "gate.toml"])
        #expect(unknown.code == 2 && unknown.hasRemedy && unknown.errors.contains("--key"), "\(unknown)")
        #expect(
            unknown.errors.contains("gate.toml, which says whose bundle bundle must be, may not be read"), "\(unknown)")
    }

    // MARK: - Keys and bundles

    @Test func keysAreMadeOnce() async throws {
        let key = try await makeKey()
        #expect(key.hasPrefix("z6Mk"))
        let again = try await trust("keygen", "operator.pem")
        #expect(again.code == 2 && again.hasRemedy, "\(again)")
        let mode = try FileManager.default.attributesOfItem(atPath: folder.path("operator.pem"))[.posixPermissions]
        #expect(mode as? Int == 0o600)
        if try await Program.run("sh", ["-c", "command -v openssl"], in: folder).code == 0 {
            let ending = try await Program.run(
                "openssl", ["pkey", "-in", "operator.pem", "-noout", "-text"], in: folder)
            #expect(ending.code == 0 && ending.output.contains("ED25519"), "\(ending)")
            // A key that openssl made is accepted as well.
            _ = try await Program.run(
                "openssl", ["genpkey", "-algorithm", "ed25519", "-out", "other.pem"], in: folder)
            try await makeBundle(1, to: "other.bundle", key: "other.pem")
        }
    }

    @Test func aBundleIsImportedAndNeverGoesBack() async throws {
        try configure("bundleKeys = [\"\(try await makeKey())\"]")
        try await makeBundle(1, to: "1.bundle")
        try folder.write("trust/issuers.toml", Self.issuers("second"))
        try await makeBundle(2, to: "2.bundle")
        try await makeBundle(2, to: "2b.bundle", more: ["--valid-for", "1d"])

        let second = try await trust("import", "2.bundle")
        #expect(second.code == 0 && second.output.hasPrefix("in force: bundle 2 sha256:"), "\(second)")
        let again = try await trust("import", "2.bundle", "--json")
        #expect(again.code == 0 && again.json.first?["isNew"] == false, "\(again)")
        for (bundle, reason) in [("1.bundle", "is older than bundle 2"), ("2b.bundle", "another bundle 2")] {
            let ending = try await trust("import", bundle)
            #expect(ending.code == 1 && ending.hasRemedy && ending.errors.contains(reason), "\(ending)")
        }
        let list = try await trust("list", "--json")
        #expect(list.code == 0 && list.json.first?["bundle"]?["version"] == 2, "\(list)")
        #expect(list.json.first?["issuers"]?.array?.first?["groups"] == ["second"])
        let check = try await trust("verify")
        #expect(check.code == 0 && check.output.contains("in order"), "\(check)")
    }

    @Test func bundlesOfOtherKeysAreRefused() async throws {
        _ = try await makeKey("stranger.pem")
        let key = try await makeKey()
        try await makeBundle(1, to: "stranger.bundle", key: "stranger.pem")
        try await makeBundle(1, to: "good.bundle")
        try configure()
        let keyless = try await trust("import", "good.bundle")
        #expect(keyless.code == 2 && keyless.hasRemedy && keyless.errors.contains("no operator's key"), "\(keyless)")
        try configure("bundleKeys = [\"\(key)\"]")
        let stranger = try await trust("import", "stranger.bundle")
        #expect(stranger.code == 1 && stranger.hasRemedy, "\(stranger)")
        var bytes = try [UInt8](Data(contentsOf: folder.url.appendingPathComponent("good.bundle")))
        bytes[bytes.count - 3] ^= 1
        try folder.write("changed.bundle", bytes)
        let changed = try await trust("import", "changed.bundle")
        #expect(changed.code == 1 && changed.errors.contains("is not the file that was signed"), "\(changed)")
        let unsigned = try await trust("import", "trust")
        #expect(unsigned.code == 1 && unsigned.hasRemedy, "\(unsigned)")
        let absent = try await trust("import", "nothing.bundle")
        #expect(absent.code == 2 && absent.hasRemedy, "\(absent)")
        let list = try await trust("list", "--json")
        #expect(list.json.first?["bundle"] == nil, "\(list)")
        // A bundle can be verified before it is imported, with the public key of its signer.
        let look = try await trust("verify", "good.bundle", "--key", key, "--json")
        #expect(look.code == 0 && look.json.first?["bundle"]?["state"] == "fresh", "\(look)")
        let wrong = try await trust("verify", "stranger.bundle", "--key", key)
        #expect(wrong.code == 2 && wrong.hasRemedy, "\(wrong)")
        let noKey = try await trust("verify", "good.bundle", "--key", "z6Mk")
        #expect(noKey.code == 2 && noKey.hasRemedy, "\(noKey)")
    }

    @Test func badBundlesAreNotMade() async throws {
        _ = try await makeKey()
        func make(_ more: String...) async throws -> Ending {
            try await folder.gatehouse(
                ["trust", "bundle", "trust", "--key", "operator.pem", "--output", "x"] + more)
        }
        for words in [["--number", "0"], ["--number", "1", "--valid-for", "soon"], ["--number", "x"], []] {
            let ending = try await folder.gatehouse(
                ["trust", "bundle", "trust", "--key", "operator.pem", "--output", "x"] + words)
            #expect(ending.code == 2, "\(words): \(ending)")
        }
        try folder.write("trust/issuers.toml", "[[issuer]]\n")
        let broken = try await make("--number", "1")
        #expect(broken.code == 2 && broken.errors.contains("issuers.toml"), "\(broken)")
        #expect(!FileManager.default.fileExists(atPath: folder.path("x")))
    }

    // MARK: - Directories

    @Test func aDirectoryIsImported() async throws {
        try configure()
        try folder.write("new/issuers.toml", Self.issuers("third"))
        try folder.write("new/notes.txt", "not part of it")
        let ending = try await trust("import", "new")
        #expect(ending.code == 0 && ending.output.hasPrefix("in force: sha256:"), "\(ending)")
        #expect(try FileManager.default.contentsOfDirectory(atPath: folder.path("trust")) == ["issuers.toml"])
        let list = try await trust("list")
        #expect(list.output.contains("groups: third") && list.output.contains("key \(Self.issuer)#"), "\(list)")
        try folder.write("new/issuers.toml", "[[issuer]]\n")
        let broken = try await trust("import", "new")
        #expect(broken.code == 2 && broken.errors.contains("issuers.toml"), "\(broken)")
        #expect(try await trust("list").output == list.output)
    }

    @Test func problemsOfTrustDataAreReported() async throws {
        try configure()
        try folder.write(
            "trust/issuers.toml",
            """
            [[issuer]]
            id = "did:web:issuer.example"
            valid-until = "2020-01-01T00:00:00Z"
            contexts = ["https://nowhere.example/v1"]
            status-lists = ["https://issuer.example/status/1"]
            \(Self.types)
            """)
        let ending = try await trust("verify")
        #expect(ending.code == 1, "\(ending)")
        for part in ["not trusted at this date", "no document in did/", "which is not pinned", "is not stored yet"] {
            #expect(ending.output.contains(part), "\(part)")
        }
        let json = try await trust("verify", "--json")
        #expect(json.code == 1 && json.json.first?["findings"]?.array?.count == 4, "\(json)")
        let before = try await trust("verify", "--at", "2019-01-01T00:00:00Z", "--json")
        #expect(before.json.first?["findings"]?.array?.count == 3, "\(before)")
        #expect(try await trust("verify", "--at", "soon").code == 2)
        try folder.write("trust/issuers.toml", "[[issuer]]\nnone = 1\n")
        for command in ["list", "verify", "refresh"] {
            let broken = try await trust(command)
            #expect(broken.code == 2 && broken.errors.contains("issuers.toml:2"), "\(broken)")
        }
    }

    /// The issuers for which roots are trusted: without a line, for no issuer's tokens; with one, for one
    /// issuer or several.
    @Test func rootsAreLookedAfter() async throws {
        try configure()
        let pem = TestCertificates.root
        let der = try #require(Base64.decodeAny(pem.split(separator: "\n").dropFirst().dropLast().joined()))
        let id = "x509:sha256:" + Hex.encode(SHA256.hash(data: der))
        try folder.write("trust/roots/a.pem", pem)
        func check(_ issuers: String) async throws -> (text: Ending, json: JSON?) {
            try folder.write("trust/issuers.toml", issuers)
            return (try await trust("verify"), try await trust("verify", "--json").json.first)
        }
        let line = "roots = [\"\(id)\"]"
        let unnamed = try await check(Self.issuers("works"))
        let lines = unnamed.text.lines
        #expect(unnamed.text.code == 1 && lines.contains { $0.contains("[[issuer]] id = \"\(id)\", types = [") })
        #expect(
            unnamed.text.lines.contains { $0.contains("mdoc document signers only") && $0.hasSuffix(line) },
            "\(unnamed.text)")
        #expect(unnamed.json?["notes"]?.array?.first?["subject"] == .text(id))
        #expect(unnamed.json?["findings"]?.array?.map { $0["subject"] } == [.text(id)])

        let named = try await check("[[issuer]]\nid = \"https://a.example\"\n\(line)\n\(Self.types)\n")
        #expect(named.text.code == 0 && named.text.lines.count == 2, "\(named.text)")
        #expect(named.json?["issuers"]?.array?.first?["roots"] == [.text(id)])
        let list = try await trust("list").output
        #expect(list.contains("root \(id): tokens of https://a.example\n"), "\(list)")
        let own = try await check("[[issuer]]\nid = \"\(id)\"\n\(Self.types)\n")
        #expect(own.text.code == 0 && own.text.lines.count == 2, "\(own.text)")

        let two = try await check(
            "[[issuer]]\nid = \"https://a.example\"\n\(line)\n\(Self.types)\n"
                + "[[issuer]]\nid = \"did:web:b.example\"\n\(line)\n\(Self.types)\n")
        #expect(two.text.code == 1 && !two.text.output.contains("in order"), "\(two.text)")
        #expect(
            two.text.output.contains("\(id): is named by more than one issuer (did:web:b.example, https://a.example)"),
            "\(two.text)")

        // An issuer that every root could certify until now, and a root that does not exist.
        let bare = try await check("[[issuer]]\nid = \"https://a.example\"\n")
        #expect(bare.text.code == 1 && bare.text.output.contains("names no root"), "\(bare.text)")
        #expect(bare.text.output.contains(line), "\(bare.text)")
        let absent = "x509:sha256:" + String(repeating: "0", count: 64)
        let wrong = try await check("[[issuer]]\nid = \"https://a.example\"\nroots = [\"\(absent)\"]\n")
        #expect(
            wrong.text.code == 1 && wrong.text.output.contains("names the root \(absent), which is not in roots/"),
            "\(wrong.text)")
    }

    @Test func aBundleThatIsOverIsSaid() async throws {
        try configure("bundleKeys = [\"\(try await makeKey())\"]")
        try await makeBundle(1, to: "1.bundle", more: ["--valid-for", "1d", "--grace", "1d"])
        #expect(try await trust("import", "1.bundle").code == 0)
        let late = Timestamp(seconds: Int64(Date().timeIntervalSince1970) + 90_000).rfc3339
        let overdue = try await trust("verify", "--at", late, "--json")
        #expect(overdue.code == 1 && overdue.json.first?["bundle"]?["state"] == "overdue", "\(overdue)")
        let stale = try await trust("verify", "--at", "2120-01-01T00:00:00Z")
        #expect(stale.code == 1 && stale.output.contains("the gate opens for no credential"), "\(stale)")
    }

    // MARK: - Refresh

    /// Makes a certificate for localhost and a server of the folder `www`, and runs `body`; prints a message
    /// and runs nothing where a tool is missing.
    private func serving(_ body: @escaping (_ port: Int) async throws -> Void) async throws {
        let makeKeys = """
            openssl req -x509 -newkey ec -pkeyopt ec_paramgen_curve:prime256v1 -nodes -keyout key.pem -out root.pem \
            -days 2 -subj /CN=localhost -addext subjectAltName=DNS:localhost && python3 -c 'import ssl, http.server'
            """
        guard try await Program.run("sh", ["-c", makeKeys], in: folder).code == 0 else {
            return print("skipped: openssl or Python is missing")
        }
        try folder.write(
            "server.py",
            """
            import functools, http.server, ssl
            handler = functools.partial(http.server.SimpleHTTPRequestHandler, directory="www")
            server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), handler)
            context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
            context.load_cert_chain("root.pem", "key.pem")
            server.socket = context.wrap_socket(server.socket, server_side=True)
            open("port.new", "w").write(str(server.server_port))
            import os; os.rename("port.new", "port")
            server.serve_forever()
            """)
        var failure: (any Error)?
        let ending = try await Program.run("python3", ["server.py"], in: folder) { id in
            do {
                let until = ContinuousClock.now + .seconds(60)
                while !FileManager.default.fileExists(atPath: folder.path("port")), ContinuousClock.now < until {
                    try await Task.sleep(for: .milliseconds(20))
                }
                let port = try String(contentsOfFile: folder.path("port"), encoding: .utf8)
                try await body(Int(port) ?? 0)
            } catch { failure = error }
            kill(id, SIGTERM)
        }
        if let failure { throw failure }
        #expect(ending.code == -SIGTERM, "\(ending)")
    }

    @Test(.tags(.realTime)) func documentsAreFetchedAndKept() async throws {
        try await serving { port in
            let id = "did:web:localhost%3A\(port)"
            try folder.write("trust/issuers.toml", "[[issuer]]\nid = \"\(id)\"\n")
            try configure("allowPrivateHosts = true\nrootsFile = \"root.pem\"")
            let absent = try await trust("refresh", "--json")
            #expect(absent.code == 1 && absent.json.first?["reason"] == "the server answers 404", "\(absent)")
            try folder.write("www/.well-known/did.json", "{\"id\": \"\(id)\", \"verificationMethod\": []}")
            let first = try await trust("refresh")
            #expect(first.code == 0 && first.output == "\(id): changed\n", "\(first)")
            let again = try await trust("refresh", "--json")
            #expect(again.code == 0 && again.json.first?["outcome"] == "unchanged", "\(again)")
            let list = try await trust("list", "--json")
            #expect(list.json.first?["documents"]?.array?.first?["confirmed"] != nil, "\(list)")
            // The document of another DID, and a network that must not be used: the copy stays.
            try folder.write("www/.well-known/did.json", "{\"id\": \"did:web:other.example\"}")
            #expect(try await trust("refresh").code == 1)
            try configure("rootsFile = \"root.pem\"")
            let refused = try await trust("refresh")
            #expect(refused.code == 1 && refused.output.contains("on a private network"), "\(refused)")
            try configure("allowPrivateHosts = true")
            let strange = try await trust("refresh")
            #expect(strange.code == 1 && strange.output.contains("certificate is not trusted"), "\(strange)")
            try configure("hosts = [\"issuer.example\"]\nallowPrivateHosts = true\nrootsFile = \"root.pem\"")
            let unlisted = try await trust("refresh")
            #expect(unlisted.code == 1 && unlisted.output.contains("not listed"), "\(unlisted)")
            #expect(try await trust("list", "--json").output == list.output)
        }
    }
}
