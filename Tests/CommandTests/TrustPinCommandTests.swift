import Encoding
import Foundation
import TestKit
import Testing

/// `gatehouse trust needs` and `gatehouse trust pin`: from a given credential to an accepted one.
@Suite struct TrustPinCommandTests {
    private let folder: Scratch

    init() throws { folder = try Scratch() }

    private func pin(_ words: String...) async throws -> Ending {
        try await folder.gatehouse(["trust", "pin"] + words + ["--trust", "trust"])
    }

    /// The service's group can read the files that root pins, however strict root's umask is.
    @Test(.enabled(if: geteuid() == 0)) func theUmaskOfRootDoesNotRestrictReaders() async throws {
        let words = ["trust", "pin", "issuer", "did:web:a.example", "--trust", "new"]
        let ending = try await Program.run(
            "sh", ["-c", "umask 077; exec \"$@\"", "sh", Program.gatehouse] + words, in: folder)
        #expect(ending.code == 0, "\(ending)")
        for (path, mode) in [("new", 0o750), ("new/issuers.toml", 0o640)] {
            var status = stat()
            #expect(stat(folder.path(path), &status) == 0 && Int(status.st_mode & 0o777) == mode, "\(path)")
        }
    }

    /// The demonstration's credential: its directory is made again with the commands that `needs` proposes.
    @Test func theProposedCommandsMakeTheDirectory() async throws {
        try await folder.exportSample()
        let first = try await folder.gatehouse("trust", "needs", "sample/credential.json", "--trust", "trust")
        #expect(first.code == 1 && first.output.contains("nothing is verified or trusted"), "\(first)")
        let files = [
            "FILE.json": "sample/trust/did/farmers.json", "FILE.jsonld": "sample/trust/contexts/farmer.json",
        ]
        func commands(_ needs: Ending) -> [String] { needs.lines.filter { $0.hasPrefix("    gatehouse trust pin ") } }
        #expect(commands(first).count == 4)
        func pin(_ command: String) async throws {
            let words = command.split(separator: " ").dropFirst().map { files[String($0)] ?? String($0) }
            let ending = try await folder.gatehouse(words)
            #expect(ending.code == 0 && ending.output.hasPrefix("pinned: "), "\(command): \(ending)")
            let again = try await folder.gatehouse(words)
            #expect(again.code == 0 && again.output.hasPrefix("already pinned: "), "\(again)")
        }
        for command in commands(first) { try await pin(command) }
        // Until the contexts are pinned, the meaning of the types is unknown.
        let second = try await folder.gatehouse("trust", "needs", "sample/credential.json", "--trust", "trust")
        #expect(second.code == 1 && commands(second).count == 1, "\(second)")
        #expect(second.output.contains("--type https://piyush7034.github.io/my-files/farmer.json#FarmerCredential"))
        let untyped = try await folder.gatehouse("verify", "--trust", "trust", "sample/credential.json")
        #expect(untyped.code == 1 && untyped.json.first?["reasons"]?.array?.first?["code"] == "issuer.untyped")
        let unsure = try await folder.gatehouse("trust", "verify", "trust")
        #expect(unsure.code == 1 && unsure.output.contains("types = [\"…\"]"), "\(unsure)")
        for command in commands(second) { try await pin(command) }
        let last = try await folder.gatehouse("trust", "needs", "sample/credential.json", "--trust", "trust")
        #expect(last.code == 0 && last.output.contains("Nothing is missing."), "\(last)")
        let verdict = try await folder.gatehouse("verify", "--trust", "trust", "sample/credential.json")
        #expect(verdict.code == 0, "\(verdict)")
        let check = try await folder.gatehouse("trust", "verify", "trust")
        #expect(check.code == 0, "\(check)")
    }

