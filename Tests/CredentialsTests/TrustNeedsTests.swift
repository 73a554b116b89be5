import Crypto
import Encoding
import Foundation
import Reasons
import TestKit
import Testing
import X509

@testable import Credentials

/// Compares the reported needs of credentials with what the verifier then requires.
@Suite struct TrustNeedsTests {
    private let issuer: TestIssuer

    init() throws { issuer = try TestIssuer(seed: 9) }

    private func needs(_ payload: JSON, _ material: TrustMaterial = .init()) throws -> TrustNeeds {
        TrustNeeds(of: payload.compactBytes, in: try TrustStore(material))
    }

    private func need(_ kind: TrustNeeds.Need.Kind, _ id: Text, in needs: TrustNeeds) throws -> TrustNeeds.Need {
        try #require(needs.needs.first { $0.kind == kind && $0.id == id }, "\(needs)")
    }

    // MARK: - All vectors

    private static let folders = [
        "vc/1edtech", "vc/citizenship", "vc/danubetech", "vc/di-ecdsa", "vc/di-eddsa", "vc/generated", "vc/jose-cose",
        "vc/mosip", "vc/neighbours", "vc/ssi", "sd-jwt/testcases", "mdoc/generated",
    ]

    /// An accepted credential lacks nothing in its trust data. Without trust data it lacks something.
    @Test(arguments: folders) func acceptedCredentialsLackNoTrustData(in folder: String) throws {
        guard let path = Vectors.path(folder) else { return }
        let nobody = try TrustStore(TrustMaterial())
        var count = 0
        for item in try VerdictCase.all(in: path)
        where item.outOfScope == nil && item.mode == nil && item.wantedDecision == "accept" {
            count += 1
            let payload = try item.payload()
            let material = try item.material()
            let needs = TrustNeeds(of: payload, in: try TrustStore(material))
            let missing = needs.needs.filter { need in
                // The compat profile allows contexts inside credentials to every issuer.
                let inlined = item.profile == .compat && need.lines == ["inline-contexts = \"allow\""]
                return !need.isPresent && !inlined
            }
            #expect(missing.isEmpty && needs.refusal == nil && needs.omitted == 0, "\(item.id): \(needs)")
            #expect(!needs.needs.isEmpty, "\(item.id)")
            let alone = TrustNeeds(of: payload, in: nobody)
            #expect(!alone.isComplete && alone.needs.allSatisfy { !$0.isPresent }, "\(item.id)")
        }
        #expect(count > 0)
    }

