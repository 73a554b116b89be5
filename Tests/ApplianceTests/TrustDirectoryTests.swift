import Credentials
import Encoding
import Foundation
import TestKit
import Testing

@testable import Commissioning
@testable import Settings
@testable import TrustFiles

/// The trust directory on disk: the trust data of a test case, and every way in which a directory can be
/// invalid.
@Suite struct TrustDirectoryTests {
    private static let issuer = "[[issuer]]\nid = \"did:web:issuer.example\"\n"
    private static let didDocument = """
        {"id": "did:web:issuer.example", "verificationMethod": [], "assertionMethod": []}
        """

    @Test func readsAllParts() throws {
        let folder = try TestFolder("trust")
        try folder.write(
            "issuers.toml",
            """
            profile = "compat"
            [[issuer]]
            id = "did:web:issuer.example"
            controllers = ["did:web:signer.example"]
            key-purpose = "did-wide"
            inline-contexts = "allow"
            status-issuers = ["did:web:status.example"]
            [[issuer]]
            id = "https://issuer.example/other"
            """)
        try folder.write("did/a.json", Self.didDocument)
        let v1 = try #require(BuiltInContexts.document("https://www.w3.org/2018/credentials/v1"))
        try folder.write("contexts/mine.jsonld", "{\"@context\": {}}")
        let mine = "ae73d28c1f51d36c1eb45a6c74edf5be4c7fe6f1ec0a0e5a3c7d8d7ec2d4b3a1"
        try folder.write(
            "contexts/index.json",
            "[{\"url\": \"\(v1.url)\", \"sha256\": \"\(v1.sha256)\"}, {\"url\": \"https://a.example/c\", \"file\": \"mine.jsonld\", \"sha256\": \"\(mine)\"}]"
        )
        let hash = try #require(folder.problems().first)
        #expect(hash.file == "contexts/mine.jsonld" && folder.problems().count == 1)
        let right = try #require(hash.remedy.split(separator: " ").last.map { String($0.dropLast()) })
        try folder.write(
            "contexts/index.json",
            "[{\"url\": \"\(v1.url)\", \"sha256\": \"\(v1.sha256)\"}, {\"url\": \"https://a.example/c\", \"file\": \"mine.jsonld\", \"sha256\": \"\(right)\"}]"
        )
        try folder.write("status/1.json", "{\"id\": \"https://issuer.example/status/1\"}")
        try folder.write("roots/a.pem", TestCertificates.root)
        let directory = try TrustDirectory(path: folder.path)
        #expect(directory.store.profile == .compat)
        #expect(
            directory.material.issuers == [
                TrustedIssuer(
                    id: "did:web:issuer.example", controllers: ["did:web:signer.example"], keyPurpose: .didWide,
                    inlineContexts: true, statusIssuers: ["did:web:status.example"]),
                TrustedIssuer(id: "https://issuer.example/other"),
            ])
        #expect(
            Set(directory.material.contexts.keys) == ["https://www.w3.org/2018/credentials/v1", "https://a.example/c"])
        #expect(Set(directory.material.statusLists.keys) == ["https://issuer.example/status/1"])
        #expect(directory.material.roots.count == 1 && directory.store.document("did:web:issuer.example") != nil)
    }

    @Test(arguments: [
        ("issuers.toml", "profile = \"lax\"\n[[issuer]]\nid = \"a:b\"\n", 1),
        ("issuers.toml", "[[issuer]]\nid = \"a:b\"\nkeypurpose = \"strict\"\n", 3),
        ("issuers.toml", "[[issuer]]\nid = \"a:b\"\nkey-purpose = \"wide\"\n", 3),
        ("issuers.toml", "[[issuer]]\nid = \"a:b\"\ninline-contexts = 1\n", 3),
        ("issuers.toml", "[[issuer]]\nid = \"a:b\"\ncontrollers = \"a:c\"\n", 3),
        ("issuers.toml", "[[issuer]]\nid = \"a:b\"\n[[issuer]]\nid = \"a:b\"\n", 4),
        ("issuers.toml", "[[issuer]]\ncontrollers = []\n", 2),
        ("issuers.toml", "[[issuer]]\nid = \n", 2),
        ("did/a.json", "{\n\"id\": }", 2),
        ("status/a.json", "{\"a\": 1,\n \"a\": 2}", 2),
    ]) func problemsAreLocated(file: String, text: String, line: Int) throws {
        let folder = try TestFolder("trust")
        try folder.write("issuers.toml", Self.issuer)
        try folder.write(file, text)
        let problems = folder.problems()
        #expect(problems.count == 1)
        #expect(problems.first?.file == file && problems.first?.line == line)
        #expect(problems.first?.remedy.hasSuffix(".") == true)
    }

    @Test(arguments: [
        ("did/a.json", "{\"name\": 1}"),
        ("contexts/c.jsonld", "{\"@context\": {}}"),
        ("contexts/index.json", "{}"),
        ("contexts/index.json", "[{\"file\": \"a\"}]"),
        (
            "contexts/index.json",
            "[{\"url\": \"https://a.example/c\", \"file\": \"../issuers.toml\", \"sha256\": \"00\"}]"
        ),
        ("contexts/index.json", "[{\"url\": \"https://a.example/c\", \"file\": \"absent.json\", \"sha256\": \"00\"}]"),
        ("contexts/index.json", "[{\"url\": \"https://a.example/c\", \"sha256\": \"00\"}]"),
        ("contexts/index.json", "[{\"url\": \"https://a.example/c\"}]"),
        ("contexts/index.json", "[{\"url\": \"https://www.w3.org/2018/credentials/v1\", \"sha256\": \"00\"}]"),
        ("status/a.json", "{}"),
        ("roots/a.pem", "none"), ("roots/a.pem", "-----BEGIN CERTIFICATE-----\n"),
    ]) func everythingElseIsNamed(file: String, text: String) throws {
        let folder = try TestFolder("trust")
        try folder.write("issuers.toml", Self.issuer)
        try folder.write(file, text)
        #expect(folder.problems().count == 1, "\(folder.problems())")
    }

    /// A context that the product contains needs no hash in the index; a given hash must still be the right
    /// one.
    @Test func builtInContextsNeedNoHash() throws {
        let folder = try TestFolder("trust")
        try folder.write("issuers.toml", Self.issuer)
        let entries = BuiltInContexts.all.map { "{\"url\": \"\($0.url)\"}" }.joined(separator: ",")
        try folder.write("contexts/index.json", "[\(entries)]")
        let contexts = try TrustDirectory(path: folder.path).material.contexts
        #expect(contexts.count == BuiltInContexts.all.count)
        for document in BuiltInContexts.all { #expect(contexts[document.url] == document.bytes) }
    }

    @Test func allProblemsAtOnce() throws {
        let folder = try TestFolder("trust")
        try folder.write("did/a.json", "[")
        try folder.write("roots/a.pem", "none")
        #expect(folder.problems().map(\.file) == ["issuers.toml", "did/a.json", "roots/a.pem"])
    }
}

extension TestFolder {
    /// The problems of the trust directory that this folder is.
    fileprivate func problems() -> [TrustDirectoryError.Problem] {
        do {
            _ = try TrustDirectory(path: path)
            return []
        } catch { return error.problems }
    }
}