    /// A credential of MOSIP needs three items: its issuer's document, which lists only the bare DID; a context that
    /// refers to another context; and a status list.
    @Test func aCardOfMOSIP() async throws {
        guard let mosip = Vectors.path("vc/mosip")?.path else { return }
        let card = mosip + "/ldp_vc/mosipUnrevokedVC.json"
        let issuer = "did:web:mosip.github.io:inji-config:qa-inji1:mock"
        let words = [
            ["issuer", issuer],
            ["document", mosip + "/ldp_vc/mockDid.json"],
            ["context", "https://www.w3.org/ns/credentials/v2"],
            ["context", "https://w3id.org/security/suites/jws-2020/v1"],
            [
                "context", "https://mosip.github.io/inji-config/contexts/mock-identity-context.json",
                mosip + "/contexts/mock-identity-context.json",
            ],
        ]
        for words in words {
            let ending = try await folder.gatehouse(["trust", "pin"] + words + ["--trust", "trust", "--json"])
            #expect(ending.code == 0 && ending.json.first?["isNew"] == true, "\(words): \(ending)")
        }
        let needs = try await folder.gatehouse("trust", "needs", card, "--trust", "trust", "--json")
        #expect(needs.code == 1)
        let missing = (needs.json.first?["needs"]?.array ?? []).filter { $0["present"] == false }
        #expect(missing.map { $0["kind"] } == ["issuer", "context", "status-list"], "\(needs)")
        #expect(missing.first?["lines"] == ["key-purpose = \"did-wide\""])
        #expect(needs.json.first?["believed"] == false && needs.json.first?["complete"] == false)
        let list = missing.last?["id"]?.string?.string ?? ""
        for words in [
            ["issuer", issuer, "--key-purpose", "did-wide"],
            ["context", "https://www.w3.org/ns/odrl.jsonld", mosip + "/contexts/odrl-context.json"],
            ["status-list", list, mosip + "/ldp_vc/mosipUnrevokedStatusList.json"],
        ] {
            let ending = try await folder.gatehouse(["trust", "pin"] + words + ["--trust", "trust"])
            #expect(ending.code == 0, "\(words): \(ending)")
        }
        #expect(try await pin("issuer", issuer, "--credential", card).code == 0)
        #expect(try await folder.gatehouse("trust", "needs", card, "--trust", "trust").code == 0)
        let verdict = try await folder.gatehouse(
            "verify", "--trust", "trust", "--at", "2025-11-21T12:00:00Z", card)
        #expect(verdict.code == 0, "\(verdict)")
    }

    @Test func aTokenBelowARoot() async throws {
        guard let mosip = Vectors.path("vc/mosip")?.path else { return }
        let card = mosip + "/sd-jwt_vc/sdJwtWithClaimsInDisclosure.txt"
        let root = mosip + "/sd-jwt_vc/roots/animo.pem"
        let first = try await folder.gatehouse("trust", "needs", card, "--trust", "trust")
        #expect(first.output.contains("pin root FILE.pem --issuer https://funke.animo.id --trust trust"), "\(first)")
        let early = try await pin("root", root, "--issuer", "https://funke.animo.id")
        #expect(early.code == 2 && early.hasRemedy, "\(early)")
        let alone = try await pin("root", root)
        #expect(alone.code == 0 && alone.output.contains("\n  roots = [\"x509:sha256:"), "\(alone)")
        let bare = try await pin("issuer", "https://funke.animo.id")
        #expect(bare.code == 0 && bare.output.contains("it has no types yet"), "\(bare)")
        #expect(try await pin("issuer", "https://funke.animo.id", "--credential", card).code == 0)
        #expect(try folder.read("trust/issuers.toml").contains("types = ["))
        let foreign = try await pin("issuer", "https://other.example", "--credential", card)
        #expect(foreign.code == 2 && foreign.hasRemedy && foreign.errors.contains("not a credential of"), "\(foreign)")
        // The entry and the root exist; only the connection between them is missing.
        let apart = try await folder.gatehouse("trust", "needs", card, "--trust", "trust")
        #expect(apart.code == 1 && !apart.output.contains("pin issuer"), "\(apart)")
        #expect(apart.output.contains("pin root FILE.pem --issuer https://funke.animo.id --trust trust"), "\(apart)")
        #expect(try await pin("root", root, "--issuer", "https://funke.animo.id").code == 0)
        let needs = try await folder.gatehouse("trust", "needs", card, "--trust", "trust")
        #expect(needs.code == 0, "\(needs)")
        let verdict = try await folder.gatehouse(
            "verify", "--trust", "trust", "--at", "2025-11-21T12:00:00Z", card)
        #expect(verdict.code == 0, "\(verdict)")
    }