    /// If the trust data lacks any reported need, the credential is refused. No reported need is therefore superfluous.
    @Test func nothingIsAskedForInVain() throws {
        guard let path = Vectors.path("vc/generated") else { return }
        var (contexts, documents) = (0, 0)
        for item in try VerdictCase.all(in: path)
        where item.outOfScope == nil && item.mode == nil && item.wantedDecision == "accept" {
            let payload = try item.payload()
            let material = try item.material()
            let needs = TrustNeeds(of: payload, in: try TrustStore(material)).needs
            for need in needs {
                guard let id = need.id else { continue }
                var less = material
                switch need.kind {
                case .issuer: less.issuers.removeAll { $0.id == id }
                case .context:
                    // Credentials that are signed as JSON, and tokens, are read without contexts.
                    if item.text("suite")?.contains("jcs") ?? false { continue }
                    contexts += 1
                    less.contexts[id] = nil
                case .document:
                    documents += 1
                    less.documents.removeAll { (try? JSON.parse($0))?["id"]?.string == id }
                case .statusList: less.statusLists[id] = nil
                case .root: less.roots = []
                }
                let verifier = Verifier(trust: try TrustStore(less), policy: item.policy)
                let verdict = verifier.verify(payload, demand: item.demand, at: try #require(item.clock))
                #expect(!verdict.isAccepted, "\(item.id) without \(need)")
                #expect(verdict.missing.contains(id) == (verdict.code == .contextNotPinned), "\(item.id)")
            }
        }
        #expect(contexts > 20 && documents > 20)
    }

    // MARK: - Linked data

    @Test func selfContainedIssuersNeedNoDocument() throws {
        let needs = try needs(try issuer.sign(issuer.template))
        #expect(needs.needs.map(\.kind) == [.issuer, .context, .context] && needs.format == .ldpVC)
        #expect(needs.needs.allSatisfy { !$0.isPresent } && !needs.isComplete)
        for context in needs.needs.dropFirst() {
            #expect(context.builtIn == BuiltInContexts.document(try #require(context.id))?.sha256)
        }
        #expect(try self.needs(try issuer.sign(issuer.template), issuer.material).isComplete)
    }

    private static let works: Text = "did:web:works.example"
    private static let key: Text = "did:web:works.example#key-1"

    private func document(_ id: Text = works, purposes: JSON = [.string(key)], controller: Text? = nil) -> [UInt8] {
        let value = Multibase.encodeBase58([0xED, 0x01] + issuer.key.publicKey.rawRepresentation)
        let method: JSON = [
            "id": .string(Self.key), "type": "Multikey", "controller": .string(controller ?? id),
            "publicKeyMultibase": .text(value),
        ]
        return JSON.object([
            "id": .string(id), "verificationMethod": [method], "assertionMethod": purposes,
        ]).compactBytes
    }

    private func credential(method: Text = key, change: (inout JSONObject) -> Void = { _ in }) throws -> JSON {
        var template = issuer.template
        template["issuer"] = .string(Self.works)
        change(&template)
        return try issuer.sign(template) { $0["verificationMethod"] = .string(method) }
    }

    @Test func keysOfDocuments() throws {
        var material = issuer.material
        material.issuers = [TrustedIssuer(id: Self.works)]
        let absent = try need(.document, Self.works, in: needs(credential(), material))
        #expect(!absent.isPresent && absent.keys == [Self.key])
        #expect(absent.address == "https://works.example/.well-known/did.json")
        material.documents = [document()]
        #expect(try needs(credential(), material).isComplete)
        let other = try credential(method: "did:web:works.example#key-2")
        #expect(try !need(.document, Self.works, in: needs(other, material)).isPresent)
    }

    @Test func linesOfAnEntry() throws {
        var material = issuer.material
        material.issuers = [TrustedIssuer(id: Self.works)]
        func lines(_ credential: JSON) throws -> [String] {
            let entry = try need(.issuer, Self.works, in: needs(credential, material))
            #expect(entry.isListed && entry.isPresent == entry.lines.isEmpty)
            return entry.lines
        }
        material.documents = [document(purposes: [.string(Self.works)])]
        #expect(try lines(credential()) == ["key-purpose = \"did-wide\""])
        material.issuers[0].keyPurpose = .didWide
        #expect(try lines(credential()) == [])
        material.documents = [document(controller: "did:web:other.example"), document("did:web:other.example")]
        #expect(try lines(credential()) == ["controllers = [\"did:web:other.example\"]"])
        material.documents = [document()]
        let inline = try credential {
            $0["@context"] = .array(($0["@context"]?.array ?? []) + [["x": "https://x.example/"]])
        }
        #expect(try lines(inline) == ["inline-contexts = \"allow\""])
        material.issuers[0].inlineContexts = true
        #expect(try lines(inline) == [])
        material.issuers[0].contexts = ["https://www.w3.org/ns/credentials/v2"]
        #expect(try lines(credential()) == ["contexts = [\"https://w3id.org/security/suites/ed25519-2020/v1\"]"])
    }

    /// A forger's proof in addition to the issuer's proof is not proposed. A forger's proof in its place is proposed,
    /// so that the operator sees it.
    @Test func proofsOfOthers() throws {
        var material = issuer.material
        material.issuers = [TrustedIssuer(id: Self.works)]
        material.documents = [document()]
        var both = try #require(try credential().object)
        let foreign: JSON = ["type": "Ed25519Signature2020", "verificationMethod": "did:web:forger.example#1"]
        both["proof"] = [foreign, both["proof"] ?? nil]
        #expect(try needs(.object(both), material).isComplete)
        both["proof"] = foreign
        let needs = try needs(.object(both), material)
        #expect(try need(.issuer, Self.works, in: needs).lines == ["controllers = [\"did:web:forger.example\"]"])
        #expect(try !need(.document, "did:web:forger.example", in: needs).isPresent)
    }

    @Test func statusLists() throws {
        let list: Text = "https://works.example/status/1"
        let credential = try credential {
            $0["credentialStatus"] = [
                "type": "BitstringStatusListEntry", "statusPurpose": "revocation", "statusListIndex": "7",
                "statusListCredential": .string(list),
            ]
        }
        var material = issuer.material
        material.issuers = [TrustedIssuer(id: Self.works)]
        material.documents = [document()]
        #expect(try !need(.statusList, list, in: needs(credential, material)).isPresent)
        // The needs of the list itself are reported once the list is stored.
        material.statusLists[list] =
            JSON.object([
                "@context": ["https://www.w3.org/ns/credentials/v2", "https://x.example/c"],
                "type": ["VerifiableCredential"], "issuer": "did:web:status.example",
                "proof": ["verificationMethod": "did:web:status.example#1"],
            ]).compactBytes
        let needs = try needs(credential, material)
        #expect(try need(.statusList, list, in: needs).isPresent)
        #expect(try need(.issuer, Self.works, in: needs).lines == ["status-issuers = [\"did:web:status.example\"]"])
        #expect(try !need(.document, "did:web:status.example", in: needs).isPresent)
        #expect(try !need(.context, "https://x.example/c", in: needs).isPresent)
    }

    /// A stored list that is a JWT needs its key, too.
    @Test func statusListTokens() throws {
        let list: Text = "https://works.example/status/1"
        let credential = try credential { $0["status"] = ["status_list": ["idx": 1, "uri": .string(list)]] }
        var material = issuer.material
        material.issuers = [TrustedIssuer(id: Self.works)]
        material.documents = [document()]
        func needs(signedBy header: JSONObject, _ claims: JSONObject = JSONObject()) throws -> TrustNeeds {
            var head: JSONObject = ["alg": "EdDSA", "typ": "statuslist+jwt"]
            for member in header.members { head[member.name] = member.value }
            var body: JSONObject = ["sub": .string(list), "iat": 1, "status_list": ["bits": 1, "lst": "eNpjAAAAAQAB"]]
            for member in claims.members { body[member.name] = member.value }
            let parts = [head, body].map { Base64.encode(JSON.object($0).compactBytes) }
            material.statusLists[list] = Array((parts.joined(separator: ".") + ".AA").utf8)
            return try self.needs(credential, material)
        }
        #expect(try needs(signedBy: ["kid": .string(Self.key)]).isComplete)
        let other = Text(Self.works.string + "#other")
        let missing = try need(.document, Self.works, in: needs(signedBy: ["kid": .string(other)]))
        #expect(!missing.isPresent && missing.keys.contains(other))
        let foreign = try needs(signedBy: ["kid": "k"], ["iss": "did:web:status.example"])
        #expect(try need(.issuer, Self.works, in: foreign).lines == ["status-issuers = [\"did:web:status.example\"]"])
        #expect(try !need(.document, "did:web:status.example", in: foreign).isPresent)
    }

    /// A pinned context can refer to other contexts.
    @Test func contextsOfContexts() throws {
        var material = issuer.material
        material.contexts["https://x.example/a"] = Array(
            #"{"@context": [{"t": {"@id": "https://x.example/t", "@context": "https://x.example/b"}}, "https://x.example/c"]}"#
                .utf8)
        let payload: JSON = [
            "@context": ["https://www.w3.org/ns/credentials/v2", "https://x.example/a"],
            "type": ["VerifiableCredential"], "issuer": .string(issuer.id),
        ]
        let contexts = try needs(payload, material).needs.filter { $0.kind == .context && !$0.isPresent }
        #expect(contexts.compactMap(\.id) == ["https://x.example/b", "https://x.example/c"])
    }

    @Test func presentations() throws {
        let presentation: JSON = [
            "@context": ["https://www.w3.org/ns/credentials/v2", "https://x.example/p"],
            "type": ["VerifiablePresentation"],
            "verifiableCredential": [try credential(), try issuer.sign(issuer.template)],
            "proof": ["type": "DataIntegrityProof", "verificationMethod": "did:web:holder.example#1"],
        ]
        let needs = try needs(presentation)
        #expect(needs.format == .ldpVP)
        let issuers = needs.needs.filter { $0.kind == .issuer }.compactMap(\.id)
        #expect(issuers == [Self.works, issuer.id])
        #expect(try need(.document, "did:web:holder.example", in: needs).keys == ["did:web:holder.example#1"])
        _ = try need(.context, "https://x.example/p", in: needs)
    }

    // MARK: - Tokens and mdocs

    @Test func rootsOfTokens() throws {
        let forge = try TokenForge()
        let root = try TestPKI.root("Works Root")
        let leaf = try TestPKI.issue(try TestPKI.Template.signer(), by: root)
        let id = TrustedIssuer.id(ofRoot: try root.der)
        func token(_ chain: [TestPKI.Member]) throws -> [UInt8] {
            var claims = forge.claims
            claims["iss"] = .string(Self.works)
            let certificates = try chain.map { JSON.text(Base64.encode(try $0.der, .standard)) }
            let header: JSONObject = ["alg": "ES256", "typ": "dc+sd-jwt", "x5c": .array(certificates)]
            return Array(try forge.sign(header, claims).utf8) + Array("~".utf8)
        }
        let nobody = try TrustStore(TrustMaterial())
        let named = TrustNeeds(of: try token([leaf]), in: nobody).needs
        #expect(
            named.map(\.kind) == [.issuer, .root] && named[1].id == nil && named[1].name?.contains("Works Root") == true
        )
        let brought = TrustNeeds(of: try token([leaf, root]), in: nobody).needs
        #expect(brought[1].id == id && brought[0].lines == ["roots = [\"\(id)\"]"])
        var material = TrustMaterial(
            issuers: [TrustedIssuer(id: Self.works)], roots: [TestPKI.pem(try root.der)])
        let unnamed = TrustNeeds(of: try token([leaf]), in: try TrustStore(material))
        #expect(unnamed.needs[1].isPresent && unnamed.needs[0].lines == ["roots = [\"\(id)\"]"] && !unnamed.isComplete)
        material.issuers[0].roots = [id]
        #expect(TrustNeeds(of: try token([leaf]), in: try TrustStore(material)).isComplete)
        // Another root of the same name vouches for no signer.
        material.roots = [TestPKI.pem(try TestPKI.root("Works Root").der)]
        #expect(!TrustNeeds(of: try token([leaf]), in: try TrustStore(material)).isComplete)
    }

