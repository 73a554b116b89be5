import Encoding
import Foundation
import TestKit
import Testing

/// `gatehouse verify --nonce --audience`: a holder's proof is required, and must match the challenge.
@Suite struct VerifyHolderTests {
    private func cases(_ folder: String) throws -> [(entry: JSON, root: URL)] {
        guard let root = Vectors.path(folder) else { return [] }
        let list = try JSON.parse(try Vectors.bytes(root.appendingPathComponent("cases.json"))).array ?? []
        return list.filter { $0["holder"]?["nonce"] != nil && $0["scope"] == nil }.map { ($0, root) }
    }

    private func good() throws -> (entry: JSON, root: URL)? {
        try cases("vc/neighbours").first { $0.entry["expect"]?["code"] == "ok" }
    }

    private func verify(_ entry: JSON, _ root: URL, _ options: [String]) async throws -> (String, Int32) {
        let folder = try Scratch()
        try TrustFolder(entry, root: root).write(into: folder)
        let ending = try await folder.gatehouse(
            [
                "verify", "--trust", "trust", "--at", entry["clock"]?.string?.string ?? "", "--profile",
                entry["profile"]?.string?.string ?? "strict",
            ] + options + [root.appendingPathComponent(entry["file"]?.string?.string ?? "").path])
        return (ending.json.first?["reasons"]?.array?.first?["code"]?.string?.string ?? "\(ending)", ending.code)
    }

    @Test func theCasesOfOthersDecideAsWritten() async throws {
        for (entry, root) in try cases("vc/neighbours") {
            let id = entry["id"]?.string?.string ?? ""
            let (nonce, audience) = (entry["holder"]?["nonce"]?.string, entry["holder"]?["audience"]?.string)
            let (code, exit) = try await verify(
                entry, root, ["--nonce", nonce?.string ?? "", "--audience", audience?.string ?? ""])
            let wanted = [entry["expect"]?["code"]] + (entry["expect"]?["also"]?.array ?? [])
            #expect(wanted.contains { $0?.string?.string == code }, "\(id): \(code)")
            #expect(exit == (code == "ok" ? 0 : 1), "\(id)")
        }
    }

    /// Another verifier's challenge, another verifier's name, and a credential without a proof.
    @Test func invalidAnswers() async throws {
        guard let (entry, root) = try good() else { return }
        let own = ["--nonce", "n-1", "--audience", "gate.example"]
        #expect(try await verify(entry, root, own).0 == "ok")
        let others = Array(own.prefix(2)) + ["--audience", "North-Gate"]
        #expect(try await verify(entry, root, others).0 == "holder.invalid")
        #expect(try await verify(entry, root, ["--nonce", "n-2"] + own.suffix(2)).0 == "holder.invalid")
        // The gate has no name here, so the proof's audience matches none.
        #expect(try await verify(entry, root, Array(own.prefix(2))).0 == "holder.invalid")
        // A proof for this gate may contain any nonce where none was given.
        #expect(try await verify(entry, root, Array(own.suffix(2))).0 == "ok")
        let folder = try Scratch()
        try await folder.exportSample()
        let bare = try await folder.gatehouse(
            "verify", "--trust", "sample/trust", "--at", "2026-06-01T09:00:00Z", "--nonce", "n-1",
            "sample/credential.json")
        #expect(bare.json.first?["reasons"]?.array?.first?["code"] == "holder.proof-missing" && bare.code == 1)
    }

    /// A gate's audience is its own name.
    @Test func theGatesName() async throws {
        guard let (entry, root) = try good() else { return }
        let folder = try Scratch()
        try TrustFolder(entry, root: root).write(into: folder)
        try folder.write(
            "gate.toml", "[kiosk]\nname = \"North-Gate\"\n[trust]\ndirectory = \"trust\"\nstate = \"state\"\n")
        let file = root.appendingPathComponent(entry["file"]?.string?.string ?? "").path
        let words = ["verify", "--config", "gate.toml", "--at", entry["clock"]?.string?.string ?? "", file]
        for (options, code) in [([], "holder.invalid"), (["--nonce", "n-1"], "holder.invalid")] as [([String], JSON)] {
            let ending = try await folder.gatehouse(words + options)
            #expect(ending.json.first?["reasons"]?.array?.first?["code"] == code, "\(options): \(ending)")
        }
    }
}
