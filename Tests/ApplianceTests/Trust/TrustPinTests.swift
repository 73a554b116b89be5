import Credentials
import Encoding
import Foundation
import TestKit
import Testing

@testable import TrustFiles

/// The files that pins write into a trust directory, those that they leave alone, and the refusals.
@Suite struct TrustPinTests {
    private let folder: TestFolder

    init() throws { folder = try TestFolder("pin") }

    private var pin: TrustPin { TrustPin(folder.path) }
    private var replacing: TrustPin { TrustPin(folder.path + "//", replaces: true) }

    private func failure(_ work: () throws -> Void) -> TrustPin.Failure? {
        do {
            try work()
            return nil
        } catch { return error as? TrustPin.Failure }
    }

    private func isDifferent(_ failure: TrustPin.Failure?, naming words: String...) -> Bool {
        guard case .differs(let message, let remedy) = failure else { return false }
        return words.allSatisfy((message + remedy).contains) && remedy.contains("--replace")
    }

    private func isUnusable(_ failure: TrustPin.Failure?) -> Bool {
        if case .unusable(_, let remedy) = failure { !remedy.isEmpty } else { false }
    }

    private static let v1: Text = "https://www.w3.org/2018/credentials/v1"
    private static let works: Text = "did:web:works.example"
    private static let context = Array(#"{"@context": {"a": "https://a.example/a"}}"#.utf8)

    private static func document(_ key: String, id: Text = works) -> [UInt8] {
        Array(
            """
            {"id": "\(id)", "assertionMethod": ["\(id)#1"], "verificationMethod": [{"id": "\(id)#1", "type": "Multikey",
            "controller": "\(id)", "publicKeyMultibase": "\(key)"}]}
            """.utf8)
    }

    private static let first = document("z6MktwupdmLXVVqTzCw4i46r4uGyosGXRnR3XjN4Zq7oMMsw")
    private static let second = document("z6MkiTBz1ymuepAQ4HEHYSF1H8quG5GLVVQR3djdX3mDooWp")

    // MARK: - Contexts

    @Test func builtInContexts() throws {
        let outcome = try pin.context(Self.v1, nil)
        #expect(outcome.files == ["contexts/index.json"])
        #expect(outcome.facts == ["sha256 \(BuiltInContexts.document(Self.v1)?.sha256 ?? "")"])
        #expect(try folder.load().store.pins(Self.v1))
        #expect(try pin.context(Self.v1, nil).files.isEmpty)
        #expect(isUnusable(failure { _ = try pin.context("https://a.example/c", nil) }))
    }

    @Test func ownContexts() throws {
        let outcome = try pin.context("https://a.example/x/c.jsonld?v=1", Self.context)
        #expect(outcome.files == ["contexts/a.example-x-c.jsonld-v-1.jsonld", "contexts/index.json"])
        #expect(try pin.context("https://a.example/x/c.jsonld?v=1", Self.context).files.isEmpty)
        let other = Array(#"{"@context": {}}"#.utf8)
        let refused = failure { _ = try pin.context("https://a.example/x/c.jsonld?v=1", other) }
        #expect(isDifferent(refused, naming: TrustPin.hash(Self.context), TrustPin.hash(other)))
        #expect(try folder.load().material.contexts["https://a.example/x/c.jsonld?v=1"] == Self.context)
        _ = try replacing.context("https://a.example/x/c.jsonld?v=1", other)
        #expect(try folder.load().material.contexts["https://a.example/x/c.jsonld?v=1"] == other)
        // The first file was removed.
        #expect(try folder.names("contexts").count == 2)
        for (text, url) in [("{", "https://b.example/c"), ("{}", "https://b.example/c"), ("{\"@context\": {}}", "b")] {
            #expect(failure { _ = try pin.context(Text(url), Array(text.utf8)) } != nil, "\(text)")
        }
        #expect(try folder.names("contexts").count == 2)
    }

    /// An index that people wrote: its further members are kept, and so are the other names of a replaced
    /// document.
    @Test func manuallyWrittenIndexes() throws {
        try folder.write("issuers.toml", "")
        try folder.write("contexts/mine.jsonld", Self.context)
        try folder.write(
            "contexts/index.json",
            """
            [{"url": "https://a.example/c", "aliases": ["https://a.example/d"], "file": "mine.jsonld",
              "sha256": "\(TrustPin.hash(Self.context))", "reviewed": "by Ann"}]
            """)
        _ = try pin.context(Self.v1, nil)
        #expect(try folder.read("contexts/index.json").contains("\"reviewed\":\"by Ann\""))
        #expect(try pin.context("https://a.example/d", Self.context).files.isEmpty)
        let other = Array(#"{"@context": {}}"#.utf8)
        _ = try replacing.context("https://a.example/c", other)
        let contexts = try folder.load().material.contexts
        #expect(contexts["https://a.example/c"] == other && contexts["https://a.example/d"] == Self.context)
    }

    // MARK: - Documents and roots

    @Test func documents() throws {
        let outcome = try pin.document(Self.first)
        #expect(outcome.id == Self.works && outcome.files == ["did/did-web-works.example.json"])
        #expect(outcome.facts.count == 2 && outcome.facts[1].contains("sha256:"))
        #expect(try pin.document(Self.first).files.isEmpty)
        let refused = failure { _ = try pin.document(Self.second) }
        #expect(isDifferent(refused, naming: "did:web:works.example#1"))
        #expect(try folder.load().material.documents == [Self.first])
        #expect(try replacing.document(Self.second).files == ["did/did-web-works.example.json"])
        #expect(try folder.load().material.documents == [Self.second])
        for text in ["", "7", "{}", "{\"id\": \"did:web:a\"}", "{\"id\": \"x\", \"issuer\": \"did:web:a\"}"] {
            #expect(isUnusable(failure { _ = try pin.document(Array(text.utf8)) }), "\(text)")
        }
    }

    /// A document that its issuer's entry pins by hash is never replaced.
    @Test func documentsThatAreHeld() throws {
        try folder.write("did/a.json", Self.first)
        try folder.write(
            "issuers.toml",
            """
            [[issuer]]
            id = "\(Self.works)"
            documents = [{ id = "\(Self.works)", sha256 = "\(TrustPin.hash(Self.first))" }]
            """)
        guard case .directory = failure({ _ = try replacing.document(Self.second) }) else {
            Issue.record("the document was replaced")
            return
        }
        #expect(try folder.load().material.documents == [Self.first])
    }

    @Test func roots() throws {
        let outcome = try pin.root(Array(TestCertificates.root.utf8))
        #expect(outcome.id.hasPrefix("x509:sha256:") && outcome.line == "roots = [\"\(outcome.id)\"]")
        #expect(outcome.facts.contains { $0.contains("CN=Gatehouse test root") })
        #expect(try pin.root(Array(TestCertificates.root.utf8)).files.isEmpty)
        #expect(isUnusable(failure { _ = try pin.root(Array(TestCertificates.root.utf8), issuer: Self.works) }))
        #expect(isUnusable(failure { _ = try pin.root(Array("none".utf8)) }))
        _ = try pin.issuer(Self.works)
        let named = try pin.root(Array(TestCertificates.root.utf8), issuer: Self.works)
        #expect(named.files == ["issuers.toml"] && named.line == nil)
        #expect(try folder.load().store.issuer(Self.works)?.roots == [outcome.id])
        #expect(try pin.root(Array(TestCertificates.root.utf8), issuer: Self.works).files.isEmpty)
    }

    @Test func statusLists() throws {
        let (one, two) = (Array("{\"id\": \"https://a.example/1\"}".utf8), Array("eyJ".utf8))
        #expect(try pin.statusList("https://a.example/1", one).files.count == 2)
        #expect(try pin.statusList("https://a.example/1", one).files.isEmpty)
        #expect(isDifferent(failure { _ = try pin.statusList("https://a.example/1", two) }))
        #expect(try replacing.statusList("https://a.example/1", two).files.count == 1)
        #expect(try folder.load().material.statusLists == ["https://a.example/1": two])
        // A status list that is known by its own id.
        try folder.write("status/own.json", Array("{\"id\": \"https://a.example/2\"}".utf8))
        let other = Array("{\"id\": \"https://a.example/2\", \"a\": 1}".utf8)
        #expect(try replacing.statusList("https://a.example/2", other).files == ["status/own.json"])
    }

    // MARK: - Issuers

    private static let people = """
        # Ours.
        profile = "compat"   # for the old cards

        [[issuer]]   # the works
          id = "did:web:works.example" # since May
          groups = [
            "works", # all
          ]
          key-purpose = 'strict' # as it should be
        # The last.
        [[issuer]]
        id = "did:web:last.example"
        """

    @Test func newEntries() throws {
        var settings = IssuerSettings()
        settings.keyPurpose = .didWide
        settings.types = ["https://works.example/ns#Pass"]
        _ = try pin.issuer(Self.works)
        _ = try pin.issuer("https://odd.example/'\"\\x", settings)
        let text = try folder.read("issuers.toml")
        #expect(text.hasPrefix("# The issuers that this gate trusts") && text.hasSuffix("ns#Pass\"]\n"))
        let issuers = try folder.load().store.listedIssuers
        #expect(issuers.map(\.id) == [Self.works, "https://odd.example/'\"\\x"])
        #expect(issuers.last?.keyPurpose == .didWide && issuers.last?.types == settings.types)
        #expect(try pin.issuer(Self.works).files.isEmpty)
        for id in ["", "works", "did:web:a b", "did:web:a\nb", "did:web:\u{7F}"] {
            #expect(isUnusable(failure { _ = try pin.issuer(Text(id)) }), "\(id)")
        }
    }

    @Test func manualEditsStay() throws {
        try folder.write("issuers.toml", Self.people)
        var settings = IssuerSettings()
        settings.groups = ["works", "night"]
        settings.controllers = ["did:web:signer.example"]
        _ = try pin.issuer(Self.works, settings)
        let wanted = Self.people.replacing("groups = [\n", with: "groups = [\"night\", \n").replacing(
            "since May\n", with: "since May\n  controllers = [\"did:web:signer.example\"]\n")
        #expect(try folder.read("issuers.toml") == wanted)
        #expect(try folder.load().store.issuer(Self.works)?.groups == ["night", "works"])
        #expect(try pin.issuer(Self.works, settings).files.isEmpty)
        settings.keyPurpose = .didWide
        #expect(isDifferent(failure { _ = try pin.issuer(Self.works, settings) }, naming: "line 10", "\"strict\""))
        #expect(try folder.read("issuers.toml") == wanted)
        _ = try replacing.issuer(Self.works, settings)
        #expect(try folder.read("issuers.toml") == wanted.replacing("'strict' #", with: "\"did-wide\" #"))
        _ = try pin.issuer("did:web:new.example")
        #expect(try folder.read("issuers.toml").hasSuffix("\n\n[[issuer]]\nid = \"did:web:new.example\"\n"))
    }

    @Test func carriageReturns() throws {
        try folder.write("issuers.toml", "[[issuer]]\r\nid = \"did:web:works.example\"\r\nroots = []\r\n")
        var settings = IssuerSettings()
        settings.groups = ["works"]
        settings.roots = ["x509:sha256:" + Text(String(repeating: "a", count: 64)).description].map { Text($0) }
        _ = try pin.issuer(Self.works, settings)
        let text = try folder.read("issuers.toml")
        #expect(text.contains("\r\ngroups = [\"works\"]\r\nroots = [\"x509:"))
        #expect(try folder.load().store.issuer(Self.works)?.roots.count == 1)
    }

    /// Forms of TOML that the edit does not know: nothing is written unless it reads as intended.
    @Test(arguments: [
        "issuer = [{ id = \"did:web:works.example\" }]\n",
        "issuer = [{ id = \"did:web:works.example\", groups = [] }, { id = \"did:web:b\", groups = [] }]\n",
        "[[issuer]]\nid = \"\"\"\ndid:web:works.example\"\"\"\n",
        "[[issuer]]\nid = \"did:web:works.example\"\n\"gro\\u0075ps\" =  [ 'a=[b' ]\n",
        "[[issuer]]\n\"groups\" = []\nid = \"did:web:works.example\"\n[[issuer]]\nid = \"did:web:b\"\n",
    ]) func unusualForms(text: String) throws {
        try folder.write("issuers.toml", text)
        var settings = IssuerSettings()
        settings.groups = ["night"]
        if failure({ _ = try pin.issuer(Self.works, settings) }) != nil {
            #expect(try folder.read("issuers.toml") == text)
        } else {
            let issuers = try folder.load().store
            #expect(issuers.issuer(Self.works)?.groups.contains("night") == true)
            #expect(issuers.issuer("did:web:b")?.groups.isEmpty != false)
        }
    }

    // MARK: - Directories

    @Test func directoriesThatCannotBeUsed() throws {
        try folder.write("issuers.toml", "[[issuer]]\nname = 1\n")
        for work in [
            { _ = try pin.issuer(Self.works) }, { _ = try pin.document(Self.first) },
            { _ = try pin.context(Self.v1, nil) }, { _ = try pin.root(Array(TestCertificates.root.utf8)) },
        ] as [() throws -> Void] {
            guard case .directory(let error) = failure(work) else {
                Issue.record("was pinned")
                return
            }
            #expect(!error.problems.isEmpty)
        }
        #expect(try folder.names("") == ["issuers.toml"])
        let nowhere = TrustPin(folder.path + "/a/b")
        guard case .disk = failure({ _ = try nowhere.issuer(Self.works) }) else {
            Issue.record("made a folder that has none above it")
            return
        }
    }

    @Test func nothingTemporaryIsLeft() throws {
        _ = try pin.issuer(Self.works)
        _ = try pin.document(Self.first)
        _ = try pin.context("https://a.example/c", Self.context)
        _ = try pin.root(Array(TestCertificates.root.utf8), issuer: Self.works)
        #expect(try folder.names("") == ["contexts", "did", "issuers.toml", "roots"])
        for place in ["contexts", "did", "roots"] {
            #expect(try folder.names(place).allSatisfy { !$0.hasPrefix(".") && !$0.hasSuffix(".new") })
        }
    }
}

extension TestFolder {
    /// Returns the trust directory that this folder is.
    fileprivate func load() throws -> TrustDirectory { try TrustDirectory(path: path) }
}