    @Test func keysOfTokens() throws {
        let forge = try TokenForge()
        func needs(kid: JSON?) throws -> TrustNeeds {
            var header: JSONObject = ["alg": "ES256", "typ": "JWT"]
            header["kid"] = kid
            let claims: JSONObject = ["iss": .string(Self.works), "vc": [:]]
            return TrustNeeds(of: Array(try forge.sign(header, claims).utf8), in: try TrustStore(TrustMaterial()))
        }
        #expect(try need(.document, Self.works, in: needs(kid: nil)).keys == [])
        #expect(try need(.document, Self.works, in: needs(kid: "#key-1")).keys == [Self.key])
        #expect(try need(.document, Self.works, in: needs(kid: .string(Self.key))).keys == [Self.key])
        #expect(try need(.document, Self.works, in: needs(kid: "key-1")).keys == ["key-1"])
        let other = try needs(kid: "did:web:other.example#1")
        #expect(try need(.issuer, Self.works, in: other).lines == ["controllers = [\"did:web:other.example\"]"])
    }

    // MARK: - Hostile payloads

    @Test func everythingIsBounded() throws {
        let limits = Limits()
        let urls = (0..<5000).map { JSON.text("https://x.example/\($0)") }
        let many = try needs(["@context": .array(urls), "issuer": .string(issuer.id), "proof": []])
        #expect(many.needs.count == limits.needs && many.omitted == 5001 - limits.needs && !many.isComplete)
        let long = Text("did:web:" + String(repeating: "a", count: 100_000))
        let endless = try needs(["@context": [.string(long)], "issuer": .string(long), "credentialSubject": [:]])
        #expect(endless.needs.isEmpty && endless.omitted == 2 && !endless.isComplete)
        let junk = [UInt8](repeating: 0x5B, count: 10_000_000)
        #expect(TrustNeeds(of: junk, in: try TrustStore(TrustMaterial())).refusal?.code == .inputTooLarge)
        let deep = [UInt8](repeating: 0x5B, count: 4_000_000)
        #expect(TrustNeeds(of: deep, in: try TrustStore(TrustMaterial())).refusal?.code == .jsonTooDeep)
        let keys = (0..<500).map { JSON.object(["verificationMethod": .text("did:web:a.example#\($0)")]) }
        let signed = try needs(["@context": [], "issuer": "did:web:a.example", "proof": .array(keys)])
        #expect(try need(.document, "did:web:a.example", in: signed).keys.count <= limits.proofs)
    }

