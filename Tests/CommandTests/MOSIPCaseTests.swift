import Crypto
import Encoding
import Foundation
import TestKit
import Testing

/// The linked-data cases of `vc/mosip` through the command line, each with a trust directory that is made as
/// `Tests/Vectors/README.md` says.
@Suite struct MOSIPCaseTests {
    @Test func linkedDataCasesDecideAsWritten() async throws {
        guard let root = Vectors.path("vc/mosip") else { return }
        let cases = try JSON.parse(try Vectors.bytes(root.appendingPathComponent("cases.json"))).array ?? []
        var tally = VectorTally("vc/mosip (gatehouse verify)")
        for entry in cases {
            guard let id = entry["id"]?.string?.string else { continue }
            guard entry["scope"] == nil else {
                tally.skip(id, because: "out of scope")
                continue
            }
            guard entry["format"] == "ldp_vc", entry["mode"] == nil, entry["holder"] == nil else { continue }
            let failure = try await failure(of: entry, in: root)
            if let failure, failure.contains(" proof.suite-unsupported "), try usesALaterSuite(entry, in: root) {
                tally.skip(id, because: "a suite that comes later")
            } else {
                tally.record(id, failure)
            }
        }
        #expect(tally.finish() == [])
    }

    private func usesALaterSuite(_ entry: JSON, in root: URL) throws -> Bool {
        let bytes = try Vectors.bytes(root.appendingPathComponent(entry["file"]?.string?.string ?? ""))
        return (try? JSON.parse(bytes))?["proof"]?["type"] == "EcdsaSecp256k1Signature2019"
    }

    private func failure(of entry: JSON, in root: URL) async throws -> String? {
        let folder = try Scratch()
        try TrustFolder(entry, root: root).write(into: folder)
        let file = root.appendingPathComponent(entry["file"]?.string?.string ?? "").path
        let ending = try await folder.gatehouse(
            "verify", "--trust", "trust", "--at", entry["clock"]?.string?.string ?? "", "--profile",
            entry["profile"]?.string?.string ?? "strict", file)
        guard let line = ending.json.first else { return "\(ending)" }
        let (decision, code) = (line["decision"]?.string, line["reasons"]?.array?.first?["code"]?.string)
        let wanted = [entry["expect"]?["code"]] + (entry["expect"]?["also"]?.array ?? [])
        // A status list is rejected as a credential even if it is valid.
        let holds = code == "kind.never-admits" && wanted.contains { $0?.string == "ok" }
        let isAsWritten = decision == entry["expect"]?["decision"]?.string && wanted.contains { $0?.string == code }
        guard isAsWritten || holds else {
            return "\(decision ?? "nothing") \(code ?? "") in place of \(entry["expect"]?.compactText ?? "")"
        }
        return ending.code == (decision == "accept" ? 0 : 1) ? nil : "exit code \(ending.code)"
    }
}

/// The trust of a case as the files of a trust directory.
struct TrustFolder {
    let entry: JSON
    let root: URL

    init(_ entry: JSON, root: URL) {
        (self.entry, self.root) = (entry, root)
    }

    func write(into folder: Scratch) throws {
        let trust = entry["trust"]
        var issuers = ""
        for issuer in trust?["issuers"]?.array ?? [] {
            let id = issuer.string ?? issuer["id"]?.string ?? ""
            issuers += "[[issuer]]\nid = \"\(id)\"\n"
            issuers += "controllers = \((issuer["controllers"] ?? []).compactText)\n"
            issuers += "key-purpose = \"\(entry["keyPurpose"]?.string ?? "strict")\"\n"
            if trust?["inlineContexts"] == "allow" { issuers += "inline-contexts = \"allow\"\n" }
            if let others = trust?["statusIssuers"]?[id] { issuers += "status-issuers = \(others.compactText)\n" }
        }
        try folder.write("trust/issuers.toml", issuers)
        for (number, file) in (trust?["documents"]?.array ?? []).enumerated() {
            try folder.write("trust/did/\(number).json", try bytes(file))
        }
        try index("contexts", trust?["contexts"], folder)
        try index("status", entry["statusList"], folder)
    }

    private func index(_ name: String, _ list: JSON?, _ folder: Scratch) throws {
        var index: [JSON] = []
        for (number, member) in (list?.object?.members ?? []).enumerated() {
            let bytes = try bytes(member.value)
            let digest = Hex.encode(SHA256.hash(data: bytes))
            try folder.write("trust/\(name)/\(number).json", bytes)
            index.append(["url": .string(member.name), "file": .text("\(number).json"), "sha256": .text(digest)])
        }
        if !index.isEmpty { try folder.write("trust/\(name)/index.json", JSON.array(index).compactText) }
    }

    private func bytes(_ file: JSON) throws -> [UInt8] {
        try Vectors.bytes(root.appendingPathComponent(file.string?.string ?? ""))
    }
}