    /// A forger's key is shown and not proposed: pasting a proposed command must not let the forger sign as
    /// the issuer.
    @Test func othersAreNotProposed() async throws {
        try folder.write(
            "forged.json",
            "{\"@context\": [\"https://www.w3.org/ns/credentials/v2\"], \"type\": [\"VerifiableCredential\"], "
                + "\"issuer\": \"did:web:works.example\", \"proof\": {\"type\": \"DataIntegrityProof\", "
                + "\"verificationMethod\": \"did:web:forger.example#1\"}}")
        let ending = try await folder.gatehouse("trust", "needs", "forged.json")
        #expect(ending.output.contains("signed by another party. Only if the issuer itself publishes"), "\(ending)")
        #expect(!ending.output.contains("--controller"), "\(ending)")
    }

    @Test func refusals() async throws {
        try folder.write("a.json", "{\"@context\": {}}")
        try folder.write("b.json", "{\"@context\": {\"b\": \"https://b.example/\"}}")
        #expect(try await pin("context", "https://x.example/c", "a.json").code == 0)
        let other = try await pin("context", "https://x.example/c", "b.json")
        #expect(other.code == 1 && other.hasRemedy && other.errors.contains("--replace"), "\(other)")
        #expect(try await pin("context", "https://x.example/c", "b.json", "--replace").code == 0)
        for words in [
            ["context", "https://x.example/d"], ["context", "https://x.example/d", "absent.json"],
            ["document", "a.json"], ["root", "a.json"], ["issuer", "nobody"],
            ["issuer", "did:web:a.example", "--key-purpose", "any"],
        ] {
            let ending = try await folder.gatehouse(["trust", "pin"] + words + ["--trust", "trust"])
            #expect(ending.code == 2 && ending.hasRemedy && ending.output.isEmpty, "\(words): \(ending)")
        }
        let nowhere = try await folder.gatehouse("trust", "pin", "issuer", "did:web:a.example")
        #expect(nowhere.code == 2 && nowhere.hasRemedy && nowhere.errors.contains("--trust"), "\(nowhere)")
        try folder.write("trust/issuers.toml", "nonsense = 1\n")
        let broken = try await pin("issuer", "did:web:a.example")
        #expect(broken.code == 2 && broken.errors.contains("issuers.toml:1"), "\(broken)")
    }

    /// Text from a hostile file is printed so that it controls no terminal and no shell.
    @Test func hostileFiles() async throws {
        try folder.write(
            "hostile.json",
            "{\"@context\": [\"https://x.example/$(reboot)\"], \"type\": [\"VerifiableCredential\"], "
                + "\"issuer\": \"did:web:a';reboot #\\u001b[2J\\u202e\"}")
        let ending = try await folder.gatehouse("trust", "needs", "hostile.json")
        #expect(ending.code == 1 && !ending.output.contains("\u{1B}") && !ending.output.contains("\u{202E}"))
        #expect(ending.output.contains("pin issuer 'did:web:a'\\'';reboot #"), "\(ending)")
        #expect(ending.output.contains("pin context 'https://x.example/$(reboot)' FILE.jsonld"), "\(ending)")
        try folder.write("junk", [UInt8](repeating: 0x9B, count: 10_000_000))
        let junk = try await folder.gatehouse("trust", "needs", "junk", "--json")
        #expect(junk.code == 1 && junk.json.first?["reason"] == "input.too-large", "\(junk)")
        let named = try await folder.gatehouse("trust", "needs", "-", "--json", input: "HC1:NCFOXN")
        #expect(named.code == 1 && named.json.first?["unsupported"] == "hcert", "\(named)")
        let absent = try await folder.gatehouse("trust", "needs", "hostile.json", "absent.json")
        #expect(absent.code == 2 && absent.hasRemedy && absent.output.hasPrefix("hostile.json: ldp_vc"))
    }
}
