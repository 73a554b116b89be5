import Encoding
import Foundation
import Reasons
import TestKit
import Testing

@testable import Credentials

/// The keys of a DID document, stored or computed, that may sign credentials.
@Suite struct IdentifierDocumentTests {
    private let did: Text = "did:web:issuers.example:works"
    private let key: JSON = .text("z6MkrbG76e8Kk6mz8kyqQNJwBkuPf7mkWn3N5MjoXqRUaXxH")

    private func method(_ id: JSON, controller: JSON? = nil, key: JSON? = nil) -> JSON {
        [
            "id": id, "type": "Multikey", "controller": controller ?? .string(did),
            "publicKeyMultibase": key ?? self.key,
        ]
    }

    private func keys(
        _ members: JSONObject, of looked: Text? = nil, _ purpose: TrustedIssuer.KeyPurpose = .strict
    ) throws -> [Text] {
        var document = members
        document["id"] = document["id"] ?? .string(did)
        return try SigningKeys(stored: JSON.object(document).compactBytes).keys(of: looked ?? did, purpose)
    }

    @Test func onlyListedKeysSign() throws {
        let methods: JSON = [method("#a"), method("#b")]
        #expect(try keys(["verificationMethod": methods, "assertionMethod": ["#b"]]) == [Text(did.string + "#b")])
        let embedded: JSONObject = ["verificationMethod": methods, "assertionMethod": [method("#c")]]
        #expect(try keys(embedded) == [Text(did.string + "#c")])
        #expect(throws: Rejection(.keyNotAuthorised)) {
            try keys(["verificationMethod": methods, "authentication": ["#a"]])
        }
    }

    @Test func theBareIdListsAllKeysOnlyWhereTheOperatorSaysSo() throws {
        let document: JSONObject = [
            "verificationMethod": [method("#a"), method("#b")], "assertionMethod": [.string(did)],
        ]
        #expect(try keys(document, .didWide).count == 2)
        #expect(throws: Rejection(.keyNotAuthorised)) { try keys(document) }
    }

    @Test func aDocumentSpeaksForItsOwnIdOnly() throws {
        let document: JSONObject = ["verificationMethod": [method("#a")], "assertionMethod": ["#a"]]
        #expect(throws: Rejection(.issuerKeyMismatch)) {
            try keys(document, of: "did:web:issuers.example:other")
        }
        let foreign: JSONObject = [
            "verificationMethod": [method("#a", controller: "did:web:other.example")], "assertionMethod": ["#a"],
        ]
        #expect(throws: Rejection(.issuerKeyMismatch)) { try keys(foreign) }
    }

    @Test func unreadableKeysDoNotCount() throws {
        let bad = method("#bad", key: "z6Mkbad")
        #expect(
            try keys(["verificationMethod": [bad, method("#a")], "assertionMethod": ["#bad", "#a"]])
                == [Text(did.string + "#a")])
        #expect(throws: Rejection(.keyMalformed)) {
            try keys(["verificationMethod": [bad], "assertionMethod": ["#bad"]])
        }
    }

    /// A document may name its controller. It is a single key only if it has key material at the top level.
    @Test func aControlledDocumentIsNoSingleKey() throws {
        let document = try #require(
            ControllerDocument([
                "id": .string(did), "controller": "did:web:parent.example", "assertionMethod": [method("#a")],
            ]))
        #expect(!document.isSingleKey && document.method(Text(did.string + "#a")) != nil)
        #expect(try #require(ControllerDocument(method("https://issuer.example/key"))).isSingleKey)
    }

    /// `use` determines the purposes for which the document lists the key (did:jwk, "To create the DID Document").
    @Test(arguments: [("sig", true), ("enc", false)]) func useOfJWK(use: String, signs: Bool) throws {
        let x = Base64.encode([UInt8](repeating: 9, count: 32))
        let jwk = #"{"kty":"OKP","crv":"Ed25519","x":"\#(x)","use":"\#(use)"}"#
        let document = try #require(SelfContainedDID.document(Text("did:jwk:" + Base64.encode(Array(jwk.utf8)))))
        let method = Text(document.id.string + "#0")
        #expect(document.method(method) != nil)
        #expect(document.lists(method, for: .assertionMethod) == signs)
        #expect(document.lists(method, for: .authentication) == signs)
    }

    /// The worked examples of the did:jwk specification: a DID in a text block, followed by its document in a
    /// JSON block.
    @Test func examplesOfTheSpecification() throws {
        guard let file = Vectors.path("did/did-jwk/spec.md") else { return }
        var tally = VectorTally("did/did-jwk")
        let text = String(decoding: try Vectors.bytes(file), as: UTF8.self)
        for block in text.components(separatedBy: "```json\n").dropFirst() {
            guard let source = block.components(separatedBy: "```").first,
                let wanted = try? JSON.parse(Array(source.utf8)), let id = wanted["id"]?.string,
                id.hasPrefix("did:jwk:ey")
            else { continue }
            let document = SelfContainedDID.document(id)
            let method = Text(id.string + "#0")
            let signs = wanted["assertionMethod"] != nil
            #expect(wanted["verificationMethod"]?.array?.first?["id"]?.string == method)
            tally.record(
                id.string,
                document?.method(method) != nil && document?.lists(method, for: .assertionMethod) == signs
                    ? nil : "another document")
        }
        #expect(tally.finish() == [])
    }

    /// Keys for key agreement or pairings have a did:key, too, but sign nothing here.
    @Test(arguments: ["x25519", "bls12381"]) func didKeysThatDoNotSign(name: String) throws {
        guard let file = Vectors.path("did/did-key/\(name).json") else { return }
        var tally = VectorTally("did/did-key/\(name)")
        let vectors = try JSON.parse(Vectors.bytes(file))
        let members = (vectors.object?.members ?? []) + (vectors["didDocument"]?.object?.members ?? [])
        for member in members where member.name.hasPrefix("did:key:") {
            let value = String(member.name.string.dropFirst("did:key:".count))
            let key = SelfContainedDID.document(member.name)?.method(Text(member.name.string + "#" + value))?.key
            tally.record(value, key.flatMap { try? $0.get() } == nil ? nil : "is a signing key")
        }
        #expect(tally.finish() == [])
    }
}