    /// Members of every wrong kind, and truncated payloads. Needs are reported or the payload is refused, and nothing
    /// traps.
    @Test func damagedPayloads() throws {
        let store = try TrustStore(issuer.material)
        let names: [Text] = [
            "@context", "issuer", "proof", "credentialStatus", "verifiableCredential", "type", "credentialSubject",
        ]
        let values: [JSON] = [
            nil, 7, true, "", "#", "x", [], [[]], [:], ["id": 7], [nil, "did:web:a"], ["@context": [[]]],
        ]
        for type in ["VerifiableCredential", "VerifiablePresentation"] as [JSON] {
            for name in names {
                for value in values {
                    var document = try #require(try credential().object)
                    document["type"] = [type]
                    document[name] = value
                    _ = TrustNeeds(of: JSON.object(document).compactBytes, in: store)
                }
            }
        }
        guard let path = Vectors.path("vc/mosip") else { return }
        for item in try VerdictCase.all(in: path).prefix(40) {
            let payload = try item.payload()
            for length in stride(from: 0, to: payload.count, by: payload.count / 12 + 1) {
                let needs = TrustNeeds(of: Array(payload[..<length]), in: store)
                #expect(needs.refusal != nil || !needs.isComplete || !needs.needs.isEmpty)
            }
        }
    }
}
